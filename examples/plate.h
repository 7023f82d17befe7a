/*
 * The plate of the Jacobi examples: the cells, one step, the same without
 * messages to compare with, and the command line. What is left to the programs
 * is how the tasks talk: by MPI (jacobi.c) or by PVM (pvm/jacobi.c).
 *
 * Compiled with -DINNER_PROBE=N it marks a region around every N cells of the
 * inner loop: a tracer's nightmare, made to measure how well a trace can be rid
 * of its own cost. The marks are weak symbols: without the tracing library the
 * very same program runs without them.
 */
#include <math.h>
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

/* The first of rank's rows; that of rank + 1 ends the block. */
static int first_row(int n, int rank, int ranks)
{
	return (int)((long)n * rank / ranks);
}

/* The same iteration by one alone: 1 if it gives the same plate. */
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
	if (!same)
		fprintf(stderr, "jacobi: the plate differs from the one "
				"computed alone\n");
	return same;
}

struct options {
	int n, iterations, unchecked, time;
};

/* 1 if the arguments make sense for so many ranks. */
static int parse(int argc, char **argv, int ranks, struct options *o)
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
	return o->n >= ranks && o->n <= 20000 && o->iterations > 0;
}

/* The one line of output. */
static void report(const struct options *o, int ranks, int done, double seconds)
{
	if (o->time)
		printf("%.9f\n", seconds);
	else
		printf("jacobi: %d x %d cells, %d ranks, %d iterations: %s\n",
		       o->n, o->n, ranks, done,
		       o->unchecked ? "unchecked" : "checked");
}
