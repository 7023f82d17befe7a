/*
 * Programs that say a lot:
 *
 *	streamed rounds N      N rounds of messages between neighbours
 *	streamed alone N       rank 0 sends N messages to itself, then the one
 *	                       that all others wait for from the start
 *	streamed requests N    N pairs, each of requests and one persistent
 *	streamed seconds S     rounds for that long, by the clock of rank 0
 *	streamed until FILE    rounds until rank 0 sees that file
 *
 * A sum is printed.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tape.h"

#define W MPI_COMM_WORLD
#pragma weak tape_enter
#pragma weak tape_leave

static int me, size;

static void enter(const char *name)
{
	if (tape_enter)
		tape_enter(name);
}

static void leave(void)
{
	if (tape_leave)
		tape_leave();
}

static long rounds(long n)
{
	long sum = 0, got = 0;

	for (long i = 0; i < n; i++) {
		if (i % 1000 == 0)
			enter(i % 3000 ? "some" : "others");
		MPI_Sendrecv(&i, 1, MPI_LONG, (me + 1) % size, 1, &got, 1,
			     MPI_LONG, (me + size - 1) % size, 1, W,
			     MPI_STATUS_IGNORE);
		sum += got;
		if (i % 1000 == 999)
			leave();
	}
	return sum;
}

static long alone(long n)
{
	long sum = 0;

	for (long i = 0; !me && i < n; i++) {
		MPI_Sendrecv(&i, 1, MPI_LONG, 0, 1, &sum, 1, MPI_LONG, 0, 1,
			     MPI_COMM_SELF, MPI_STATUS_IGNORE);
	}
	MPI_Bcast(&sum, 1, MPI_LONG, 0, W);
	return sum;
}

static long seconds(long length)
{
	double start = MPI_Wtime();
	long sum = 0;

	for (int on = 1; on;) {
		sum += rounds(1000);
		on = MPI_Wtime() - start < (double)length;
		MPI_Bcast(&on, 1, MPI_INT, 0, W);
	}
	return sum;
}

static long rounds_until(const char *file)
{
	long sum = 0;

	for (int on = 1; on;) {
		sum += rounds(100);
		on = access(file, F_OK) != 0;
		MPI_Bcast(&on, 1, MPI_INT, 0, W);
	}
	return sum;
}

/* The same as rounds; says how many seconds it took. */
static long timed(long n)
{
	double start = MPI_Wtime();
	long sum = rounds(n);

	MPI_Barrier(W);
	if (!me)
		printf("%.9f\n", MPI_Wtime() - start);
	return sum;
}

static long requests(long n)
{
	long sum = 0, got = 0, kept = 0;
	MPI_Request r[3];

	MPI_Recv_init(&kept, 1, MPI_LONG, (me + size - 1) % size, 2, W, &r[2]);
	for (long i = 0; i < n; i++) {
		MPI_Start(&r[2]);
		MPI_Irecv(&got, 1, MPI_LONG, (me + size - 1) % size, 1, W,
			  &r[0]);
		MPI_Isend(&i, 1, MPI_LONG, (me + 1) % size, 1, W, &r[1]);
		MPI_Send(&i, 1, MPI_LONG, (me + 1) % size, 2, W);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
		sum += got + kept;
	}
	MPI_Request_free(&r[2]);
	return sum;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1000, sum;
	const char *what = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	sum = !strcmp(what, "rounds")	 ? rounds(n)
	      : !strcmp(what, "timed")	 ? timed(n)
	      : !strcmp(what, "alone")	 ? alone(n)
	      : !strcmp(what, "seconds") ? seconds(n)
	      : !strcmp(what, "until")	 ? rounds_until(argv[2])
					 : requests(n);
	printf("%d %ld\n", me, sum);
	MPI_Finalize();
	return 0;
}
