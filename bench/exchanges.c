/*
 * Programs for bench/fits: two ranks that exchange messages of several sizes.
 *
 *	exchanges pingpong|halo|alltoall TURNS
 *
 * Each turn has a size from 8 bytes to 16000; the largest waits for its receive
 * with Open MPI. pingpong: MPI_Send and MPI_Recv, there and back. halo: some
 * work, not the same on both ranks, then MPI_Irecv, MPI_Isend, MPI_Waitall.
 * alltoall: an exchange with all other ranks by MPI_Irecv, MPI_Isend and
 * MPI_Waitall, ten turns of a size before the next.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 16000, MOST = 64 };

static const int sizes[] = { 8, 64, 512, 1500, 4000, LARGEST };
enum { SIZES = sizeof sizes / sizeof *sizes };

static char *in, *out;
static int rank, ranks;
static volatile double result;

static void pingpong(int turn)
{
	int n = sizes[turn % SIZES], other = !rank;

	if (rank == 0)
		MPI_Send(out, n, MPI_BYTE, other, 1, MPI_COMM_WORLD);
	MPI_Recv(in, n, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(out, n, MPI_BYTE, other, 1, MPI_COMM_WORLD);
}

static void work(int steps)
{
	double x = 0;

	for (int i = 1; i <= steps; i++)
		x += 1.0 / i;
	result = x;
}

static void halo(int turn)
{
	int n = sizes[turn % SIZES], other = !rank;
	MPI_Request r[2];

	work((rank ? 2000 : 1000) + turn % 7 * 100);
	MPI_Irecv(in, n, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(out, n, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void alltoall(int turn)
{
	int n = sizes[turn / 10 % SIZES], k = 0;
	MPI_Request r[2 * MOST];

	for (int i = 1; i < ranks; i++)
		MPI_Irecv(in + i * LARGEST, n, MPI_BYTE, (rank + i) % ranks, 1,
			  MPI_COMM_WORLD, &r[k++]);
	for (int i = 1; i < ranks; i++)
		MPI_Isend(out + i * LARGEST, n, MPI_BYTE, (rank + i) % ranks, 1,
			  MPI_COMM_WORLD, &r[k++]);
	memcpy(in, out, (size_t)n);
	MPI_Waitall(k, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*turn)(int turn);
	} shape[] = { { "pingpong", pingpong }, { "halo", halo },
		      { "alltoall", alltoall } };
	int turns = argc == 3 ? atoi(argv[2]) : 0, of = -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; argc == 3 && i < 3; i++)
		if (!strcmp(argv[1], shape[i].name))
			of = i;
	if (of < 0 || turns < 1 || ranks > MOST || (of < 2 && ranks != 2)) {
		fputs("usage: exchanges pingpong|halo|alltoall TURNS\n",
		      stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	in = calloc((size_t)ranks, LARGEST);
	out = calloc((size_t)ranks, LARGEST);
	if (!in || !out)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int turn = 0; turn < turns; turn++)
		shape[of].turn(turn);
	free(in);
	free(out);
	MPI_Finalize();
	return 0;
}
