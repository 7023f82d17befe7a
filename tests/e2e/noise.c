/*
 * Rank 0 receives a message from each of the others in each of ROUNDS rounds:
 * of any source, where "race" is given, else by rank. Prints a number that
 * depends on the order of receiving.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int race = argc > 2 && !strcmp(argv[2], "race");
	int rounds = atoi(argv[1]), rank, size, value;
	unsigned long sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank)
			MPI_Send(&rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
		for (int k = 1; !rank && k < size; k++) {
			MPI_Recv(&value, 1, MPI_INT, race ? MPI_ANY_SOURCE : k,
				 i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			sum = sum * 31 + (unsigned)value;
		}
	}
	if (!rank)
		printf("%lu\n", sum);
	MPI_Finalize();
	return 0;
}
