/*
 * As programs written for PVM: what is sent is packed, what comes is unpacked,
 * around a ring.
 */
#include "work.h"

int main(int argc, char **argv)
{
	struct work w;
	char *mine, *packed;
	int left, right;

	work_begin(&w, argc, argv);
	left = (w.rank + w.size - 1) % w.size;
	right = (w.rank + 1) % w.size;
	mine = work_room((size_t)w.bytes);
	packed = work_room((size_t)w.bytes);
	for (int i = 0; i < w.steps; i++) {
		int at = 0;

		work_compute(&w, 1);
		MPI_Pack(mine, w.bytes / 2, MPI_BYTE, packed, w.bytes, &at,
			 MPI_COMM_WORLD);
		MPI_Pack(mine + w.bytes / 2, w.bytes - w.bytes / 2, MPI_BYTE,
			 packed, w.bytes, &at, MPI_COMM_WORLD);
		MPI_Send(packed, at, MPI_PACKED, right, 1, MPI_COMM_WORLD);
		work_compute(&w, 0.5);
		MPI_Recv(packed, w.bytes, MPI_PACKED, left, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		at = 0;
		MPI_Unpack(packed, w.bytes, &at, mine, w.bytes, MPI_BYTE,
			   MPI_COMM_WORLD);
	}
	free(mine);
	free(packed);
	return work_end(&w);
}
