/*
 * Both engines of tapesim on the same actions: do the collectives of each rank
 * end at the same time?
 *
 *	engines PLATFORM ACTIONS RANKS_PER_HOST shared|alone
 *
 * Each collective is measured from the begin of the action before that of rank
 * 0, so that one that differs leaves the later ones as they are, if the
 * program brings its ranks together in between. Prints the collectives that
 * are apart by more than a nanosecond, and how many there were.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_text.h"
#include "sim_platform.h"
#include "own.h"
#include "sim_simgrid.h"
#include "tool.h"

#define MOST 4096 /* collectives of a rank */

struct times {
	int ranks;
	int64_t *before; /* the begin of rank 0's last action */
	int64_t *base;   /* by collective */
	int64_t *end;    /* by rank and collective */
	int *n;          /* collectives of each rank */
	char (*what)[80]; /* of each collective */
};

static int put(void *self, int rank, const struct tape_action *a,
	       int64_t begin_ns, int64_t end_ns)
{
	struct times *d = self;
	int k = d->n[rank];

	if (a->kind == TAPE_ACTION_COLL || a->kind == TAPE_ACTION_WAIT) {
		if (k == MOST)
			tape_die(TAPE_FAILED, "too many collectives");
		d->end[(size_t)rank * MOST + (size_t)k] = end_ns;
		if (!rank)
			d->base[k] = *d->before;
		if (!rank)
			snprintf(d->what[k], sizeof d->what[k],
				 "%s %llu root %d",
				 a->kind == TAPE_ACTION_WAIT
					 ? "wait" : tape_action_ops[a->op],
				 (unsigned long long)a->bytes, a->root);
		d->n[rank]++;
	} else if (!rank) {
		*d->before = begin_ns;
	}
	return 0;
}

static void make_times(struct times *d, int ranks)
{
	d->ranks = ranks;
	d->before = tape_must(calloc(1, sizeof *d->before));
	d->base = tape_must(calloc(MOST, sizeof *d->base));
	d->end = tape_must(calloc((size_t)ranks * MOST, sizeof *d->end));
	d->n = tape_must(calloc((size_t)ranks, sizeof *d->n));
	d->what = tape_must(calloc(MOST, sizeof *d->what));
}

static int open_actions(void *self, struct tape_actions **s)
{
	return tape_actions_open_files(self, s);
}

static void run_own(const char *platform, char *actions, int shared, int each,
		    struct times *d)
{
	static struct sim_platform p;
	static struct sim_net net;
	struct sim_outcome out;
	struct tape_actions *s;
	struct sim_times times = {d, put};
	struct sim_machine m = { .net = &net, .library = TAPE_COLL_SMPI };
	int *host;

	if (open_actions(actions, &s))
		tape_die(TAPE_FAILED, "%s", tape_actions_error(s));
	make_times(d, (int)tape_actions_ranks(s));
	sim_platform_read(platform, &p);
	p.smpi.shared = shared && p.links > 0;
	p.smpi.link = p.links;
	sim_net_set(&net, &p.smpi, NULL);
	host = tape_must(calloc((size_t)d->ranks, sizeof *host));
	for (int i = 0; i < d->ranks; i++)
		host[i] = i / each;
	m.host = host;
	m.rate = p.speed;
	m.cores = p.cores;
	if (sim_own_run(s, &m, &times, &out))
		tape_die(TAPE_FAILED, "%s", out.error);
	printf("# %llu collectives without an algorithm\n",
	       (unsigned long long)out.unknown);
	tape_actions_close(s);
	free(host);
}

static void run_simgrid(const char *platform, char *actions, int each,
			struct times *d)
{
	struct sim_times times = {d, put};
	struct sim_simgrid run = { .open = open_actions, .self = actions,
				   .platform = platform,
				   .what_if = { .eager_bytes = -1,
						.ranks_per_host = each } };
	char error[1024];

	if (sim_simgrid_run(&run, &times, error, sizeof error))
		tape_die(TAPE_FAILED, "%s", error);
}

/* Returns 1, and prints them, if the times of the k-th collective differ. */
static int times_differ(const struct times *a, const struct times *b, int k)
{
	int64_t most = 0, all = 0;

	for (int r = 0; r < a->ranks; r++) {
		size_t at = (size_t)r * MOST + (size_t)k;
		int64_t x = a->end[at] - a->base[k];
		int64_t y = b->end[at] - b->base[k];

		if (llabs(x - y) > llabs(most))
			most = x - y;
		all = y > all ? y : all;
	}
	if (llabs(most) > 1)
		printf("%d ranks: %s: %lld ns apart of %lld\n", a->ranks,
		       a->what[k], (long long)most, (long long)all);
	return llabs(most) > 1;
}

int main(int argc, char **argv)
{
	static struct times own, theirs;
	int wrong = 0, each;

	tape_tool("engines");
	if (argc != 5)
		tape_die(TAPE_USAGE, "engines PLATFORM ACTIONS RANKS_PER_HOST "
			 "shared|alone");
	each = atoi(argv[3]);
	run_own(argv[1], argv[2], !strcmp(argv[4], "shared"), each, &own);
	make_times(&theirs, own.ranks);
	run_simgrid(argv[1], argv[2], each, &theirs);
	for (int r = 0; r < own.ranks; r++)
		if (own.n[r] != own.n[0] || theirs.n[r] != own.n[0])
			tape_die(TAPE_FAILED, "rank %d has %d collectives, and "
				 "%d", r, own.n[r], theirs.n[r]);
	for (int k = 0; k < own.n[0]; k++)
		wrong += times_differ(&own, &theirs, k);
	printf("%d of %d collectives of %d ranks differ\n", wrong, own.n[0],
	       own.ranks);
	return wrong != 0;
}
