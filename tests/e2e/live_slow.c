/*
 * live_slow US STEPS: the others wait for rank 1, which sleeps US microseconds
 * in each step, until there are so many steps and a file "enough".
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int me, n, in, stop = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int i = 0; argc > 2 && !stop; i++) {
		stop = !me && i >= atoi(argv[2]) && !access("enough", F_OK);
		MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
		if (me == 1)
			usleep((useconds_t)atoi(argv[1]));
		MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 1, &in, 1, MPI_INT,
			     (me + n - 1) % n, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
