/*
 * Rank 1 is slow where Tape measures what a local call costs: has any rank left
 * MPI_Init before? Prints how often Tape called, and how many ranks left early.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long calls;
static double last;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int PMPI_Type_size(MPI_Datatype type, int *size)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	struct timespec pause = { 0, 100000 };

	(void)type;
	*size = 8;
	calls++;
	if (rank && atoi(rank) == 1)
		nanosleep(&pause, NULL);
	last = now();
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	double left, slowest;
	int me, early, all;

	MPI_Init(&argc, &argv);
	left = now();
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Allreduce(&last, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	early = left < slowest;
	MPI_Allreduce(&early, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!me)
		printf("%ld calls, %d early\n", calls, all);
	MPI_Finalize();
	return 0;
}
