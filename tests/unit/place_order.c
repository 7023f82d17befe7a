/*
 * Orders of ranks that tapeplace finds (lib/placement/order.h): of 8 slots
 * against all 8! orders, costs there taken from the positions themselves; and
 * a grid against its blocks. Seeded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "tap.h"

enum { MOST = 64, SLOTS = 8 };

static unsigned long long state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

/* ---- the truth: from positions and messages ---- */

static double between[MOST][MOST]; /* what one byte costs between slots */
static double sent[MOST][MOST];	   /* bytes and their messages, as bytes */

static void measure(const struct place_slots *s, const struct place_cost *c)
{
	char type[TAPE_LEVEL_MAX];

	for (size_t a = 0; a < s->n; a++)
		for (size_t b = 0; b < s->n; b++) {
			const char *x = s->slot[a].position;
			const char *y = s->slot[b].position;

			tape_position_type(x, tape_position_common(x, y), type);
			between[a][b] = 0;
			for (size_t l = 0; l < s->n_levels && a != b; l++)
				if (!strcmp(s->level[l].name, type))
					between[a][b] = c->byte[l];
		}
}

static double cost_of(int ranks, const uint32_t *slot_of)
{
	double sum = 0;

	for (int a = 0; a < ranks; a++)
		for (int b = 0; b < ranks; b++)
			sum += sent[a][b] * between[slot_of[a]][slot_of[b]];
	return sum;
}

/* The least of all orders of ranks from a on. */
static double least(int ranks, int slots, int a, uint32_t *slot_of, int *taken,
		    double sum)
{
	double best = INFINITY;

	if (a == ranks)
		return sum;
	for (int s = 0; s < slots; s++) {
		double more = 0, rest;

		if (taken[s])
			continue;
		slot_of[a] = (uint32_t)s;
		for (int b = 0; b < a; b++)
			more +=
			    (sent[a][b] + sent[b][a]) * between[s][slot_of[b]];
		taken[s] = 1;
		rest = least(ranks, slots, a + 1, slot_of, taken, sum + more);
		taken[s] = 0;
		best = fmin(best, rest);
	}
	return best;
}

/* ---- small ones ---- */

/* Switches, hosts and cores, as the dice fall; some slots are not bound. */
static void random_slots(struct place_slots *s)
{
	unsigned switches = 1 + below(3), hosts = 1 + below(4);
	unsigned cores = 1 + below(3);
	char position[TAPE_POSITION_MAX];

	memset(s, 0, sizeof *s);
	for (int i = 0; i < SLOTS; i++) {
		unsigned h = below(switches * hosts);
		int n =
		    snprintf(position, sizeof position,
			     "Cluster/Switch1:%u/Machine:h%u", h / hosts, h);

		if (below(4))
			n += snprintf(position + n, sizeof position - (size_t)n,
				      "/L3:%u", below(cores));
		if (below(2))
			snprintf(position + n, sizeof position - (size_t)n,
				 "/Core:%u", below(cores));
		place_slots_add(s, position);
	}
	place_slots_build_tree(s);
}

static void random_messages(struct place_pairs *p, int ranks)
{
	struct place_traffic *g = place_traffic_new((size_t)ranks);
	unsigned often = 1 + below(4);

	memset(sent, 0, sizeof sent);
	for (int a = 0; a < ranks; a++)
		for (int b = 0; b < ranks; b++) {
			double bytes = pow(10, below(5)) * (1 + below(9));

			if (a == b || below(4) >= often)
				continue;
			place_traffic_add(g, a, b, 1, bytes);
			sent[a][b] = bytes + 1000;
		}
	place_traffic_end(g, p);
}

static double worst, sum_off;

