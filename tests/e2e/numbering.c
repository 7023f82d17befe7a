/*
 * Open MPI tells the nonblocking collectives of a communicator apart by tags
 * that count down, and makes communicators by such collectives. MPI_Iprobe
 * finds the message of one that rank 0 has not come to yet, if arguments are
 * not checked (mpi_param_check = 0). Prints the tag of the next one on
 * MPI_COMM_WORLD at the program's start, and behind other calls. 2 processes.
 */
#include <mpi.h>
#include <stdio.h>

static int me;

static void next(const char *behind)
{
	int tag = 0, flag = 0;
	MPI_Request r;

	while (!me && !flag)
		for (tag = 0; !flag && tag > -1000;)
			MPI_Iprobe(1, --tag, MPI_COMM_WORLD, &flag,
				   MPI_STATUS_IGNORE);
	MPI_Ibarrier(MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (!me)
		printf("%s: %d\n", behind, tag);
}

int main(int argc, char **argv)
{
	MPI_Comm comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	next("MPI_Init");
	next("MPI_Ibarrier");
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	next("MPI_Comm_dup");
	MPI_Comm_free(&comm);
	next("MPI_Comm_free");
	MPI_Finalize();
	return 0;
}
