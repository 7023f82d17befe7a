/* The half in C of fortran_mixed.F90. */
#include <mpi.h>
#include <stdio.h>

void part_in_fortran_(MPI_Fint *comm);

static int number;

void part_in_c_(MPI_Fint *comm)
{
	int in = 1, out = 0;

	MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_Comm_f2c(*comm));
	printf("sum %d\n", out);
}

void wait_in_c_(MPI_Fint *request)
{
	MPI_Request r = PMPI_Request_f2c(*request);

	MPI_Wait(&r, MPI_STATUS_IGNORE);
	*request = PMPI_Request_c2f(r);
}

void begin_in_c_(MPI_Fint *comm, MPI_Fint *request)
{
	MPI_Comm c = PMPI_Comm_f2c(*comm);
	MPI_Request r;
	int me;

	PMPI_Comm_rank(c, &me);
	if (me)
		MPI_Irecv(&number, 1, MPI_INT, 0, 8, c, &r);
	else
		MPI_Isend(&number, 1, MPI_INT, 1, 8, c, &r);
	*request = PMPI_Request_c2f(r);
}

#ifndef FIRST
int main(int argc, char **argv)
{
	MPI_Fint world;

	MPI_Init(&argc, &argv);
	world = PMPI_Comm_c2f(MPI_COMM_WORLD);
	part_in_fortran_(&world);
	part_in_c_(&world);
	MPI_Finalize();
	return 0;
}
#endif
