/*
 * Messages of all kinds and paces between ranks whose clocks are bent:
 *
 *	traffic SECONDS [SEED [VICTIM]]
 *
 * Turns of some neighbourly exchanges and a collective with pauses of up to 6
 *ms, now and then a burst. VICTIM: that rank is killed at two thirds. Prints
 *how long the longest turn took: a machine that lets no rank run for a while
 *has no messages that tell anything.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

/* From now on clocks go wrong (warp.c); not there without. */
void warp_begin(void);
#pragma weak warp_begin

static int me, size, left, right;
static unsigned long long state;

/* The same on all ranks. */
static unsigned draw(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

static void rest(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

static long round_trip(long i)
{
	long mine = i * size + me, got;

	MPI_Sendrecv(&mine, 1, MPI_LONG, right, 1, &got, 1, MPI_LONG, left, 1,
		     W, IGNORE);
	mine += got;
	MPI_Sendrecv(&mine, 1, MPI_LONG, left, 2, &got, 1, MPI_LONG, right, 2,
		     W, IGNORE);
	return got;
}

static void ask(int to)
{
	long x = me;

	if (!me) {
		MPI_Send(&x, 1, MPI_LONG, to, 3, W);
		MPI_Recv(&x, 1, MPI_LONG, to, 4, W, IGNORE);
	} else if (me == to) {
		MPI_Recv(&x, 1, MPI_LONG, 0, 3, W, IGNORE);
		MPI_Send(&x, 1, MPI_LONG, 0, 4, W);
	}
}

int main(int argc, char **argv)
{
	double length = argc > 1 ? atof(argv[1]) : 3, start, last, longest = 0;
	int victim = argc > 3 ? atoi(argv[3]) : -1, on = 1;
	long turns = 0, sum = 0;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	left = (me + size - 1) % size;
	right = (me + 1) % size;
	if (warp_begin)
		warp_begin();
	start = last = MPI_Wtime();
	while (on) {
		int often = draw(20) ? 1 : 20;

		for (int k = 0; k < often; k++)
			sum += round_trip(turns++);
		if (size > 1)
			ask(1 + (int)draw((unsigned)size - 1));
		rest(draw(6000));
		on = MPI_Wtime() - start < length;
		MPI_Bcast(&on, 1, MPI_INT, 0, W);
		if (MPI_Wtime() - last > longest)
			longest = MPI_Wtime() - last;
		last = MPI_Wtime();
		if (me == victim && MPI_Wtime() - start > length * 2 / 3)
			kill(getpid(), SIGKILL);
	}
	if (!me)
		printf("turns %ld sum %ld\nlongest %.0f ms\n", turns, sum,
		       1e3 * longest);
	MPI_Finalize();
	return 0;
}
