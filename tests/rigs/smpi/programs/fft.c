/* Two-dimensional Fourier transform: rows, transpose, columns, transpose. */
#include "work.h"

int main(int argc, char **argv)
{
	struct work w;
	char *out, *in;

	work_begin(&w, argc, argv);
	out = work_room((size_t)w.bytes * (size_t)w.size);
	in = work_room((size_t)w.bytes * (size_t)w.size);
	for (int i = 0; i < w.steps; i++) {
		work_compute(&w, 1);
		MPI_Alltoall(out, w.bytes, MPI_BYTE, in, w.bytes, MPI_BYTE,
			     MPI_COMM_WORLD);
	}
	free(out);
	free(in);
	return work_end(&w);
}
