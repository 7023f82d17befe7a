/*
 * As a Fourier transform by transposition, done by messages: each rank sends a
 * tile to each other, and then receives theirs one by one.
 */
#include "work.h"

int main(int argc, char **argv)
{
	struct work w;
	MPI_Request *q;
	char *out, *in;

	work_begin(&w, argc, argv);
	q = work_room((size_t)w.size * sizeof *q);
	out = work_room((size_t)w.bytes);
	in = work_room((size_t)w.bytes);
	for (int i = 0; i < w.steps; i++) {
		work_compute(&w, 1);
		for (int k = 1; k < w.size; k++)
			MPI_Isend(out, w.bytes, MPI_BYTE,
				  (w.rank + k) % w.size, 1, MPI_COMM_WORLD,
				  &q[k - 1]);
		for (int k = 1; k < w.size; k++)
			MPI_Recv(in, w.bytes, MPI_BYTE,
				 (w.rank + w.size - k) % w.size, 1,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Waitall(w.size - 1, q, MPI_STATUSES_IGNORE);
	}
	free(q);
	free(out);
	free(in);
	return work_end(&w);
}
