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
 */
#include <mpi.h>
#include "transform.h"

/* MPI_Alltoall, or as many messages. */
static int by_messages;

static _Noreturn void give_up(void)
{
	fprintf(stderr, "fft2d: out of memory\n");
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

/* Each rank's tile to each other: all sent, then received one by one. */
static void send_each(cell *out, cell *in, int tile)
{
	int rank, ranks, bytes = tile * (int)sizeof *out;
	MPI_Request *q;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	q = malloc((size_t)ranks * sizeof *q);
	if (!q)
		give_up();
	for (int k = 1; k <= ranks; k++) {
		int to = (rank + k) % ranks;

		MPI_Isend(out + to * tile, bytes, MPI_BYTE, to, 1,
			  MPI_COMM_WORLD, &q[k - 1]);
	}
	for (int k = 1; k <= ranks; k++) {
		int from = (rank + ranks - k) % ranks;

		MPI_Recv(in + from * tile, bytes, MPI_BYTE, from, 1,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Waitall(ranks, q, MPI_STATUSES_IGNORE);
	free(q);
}

static void exchange(cell *out, cell *in, int tile)
{
	if (by_messages)
		send_each(out, in, tile);
	else
		MPI_Alltoall(out, 2 * tile, MPI_DOUBLE, in, 2 * tile,
			     MPI_DOUBLE, MPI_COMM_WORLD);
}

struct options {
	int n, times, unchecked, time;
};

static void parse(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){ .n = 256, .times = 1 };
	while ((c = getopt(argc, argv, "i:mn:tu")) != -1) {
		if (c == 'i')
			o->times = atoi(optarg);
		else if (c == 'm')
			by_messages = 1;
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
		fft2d(x, rows, o->n, ranks, root);
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
