/*
 * How many actions a second our own engine of tapesim replays, from memory:
 *
 *	actions ring|stencil RANKS ACTIONS
 *
 * ring: receive from the left, compute, send to the right. stencil: in a
 * square, four receives and four sends without waiting, a wait for all of them,
 * a computation. Prints the actions, how many a second, and the memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "own.h"

#define STENCIL 10 /* actions of a step */

struct tape_actions {
	int n, side;
	uint64_t each;          /* actions of a rank */
	struct made {
		uint64_t at, step;
		struct tape_action a;
		uint64_t waits[8];
	} *ranks;
};

size_t tape_actions_ranks(const struct tape_actions *s)
{
	return (size_t)s->n;
}

const int *tape_actions_members(const struct tape_actions *s, uint32_t comm,
				int *size)
{
	(void)s;
	(void)comm;
	*size = 0;
	return NULL;
}

const char *tape_actions_error(const struct tape_actions *s)
{
	(void)s;
	return "";
}

static void ring(struct tape_actions *s, int rank, struct made *m)
{
	struct tape_action *a = &m->a;
	/* rank 0 sends before it receives */
	unsigned part = (unsigned)((m->at + (rank ? 0 : 1)) % 3);

	a->bytes = 1000;
	a->amount = 1000;
	a->peer = part ? (rank + 1) % s->n : (rank + s->n - 1) % s->n;
	a->kind = part == 0 ? TAPE_ACTION_RECV
		  : part == 1 ? TAPE_ACTION_COMPUTE
			      : TAPE_ACTION_SEND;
}

static int neighbour(const struct tape_actions *s, int rank, unsigned k)
{
	int x = rank % s->side, y = rank / s->side;

	x = (x + (k == 0) - (k == 1) + s->side) % s->side;
	y = (y + (k == 2) - (k == 3) + s->side) % s->side;
	return y * s->side + x;
}

static void stencil(struct tape_actions *s, int rank, struct made *m)
{
	unsigned part = (unsigned)(m->at % STENCIL);
	struct tape_action *a = &m->a;

	memset(a, 0, sizeof *a);
	if (part < 8) {
		a->kind = part < 4 ? TAPE_ACTION_IRECV : TAPE_ACTION_ISEND;
		/* what comes from one side is sent to the other one */
		a->tag = (int)(part < 4 ? (part ^ 1) : part - 4);
		a->peer = neighbour(s, rank, part & 3);
		a->bytes = 1000;
		a->request = m->at + 1;
		m->waits[part] = a->request;
	} else if (part == 8) {
		a->kind = TAPE_ACTION_WAIT;
		a->n_waits = 8;
		a->waits = m->waits;
	} else {
		a->kind = TAPE_ACTION_COMPUTE;
		a->amount = 1000;
	}
}

int tape_actions_next(struct tape_actions *s, int rank,
		      const struct tape_action **a)
{
	struct made *m = &s->ranks[rank];

	if (m->at == s->each)
		return 0;
	if (s->side)
		stencil(s, rank, m);
	else
		ring(s, rank, m);
	m->at++;
	*a = &m->a;
	return 1;
}

static int nobody(void *self, int rank, const struct tape_action *a,
		  int64_t begin_ns, int64_t end_ns)
{
	(void)self;
	(void)rank;
	(void)a;
	(void)begin_ns;
	(void)end_ns;
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	static struct sim_net net;
	struct sim_smpi smpi;
	struct sim_machine m = { .net = &net, .rate = 1e9 };
	struct sim_times times = {NULL, nobody};
	struct sim_outcome out;
	struct tape_actions s = { 0 };
	struct rusage used;
	double start;

	if (argc != 4)
		return fputs("usage: actions ring|stencil RANKS ACTIONS\n",
			     stderr), 2;
	s.n = atoi(argv[2]);
	if (!strcmp(argv[1], "stencil")) {
		while ((s.side + 1) * (s.side + 1) <= s.n)
			s.side++;
		s.n = s.side * s.side;
	}
	s.each = (uint64_t)strtoull(argv[3], NULL, 10) / (uint64_t)s.n;
	s.each -= s.each % (s.side ? STENCIL : 3);
	s.ranks = calloc((size_t)s.n, sizeof *s.ranks);
	sim_smpi_set_defaults(&smpi);
	smpi.route[TAPE_NET] = (struct sim_route){ 1e-6, 1e10 };
	smpi.route[TAPE_SELF] = smpi.route[TAPE_NET];
	sim_net_set(&net, &smpi, NULL);
	start = now();
	if (!s.ranks || sim_own_run(&s, &m, &times, &out))
		return fprintf(stderr, "actions: %s\n", out.error), 1;
	start = now() - start;
	getrusage(RUSAGE_SELF, &used);
	printf("%s %d ranks: %llu actions, %.2f million a second, %ld KiB\n",
	       argv[1], s.n, (unsigned long long)out.actions,
	       (double)out.actions / start * 1e-6, used.ru_maxrss);
	free(s.ranks);
	return 0;
}
