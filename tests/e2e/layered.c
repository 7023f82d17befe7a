/* Five sends from rank 0 to rank 1, a barrier; two ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int me, x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Pcontrol(1);
	for (int i = 0; i < 5; i++)
		if (me)
			MPI_Recv(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		else
			MPI_Send(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
