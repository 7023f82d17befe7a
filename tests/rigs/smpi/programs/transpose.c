/*
 * Two-dimensional Fourier transform whose transposition is a message to each
 * other rank (Maillet 1996, 6.3.3). The last argument is 0: all at once, on a
 * loaded network; 1: with computation before each, spread out in time.
 * Messages have from half to three halves of the bytes given.
 */
#include "work.h"

struct exchange {
	char *out, *in;
	MPI_Request send, recv;
};

static int some_bytes(struct work *w)
{
	return (int)(w->bytes * (0.5 + work_random(w)));
}

static void transpose(struct work *w, struct exchange *x, int spread)
{
	for (int k = 1; k < w->size; k++)
		MPI_Irecv(x[k].in, 2 * w->bytes, MPI_BYTE,
			  (w->rank + w->size - k) % w->size, 1, MPI_COMM_WORLD,
			  &x[k].recv);
	for (int k = 1; k < w->size; k++) {
		if (spread)
			work_compute(w, 1);
		MPI_Isend(x[k].out, some_bytes(w), MPI_BYTE,
			  (w->rank + k) % w->size, 1, MPI_COMM_WORLD,
			  &x[k].send);
		if (spread)
			MPI_Wait(&x[k].recv, MPI_STATUS_IGNORE);
	}
	for (int k = 1; k < w->size; k++) {
		if (!spread)
			MPI_Wait(&x[k].recv, MPI_STATUS_IGNORE);
		MPI_Wait(&x[k].send, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	struct work w;
	struct exchange *x;

	work_begin(&w, argc, argv);
	x = work_room((size_t)w.size * sizeof *x);
	for (int k = 1; k < w.size; k++) {
		x[k].out = work_room(2 * (size_t)w.bytes);
		x[k].in = work_room(2 * (size_t)w.bytes);
	}
	for (int i = 0; i < w.steps; i++) {
		work_compute(&w, 1);
		transpose(&w, x, w.every);
	}
	for (int k = 1; k < w.size; k++) {
		free(x[k].out);
		free(x[k].in);
	}
	free(x);
	return work_end(&w);
}
