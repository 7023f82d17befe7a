/*
 * Half of a round trip, the median of many, for the sizes given: "BYTES NS" on
 * standard output. Knows nothing of Tape.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 2000 };

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double half(int rank, char *buffer, int bytes)
{
	static double took[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = MPI_Wtime();

		if (rank == 0)
			MPI_Send(buffer, bytes, MPI_BYTE, 1, 1,
				 MPI_COMM_WORLD);
		MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(buffer, bytes, MPI_BYTE, 0, 1,
				 MPI_COMM_WORLD);
		took[i] = 1e9 * (MPI_Wtime() - start) / 2;
	}
	qsort(took, ROUNDS, sizeof *took, ascending);
	return took[ROUNDS / 2];
}

int main(int argc, char **argv)
{
	char *buffer = calloc(1, 1 << 22);
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; buffer && i < argc; i++) {
		double ns = half(rank, buffer, atoi(argv[i]));

		if (rank == 0)
			printf("%s %.0f\n", argv[i], ns);
	}
	MPI_Finalize();
	free(buffer);
	return 0;
}
