/*
 * A master gives pieces of work to whoever asks first, steps for each worker.
 * How long a piece takes is the piece's own, whoever gets it.
 */
#include "work.h"

static void master(struct work *w)
{
	int pieces = w->steps * (w->size - 1), idle = 0;
	MPI_Status st;
	int result;

	while (idle < w->size - 1) {
		int piece = --pieces >= 0 ? pieces : -1;

		MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 1,
			 MPI_COMM_WORLD, &st);
		idle += piece < 0;
		MPI_Send(&piece, 1, MPI_INT, st.MPI_SOURCE, 2, MPI_COMM_WORLD);
	}
}

static void worker(struct work *w, uint64_t seed)
{
	int piece = 0;

	/* not all at one moment: who comes first is then anybody's guess */
	work_compute(w, 1);
	while (piece >= 0) {
		MPI_Send(&piece, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Recv(&piece, 1, MPI_INT, 0, 2, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		w->state = seed + (uint64_t)(piece + 1);
		if (piece >= 0)
			work_compute(w, 1);
	}
}

int main(int argc, char **argv)
{
	struct work w;

	work_begin(&w, argc, argv);
	if (w.rank)
		worker(&w, w.state - (uint64_t)w.rank);
	else
		master(&w);
	return work_end(&w);
}
