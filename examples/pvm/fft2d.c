/*
 * The two-dimensional Fourier transform of ../fft2d.c with PVM.
 *
 *	fft2d TASKS [-tu] [-n size] [-i times]
 *
 * PVM has no operation in which each task sends to each: there are as many
 * sends and receives. See jacobi.c on how the tasks are found. -t, -u and -i
 * are those of ../fft2d.c.
 */
#include <time.h>

#include "team.h"
#include "../transform.h"

enum { TAG_TILE = 1, TAG_ALL };

static struct team team;

static _Noreturn void give_up(void)
{
	team_fail(&team, "out of memory");
}

static void exchange(cell *out, cell *in, int tile)
{
	for (int k = 1; k < team.ranks; k++) {
		int r = (team.rank + k) % team.ranks;

		pvm_initsend(PvmDataInPlace);
		pvm_pkdouble((double *)(out + r * tile), 2 * tile, 1);
		pvm_send(team.tid[r], TAG_TILE);
	}
	for (int i = 0; i < tile; i++)
		in[team.rank * tile + i] = out[team.rank * tile + i];
	for (int k = 1; k < team.ranks; k++) {
		int r = (team.rank + team.ranks - k) % team.ranks;

		pvm_recv(team.tid[r], TAG_TILE);
		pvm_upkdouble((double *)(in + r * tile), 2 * tile, 1);
	}
}

struct options {
	int n, times, time, unchecked;
};

/* 1, or 0 if the arguments make no sense for these ranks. */
static int parse(int argc, char **argv, int ranks, struct options *o)
{
	int c;

	*o = (struct options){.n = 256, .times = 1};
	while ((c = getopt(argc, argv, "i:n:tu")) != -1) {
		if (c == 'i')
			o->times = atoi(optarg);
		else if (c == 't')
			o->time = 1;
		else if (c == 'u')
			o->unchecked = 1;
		else
			o->n = c == 'n' ? atoi(optarg) : 0;
	}
	return o->n >= 8 && o->n <= 8192 && !(o->n & (o->n - 1)) &&
	       !(o->n % ranks) && o->times > 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Transforms the picture as often as asked for; the seconds that it took. */
static double transform(cell *x, const struct options *o, const cell *root)
{
	int rows = o->n / team.ranks;
	double start;

	pvm_barrier(team.name, team.ranks);
	start = seconds();
	for (int i = 0; i < o->times; i++) {
		fill(x, team.rank * rows, rows, o->n);
		fft2d(x, rows, o->n, team.ranks, root);
	}
	pvm_barrier(team.name, team.ranks);
	return seconds() - start;
}

/* Is it right? Only rank 0 knows. */
static int agrees(cell *x, int n, const cell *root)
{
	cell *all = NULL;
	int good = 1;

	if (team.rank == 0)
		all = allocate((size_t)n * (size_t)n);
	pvm_gather(all, x, 2 * (n / team.ranks) * n, PVM_DOUBLE, TAG_ALL,
		   team.name, 0);
	if (team.rank == 0)
		good = check(all, n, root);
	free(all);
	return good;
}

int main(int argc, char **argv)
{
	int ranks = argc > 1 ? atoi(argv[1]) : 0, good = 1;
	struct options o;
	cell *x, *root;
	double took;

	if (ranks < 1 || ranks > TEAM_MOST ||
	    !parse(argc - 1, argv + 1, ranks, &o)) {
		fprintf(stderr,
			"usage: fft2d tasks [-tu] [-n size] "
			"[-i times], tasks <= %d, a power of two from "
			"8 to 8192 that the number of tasks divides\n",
			TEAM_MOST);
		return 2;
	}
	team_open(&team, "fft2d", ranks, argv);
	x = allocate((size_t)(o.n / ranks) * (size_t)o.n);
	root = roots(o.n);
	took = transform(x, &o, root);
	if (!o.unchecked)
		good = agrees(x, o.n, root);
	if (team.rank == 0 && good && o.time)
		printf("%.9f\n", took);
	else if (team.rank == 0 && good)
		printf("fft2d: %d x %d, %d ranks: %s\n", o.n, o.n, ranks,
		       o.unchecked ? "unchecked" : "checked");
	free(root);
	free(x);
	team_close(&team);
	return !good;
}
