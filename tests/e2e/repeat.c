/*
 * "repeat FILE": a run of a series, whose number is in the file. The others
 * send to rank 0 one after another, in an order that the number determines:
 * three orders in turn. Rank 0 prints two lines; in every fourth run the second
 * one is another, and the status is 3.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int next_number(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = 0;

	if (f) {
		(void)!fscanf(f, "%d", &n);
		fclose(f);
	}
	f = fopen(path, "w");
	fprintf(f, "%d\n", n + 1);
	fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	int rank, n = 0, value, token = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!rank)
		n = next_number(argv[1]);
	MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++) {
		int sender = 1 + (n + i) % 3;

		/* the next one sends when this message has been received */
		if (rank == sender)
			MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
		if (!rank)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	if (!rank)
		printf("the first line\nthe %s line\n",
		       n % 4 == 3 ? "other" : "second");
	MPI_Finalize();
	return !rank && n % 4 == 3 ? 3 : 0;
}
