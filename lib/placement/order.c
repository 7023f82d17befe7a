/* See order.h. */
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "partition.h"
#include "tool.h"

/*
 * Up to FEW ranks, every pair of slots is tried, there are TRIES divisions, and
 * the best order is perturbed. With more ranks, a rank swaps only with up to
 * NEAR slots near each partner.
 */
#define FEW 256
#define TRIES 4
#define NEAR 24

/*
 * Limits: thousands of cost evaluations per improvement, and number of
 * perturbations.
 */
#define EFFORT 20000
#define SHAKES 2000

/* Relative rounding error of sums in another order. */
#define TINY 1e-9

/* ---- swaps ---- */

struct swaps {
	const struct place_slots *s;
	const struct place_pairs *p;
	const struct place_cost *c;
	uint32_t *slot_of, *rank_on; /* PLACE_NONE: the slot is unused */
	double effort;
};

/*
 * The change of cost if rank r moves from slot from to slot to, without its
 * messages with rank other.
 */
static double cost_change(struct swaps *w, uint32_t r, uint32_t from,
			  uint32_t to, uint32_t other)
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

/*
 * Swaps rank r with the rank on slot to, if there is one, if that costs less.
 * Returns 1 if it did.
 */
static int try_swap(struct swaps *w, uint32_t r, uint32_t to)
{
	uint32_t from = w->slot_of[r], other = w->rank_on[to];
	double mine, sum;

	if (from == to)
		return 0;
	mine = cost_change(w, r, from, to, other);
	sum = mine;
	if (other != PLACE_NONE)
		sum += cost_change(w, other, to, from, r);
	if (!(sum < 0) || -sum < TINY * (mine < 0 ? -mine : mine))
		return 0;
	w->slot_of[r] = to;
	if (other != PLACE_NONE)
		w->slot_of[other] = from;
	w->rank_on[to] = r;
	w->rank_on[from] = other;
	return 1;
}

static int try_all_swaps(struct swaps *w, uint32_t r)
{
	int changed = 0;

	for (uint32_t to = 0; to < w->s->n && w->effort > 0; to++)
		if (w->s->n <= 4 * FEW || w->rank_on[to] != PLACE_NONE)
			changed |= try_swap(w, r, to);
	return changed;
}

/* Tries the slots near a slot, from the deepest common node up. */
static int try_swaps_around(struct swaps *w, uint32_t r, uint32_t slot)
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
				changed |= try_swap(w, r, w->s->sorted[i]);
				seen++;
			}
		if (seen >= NEAR)
			break;
	}
	return changed;
}

/* Tries the slots near up to 64 partners of rank r. */
static int try_near_swaps(struct swaps *w, uint32_t r)
{
	size_t first = w->p->first[r], end = w->p->first[r + 1];
	size_t step = (end - first) / 64 + 1;
	int changed = 0;

	for (size_t k = first; k < end && w->effort > 0; k += step)
		changed |=
		    try_swaps_around(w, r, w->slot_of[w->p->partner[k].rank]);
	return changed;
}

static void open_swaps(struct swaps *w, const struct place_slots *s,
		       const struct place_pairs *p, const struct place_cost *c,
		       uint32_t *slot_of)
{
	*w = (struct swaps){s, p, c, slot_of, NULL, EFFORT * 1000.0};
	w->rank_on = tape_must(malloc((s->n + 1) * sizeof *w->rank_on));
	memset(w->rank_on, 0xff, s->n * sizeof *w->rank_on);
	for (uint32_t r = 0; r < p->ranks; r++)
		w->rank_on[slot_of[r]] = r;
}

/* Swaps until no swap costs less, or the effort is used up. */
static void swap_to_minimum(struct swaps *w)
{
	uint32_t n = (uint32_t)w->p->ranks;
	int changed = 1;

	while (changed && w->effort > 0) {
		changed = 0;
		for (uint32_t r = 0; r < n && w->effort > 0; r++)
			changed |= n <= FEW ? try_all_swaps(w, r)
					    : try_near_swaps(w, r);
	}
}

static void improve_by_swaps(const struct place_slots *s,
			     const struct place_pairs *p,
			     const struct place_cost *c, uint32_t *slot_of)
{
	struct swaps w;

	open_swaps(&w, s, p, c, slot_of);
	swap_to_minimum(&w);
	free(w.rank_on);
}

/* ---- perturbation ---- */

static uint32_t random_below(uint64_t *state, size_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % n);
}

/* Rotates the ranks of two to seven slots. */
static void perturb_order(struct swaps *w, uint64_t *state)
{
	uint32_t n = 2 + random_below(state, 6), all = (uint32_t)w->s->n;
	uint32_t first = w->slot_of[random_below(state, w->p->ranks)];

	while (--n) {
		uint32_t next =
		    all <= 4 * FEW
			? random_below(state, all)
			: w->slot_of[random_below(state, w->p->ranks)];
		uint32_t a = w->rank_on[first], b = w->rank_on[next];

		w->rank_on[first] = b;
		w->rank_on[next] = a;
		if (a != PLACE_NONE)
			w->slot_of[a] = next;
		if (b != PLACE_NONE)
			w->slot_of[b] = first;
	}
}

/*
 * Iterated local search (Lourenco, Martin and Stuetzle 2003): perturbs the
 * order and improves it by swaps, and continues from the best order.
 */
static void search_from_best(const struct place_slots *s,
			     const struct place_pairs *p,
			     const struct place_cost *c, uint32_t *best,
			     double *least)
{
	size_t bytes = p->ranks * sizeof *best;
	uint32_t *order = tape_must(malloc(bytes + 1));
	uint64_t state = 1;
	struct swaps w;

	memcpy(order, best, bytes);
	open_swaps(&w, s, p, c, order);
	for (int i = 0; i < SHAKES && w.effort > 0; i++) {
		double cost;

		perturb_order(&w, &state);
		swap_to_minimum(&w);
		cost = place_order_cost(s, p, c, order);
		if (cost < *least * (1 - TINY)) {
			memcpy(best, order, bytes);
			*least = cost;
		} else {
			for (uint32_t r = 0; r < p->ranks; r++)
				w.rank_on[order[r]] = PLACE_NONE;
			memcpy(order, best, bytes);
			for (uint32_t r = 0; r < p->ranks; r++)
				w.rank_on[order[r]] = r;
		}
	}
	free(w.rank_on);
	free(order);
}

/* ---- choice of slots ---- */

/*
 * Marks n slots below a node as used: whole children, the largest first. The
 * rest is in the smallest child that is large enough.
 */
static void choose_slots(const struct place_slots *s, uint32_t node, uint32_t n,
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
			choose_slots(s, best, n, used);
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

/* ---- search ---- */

/* Improves an order by swaps. Stores it as the best order if it costs less. */
static void keep_if_cheaper(const struct place_slots *s,
			    const struct place_pairs *p,
			    const struct place_cost *c, uint32_t *order,
			    uint32_t *best, double *least)
{
	double cost;

	improve_by_swaps(s, p, c, order);
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
	keep_if_cheaper(s, p, c, order, best, &least);
	if (s->n_nodes)
		choose_slots(s, 0, (uint32_t)p->ranks, used);
	for (int i = 0; i < tries; i++) {
		place_divide_ranks(s, p, c, used, i + 1, order);
		keep_if_cheaper(s, p, c, order, best, &least);
	}
	if (p->ranks > 1 && p->ranks <= FEW)
		search_from_best(s, p, c, best, &least);
	memcpy(slot_of, best, p->ranks * sizeof *best);
	free(order);
	free(best);
	free(used);
}
