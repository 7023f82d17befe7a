/*
 * Every collective, of a few sizes and from each root in turn, with work in
 * between that differs from rank to rank: who comes last changes.
 */
#include "work.h"

enum { KINDS = 12 };

static void one(struct work *w, int kind, int root, int count, double *in,
		double *out, int *counts)
{
	MPI_Comm c = MPI_COMM_WORLD;

	switch (kind) {
	case 0:
		MPI_Barrier(c);
		break;
	case 1:
		MPI_Bcast(in, count, MPI_DOUBLE, root, c);
		break;
	case 2:
		MPI_Scatter(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE,
			    root, c);
		break;
	case 3:
		MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root,
			   c);
		break;
	case 4:
		MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, c);
		break;
	case 5:
		MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, c);
		break;
	case 6:
		MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, c);
		break;
	case 7:
		MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, c);
		break;
	case 8:
		for (int i = 0; i < w->size; i++)
			counts[i] = count;
		MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, c);
		break;
	case 9:
		MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, c);
		break;
	case 10:
		MPI_Exscan(in, out, count, MPI_DOUBLE, MPI_SUM, c);
		break;
	default: /* those behind hear of a late one only by others */
		MPI_Bcast(in, count, MPI_DOUBLE, root, c);
		MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, c);
	}
}

/* bytes: of the largest vector; every: only that kind, from 1, 0: all. */
int main(int argc, char **argv)
{
	struct work w;
	double *in, *out;
	int *counts;

	work_begin(&w, argc, argv);
	in = work_room((size_t)w.bytes * (size_t)w.size);
	out = work_room((size_t)w.bytes * (size_t)w.size);
	counts = work_room((size_t)w.size * sizeof *counts);
	for (int i = 0; i < w.steps; i++)
		for (int kind = 0; kind < KINDS; kind++)
			for (int bytes = 8; bytes <= w.bytes; bytes *= 8) {
				if (w.every && kind != w.every - 1)
					continue;
				work_compute(&w, 0.1);
				one(&w, kind, (i + kind) % w.size,
				    bytes / (int)sizeof *in, in, out, counts);
			}
	free(in);
	free(out);
	free(counts);
	return work_end(&w);
}
