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
 *
 * Compiled with -DINNER_PROBE=N the program marks a region around every N
 * cells of the inner loop: a tracer's nightmare, made to measure how well a
 * trace can be rid of its own cost. The marks are weak symbols: without the
 * tracing library the very same program runs without them.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef INNER_PROBE
#include <tape.h>
#pragma weak tape_enter
#pragma weak tape_leave
#define CELLS INNER_PROBE
#else
#define CELLS 256
#endif

enum { TAG_UP = 1, TAG_DOWN };

/* Below this largest change of a cell in a step the plate is at rest. */
#define AT_REST 1e-9

/*
 * The rows of one rank. Row 0 and row rows + 1 are the neighbours' (or the
 * plate's edge); the columns 0 and n + 1 are the plate's edge.
 */
struct block {
	int n, first, rows;
	double *old, *new;
};

static double *row(const struct block *b, double *cells, int i)
{
	return cells + (size_t)i * (size_t)(b->n + 2);
}

/* The upper edge of the plate is held hot, the others are cold. */
static int block_open(struct block *b, int n, int first, int rows)
{
	size_t cells = (size_t)(rows + 2) * (size_t)(n + 2);

	*b = (struct block){ n, first, rows, NULL, NULL };
	b->old = calloc(cells, sizeof *b->old);
	b->new = calloc(cells, sizeof *b->new);
	if (!b->old || !b->new)
		return -1;
	if (first == 0)
		for (int j = 0; j < n + 2; j++)
			b->old[j] = b->new[j] = 1;
	return 0;
}

static void block_close(struct block *b)
{
	free(b->old);
	free(b->new);
}

/*
 * Cells from..to of one row; the largest change so far comes and goes. Never
 * inlined, so that the marks around it leave its code as it is.
 */
__attribute__((noinline)) static double
relax(const double *above, const double *here, const double *below, double *out,
      int from, int to, double change)
{
	for (int j = from; j <= to; j++) {
		double d;

		out[j] = (above[j] + below[j] + here[j - 1] + here[j + 1]) / 4;
		d = fabs(out[j] - here[j]);
		change = d > change ? d : change;
	}
	return change;
}

/* One step of the whole block; the result is the largest change of a cell. */
static double step(struct block *b)
{
	double change = 0;

	for (int i = 1; i <= b->rows; i++) {
		const double *here = row(b, b->old, i), *above, *below;
		double *out = row(b, b->new, i);

		above = row(b, b->old, i - 1);
		below = row(b, b->old, i + 1);
		for (int j = 1; j <= b->n; j += CELLS) {
			int last = j + CELLS - 1 < b->n ? j + CELLS - 1 : b->n;

#ifdef INNER_PROBE
			if (tape_enter)
				tape_enter("inner");
#endif
			change = relax(above, here, below, out, j, last,
				       change);
#ifdef INNER_PROBE
			if (tape_leave)
				tape_leave();
#endif
		}
	}
	return change;
}

static void swap(struct block *b)
{
	double *t = b->old;

	b->old = b->new;
	b->new = t;
}

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

/* The first of rank's rows; that of rank + 1 ends the block. */
static int first_row(int n, int rank, int ranks)
{
	return (int)((long)n * rank / ranks);
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

/* The same iteration without MPI: 1 if it gives the same plate. */
static int agrees(const double *all, int n, int iterations, int done)
{
	struct block b;
	double change = 1;
	int k, same = 0;

	if (!block_open(&b, n, 0, n)) {
		for (k = 0; k < iterations && change > AT_REST; k++) {
			change = step(&b);
			swap(&b);
		}
		same = k == done && !memcmp(row(&b, b.old, 1), all,
					    (size_t)n * (size_t)(n + 2) *
						    sizeof *all);
	}
	block_close(&b);
	return same;
}

struct options {
	int n, iterations, unchecked, time;
};

static void parse(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){ .n = 256, .iterations = 500 };
	while ((c = getopt(argc, argv, "n:i:tu")) != -1) {
		if (c == 'n')
			o->n = atoi(optarg);
		else if (c == 'i')
			o->iterations = atoi(optarg);
		else if (c == 't')
			o->time = 1;
		else if (c == 'u')
			o->unchecked = 1;
		else
			o->n = 0;
	}
}

/* Compares on rank 0, and lets every rank know. */
static int check(const struct block *b, const struct options *o, int done,
		 int rank, int ranks)
{
	double *all = gather(b, rank, ranks);
	int good = 1;

	if (rank == 0) {
		good = agrees(all, o->n, o->iterations, done);
		if (!good)
			fprintf(stderr, "jacobi: the plate differs from the "
					"one computed alone\n");
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
	parse(argc, argv, &o);
	if (o.n < ranks || o.n > 20000 || o.iterations < 1) {
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
	if (rank == 0 && good && o.time)
		printf("%.9f\n", start);
	else if (rank == 0 && good)
		printf("jacobi: %d x %d cells, %d ranks, %d iterations: %s\n",
		       o.n, o.n, ranks, done,
		       o.unchecked ? "unchecked" : "checked");
	block_close(&b);
	MPI_Finalize();
	return !good;
}
