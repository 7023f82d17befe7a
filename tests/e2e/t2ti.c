/*
 * For t2ti.sh: a program that SimGrid's replay knows all actions of, with work
 * of a fixed number of operations. argv[1]: rounds; argv[2]: operations.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

static void work(long n)
{
	double x = 1;

	for (long i = 0; i < n; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

int main(int argc, char **argv)
{
	int rank, size, rounds, right, left;
	static char out[2][65536], in[2][65536];
	double sum[8] = { 0 }, all[8];
	MPI_Request r[4];
	long n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	rounds = argc > 1 ? atoi(argv[1]) : 5;
	n = argc > 2 ? atol(argv[2]) : 1000;
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	for (int i = 0; i < rounds; i++) {
		int bytes = 1000 + 100 * i % 60000;

		MPI_Irecv(in[0], sizeof in[0], MPI_BYTE, MPI_ANY_SOURCE, 1,
			  MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(in[1], bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD,
			  &r[1]);
		MPI_Isend(out[0], bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD,
			  &r[2]);
		MPI_Isend(out[1], bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD,
			  &r[3]);
		work(n * (1 + rank % 2));
		for (int k = 0; k < 4; k++)
			MPI_Wait(&r[k], MPI_STATUS_IGNORE);
		if (i % 2) {
			MPI_Send(out[0], 8, MPI_BYTE, right, 3,
				 MPI_COMM_WORLD);
			MPI_Recv(in[0], 64, MPI_BYTE, left, MPI_ANY_TAG,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		work(n);
		MPI_Allreduce(sum, all, 8, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	}
	MPI_Gather(sum, 4, MPI_DOUBLE, rank ? NULL : malloc((size_t)size * 32),
		   4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Alltoall(out[0], 16, MPI_BYTE, in[0], 16, MPI_BYTE,
		     MPI_COMM_WORLD);
	MPI_Reduce(sum, all, 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
