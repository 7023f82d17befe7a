/*
 * For bench/unexpected: what a message costs more for having come before its
 * receive was posted: libraries keep it aside and copy it again.
 *
 *	mpirun -np 2 early [PAIRS]
 *
 * Rank 0 sends A and B; both are under way for long when rank 1 looks. It posts
 * the receive of A, receives B, and waits for A; or receives B first, which
 * makes the library meet A, and then does the same for A. Both by turns, in
 * random order, so that a pair differs by nothing else. Prints, by size, the
 * median of the differences in ns and, by order statistics, its 95% interval.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1 << 16, AWAY_NS = 4000 };

static char a[MOST], b[MOST];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void answer(int bytes)
{
	MPI_Recv(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(a, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
	MPI_Send(b, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
}

static double receive(int bytes, int expected)
{
	MPI_Request r;
	double from;

	MPI_Send(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
	for (from = now_ns(); now_ns() - from < AWAY_NS;)
		;
	from = now_ns();
	if (expected)
		MPI_Irecv(a, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r);
	MPI_Recv(b, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!expected)
		MPI_Irecv(a, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	return now_ns() - from;
}

/* Both, in random order; rank 1 knows what they took. */
static void pair(int rank, int bytes, double *expected, double *more)
{
	int first = rand() & 1024 ? 1 : 0;
	double t[2];

	for (int k = 0; k < 2; k++) {
		if (rank == 0)
			answer(bytes);
		else
			t[first ^ k] = receive(bytes, first ^ k);
	}
	if (rank == 0)
		return;
	*expected = t[1];
	*more = t[0] - t[1];
}

static int ascending(const void *x, const void *y)
{
	double p = *(const double *)x, q = *(const double *)y;

	return (p > q) - (p < q);
}

/* Sorts the n times. */
static void print(int bytes, double *more, double *expected, int n)
{
	int off = (int)(0.98 * sqrt(n)) + 1, low = n / 2 - off;

	qsort(more, (size_t)n, sizeof *more, ascending);
	qsort(expected, (size_t)n, sizeof *expected, ascending);
	printf("%6d bytes: expected %7.1f ns, unexpected %+7.1f "
	       "(%+.1f to %+.1f)\n", bytes, expected[n / 2], more[n / 2],
	       more[low < 0 ? 0 : low],
	       more[n / 2 + off < n ? n / 2 + off : n - 1]);
}

int main(int argc, char **argv)
{
	static const int sizes[] = { 0, 8, 64, 256, 1024, 4000 };
	int n = argc > 1 ? atoi(argv[1]) : 4000, rank, ranks;
	double *more, *expected;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	more = calloc((size_t)(n > 0 ? n : 1), sizeof *more);
	expected = calloc((size_t)(n > 0 ? n : 1), sizeof *expected);
	if (n < 1 || ranks != 2 || !more || !expected) {
		fputs("usage: mpirun -np 2 early [PAIRS]\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	srand(1);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		for (int i = 0; i < n; i++)
			pair(rank, sizes[s], &expected[i], &more[i]);
		if (rank == 1)
			print(sizes[s], more, expected, n);
	}
	free(more);
	free(expected);
	MPI_Finalize();
	return 0;
}
