/* A five-point stencil on a torus, by persistent requests. */
#include "work.h"

int main(int argc, char **argv)
{
	struct work w;
	MPI_Request q[8];
	char *out, *in[4];
	int wide = 1, x, y;

	work_begin(&w, argc, argv);
	while ((wide + 1) * (wide + 1) <= w.size)
		wide++;
	while (w.size % wide)
		wide--;
	x = w.rank % wide;
	y = w.rank / wide;
	out = work_room((size_t)w.bytes);
	for (int k = 0; k < 4; k++) {
		int high = w.size / wide, d = k % 2 ? -1 : 1, to, from;

		in[k] = work_room((size_t)w.bytes);
		if (k < 2) {
			to = y * wide + (x + d + wide) % wide;
			from = y * wide + (x - d + wide) % wide;
		} else {
			to = (y + d + high) % high * wide + x;
			from = (y - d + high) % high * wide + x;
		}
		MPI_Recv_init(in[k], w.bytes, MPI_BYTE, from, k,
			      MPI_COMM_WORLD, &q[k]);
		MPI_Send_init(out, w.bytes, MPI_BYTE, to, k, MPI_COMM_WORLD,
			      &q[4 + k]);
	}
	for (int i = 0; i < w.steps; i++) {
		MPI_Startall(8, q);
		work_compute(&w, 0.75);
		MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
		work_compute(&w, 0.25);
		if (w.every && i % w.every == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	for (int k = 0; k < 8; k++)
		MPI_Request_free(&q[k]);
	return work_end(&w);
}
