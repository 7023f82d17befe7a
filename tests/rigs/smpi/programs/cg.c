/*
 * As conjugate gradients: what a row of the matrix needs comes from ranks at
 * distances 1, 2, 4 and so on, all under way at once; then two sums.
 */
#include "work.h"

enum { PARTNERS = 12 };

int main(int argc, char **argv)
{
	struct work w;
	MPI_Request q[2 * PARTNERS];
	char *out, *in[PARTNERS];

	work_begin(&w, argc, argv);
	out = work_room((size_t)w.bytes);
	for (int k = 0; k < PARTNERS; k++)
		in[k] = work_room((size_t)w.bytes);
	for (int i = 0; i < w.steps; i++) {
		double mine = 1, sum;
		int n = 0;

		for (int k = 0, d = 1; d < w.size && k < PARTNERS; k++, d *= 2)
			MPI_Irecv(in[k], w.bytes, MPI_BYTE,
				  (w.rank + w.size - d) % w.size, k,
				  MPI_COMM_WORLD, &q[n++]);
		work_compute(&w, 0.25);
		for (int k = 0, d = 1; d < w.size && k < PARTNERS; k++, d *= 2)
			MPI_Isend(out, w.bytes, MPI_BYTE,
				  (w.rank + d) % w.size, k, MPI_COMM_WORLD,
				  &q[n++]);
		work_compute(&w, 0.5);
		MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
		work_compute(&w, 0.25);
		for (int k = 0; k < 2 && w.every && i % w.every == 0; k++)
			MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM,
				      MPI_COMM_WORLD);
	}
	return work_end(&w);
}
