/*
 * The two-dimensional Fourier transform of ../fft2d.c with PVM.
 *
 *	fft2d TASKS [-n size]
 *
 * PVM has no operation in which each task sends to each: there are as many
 * sends and receives. See jacobi.c on how the tasks are found.
 */
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

/* The size of the picture; 0 if the arguments make no sense for these ranks. */
static int parse(int argc, char **argv, int ranks)
{
	int c, n = 256;

	while ((c = getopt(argc, argv, "n:")) != -1)
		n = c == 'n' ? atoi(optarg) : 0;
	if (n < 8 || n > 8192 || n & (n - 1) || n % ranks)
		return 0;
	return n;
}

static void report(int n, int ranks)
{
	printf("fft2d: %d x %d, %d ranks: checked\n", n, n, ranks);
}

int main(int argc, char **argv)
{
	int ranks = argc > 1 ? atoi(argv[1]) : 0, rows, n, good = 1;
	cell *x, *root, *all = NULL;

	n = ranks > 0 ? parse(argc - 1, argv + 1, ranks) : 0;
	if (!n || ranks > TEAM_MOST) {
		fprintf(stderr, "usage: fft2d tasks [-n size], tasks <= %d, a "
				"power of two from 8 to 8192 that the number "
				"of tasks divides\n", TEAM_MOST);
		return 2;
	}
	team_open(&team, "fft2d", ranks, argv);
	rows = n / ranks;
	x = allocate((size_t)rows * (size_t)n);
	root = roots(n);
	fill(x, team.rank * rows, rows, n);
	fft2d(x, rows, n, ranks, root);

	if (team.rank == 0)
		all = allocate((size_t)n * (size_t)n);
	pvm_gather(all, x, 2 * rows * n, PVM_DOUBLE, TAG_ALL, team.name, 0);
	if (team.rank == 0)
		good = check(all, n, root);
	if (team.rank == 0 && good)
		report(n, ranks);
	free(all);
	free(root);
	free(x);
	team_close(&team);
	return !good;
}
