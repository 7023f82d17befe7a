/*
 * Every call that has a record of its own in New PICL, in all ranks, on the
 * world, on another communicator of all and on parts. There is no thread, no
 * communicator of two groups and no MPI_PROC_NULL, so that t2np has as many
 * records as there are calls.
 */
#include <mpi.h>
#include <stdlib.h>

void tape_off(void) __attribute__((weak));
void tape_on(void) __attribute__((weak));

#define MOST 64
static int a[MOST * MOST], b[MOST * MOST], n[MOST], at[MOST];
static MPI_Datatype types[MOST];

/* One and the same for all, or so many for each. */
static void of_all(MPI_Comm c, int size)
{
	for (int i = 0; i < size; i++) {
		n[i] = 1;
		at[i] = i;
		types[i] = MPI_INT;
	}
	MPI_Barrier(c);
	MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, c);
	MPI_Allgatherv(a, 1, MPI_INT, b, n, at, MPI_INT, c);
	MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, c);
	MPI_Alltoallv(a, n, at, MPI_INT, b, n, at, MPI_INT, c);
	for (int i = 0; i < size; i++)
		at[i] *= (int)sizeof(int);
	MPI_Alltoallw(a, n, at, types, b, n, at, types, c);
	MPI_Allreduce(a, b, 3, MPI_INT, MPI_SUM, c);
	MPI_Reduce_scatter(a, b, n, MPI_INT, MPI_SUM, c);
	MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, c);
	MPI_Scan(a, b, 2, MPI_INT, MPI_SUM, c);
	MPI_Exscan(a, b, 2, MPI_INT, MPI_SUM, c);
}

static void rooted(MPI_Comm c, int size, int root)
{
	for (int i = 0; i < size; i++) {
		n[i] = 1;
		at[i] = i;
	}
	MPI_Bcast(a, 5, MPI_INT, root, c);
	MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, root, c);
	MPI_Gatherv(a, 1, MPI_INT, b, n, at, MPI_INT, root, c);
	MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, root, c);
	MPI_Scatterv(a, n, at, MPI_INT, b, 1, MPI_INT, root, c);
	MPI_Reduce(a, b, 2, MPI_INT, MPI_SUM, root, c);
}

/* A ring: to the next, from the one before. */
static void messages(MPI_Comm c, int to, int from)
{
	int (*const isend[])(const void *, int, MPI_Datatype, int, int,
			     MPI_Comm, MPI_Request *) = {
		MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend };
	static char space[1 << 16];
	MPI_Request q[2];
	int flag, size;
	void *p;

	MPI_Buffer_attach(space, sizeof space);
	for (int k = 0; k < 4; k++) {
		MPI_Irecv(b, 9, MPI_INT, k & 1 ? MPI_ANY_SOURCE : from, k, c,
			  &q[0]);
		MPI_Barrier(c); /* the receive is there, for a ready send */
		isend[k](a, 9, MPI_INT, to, k, c, &q[1]);
		MPI_Request_get_status(q[1], &flag, MPI_STATUS_IGNORE);
		MPI_Request_get_status(q[0], &flag, MPI_STATUS_IGNORE);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	MPI_Irecv(b, 9, MPI_INT, from, 10, c, &q[0]);
	MPI_Barrier(c);
	MPI_Rsend(a, 9, MPI_INT, to, 10, c);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	MPI_Bsend(a, 2, MPI_INT, to, 11, c);
	MPI_Probe(from, 11, c, MPI_STATUS_IGNORE);
	MPI_Recv(b, 9, MPI_INT, from, 11, c, MPI_STATUS_IGNORE);
	MPI_Irecv(b, 9, MPI_INT, from, 12, c, &q[0]);
	MPI_Ssend(a, 2, MPI_INT, to, 12, c);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	MPI_Send(a, 2, MPI_INT, to, 13, c);
	MPI_Recv(b, 9, MPI_INT, MPI_ANY_SOURCE, 13, c, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&p, &size);
}

int main(int argc, char **argv)
{
	int rank, size, me, many;
	MPI_Comm half, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > MOST)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Comm_rank(half, &me);
	MPI_Comm_size(half, &many);
	for (int i = 0; i < 5; i++) {
		of_all(MPI_COMM_WORLD, size);
		of_all(half, many);
		rooted(MPI_COMM_WORLD, size, i % size);
		rooted(all, size, 0);
		rooted(half, many, many - 1);
		messages(MPI_COMM_WORLD, (rank + 1) % size,
			 (rank + size - 1) % size);
		messages(half, (me + 1) % many, (me + many - 1) % many);
		if (tape_off)
			tape_off();
		MPI_Barrier(all);
		MPI_Bcast(a, 1, MPI_INT, 0, all);
		if (tape_on)
			tape_on();
	}
	MPI_Comm_free(&half);
	MPI_Comm_free(&all);
	MPI_Finalize();
	return 0;
}
