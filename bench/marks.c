/*
 * What a mark costs a program: three inner loops with and without marks around
 * every N of their steps, in turn.
 *
 *	taperun -o marks.tape marks [-r rounds]
 *
 * prints a line "LOOP N BARE COST" for each: ns that N steps take, and how many
 * a mark adds. The quartile of many short passes each: whatever disturbs a pass
 * makes it longer. Without the tracing library there is nothing to say.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tape.h>
#include <time.h>
#include <unistd.h>

#pragma weak tape_enter
#pragma weak tape_leave

enum { STEPS = 2048, HALF = 64 };

static double above[STEPS + 2], here[STEPS + 2], below[STEPS + 2];
static double out[STEPS + 2], change;
static double complex cell[2 * STEPS], root[HALF];

/* Like Jacobi: each step depends on the one before. */
__attribute__((noinline)) static void relax(int from, int to)
{
	double most = change;

	for (int j = from + 1; j <= to; j++) {
		double d;

		out[j] = (above[j] + below[j] + here[j - 1] + here[j + 1]) / 4;
		d = fabs(out[j] - here[j]);
		most = d > most ? d : most;
	}
	change = most;
}

/* Like a Fourier transform: independent steps. */
__attribute__((noinline)) static void combine(int from, int to)
{
	for (int i = from; i < to; i++) {
		int k = i & (HALF - 1);
		double complex *a = &cell[2 * (i - k) + k], *b = a + HALF;
		double complex odd = *b * root[k];

		*b = *a - odd;
		*a += odd;
	}
}

/* Like a product with a sparse matrix: independent steps, with branches. */
__attribute__((noinline)) static void multiply(int from, int to)
{
	for (int j = from; j < to; j++) {
		double left = j > 0 ? here[j - 1] : 0;
		double right = j < STEPS - 1 ? here[j + 1] : 0;

		out[j] = 4 * here[j] - left - right - above[j] - below[j];
	}
}

static const struct loop {
	const char *name;
	void (*steps)(int from, int to);
} loops[] = { { "relax", relax }, { "combine", combine },
	      { "multiply", multiply } };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of all steps, n at a time. */
static double pass(const struct loop *l, int n, int marked)
{
	double start = now();

	for (int j = 0; j < STEPS; j += n) {
		if (marked)
			tape_enter("steps");
		l->steps(j, j + n);
		if (marked)
			tape_leave();
	}
	return now() - start;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void compare(const struct loop *l, int n, int rounds, double *t[2])
{
	double each, marks = 2.0 * STEPS / n;

	for (int r = 0; r < rounds; r++)
		for (int marked = 0; marked < 2; marked++)
			t[marked][r] = pass(l, n, marked);
	for (int marked = 0; marked < 2; marked++)
		qsort(t[marked], (size_t)rounds, sizeof *t[marked], ascending);
	each = (t[1][rounds / 4] - t[0][rounds / 4]) / marks;
	printf("%s %d %.2f %.2f\n", l->name, n,
	       t[0][rounds / 4] / (STEPS / n), each);
}

int main(int argc, char **argv)
{
	int rounds = 500, c;
	double *t[2];

	while ((c = getopt(argc, argv, "r:")) != -1)
		rounds = c == 'r' ? atoi(optarg) : 0;
	MPI_Init(&argc, &argv);
	t[0] = calloc((size_t)(rounds > 0 ? rounds : 1), sizeof **t);
	t[1] = calloc((size_t)(rounds > 0 ? rounds : 1), sizeof **t);
	if (rounds < 1 || !t[0] || !t[1] || !tape_enter || !tape_leave) {
		fputs("usage: taperun marks [-r rounds]\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int j = 0; j < STEPS + 2; j++) {
		above[j] = j % 7;
		here[j] = j % 5;
		below[j] = j % 3;
	}
	for (int k = 0; k < HALF; k++)
		root[k] = cexp(-I * 3.14159265358979 * k / HALF);
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		for (int n = 8; n <= 512; n *= 4)
			compare(&loops[i], n, rounds, t);
	free(t[0]);
	free(t[1]);
	MPI_Finalize();
	/* the results are used, or the compiler would leave the loops out */
	for (int j = 0; j < STEPS; j++)
		change += out[j] + cabs(cell[j]);
	return isnan(change);
}
