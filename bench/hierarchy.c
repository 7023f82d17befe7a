/*
 * For bench/hierarchy, in SimGrid: how long broadcasts and reductions take, by
 * six algorithms each, over all ranks (native) and level by level over the
 * roots of tape_hsplit_with_roots (hierarchical); and what splits take. Data
 * are checked.
 *
 *	hierarchy collectives SEGMENT SIZE...	lines CALL ALGORITHM BYTES NS NS
 *	hierarchy splits			lines NAME NS
 *
 * The algorithms are those of Open MPI 2 to 4 by their definition: trees, and
 * messages cut into segments (0: in one) that go on as they come. What an
 * addition takes is what smpi/host-speed says of an operation.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"
#include "tape_hsplit.h"

enum { LEVELS = 16 };

static MPI_Comm roots[LEVELS]; /* widest first */
static int levels, me, size;

static double when(MPI_Op op)
{
	double mine = MPI_Wtime(), all;

	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
	return all;
}

/* Level by level, or on all at once. */
static void call(int is_reduce, int algorithm, int by_level, double *from,
		 double *to, int n, int segment)
{
	if (!by_level && is_reduce)
		reduce_by(algorithm, from, to, n, segment, MPI_COMM_WORLD);
	else if (!by_level)
		bcast_by(algorithm, to, n, segment, MPI_COMM_WORLD);
	else if (!is_reduce)
		for (int i = 0; i < levels; i++) {
			if (roots[i] != MPI_COMM_NULL)
				bcast_by(algorithm, to, n, segment, roots[i]);
		}
	else
		for (int i = levels - 1; i >= 0; i--) {
			if (roots[i] == MPI_COMM_NULL)
				continue;
			reduce_by(algorithm, from, to, n, segment, roots[i]);
			from = to; /* of its root; others are done */
		}
}

static void check(int is_reduce, const double *to, int n, const char *name)
{
	double sum = is_reduce ? size * (size + 1) / 2. : 1;

	if (is_reduce && me)
		return;
	for (int i = 0; i < n; i++)
		if (to[i] < sum * (i + 1) || to[i] > sum * (i + 1)) {
			fprintf(stderr, "%s, %d: wrong on rank %d\n", name, n,
				me);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
}

/* The time from when all begin until the last ends. */
static double timed(int is_reduce, int algorithm, int by_level, int n,
		    int segment)
{
	double *from = malloc((size_t)n * sizeof *from);
	double *to = malloc((size_t)n * sizeof *to);
	double start, end, first, last;

	for (int i = 0; i < n; i++) {
		from[i] = (me + 1) * (i + 1.);
		to[i] = is_reduce || me ? 0 : from[i];
	}
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	call(is_reduce, algorithm, by_level, from, to, n, segment);
	end = MPI_Wtime();
	MPI_Allreduce(&start, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	check(is_reduce, to, n,
	      is_reduce ? reduce_names[algorithm] : bcast_names[algorithm]);
	free(from);
	free(to);
	return last - first;
}

static void collectives(int segment, int sizes, char **list)
{
	for (int is_reduce = 0; is_reduce < 2; is_reduce++)
		for (int a = 0; a < ALGORITHMS; a++)
			for (int s = 0; s < sizes; s++) {
				int n = atoi(list[s]) / (int)sizeof(double);
				double native = timed(is_reduce, a, 0, n,
						      segment);
				double ours = timed(is_reduce, a, 1, n,
						    segment);

				if (!me)
					printf("%s %s %s %.0f %.0f\n",
					       is_reduce ? "reduce" : "bcast",
					       is_reduce ? reduce_names[a]
							 : bcast_names[a],
					       list[s], native * 1e9,
					       ours * 1e9);
			}
}

/* ---- splits ---- */

static void split_line(const char *name, double start)
{
	double end = when(MPI_MAX);

	if (!me)
		printf("%s %.0f\n", name, (end - start) * 1e9);
}

static void splits(void)
{
	MPI_Comm comm, all[LEVELS];
	double start;
	int n;

	/* what is done once: files are read, MPI makes its connections */
	tape_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	MPI_Barrier(MPI_COMM_WORLD);
	start = when(MPI_MAX);
	MPI_Comm_split(MPI_COMM_WORLD, me % 8, me, &comm);
	split_line("MPI_Comm_split", start);
	MPI_Comm_free(&comm);
	start = when(MPI_MAX);
	tape_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
	split_line("tape_hsplit", start);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	start = when(MPI_MAX);
	tape_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, LEVELS, all, NULL, &n);
	split_line("tape_hsplit_all", start);
	while (n)
		MPI_Comm_free(&all[--n]);
}

int main(int argc, char **argv)
{
	MPI_Comm level[LEVELS];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc == 2 && !strcmp(argv[1], "splits")) {
		splits();
	} else if (argc > 3) {
		tape_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, LEVELS, level,
				roots, &levels);
		if (!me)
			printf("levels %d\n", levels);
		collectives(atoi(argv[2]), argc - 3, argv + 3);
	} else {
		fprintf(stderr, "hierarchy splits|collectives SEGMENT SIZE\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Finalize();
	return 0;
}
