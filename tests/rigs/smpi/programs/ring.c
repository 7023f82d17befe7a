/* Jacobi on a ring: edges to both neighbours, a sum now and then. */
#include "work.h"

int main(int argc, char **argv)
{
	struct work w;
	char *out, *in;
	int left, right;

	work_begin(&w, argc, argv);
	left = (w.rank + w.size - 1) % w.size;
	right = (w.rank + 1) % w.size;
	out = work_room((size_t)w.bytes);
	in = work_room((size_t)w.bytes);
	for (int i = 0; i < w.steps; i++) {
		double mine = 1, sum;

		MPI_Sendrecv(out, w.bytes, MPI_BYTE, right, 1, in, w.bytes,
			     MPI_BYTE, left, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		MPI_Sendrecv(out, w.bytes, MPI_BYTE, left, 2, in, w.bytes,
			     MPI_BYTE, right, 2, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		work_compute(&w, 1);
		if (w.every && i % w.every == 0)
			MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM,
				      MPI_COMM_WORLD);
	}
	free(out);
	free(in);
	return work_end(&w);
}
