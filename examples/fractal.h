/*
 * The picture of the workers examples: one row of it, the comparison with one
 * computed alone, and the command line. Who computes which row is left to the
 * programs: by MPI (workers.c) or by PVM (pvm/workers.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 1000 }; /* iterations before a point counts as of the set */

/* Iterations until z -> z^2 + c leaves the circle of radius 2. */
static int escape(double re, double im)
{
	double x = 0, y = 0;
	int k;

	for (k = 0; k < MOST && x * x + y * y <= 4; k++) {
		double t = x * x - y * y + re;

		y = 2 * x * y + im;
		x = t;
	}
	return k;
}

static void compute(int *row, int i, int n)
{
	for (int j = 0; j < n; j++)
		row[j] = escape(-2 + 3.0 * j / n, -1.5 + 3.0 * i / n);
}

static int check(const int *picture, int n)
{
	int *row = malloc((size_t)n * sizeof *row);
	int good = row != NULL;

	for (int i = 0; i < n && good; i++) {
		compute(row, i, n);
		good = !memcmp(row, picture + (size_t)i * (size_t)n,
			       (size_t)n * sizeof *row);
		if (!good)
			fprintf(stderr, "workers: row %d differs from the one "
					"computed alone\n", i);
	}
	free(row);
	return good;
}

/* The rows that are asked for; 0 if the arguments make no sense. */
static int parse(int argc, char **argv)
{
	int c, n = 200;

	while ((c = getopt(argc, argv, "n:")) != -1)
		n = c == 'n' ? atoi(optarg) : 0;
	return n < 1 || n > 10000 ? 0 : n;
}

/* rows: how many came back. 1 if that and the picture are as they should. */
static int judge(const int *picture, int n, int rows, int workers)
{
	int good = check(picture, n);

	if (rows != n) {
		fprintf(stderr, "workers: %d rows came back, not %d\n", rows,
			n);
		good = 0;
	}
	if (good)
		printf("workers: %d rows, %d workers: checked\n", n, workers);
	return good;
}
