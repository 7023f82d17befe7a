/*
 * steps PATTERN BATCHES SIZE...: how long a step of it takes in ns, one line a
 * size, the quickest of so many batches, with one of each other size between.
 * Compiled for a real MPI, and for SimGrid's.
 *
 * pingpong  rank 0 sends, rank 1 sends back what it got: half of that
 * ring      each rank passes on to the next one what it got before
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 << 20 };

static char *out, *in;
static int rank, size;

static void pingpong(int bytes)
{
	if (!rank)
		MPI_Send(in, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	if (rank < 2)
		MPI_Recv(in, bytes, MPI_CHAR, !rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void ring(int bytes)
{
	char *got = in;

	MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 0, in, bytes,
		     MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	in = out;
	out = got;
}

static double batch(int is_ring, int bytes, int steps)
{
	double start;

	for (int i = -4; i < steps; i++) {
		if (!i)
			start = MPI_Wtime();
		if (is_ring)
			ring(bytes);
		else
			pingpong(bytes);
	}
	return (MPI_Wtime() - start) / steps / (is_ring ? 1 : 2);
}

int main(int argc, char **argv)
{
	double *least = calloc((size_t)argc, sizeof *least);
	int is_ring;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 4)
		MPI_Abort(MPI_COMM_WORLD, 2);
	out = malloc(MOST);
	in = malloc(MOST);
	memset(out, 1, MOST);
	memset(in, 2, MOST);
	is_ring = !strcmp(argv[1], "ring");
	for (int b = 0; b < atoi(argv[2]); b++)
		for (int i = 3; i < argc; i++) {
			int n = atoi(argv[i]);
			int steps = n < 4096 ? 400 : n < 262144 ? 60 : 8;
			double s = batch(is_ring, n, steps);

			if (!b || s < least[i])
				least[i] = s;
		}
	for (int i = 3; !rank && i < argc; i++)
		printf("%s %.1f\n", argv[i], 1e9 * least[i]);
	free(least);
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
