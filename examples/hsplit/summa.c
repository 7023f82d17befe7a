/*
 * SUMMA (van de Geijn and Watts 1997): C = A B on a grid of processes. In each
 * step a column of A's blocks is broadcast along the rows of the grid and a row
 * of B's along its columns; each process adds their product to its part of C.
 * Once with MPI_Bcast, once level by level of the hardware (goglin-2018,
 *section 7.3): tape_hierarchy and tape_hbcast are all that is new. Both results
 *are compared with a serial product.
 *
 *	mpicc summa.c -ltape-hsplit -o summa
 *	mpirun -np 8 ./summa [BLOCK]
 *
 * Blocks have BLOCK x BLOCK numbers, 8 by default.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tape_hsplit.h>

static int block, steps, rows, columns, my_row, my_column;
static double *a, *b, *c, *panel_a, *panel_b;

/* Small whole numbers, so that sums are exact in any order. */
static double value_a(int i, int j)
{
	return (i * 3 + j * 5) % 7 - 3;
}

static double value_b(int i, int j)
{
	return (i * 2 + j * 11) % 5 - 2;
}

static int divisor(int n)
{
	int d = 1;

	for (int i = 2; i * i <= n; i++)
		if (n % i == 0)
			d = i;
	return d;
}

static int lcm(int x, int y)
{
	int n = x;

	while (n % y)
		n += x;
	return n;
}

static double *room(int n)
{
	double *p = calloc((size_t)n, sizeof *p);

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return p;
}

/* MPI_Bcast, or level by level if there are levels. */
static void broadcast(double *panel, int n, int root, MPI_Comm comm,
		      tape_hierarchy levels)
{
	if (levels)
		tape_hbcast(panel, n, MPI_DOUBLE, root, levels);
	else
		MPI_Bcast(panel, n, MPI_DOUBLE, root, comm);
}

/* Its time in seconds. high, wide: of this process's part. */
static double multiply(MPI_Comm row, MPI_Comm column, tape_hierarchy in_row,
		       tape_hierarchy in_column, int high, int wide)
{
	double start;

	memset(c, 0, (size_t)(high * wide) * sizeof *c);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	for (int s = 0; s < steps; s++) {
		int from_column = s / (steps / columns);
		int from_row = s / (steps / rows);
		int at = s % (steps / columns) * block;

		if (my_column == from_column)
			for (int i = 0; i < high; i++)
				memcpy(panel_a + i * block, a + i * wide + at,
				       (size_t)block * sizeof *a);
		if (my_row == from_row)
			memcpy(panel_b, b + s % (steps / rows) * block * wide,
			       (size_t)(block * wide) * sizeof *b);
		broadcast(panel_a, high * block, from_column, row, in_row);
		broadcast(panel_b, block * wide, from_row, column, in_column);
		for (int i = 0; i < high; i++)
			for (int k = 0; k < block; k++)
				for (int j = 0; j < wide; j++)
					c[i * wide + j] +=
					    panel_a[i * block + k] *
					    panel_b[k * wide + j];
	}
	return MPI_Wtime() - start;
}

/* How many numbers of this process's part are not those of a serial product. */
static int wrong(int high, int wide)
{
	int bad = 0;

	for (int i = 0; i < high; i++)
		for (int j = 0; j < wide; j++) {
			double sum = 0;

			for (int k = 0; k < steps * block; k++)
				sum += value_a(my_row * high + i, k) *
				       value_b(k, my_column * wide + j);
			bad += c[i * wide + j] < sum || c[i * wide + j] > sum;
		}
	return bad;
}

static void report(const char *name, double s, int bad)
{
	double most;
	int all, rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Reduce(&s, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank && all)
		printf("%s: %d numbers are wrong\n", name, all);
	else if (!rank)
		printf("%s %.3f us\n", name, most * 1e6);
	if (all)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	tape_hierarchy in_row, in_column;
	MPI_Comm row, column;
	int rank, size, high, wide;
	double s;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	block = argc > 1 ? atoi(argv[1]) : 8;
	if (block < 1 || block > 1024) {
		fprintf(stderr, "summa: a block has 1 to 1024 numbers\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	rows = divisor(size);
	columns = size / rows;
	steps = lcm(rows, columns);
	my_row = rank / columns;
	my_column = rank % columns;
	high = steps / rows * block;
	wide = steps / columns * block;
	MPI_Comm_split(MPI_COMM_WORLD, my_row, my_column, &row);
	MPI_Comm_split(MPI_COMM_WORLD, my_column, my_row, &column);
	a = room(high * wide);
	b = room(high * wide);
	c = room(high * wide);
	panel_a = room(high * block);
	panel_b = room(block * wide);
	for (int i = 0; i < high; i++)
		for (int j = 0; j < wide; j++) {
			a[i * wide + j] =
			    value_a(my_row * high + i, my_column * wide + j);
			b[i * wide + j] =
			    value_b(my_row * high + i, my_column * wide + j);
		}

	if (!rank)
		printf("grid %d x %d, blocks of %d x %d\n", rows, columns,
		       block, block);
	s = multiply(row, column, NULL, NULL, high, wide);
	report("simple", s, wrong(high, wide));
	tape_hierarchy_create(row, MPI_INFO_NULL, &in_row);
	tape_hierarchy_create(column, MPI_INFO_NULL, &in_column);
	s = multiply(row, column, in_row, in_column, high, wide);
	report("levels", s, wrong(high, wide));
	tape_hierarchy_free(&in_row);
	tape_hierarchy_free(&in_column);
	MPI_Comm_free(&row);
	MPI_Comm_free(&column);
	MPI_Finalize();
	return 0;
}
