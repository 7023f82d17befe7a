/*
 * The Jacobi iteration of ../jacobi.c with PVM.
 *
 *	jacobi TASKS [-tu] [-n cells] [-i iterations]
 *
 * The program spawns the other tasks itself: it has to be in a folder that the
 * daemon looks for programs in, or to be started by a path. The options and the
 * output are those of the MPI version.
 */
#include "team.h"
#include "../plate.h"
#include <time.h>

enum { TAG_UP = 1, TAG_DOWN, TAG_CHANGE, TAG_ALL, TAG_PLATE };

/* One row to the task to, one from the task from; 0 is none, as at the edge. */
static void shift(const struct block *b, double *out, int to, double *in,
		  int from, int tag)
{
	int bytes = (b->n + 2) * (int)sizeof *out;

	if (to)
		pvm_psend(to, tag, (char *)out, bytes, PVM_BYTE);
	if (from)
		pvm_precv(from, tag, (char *)in, bytes, PVM_BYTE, NULL, NULL,
			  NULL);
}

/* The border rows of the neighbours. */
static void exchange(const struct block *b, int up, int down)
{
	shift(b, row(b, b->old, 1), up, row(b, b->old, b->rows + 1), down,
	      TAG_UP);
	shift(b, row(b, b->old, b->rows), down, row(b, b->old, 0), up,
	      TAG_DOWN);
}

/* The largest change of all tasks. */
static double reduce(struct team *t, double change)
{
	pvm_reduce(PvmMax, &change, 1, PVM_DOUBLE, TAG_CHANGE,
		   t->name, 0);
	if (t->rank == 0) {
		pvm_initsend(PvmDataRaw);
		pvm_pkdouble(&change, 1, 1);
		pvm_bcast(t->name, TAG_ALL);
	} else {
		pvm_recv(t->tid[0], TAG_ALL);
		pvm_upkdouble(&change, 1, 1);
	}
	return change;
}

/* The steps done: all of them, or fewer if the plate comes to rest. */
static int iterate(struct block *b, int iterations, struct team *t)
{
	int up = t->rank > 0 ? t->tid[t->rank - 1] : 0;
	int down = t->rank < t->ranks - 1 ? t->tid[t->rank + 1] : 0;
	double anywhere = 1;
	int k;

	for (k = 0; k < iterations && anywhere > AT_REST; k++) {
		exchange(b, up, down);
		anywhere = step(b);
		swap(b);
		anywhere = reduce(t, anywhere);
	}
	return k;
}

/* On rank 0 gathers the plate: 1 if it is right. The others send their part. */
static int check(const struct block *b, const struct options *o, int done,
		 struct team *t)
{
	int width = b->n + 2, good;
	double *all;

	if (t->rank > 0) {
		pvm_initsend(PvmDataInPlace);
		pvm_pkdouble(row(b, b->old, 1), b->rows * width, 1);
		pvm_send(t->tid[0], TAG_PLATE);
		return 1;
	}
	all = malloc((size_t)b->n * (size_t)width * sizeof *all);
	if (!all)
		team_fail(t, "out of memory");
	memcpy(all, row(b, b->old, 1),
	       (size_t)b->rows * (size_t)width * sizeof *all);
	for (int r = 1; r < t->ranks; r++) {
		int first = first_row(b->n, r, t->ranks);
		int rows = first_row(b->n, r + 1, t->ranks) - first;

		pvm_recv(t->tid[r], TAG_PLATE);
		pvm_upkdouble(row(b, all, first), rows * width, 1);
	}
	good = agrees(all, o->n, o->iterations, done);
	free(all);
	return good;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int ranks = argc > 1 ? atoi(argv[1]) : 0, first, next, done, good = 1;
	struct options o;
	struct block b;
	struct team t;
	double start;

	if (ranks < 1 || ranks > TEAM_MOST ||
	    !parse(argc - 1, argv + 1, ranks, &o)) {
		fprintf(stderr, "usage: jacobi tasks [-tu] [-n cells] "
				"[-i iterations], tasks <= %d, tasks <= cells "
				"<= 20000\n", TEAM_MOST);
		return 2;
	}
	team_open(&t, "jacobi", ranks, argv);
	first = first_row(o.n, t.rank, ranks);
	next = first_row(o.n, t.rank + 1, ranks);
	if (block_open(&b, o.n, first, next - first))
		team_fail(&t, "out of memory");

	pvm_barrier(t.name, ranks);
	start = seconds();
	done = iterate(&b, o.iterations, &t);
	start = seconds() - start;

	if (!o.unchecked)
		good = check(&b, &o, done, &t);
	if (t.rank == 0 && good)
		report(&o, ranks, done, start);
	block_close(&b);
	team_close(&t);
	return !good;
}
