/*
 * Messages of one size between rank 0 and each other rank, and between these:
 *
 *	traffic SECONDS BYTES BYTES_BACK
 *
 * Prints how many turns there were.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* From now on clocks go wrong (tests/rigs/warp); not there without. */
void warp_begin(void);
#pragma weak warp_begin

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int me;
static char *room;

static void exchange(int a, int b, int there, int back)
{
	if (me == a) {
		MPI_Send(room, there, MPI_CHAR, b, 1, W);
		MPI_Recv(room, back, MPI_CHAR, b, 2, W, IGNORE);
	} else if (me == b) {
		MPI_Recv(room, there, MPI_CHAR, a, 1, W, IGNORE);
		MPI_Send(room, back, MPI_CHAR, a, 2, W);
	}
}

int main(int argc, char **argv)
{
	double length = argc > 1 ? atof(argv[1]) : 1, start;
	int there = argc > 2 ? atoi(argv[2]) : 8;
	int back = argc > 3 ? atoi(argv[3]) : 8, size, on = 1;
	long turns = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	room = calloc(1, (size_t)(there > back ? there : back) + 1);
	if (!room)
		MPI_Abort(W, 1);
	if (warp_begin)
		warp_begin();
	start = MPI_Wtime();
	for (; on; turns++) {
		on = MPI_Wtime() - start < length;
		MPI_Bcast(&on, 1, MPI_INT, 0, W);
		for (int a = 0; a < size; a++)
			for (int b = a + 1; b < size; b++)
				exchange(a, b, there, back);
	}
	if (!me)
		printf("turns %ld\n", turns);
	free(room);
	MPI_Finalize();
	return 0;
}
