/*
 * A two-dimensional Fourier transform by transposition.
 *
 *	mpirun -np 4 fft2d [-mtu] [-n size] [-i times]
 *
 * Each rank holds a block of whole rows and transforms them alone. The columns
 * are then made rows by one MPI_Alltoall: every rank sends a tile to every
 * other. This all-to-all is what the time goes into on a large machine.
 *
 * -m does it by messages, as programs did before there was MPI; -i times over.
 *
 * Rank 0 transforms the same picture alone and compares; and the picture holds
 * one plane wave, whose transform is known without any computation. -u leaves
 * that out. -t prints the seconds that the transforms took, and nothing else.
 *
 * Compiled with -DINNER_PROBE=N it marks a region around every N of the inner
 * loop's steps, as jacobi does.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef INNER_PROBE
#include <tape.h>
#pragma weak tape_enter
#pragma weak tape_leave
#define STEPS INNER_PROBE
#else
#define STEPS 4096
#endif

typedef double complex cell;

static const double pi = 3.14159265358979323846;

/* The wave's number along each side, and its height. */
enum { WAVE_X = 3, WAVE_Y = 5 };
#define HEIGHT 2.0

/*
 * Some texture, and the wave. A formula, so that each rank can fill its own
 * rows; a mean of 0 in each row keeps the texture away from the wave's line.
 */
static cell picture(int i, int j, int n)
{
	double wave = 2 * pi * (WAVE_Y * (double)i + WAVE_X * (double)j) / n;
	double texture = (i * 7 + 1) % 11 * (j % 2 ? 0.125 : -0.125);

	return HEIGHT * cexp(I * wave) + texture;
}

/* Puts x in the order of its bit-reversed indices. */
static void reorder(cell *x, int n)
{
	for (int i = 1, j = 0; i < n; i++) {
		int bit = n >> 1;

		while (j & bit) {
			j ^= bit;
			bit >>= 1;
		}
		j ^= bit;
		if (i < j) {
			cell t = x[i];

			x[i] = x[j];
			x[j] = t;
		}
	}
}

/*
 * Steps from..to - 1 of the n / 2 that make transforms of 2 half cells out of
 * those of half. Never inlined, so that marks around it leave its code alone.
 */
__attribute__((noinline)) static void
combine(cell *x, int n, int half, const cell *root, int from, int to)
{
	for (int i = from; i < to; i++) {
		int k = i & (half - 1); /* within its transform */
		cell *a = &x[2 * (i - k) + k], *b = a + half;
		cell odd = *b * root[n / (2 * half) * k];

		*b = *a - odd;
		*a += odd;
	}
}

/*
 * One row in place, n a power of two: radix 2, decimation in time (Cooley and
 * Tukey 1965). root[k] is exp(-2 pi i k / n).
 */
static void fft(cell *x, int n, const cell *root)
{
	reorder(x, n);
	for (int half = 1; half < n; half *= 2)
		for (int i = 0; i < n / 2; i += STEPS) {
			int to = i + STEPS < n / 2 ? i + STEPS : n / 2;

#ifdef INNER_PROBE
			if (tape_enter)
				tape_enter("inner");
#endif
			combine(x, n, half, root, i, to);
#ifdef INNER_PROBE
			if (tape_leave)
				tape_leave();
#endif
		}
}

static cell *allocate(size_t n)
{
	cell *x = malloc(n * sizeof *x);

	if (!x) {
		fprintf(stderr, "fft2d: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return x;
}

static cell *roots(int n)
{
	cell *root = allocate((size_t)n);

	for (int k = 0; k < n; k++)
		root[k] = cexp(-2 * I * pi * k / n);
	return root;
}

/* Each rank's tile to each other: all sent, then received one by one. */
static void exchange(cell *out, cell *in, int bytes, int ranks)
{
	MPI_Request *q = malloc((size_t)ranks * sizeof *q);
	int rank;

	if (!q)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int k = 1; k <= ranks; k++) {
		int to = (rank + k) % ranks;

		MPI_Isend((char *)out + (size_t)to * (size_t)bytes, bytes,
			  MPI_BYTE, to, 1, MPI_COMM_WORLD, &q[k - 1]);
	}
	for (int k = 1; k <= ranks; k++) {
		int from = (rank + ranks - k) % ranks;

		MPI_Recv((char *)in + (size_t)from * (size_t)bytes, bytes,
			 MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Waitall(ranks, q, MPI_STATUSES_IGNORE);
	free(q);
}

/*
 * The rows of all ranks together, transposed: before, x holds this rank's rows
 * of the picture, afterwards its columns. A tile is rows x rows cells; it is
 * turned while it is packed, so that what arrives only has to be put in place.
 */
static void transpose(cell *x, int rows, int n, int ranks, int messages)
{
	size_t tile = (size_t)rows * (size_t)rows;
	cell *out = allocate(tile * (size_t)ranks);
	cell *in = allocate(tile * (size_t)ranks);
	size_t k = 0;

	for (int r = 0; r < ranks; r++)
		for (int j = 0; j < rows; j++)
			for (int i = 0; i < rows; i++)
				out[k++] = x[i * n + r * rows + j];
	if (messages)
		exchange(out, in, (int)(tile * sizeof *out), ranks);
	else
		MPI_Alltoall(out, 2 * (int)tile, MPI_DOUBLE, in, 2 * (int)tile,
			     MPI_DOUBLE, MPI_COMM_WORLD);
	k = 0;
	for (int r = 0; r < ranks; r++)
		for (int j = 0; j < rows; j++)
			for (int i = 0; i < rows; i++)
				x[j * n + r * rows + i] = in[k++];
	free(out);
	free(in);
}

/* Rows, columns, and back into the picture's order. */
static void fft2d(cell *x, int rows, int n, int ranks, const cell *root,
		  int messages)
{
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < rows; i++)
			fft(x + i * n, n, root);
		transpose(x, rows, n, ranks, messages);
	}
}

/* The same without MPI: columns are gathered and scattered one by one. */
static void fft2d_alone(cell *x, int n, const cell *root)
{
	cell *column = allocate((size_t)n);

	for (int i = 0; i < n; i++)
		fft(x + i * n, n, root);
	for (int j = 0; j < n; j++) {
		for (int i = 0; i < n; i++)
			column[i] = x[i * n + j];
		fft(column, n, root);
		for (int i = 0; i < n; i++)
			x[i * n + j] = column[i];
	}
	free(column);
}

static void fill(cell *x, int first, int rows, int n)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < n; j++)
			x[i * n + j] = picture(first + i, j, n);
}

