/*
 * Large messages around a ring: sends that wait for their receivers, blocking
 * ones and others.
 */
#include "work.h"

int main(int argc, char **argv)
{
	struct work w;
	MPI_Request q;
	char *out, *in;
	int left, right;

	work_begin(&w, argc, argv);
	if (w.bytes < 65536)
		w.bytes = 65536;
	left = (w.rank + w.size - 1) % w.size;
	right = (w.rank + 1) % w.size;
	out = work_room((size_t)w.bytes);
	in = work_room((size_t)w.bytes);
	for (int i = 0; i < w.steps; i++) {
		work_compute(&w, 1);
		MPI_Isend(out, w.bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD,
			  &q);
		work_compute(&w, 0.5);
		MPI_Recv(in, w.bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		work_compute(&w, 1);
		/* the even ranks first: blocking sends would wait for ever */
		if (w.rank % 2 == 0) {
			MPI_Send(out, w.bytes, MPI_BYTE, right, 2,
				 MPI_COMM_WORLD);
			MPI_Recv(in, w.bytes, MPI_BYTE, left, 2,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(in, w.bytes, MPI_BYTE, left, 2,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(out, w.bytes, MPI_BYTE, right, 2,
				 MPI_COMM_WORLD);
		}
	}
	free(out);
	free(in);
	return work_end(&w);
}
