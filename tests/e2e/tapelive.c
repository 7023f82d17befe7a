/*
 * All kinds of calls in an order and at times that a seed decides, with call
 * sites, regions, communicators and requests that come while it runs.
 *	tapelive STEPS SEED [KILLED_AT]
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma weak tape_enter
#pragma weak tape_leave
void tape_enter(const char *name);
void tape_leave(void);

static int me, n;

static void work(long us)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000 +
		   (b.tv_nsec - a.tv_nsec) / 1000 <
	       us);
}

static void ring(int i)
{
	MPI_Sendrecv_replace(&i, 1, MPI_INT, (me + 1) % n, 1, (me + n - 1) % n,
			     1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sum(void)
{
	double x = me, y;

	if (tape_enter)
		tape_enter(me ? "sum" : "sum of the first");
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (tape_enter)
		tape_leave();
}

static void overlap(int i)
{
	static char s[1 << 17], t[1 << 17];
	MPI_Request r[2];
	int k = 1 << (i % 17);

	MPI_Irecv(t, k, MPI_CHAR, (me + n - 1) % n, 2, MPI_COMM_WORLD, r);
	MPI_Isend(s, k, MPI_CHAR, (me + 1) % n, 2, MPI_COMM_WORLD, r + 1);
	work(rand() % 100);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void halves(void)
{
	MPI_Comm k;

	MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &k);
	MPI_Barrier(k);
	MPI_Comm_free(&k);
}

static void tests(int i)
{
	MPI_Request r;
	int z, done = 0;

	MPI_Irecv(&z, 1, MPI_INT, (me + 1) % n, 3, MPI_COMM_WORLD, &r);
	MPI_Send(&i, 1, MPI_INT, (me + n - 1) % n, 3, MPI_COMM_WORLD);
	while (!done)
		MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 1000;
	int killed = argc > 3 ? atoi(argv[3]) : -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	srand((unsigned)(100 * (argc > 2 ? atoi(argv[2]) : 1) + me));
	for (int i = 0; i < steps; i++) {
		if (i == killed && me == n - 1)
			raise(SIGKILL);
		work(rand() % 50 * (1 + me));
		ring(i);
		if (i > steps / 4)
			sum();
		if (tape_enter && i > steps / 2 && i % 3 == 0)
			tape_enter("overlap");
		if (i > steps / 2)
			overlap(i);
		if (tape_enter && i > steps / 2 && i % 3 == 0)
			tape_leave();
		if (i % 200 == 199)
			halves();
		if (i > 3 * steps / 4 && i % 7 == 0)
			tests(i);
	}
	MPI_Finalize();
	return 0;
}
