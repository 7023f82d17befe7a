/*
 * A two-dimensional Fourier transform by transposition.
 *
 *	mpirun -np 4 fft2d [-n size]
 *
 * Each rank holds a block of whole rows and transforms them alone. The columns
 * are then made rows by one MPI_Alltoall: every rank sends a tile to every
 * other. This all-to-all is what the time goes into on a large machine.
 *
 * Rank 0 transforms the same picture alone and compares; and the picture holds
 * one plane wave, whose transform is known without any computation.
 */
#include <mpi.h>
#include "transform.h"

static _Noreturn void give_up(void)
{
	fprintf(stderr, "fft2d: out of memory\n");
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static void exchange(cell *out, cell *in, int tile)
{
	MPI_Alltoall(out, 2 * tile, MPI_DOUBLE, in, 2 * tile, MPI_DOUBLE,
		     MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, ranks, rows, n, good = 1;
	cell *x, *root, *all = NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = parse(argc, argv, ranks);
	if (!n) {
		if (rank == 0)
			fprintf(stderr, "usage: fft2d [-n size], a power of "
					"two from 8 to 8192 that the number "
					"of ranks divides\n");
		MPI_Finalize();
		return 2;
	}
	rows = n / ranks;
	x = allocate((size_t)rows * (size_t)n);
	root = roots(n);
	fill(x, rank * rows, rows, n);
	fft2d(x, rows, n, ranks, root);

	if (rank == 0)
		all = allocate((size_t)n * (size_t)n);
	MPI_Gather(x, 2 * rows * n, MPI_DOUBLE, all, 2 * rows * n, MPI_DOUBLE,
		   0, MPI_COMM_WORLD);
	if (rank == 0)
		good = check(all, n, root);
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == 0 && good)
		report(n, ranks);
	free(all);
	free(root);
	free(x);
	MPI_Finalize();
	return !good;
}
