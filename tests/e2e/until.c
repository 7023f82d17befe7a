/*
 * Two ranks exchange messages until a file is there: until FILE. Rank 0 looks
 * for it each millisecond. Each rank prints its number and how many exchanges
 * it made.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, over = 0, got;
	long n = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (; !over; n++) {
		int mine = !rank && !access(argv[argc - 1], F_OK);

		MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT,
			     1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		over = mine || got;
		usleep(1000);
	}
	printf("%d %ld\n", rank, n);
	MPI_Finalize();
	return 0;
}
