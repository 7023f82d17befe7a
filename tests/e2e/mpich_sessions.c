/*
 * Rank 0 begins with a session, as a library within it may, the others with
 * MPI_Init; all have MPI_COMM_WORLD then.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const char *rank = getenv("PMI_RANK");
	int first = rank && !atoi(rank), me, sum;
	MPI_Session s;

	if (first)
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (first)
		printf("the ranks are %d in all\n", sum);
	MPI_Finalize();
	if (first)
		MPI_Session_finalize(&s);
	return 0;
}
