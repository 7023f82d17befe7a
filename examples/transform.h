/*
 * The Fourier transform of the fft2d examples: the picture, one row, the whole
 * by one task alone to compare with. What is left to the programs is how the
 * tiles of the transposition travel: by MPI (fft2d.c) or by PVM (pvm/fft2d.c).
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Compiled with -DINNER_PROBE=N, a region is marked around every N of the inner
 * loop's steps, as in jacobi.
 */
#ifdef INNER_PROBE
#include <tape.h>
#pragma weak tape_enter
#pragma weak tape_leave
#define STEPS INNER_PROBE
#else
#define STEPS 4096
#endif

typedef double complex cell;

/* Of the program: ends all its tasks, for there is no memory. */
static _Noreturn void give_up(void);

/*
 * Of the program, too: out is a tile of so many cells for each rank, in gets
 * one from each.
 */
static void exchange(cell *out, cell *in, int tile);

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

	if (!x)
		give_up();
	return x;
}

static cell *roots(int n)
{
	cell *root = allocate((size_t)n);

	for (int k = 0; k < n; k++)
		root[k] = cexp(-2 * I * pi * k / n);
	return root;
}

/*
 * The rows of all ranks together, transposed: before, x holds this rank's rows
 * of the picture, afterwards its columns. A tile is rows x rows cells; it is
 * turned while it is packed, so that what arrives only has to be put in place.
 */
static void transpose(cell *x, int rows, int n, int ranks)
{
	size_t tile = (size_t)rows * (size_t)rows;
	/* kept from one time to the next: whether memory that is given back
	 * comes back as fresh pages depends on what else is in the heap */
	static cell *out, *in;
	size_t k = 0;

	if (!out) {
		out = allocate(tile * (size_t)ranks);
		in = allocate(tile * (size_t)ranks);
	}
	for (int r = 0; r < ranks; r++)
		for (int j = 0; j < rows; j++)
			for (int i = 0; i < rows; i++)
				out[k++] = x[i * n + r * rows + j];
	exchange(out, in, (int)tile);
	k = 0;
	for (int r = 0; r < ranks; r++)
		for (int j = 0; j < rows; j++)
			for (int i = 0; i < rows; i++)
				x[j * n + r * rows + i] = in[k++];
}

/* Rows, columns, and back into the picture's order. */
static void fft2d(cell *x, int rows, int n, int ranks, const cell *root)
{
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < rows; i++)
			fft(x + i * n, n, root);
		transpose(x, rows, n, ranks);
	}
}

/* The same by one alone: columns are gathered and scattered one by one. */
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
