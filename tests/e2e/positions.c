/*
 * Binds itself to the processor whose number is its argument, if it has one,
 * before MPI_Init, and says so if that is not as it was after it.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	cpu_set_t before, after;
	int rank, x = 0;

	if (argc > 1) {
		CPU_ZERO(&before);
		CPU_SET(atoi(argv[1]), &before);
		if (sched_setaffinity(0, sizeof before, &before))
			return 2;
	}
	sched_getaffinity(0, sizeof before, &before);
	MPI_Init(&argc, &argv);
	sched_getaffinity(0, sizeof after, &after);
	MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Finalize();
	if (!CPU_EQUAL(&before, &after))
		printf("rank %d: another binding\n", rank);
	return 0;
}