/*
 * The largest difference allowed: rounding grows with the number of passes,
 * relative to the largest coefficient, the wave's, HEIGHT n^2.
 */
static int check(const cell *x, int n, const cell *root)
{
	cell *alone = allocate((size_t)n * (size_t)n);
	double worst = 0, peak = HEIGHT * n * n, limit = 1e-14 * peak * log2(n);
	double off;

	fill(alone, 0, n, n);
	fft2d_alone(alone, n, root);
	for (int i = 0; i < n * n; i++)
		worst = fmax(worst, cabs(x[i] - alone[i]));
	off = cabs(x[WAVE_Y * n + WAVE_X] - peak);
	free(alone);
	if (worst <= limit && off <= limit)
		return 1;
	fprintf(stderr, "fft2d: differs by %g from the transform computed "
			"alone, by %g from the wave's; allowed %g\n",
		worst, off, limit);
	return 0;
}

struct options {
	int n, times, messages, unchecked, time;
};

static void parse(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){ .n = 256, .times = 1 };
	while ((c = getopt(argc, argv, "i:mn:tu")) != -1) {
		if (c == 'i')
			o->times = atoi(optarg);
		else if (c == 'm')
			o->messages = 1;
		else if (c == 'n')
			o->n = atoi(optarg);
		else if (c == 't')
			o->time = 1;
		else if (c == 'u')
			o->unchecked = 1;
		else
			o->n = 0;
	}
}

/* Compares on rank 0, and lets every rank know. */
static int agrees(const cell *x, int rows, int n, int rank, const cell *root)
{
	cell *all = NULL;
	int good = 1;

	if (rank == 0)
		all = allocate((size_t)n * (size_t)n);
	MPI_Gather(x, 2 * rows * n, MPI_DOUBLE, all, 2 * rows * n, MPI_DOUBLE,
		   0, MPI_COMM_WORLD);
	if (rank == 0)
		good = check(all, n, root);
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	free(all);
	return good;
}

/* Transforms the picture as often as asked for; the seconds that it took. */
static double transform(cell *x, const struct options *o, int rank, int ranks,
			const cell *root)
{
	int rows = o->n / ranks;
	double start;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	for (int i = 0; i < o->times; i++) {
		fill(x, rank * rows, rows, o->n);
		fft2d(x, rows, o->n, ranks, root, o->messages);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
	int rank, ranks, rows, good = 1;
	struct options o;
	cell *x, *root;
	double took;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	parse(argc, argv, &o);
	if (o.n < 8 || o.n > 8192 || o.n & (o.n - 1) || o.n % ranks ||
	    o.times < 1) {
		if (rank == 0)
			fprintf(stderr, "usage: fft2d [-mtu] [-n size] "
					"[-i times], a power of two from 8 to "
					"8192 that the number of ranks "
					"divides\n");
		MPI_Finalize();
		return 2;
	}
	rows = o.n / ranks;
	x = allocate((size_t)rows * (size_t)o.n);
	root = roots(o.n);
	took = transform(x, &o, rank, ranks, root);
	if (!o.unchecked)
		good = agrees(x, rows, o.n, rank, root);
	if (rank == 0 && good && o.time)
		printf("%.9f\n", took);
	else if (rank == 0 && good)
		printf("fft2d: %d x %d, %d ranks: %s\n", o.n, o.n, ranks,
		       o.unchecked ? "unchecked" : "checked");
	free(root);
	free(x);
	MPI_Finalize();
	return !good;
}
