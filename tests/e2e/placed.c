/*
 * Programs for tapeplace: 64 ranks of a grid of 8 columns, whose places in it
 * are shuffled by a seed (0: in order).
 *
 *	placed halo|transpose BYTES STEPS SEED
 *
 * halo exchanges BYTES with each neighbour; transpose is an all-to-all of
 * BYTES in each row, then of a quarter of that in each column.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8 };

static int *shuffled(int n, unsigned seed)
{
	int *at = malloc((size_t)n * sizeof *at);

	for (int i = 0; i < n; i++)
		at[i] = i;
	for (int i = n - 1; i > 0 && seed; i--) {
		int j, t = at[i];

		seed = seed * 1103515245u + 12345u;
		j = (int)(seed >> 8) % (i + 1);
		at[i] = at[j];
		at[j] = t;
	}
	return at;
}

static void halo(const int *at, int rank, int n, int bytes, int steps)
{
	static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
	char *buffer = calloc(8, (size_t)bytes + 1);

	for (int k = 0; k < steps; k++) {
		MPI_Request q[8];
		int m = 0;

		for (int d = 0; d < 4; d++) {
			int x = at[rank] % COLUMNS + dx[d], other = 0;
			int y = at[rank] / COLUMNS + dy[d];

			if (x < 0 || y < 0 || x >= COLUMNS || y >= n / COLUMNS)
				continue;
			while (at[other] != y * COLUMNS + x)
				other++;
			MPI_Irecv(buffer + d * bytes, bytes, MPI_CHAR, other, 0,
				  MPI_COMM_WORLD, &q[m++]);
			MPI_Isend(buffer + (4 + d) * bytes, bytes, MPI_CHAR,
				  other, 0, MPI_COMM_WORLD, &q[m++]);
		}
		MPI_Waitall(m, q, MPI_STATUSES_IGNORE);
	}
	free(buffer);
}

static void transpose(const int *at, int rank, int n, int bytes, int steps)
{
	char *a = calloc((size_t)n, (size_t)bytes);
	char *b = calloc((size_t)n, (size_t)bytes);
	MPI_Comm row, column;

	MPI_Comm_split(MPI_COMM_WORLD, at[rank] / COLUMNS, at[rank], &row);
	MPI_Comm_split(MPI_COMM_WORLD, at[rank] % COLUMNS, at[rank], &column);
	for (int k = 0; k < steps; k++) {
		MPI_Alltoall(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, row);
		MPI_Alltoall(b, bytes / 4, MPI_CHAR, a, bytes / 4, MPI_CHAR,
			     column);
	}
	MPI_Comm_free(&row);
	MPI_Comm_free(&column);
	free(a);
	free(b);
}

int main(int argc, char **argv)
{
	int rank, n, *at;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (argc != 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	at = shuffled(n, (unsigned)atoi(argv[4]));
	if (!strcmp(argv[1], "halo"))
		halo(at, rank, n, atoi(argv[2]), atoi(argv[3]));
	else
		transpose(at, rank, n, atoi(argv[2]), atoi(argv[3]));
	free(at);
	MPI_Finalize();
	return 0;
}
