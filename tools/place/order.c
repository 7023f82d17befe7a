/* An order of ranks that costs less; see order.h. */
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "partition.h"
#include "tool.h"

/* With so few ranks every pair may change places, and more divisions are
 * tried; with more, a rank changes only with those near its partners. */
#define FEW 256
#define TRIES 8
#define NEAR 24

/* Changes that are looked at, in thousands, each time. */
#define EFFORT 20000

/* Sums of the same in another order differ by less. */
#define TINY 1e-9

/* ---- changing places ---- */

struct swaps {
	const struct place_slots *s;
	const struct place_pairs *p;
	const struct place_cost *c;
	uint32_t *slot_of, *rank_on; /* PLACE_NONE: nobody is there */
	double effort;
	uint64_t done;
};

/* What rank r, on slot from, pays more on slot to; but for partner other. */
static double pays(struct swaps *w, uint32_t r, uint32_t from, uint32_t to,
		   uint32_t other)
{
	size_t end = w->p->first[r + 1];
	double sum = 0;

	for (size_t k = w->p->first[r]; k < end; k++) {
		const struct place_partner *q = &w->p->partner[k];
		uint32_t on = w->slot_of[q->rank];

		if (q->rank != other)
			sum += place_pair_cost(w->s, w->c, q, to, on) -
			       place_pair_cost(w->s, w->c, q, from, on);
	}
	w->effort -= 1 + (double)(end - w->p->first[r]);
	return sum;
}

/* Do r and whoever is on the slot change places, if that costs less? */
static int change(struct swaps *w, uint32_t r, uint32_t to)
{
	uint32_t from = w->slot_of[r], other = w->rank_on[to];
	double mine, sum;

	if (from == to || other == PLACE_NONE)
		return 0;
	mine = pays(w, r, from, to, other);
	sum = mine + pays(w, other, to, from, r);
	if (!(sum < 0) || -sum < TINY * (mine < 0 ? -mine : mine))
		return 0;
	w->slot_of[r] = to;
	w->slot_of[other] = from;
	w->rank_on[to] = r;
	w->rank_on[from] = other;
	w->done++;
	return 1;
}

static int change_with_all(struct swaps *w, uint32_t r)
{
	int changed = 0;

	for (uint32_t other = r + 1; other < w->p->ranks; other++)
		changed |= change(w, r, w->slot_of[other]);
	return changed;
}

/* Slots around one, in order of the tree: those near it come first. */
static int change_around(struct swaps *w, uint32_t r, uint32_t slot)
{
	const uint32_t *above = w->s->above + (size_t)slot * w->s->most_depth;
	uint32_t d = w->s->most_depth, seen = 0;
	int changed = 0;

	while (d--) {
		const struct place_node *node;

		if (above[d] == PLACE_NONE)
			continue;
		node = &w->s->node[above[d]];
		for (uint32_t i = node->from; i < node->to && seen < NEAR; i++)
			if (w->s->sorted[i] != slot) {
				changed |= change(w, r, w->s->sorted[i]);
				seen++;
			}
		if (seen >= NEAR)
			break;
	}
	return changed;
}

/* Its partners of the greatest weight: those that are not near it yet. */
static int change_near(struct swaps *w, uint32_t r)
{
	size_t first = w->p->first[r], end = w->p->first[r + 1];
	size_t step = (end - first) / 64 + 1;
	int changed = 0;

	for (size_t k = first; k < end && w->effort > 0; k += step)
		changed |=
		    change_around(w, r, w->slot_of[w->p->partner[k].rank]);
	return changed;
}

uint64_t place_order_swap(const struct place_slots *s,
			  const struct place_pairs *p,
			  const struct place_cost *c, uint64_t effort,
			  uint32_t *slot_of)
{
	struct swaps w = {s, p, c, slot_of, NULL, (double)effort * 1000, 0};
	int changed = 1;

	w.rank_on = tape_must(malloc((s->n + 1) * sizeof *w.rank_on));
	memset(w.rank_on, 0xff, s->n * sizeof *w.rank_on);
	for (uint32_t r = 0; r < p->ranks; r++)
		w.rank_on[slot_of[r]] = r;
	while (changed && w.effort > 0) {
		changed = 0;
		for (uint32_t r = 0; r < p->ranks && w.effort > 0; r++)
			changed |= p->ranks <= FEW ? change_with_all(&w, r)
						   : change_near(&w, r);
	}
	free(w.rank_on);
	return w.done;
}

/* ---- which slots ---- */

/* Uses n slots below a node: whole children, the largest first; what is left
 * in the smallest child that has room for it. */
static void choose(const struct place_slots *s, uint32_t node, uint32_t n,
		   unsigned char *used)
{
	const struct place_node *all = s->node, *me = &all[node];

	while (n) {
		uint32_t best = PLACE_NONE;

		for (uint32_t k = me->first; k != PLACE_NONE; k = all[k].next) {
			uint32_t size = all[k].to - all[k].from;
			uint32_t old = best == PLACE_NONE
					   ? 0
					   : all[best].to - all[best].from;

			if (used[s->sorted[all[k].from]])
				continue;
			if (best == PLACE_NONE ||
			    (old < n ? size > old : size >= n && size < old))
				best = k;
		}
		if (best == PLACE_NONE)
			break;
		if (all[best].to - all[best].from >= n) {
			choose(s, best, n, used);
			return;
		}
		for (uint32_t i = all[best].from; i < all[best].to; i++)
			used[s->sorted[i]] = 1;
		n -= all[best].to - all[best].from;
	}
	for (uint32_t i = me->from; i < me->to && n; i++)
		if (!used[s->sorted[i]]) {
			used[s->sorted[i]] = 1;
			n--;
		}
}

/* ---- all of it ---- */

/* Keeps an order that costs less. */
static void keep(const struct place_slots *s, const struct place_pairs *p,
		 const struct place_cost *c, uint32_t *order, uint32_t *best,
		 double *least)
{
	double cost;

	place_order_swap(s, p, c, EFFORT, order);
	cost = place_order_cost(s, p, c, order);
	if (cost < *least * (1 - TINY)) {
		memcpy(best, order, p->ranks * sizeof *best);
		*least = cost;
	}
}

void place_order_find(const struct place_slots *s, const struct place_pairs *p,
		      const struct place_cost *c, uint32_t *slot_of)
{
	size_t bytes = (p->ranks + 1) * sizeof *slot_of;
	uint32_t *order = tape_must(malloc(bytes));
	uint32_t *best = tape_must(malloc(bytes));
	unsigned char *used = tape_must(calloc(s->n + 1, 1));
	double least = place_order_cost(s, p, c, slot_of);
	int tries = p->ranks <= FEW ? TRIES : 1;

	memcpy(order, slot_of, p->ranks * sizeof *order);
	memcpy(best, slot_of, p->ranks * sizeof *best);
	keep(s, p, c, order, best, &least);
	if (s->n_nodes)
		choose(s, 0, (uint32_t)p->ranks, used);
	for (int i = 0; i < tries; i++) {
		place_partition(s, p, c, used, i + 1, order);
		keep(s, p, c, order, best, &least);
	}
	memcpy(slot_of, best, p->ranks * sizeof *best);
	free(order);
	free(best);
	free(used);
}