/* 1: not worse than 5% over the best, nor than it was. */
static int one(int ranks, double times)
{
	struct place_slots s;
	struct place_pairs p;
	struct place_cost c;
	uint32_t order[MOST], any[MOST];
	int taken[MOST] = {0}, seen[MOST] = {0}, good;
	double found, best, before;

	random_slots(&s);
	random_messages(&p, ranks);
	place_cost_set_levels(&c, &s, times, 1000);
	measure(&s, &c);
	for (int r = 0; r < ranks; r++)
		order[r] = (uint32_t)(SLOTS - ranks + r);
	before = cost_of(ranks, order);
	place_order_find(&s, &p, &c, order);
	found = cost_of(ranks, order);
	best = least(ranks, SLOTS, 0, any, taken, 0);
	good =
	    found <= best * 1.05 && found <= before * (1 + 1e-9) &&
	    fabs(place_order_cost(&s, &p, &c, order) - found) <= 1e-9 * found;
	for (int r = 0; r < ranks; r++)
		good &= order[r] < SLOTS && !seen[order[r]]++;
	if (best > 0) {
		worst = fmax(worst, found / best - 1);
		sum_off += found / best - 1;
	}
	place_cost_free(&c);
	place_pairs_free(&p);
	place_slots_free(&s);
	return good;
}

static void small(int ranks, double times, int cases)
{
	int bad = 0;

	worst = sum_off = 0;
	for (int i = 0; i < cases; i++)
		bad += !one(ranks, times);
	ok(!bad,
	   "%d ranks on %d slots, each level %g times: %d machines, at most "
	   "%.2f%% over the best of all orders, %.3f%% on average",
	   ranks, SLOTS, times, cases, worst * 100, sum_off * 100 / cases);
}

/* ---- a grid ---- */

/* 8 x 8 ranks in any order, each with its neighbours, on 2 x 2 x 4 x 4. */
static void grid(void)
{
	struct place_traffic *g = place_traffic_new(64);
	char position[TAPE_POSITION_MAX];
	struct place_slots s = {0};
	struct place_pairs p;
	struct place_cost c;
	uint32_t order[64];
	int at[64];

	for (int i = 0; i < 64; i++) {
		snprintf(position, sizeof position,
			 "Cluster/Switch2:%d/Switch1:%d/Machine:h%d/Core:%d",
			 i / 32, i / 16, i / 4, i % 4);
		place_slots_add(&s, position);
		order[i] = (uint32_t)i;
		at[i] = i;
	}
	place_slots_build_tree(&s);
	for (int i = 63; i; i--) {
		int j = (int)below((unsigned)i + 1), t = at[i];

		at[i] = at[j];
		at[j] = t;
	}
	for (int i = 0; i < 64; i++) {
		if (i % 8 < 7)
			place_traffic_add(g, at[i], at[i + 1], 2, 2000);
		if (i < 56)
			place_traffic_add(g, at[i], at[i + 8], 2, 2000);
	}
	place_traffic_end(g, &p);
	place_cost_set_levels(&c, &s, 10, 0);
	ok(s.n_levels == 4 && !strcmp(s.level[3].name, "Cluster") &&
	       !strcmp(s.level[3].below, "Switch2") &&
	       !strcmp(s.level[0].below, "Core"),
	   "four levels, the farthest is the cluster");
	place_order_find(&s, &p, &c, order);
	/* halves, quarters, then 2 x 2: 8, 8 and 32 edges are cut */
	ok(place_order_cost(&s, &p, &c, order) <=
	       2000 * (8 * 1000 + 8 * 100 + 32 * 10 + 64),
	   "a grid becomes blocks: cost %.0f",
	   place_order_cost(&s, &p, &c, order));
	place_cost_free(&c);
	place_pairs_free(&p);
	place_slots_free(&s);
}

int main(int argc, char **argv)
{
	unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	int cases = argc > 2 ? atoi(argv[2]) : 60;

	printf("# seed %llu\n", seed);
	state = seed * 1000003;
	small(8, 2, cases);
	small(8, 10, cases);
	small(5, 2, cases);
	small(5, 10, cases);
	grid();
	return done();
}
