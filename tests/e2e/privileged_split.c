/* Splits its communicator by the hardware; says whether that was refused. */
#include <mpi.h>
#include <stdio.h>
#include <tape_hsplit.h>

int main(int argc, char **argv)
{
	MPI_Comm part = MPI_COMM_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	puts(tape_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, &part) == MPI_SUCCESS
		     ? "split" : "refused");
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	return MPI_Finalize();
}
