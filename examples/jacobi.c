/*
 * The temperature of a square plate: Jacobi iteration on n x n cells, rows
 * dealt out in blocks, one block a rank.
 *
 *	mpirun -np 4 jacobi [-tu] [-n cells] [-i iterations]
 *
 * Each step replaces a cell by the mean of its four neighbours. A rank needs
 * one row of each neighbouring rank for that, and all ranks together need to
 * know how much the plate still changes: one exchange and one reduction a
 * step, the rhythm of most programs of this kind.
 *
 * At the end rank 0 computes everything once more alone; the arithmetic being
 * the same, the results must be equal to the last bit. -u leaves that out.
 * -t prints the seconds that the iterations took, and nothing else.
 */
#include <mpi.h>
#include "plate.h"

enum { TAG_UP = 1, TAG_DOWN };

/*
 * The border rows of the neighbours. At the plate's edge the neighbour is
 * MPI_PROC_NULL: the call then does nothing, and the edge stays.
 */
static void exchange(struct block *b, int up, int down)
{
	MPI_Sendrecv(row(b, b->old, 1), b->n + 2, MPI_DOUBLE, up, TAG_UP,
		     row(b, b->old, b->rows + 1), b->n + 2, MPI_DOUBLE, down,
		     TAG_UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(row(b, b->old, b->rows), b->n + 2, MPI_DOUBLE, down,
		     TAG_DOWN, row(b, b->old, 0), b->n + 2, MPI_DOUBLE, up,
		     TAG_DOWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The steps done: all of them, or fewer if the plate comes to rest. */
static int iterate(struct block *b, int iterations, int up, int down)
{
	double here, anywhere = 1;
	int k;

	for (k = 0; k < iterations && anywhere > AT_REST; k++) {
		exchange(b, up, down);
		here = step(b);
		swap(b);
		MPI_Allreduce(&here, &anywhere, 1, MPI_DOUBLE, MPI_MAX,
			      MPI_COMM_WORLD);
	}
	return k;
}

/* On rank 0 the whole plate in its order, elsewhere NULL. */
static double *gather(const struct block *b, int rank, int ranks)
{
	int *counts = calloc((size_t)ranks, sizeof *counts);
	int *starts = calloc((size_t)ranks, sizeof *starts);
	double *all = NULL;
	int width = b->n + 2;

	if (rank == 0)
		all = malloc((size_t)b->n * (size_t)width * sizeof *all);
	if (!counts || !starts || (rank == 0 && !all))
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int r = 0; r < ranks; r++) {
		starts[r] = first_row(b->n, r, ranks) * width;
		counts[r] = first_row(b->n, r + 1, ranks) * width - starts[r];
	}
	MPI_Gatherv(row(b, b->old, 1), b->rows * width, MPI_DOUBLE, all, counts,
		    starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	free(counts);
	free(starts);
	return all;
}

/* Compares on rank 0, and lets every rank know. */
static int check(const struct block *b, const struct options *o, int done,
		 int rank, int ranks)
{
	double *all = gather(b, rank, ranks);
	int good = 1;

	if (rank == 0) {
		good = agrees(all, o->n, o->iterations, done);
		free(all);
	}
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return good;
}

int main(int argc, char **argv)
{
	int rank, ranks, first, next, done, good = 1;
	struct options o;
	struct block b;
	double start;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!parse(argc, argv, ranks, &o)) {
		if (rank == 0)
			fprintf(stderr, "usage: jacobi [-tu] [-n cells] "
					"[-i iterations], ranks <= cells <= "
					"20000\n");
		MPI_Finalize();
		return 2;
	}
	first = first_row(o.n, rank, ranks);
	next = first_row(o.n, rank + 1, ranks);
	if (block_open(&b, o.n, first, next - first))
		MPI_Abort(MPI_COMM_WORLD, 1);

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	done = iterate(&b, o.iterations, rank > 0 ? rank - 1 : MPI_PROC_NULL,
		       rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL);
	start = MPI_Wtime() - start;

	if (!o.unchecked)
		good = check(&b, &o, done, rank, ranks);
	if (rank == 0 && good)
		report(&o, ranks, done, start);
	block_close(&b);
	MPI_Finalize();
	return !good;
}
