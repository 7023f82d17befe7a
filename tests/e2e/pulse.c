/*
 * A ring of messages, both ways round, with pauses between: for clocks that
 * bend during the run.
 *
 *	pulse MS PAUSE_MS     for that long, by the clock of rank 0
 *
 * Prints how long the longest turn took: between messages nothing is known of a
 * clock that goes to and fro.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define W MPI_COMM_WORLD

/* From now on clocks go wrong (tests/rigs/warp); not there without. */
void warp_begin(void);
#pragma weak warp_begin

static void rest(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	double length = argc > 1 ? atof(argv[1]) / 1e3 : 3, start, last;
	double longest = 0;
	long pause = argc > 2 ? atol(argv[2]) : 5, sum = 0;
	int me, size, left, right, on = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	left = (me + size - 1) % size;
	right = (me + 1) % size;
	if (warp_begin)
		warp_begin();
	start = last = MPI_Wtime();
	for (long i = 0; on; i++) {
		long mine = i * size + me, got;

		MPI_Sendrecv(&mine, 1, MPI_LONG, right, 1, &got, 1, MPI_LONG,
			     left, 1, W, MPI_STATUS_IGNORE);
		sum += got;
		MPI_Sendrecv(&mine, 1, MPI_LONG, left, 2, &got, 1, MPI_LONG,
			     right, 2, W, MPI_STATUS_IGNORE);
		sum -= got;
		rest(pause);
		on = MPI_Wtime() - start < length;
		if (MPI_Wtime() - last > longest)
			longest = MPI_Wtime() - last;
		last = MPI_Wtime();
		MPI_Bcast(&on, 1, MPI_INT, 0, W);
	}
	if (!me)
		printf("sum %ld of %d\nlongest %.0f ms\n", sum, size,
		       1e3 * longest);
	MPI_Finalize();
	return 0;
}
