/*
 * A master who deals out work, and workers who ask for it.
 *
 *	mpirun -np 4 workers [-n rows]
 *
 * The work is a picture of the Mandelbrot set, row by row. Rows near the set
 * cost a hundred times as much as others, and nobody knows which beforehand:
 * so the master gives the next row to whoever comes back first, which he
 * learns from a receive that takes a message from anyone (MPI_ANY_SOURCE).
 * Which worker computes which row differs from run to run; the picture may
 * not, and the master, having nothing else to do at the end, computes it once
 * more alone.
 */
#include <mpi.h>
#include "fractal.h"

enum { TAG_ROW = 1, TAG_DONE, TAG_STOP };

/* The next row to worker, or the word that there is none. 1 if there was. */
static int deal(int worker, int *next, int n)
{
	int more = *next < n;

	MPI_Send(next, 1, MPI_INT, worker, more ? TAG_ROW : TAG_STOP,
		 MPI_COMM_WORLD);
	*next += more;
	return more;
}

/*
 * A message from a worker is the row's number and its points. The buffer is
 * received into before it is known whose it is: the status tells.
 * share[r] counts the rows of rank r.
 */
static void lead(int *picture, int n, int ranks, int *share)
{
	int *message = malloc((size_t)(n + 1) * sizeof *message);
	int next = 0, busy = 0;
	MPI_Status status;

	if (!message)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int r = 1; r < ranks; r++)
		busy += deal(r, &next, n);
	while (busy > 0) {
		MPI_Recv(message, n + 1, MPI_INT, MPI_ANY_SOURCE, TAG_DONE,
			 MPI_COMM_WORLD, &status);
		memcpy(picture + (size_t)message[0] * (size_t)n, message + 1,
		       (size_t)n * sizeof *picture);
		share[status.MPI_SOURCE]++;
		busy += deal(status.MPI_SOURCE, &next, n) - 1;
	}
	free(message);
}

static void work(int n)
{
	int *message = malloc((size_t)(n + 1) * sizeof *message);
	MPI_Status status;

	if (!message)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (;;) {
		MPI_Recv(message, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD,
			 &status);
		if (status.MPI_TAG == TAG_STOP)
			break;
		compute(message + 1, message[0], n);
		MPI_Send(message, n + 1, MPI_INT, 0, TAG_DONE, MPI_COMM_WORLD);
	}
	free(message);
}

/* The master's whole life: 1 if the picture is right. */
static int master(int n, int ranks)
{
	int *picture = calloc((size_t)n * (size_t)n, sizeof *picture);
	int *share = calloc((size_t)ranks, sizeof *share);
	int good, rows = 0;

	if (!picture || !share)
		MPI_Abort(MPI_COMM_WORLD, 1);
	lead(picture, n, ranks, share);
	for (int r = 1; r < ranks; r++)
		rows += share[r];
	good = judge(picture, n, rows, ranks - 1);
	free(share);
	free(picture);
	return good;
}

int main(int argc, char **argv)
{
	int rank, ranks, n, good = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = parse(argc, argv);
	if (!n || ranks < 2) {
		if (rank == 0)
			fprintf(stderr, "usage: workers [-n rows], from 1 to "
					"10000, on two ranks at least\n");
		MPI_Finalize();
		return 2;
	}
	if (rank == 0)
		good = master(n, ranks);
	else
		work(n);
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return !good;
}
