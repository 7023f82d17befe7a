/*
 * A test of bandwidth, as many do it: windows of messages that are started
 * together, each window answered by a short one. Prints its own rate.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 64, TURNS = 20, MOST = 65536 };

static char data[WINDOW][MOST];

static void window(int me, int bytes)
{
	MPI_Request r[WINDOW];
	int answer = 0;

	for (int k = 0; k < WINDOW; k++)
		if (!me)
			MPI_Isend(data[k], bytes, MPI_BYTE, 1, 1,
				  MPI_COMM_WORLD, &r[k]);
		else
			MPI_Irecv(data[k], bytes, MPI_BYTE, 0, 1,
				  MPI_COMM_WORLD, &r[k]);
	MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE);
	if (me)
		MPI_Send(&answer, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	else
		MPI_Recv(&answer, 1, MPI_INT, 1, 2, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int me;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int bytes = 8; bytes <= MOST; bytes *= 4) {
		double start;

		MPI_Barrier(MPI_COMM_WORLD);
		start = MPI_Wtime();
		for (int i = 0; i < TURNS; i++)
			window(me, bytes);
		if (!me)
			printf("%d bytes: %.3f ns/byte\n", bytes,
			       1e9 * (MPI_Wtime() - start) / TURNS / WINDOW /
				       bytes);
	}
	MPI_Finalize();
	return 0;
}
