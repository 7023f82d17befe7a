/*
 * Conjugate gradients (Hestenes and Stiefel 1952) for the five-point Laplacian
 * on n x n cells, rows dealt out in blocks, in the manner of the NAS benchmark:
 * all is messages, sums too, which double their partners' distance (so there
 * must be 2^k ranks).
 *
 *	mpirun -np 4 cg [-t] [-n cells] [-i iterations]
 *
 * The residual b - A x, computed anew at the end, must be that of the
 * iteration. -t prints the seconds that the iterations took, and nothing else.
 *
 * Compiled with -DINNER_PROBE=N the program marks a region around every N cells
 * of the product with the matrix; without the tracing library it runs without.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef INNER_PROBE
#include <tape.h>
#pragma weak tape_enter
#pragma weak tape_leave
#define CELLS INNER_PROBE
#else
#define CELLS 256
#endif

enum { TAG_UP = 1, TAG_DOWN, TAG_SUM };

/* The rows of a rank; vectors have one more at either end: the neighbours'. */
struct grid {
	int n, rows, rank, ranks;
};

static size_t cells(const struct grid *g)
{
	return (size_t)(g->rows + 2) * (size_t)g->n;
}

static double *vector(const struct grid *g)
{
	double *v = calloc(cells(g), sizeof *v);

	if (!v)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return v;
}

/* The neighbours' rows of v, both ways at once. */
static void exchange(const struct grid *g, double *v)
{
	int up = g->rank > 0 ? g->rank - 1 : MPI_PROC_NULL;
	int down = g->rank < g->ranks - 1 ? g->rank + 1 : MPI_PROC_NULL;
	double *last = v + (size_t)g->rows * (size_t)g->n;
	MPI_Request q[4];

	MPI_Irecv(v, g->n, MPI_DOUBLE, up, TAG_DOWN, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(last + g->n, g->n, MPI_DOUBLE, down, TAG_UP, MPI_COMM_WORLD,
		  &q[1]);
	MPI_Isend(v + g->n, g->n, MPI_DOUBLE, up, TAG_UP, MPI_COMM_WORLD,
		  &q[2]);
	MPI_Isend(last, g->n, MPI_DOUBLE, down, TAG_DOWN, MPI_COMM_WORLD,
		  &q[3]);
	MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

/* Cells from..to - 1 of a row of A v. Never inlined: see examples/jacobi.c. */
__attribute__((noinline)) static void
product(const double *v, double *out, int n, int from, int to)
{
	for (int j = from; j < to; j++) {
		double left = j > 0 ? v[j - 1] : 0;
		double right = j < n - 1 ? v[j + 1] : 0;

		out[j] = 4 * v[j] - left - right - v[j - n] - v[j + n];
	}
}

static void multiply(const struct grid *g, double *v, double *out)
{
	exchange(g, v);
	for (int i = 1; i <= g->rows; i++)
		for (int j = 0; j < g->n; j += CELLS) {
			size_t at = (size_t)i * (size_t)g->n;
			int to = j + CELLS < g->n ? j + CELLS : g->n;

#ifdef INNER_PROBE
			if (tape_enter)
				tape_enter("product");
#endif
			product(v + at, out + at, g->n, j, to);
#ifdef INNER_PROBE
			if (tape_leave)
				tape_leave();
#endif
		}
}

/* The sum of all ranks' values, by recursive doubling. */
static double sum(const struct grid *g, double mine)
{
	for (int d = 1; d < g->ranks; d *= 2) {
		MPI_Request q;
		double other;

		MPI_Irecv(&other, 1, MPI_DOUBLE, g->rank ^ d, TAG_SUM,
			  MPI_COMM_WORLD, &q);
		MPI_Send(&mine, 1, MPI_DOUBLE, g->rank ^ d, TAG_SUM,
			 MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		mine += other;
	}
	return mine;
}

static double dot(const struct grid *g, const double *a, const double *b)
{
	double s = 0;

	for (size_t k = (size_t)g->n; k < cells(g) - (size_t)g->n; k++)
		s += a[k] * b[k];
	return sum(g, s);
}

static void add(const struct grid *g, double *to, const double *a, double f,
		const double *b)
{
	for (size_t k = (size_t)g->n; k < cells(g) - (size_t)g->n; k++)
		to[k] = a[k] + f * b[k];
}

/* Solves A x = b; the square of the residual, as the iteration has it. */
static double solve(const struct grid *g, const double *b, double *x,
		    int iterations)
{
	double *r = vector(g), *p = vector(g), *q = vector(g), rr, before;

	add(g, r, b, 0, b);
	add(g, p, b, 0, b);
	rr = dot(g, r, r);
	for (int i = 0; i < iterations && rr > 0; i++) {
		double step;

		multiply(g, p, q);
		step = rr / dot(g, p, q);
		add(g, x, x, step, p);
		add(g, r, r, -step, q);
		before = rr;
		rr = dot(g, r, r);
		add(g, p, r, rr / before, p);
	}
	free(r);
	free(p);
	free(q);
	return rr;
}

/* Is the square of b - A x what the iteration says, up to rounding? */
static int agrees(const struct grid *g, const double *b, double *x, double rr)
{
	double *r = vector(g), bb = dot(g, b, b), is;

	multiply(g, x, r);
	add(g, r, b, -1, r);
	is = dot(g, r, r);
	free(r);
	return fabs(sqrt(is) - sqrt(rr)) <= 1e-9 * sqrt(bb);
}

static int usage(const struct grid *g)
{
	if (!g->rank)
		fputs("usage: cg [-t] [-n cells] [-i iterations], 2^k ranks, "
		      "which divides cells, 20000 at most\n", stderr);
	MPI_Finalize();
	return 2;
}

int main(int argc, char **argv)
{
	struct grid g = { .n = 256 };
	int c, iterations = 100, time = 0, good;
	double *b, *x, start, rr;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &g.ranks);
	while ((c = getopt(argc, argv, "n:i:t")) != -1) {
		if (c == 'n')
			g.n = atoi(optarg);
		else if (c == 'i')
			iterations = atoi(optarg);
		else if (c == 't')
			time = 1;
		else
			g.n = 0;
	}
	if (g.n < g.ranks || g.n > 20000 || g.n % g.ranks || iterations < 1 ||
	    g.ranks & (g.ranks - 1))
		return usage(&g);
	g.rows = g.n / g.ranks;
	b = vector(&g);
	x = vector(&g);
	for (size_t k = (size_t)g.n; k < cells(&g) - (size_t)g.n; k++)
		b[k] = 1 + (double)(k % 7);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	rr = solve(&g, b, x, iterations);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime() - start;
	good = agrees(&g, b, x, rr);
	if (!g.rank && !good)
		fputs("cg: the residual is not that of the iteration\n",
		      stderr);
	else if (!g.rank && time)
		printf("%.9f\n", start);
	else if (!g.rank)
		printf("cg: %d x %d, %d ranks: residual %.3g\n", g.n, g.n,
		       g.ranks, sqrt(rr));
	free(b);
	free(x);
	MPI_Finalize();
	return !good;
}
