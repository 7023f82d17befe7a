/* Cycles and culprits of what waits; see wait_graph.h. */
#include <stdlib.h>

#include "growing_array.h"
#include "place.h"
#include "sort.h"
#include "tool.h"
#include "wait_graph.h"

int wait_graph_peer(const struct where_states *s, const struct where_flow *f,
		    int32_t peer)
{
	return tape_peer_rank(s->t, f->rank, f->call.comm, peer);
}

static void add_cycle(struct wait_graph *g, size_t *room, int begin)
{
	struct wait_cycle c = {.is_certain = 1};
	size_t list_room = 0;
	int at = begin;

	do {
		c.rank = tape_must(tape_grow_array(c.rank, &list_room, c.n + 1,
						   sizeof *c.rank));
		c.rank[c.n++] = at;
		c.is_certain &= g->stuck[at] == 2;
		c.may_have_threads |= g->s->rank[at].may_have_threads;
		at = g->next[at];
	} while (at != begin);
	g->cycle = tape_must(tape_grow_array(g->cycle, room, g->n_cycles + 1,
					     sizeof *g->cycle));
	g->cycle[g->n_cycles++] = c;
}

/*
 * Each stuck rank leads to one other: the ways end in a cycle, or at a rank
 * that is over.
 */
static void find_cycles(struct wait_graph *g)
{
	size_t *seen = tape_must(calloc(g->s->n_ranks + 1, sizeof *seen));
	size_t room = 0;

	for (size_t k = 0; k < g->s->n_ranks; k++) {
		int at = (int)k;

		while (at >= 0 && g->stuck[at] && !seen[at]) {
			seen[at] = k + 1;
			at = g->next[at];
		}
		if (at >= 0 && g->stuck[at] && seen[at] == k + 1)
			add_cycle(g, &room, at);
	}
	free(seen);
}

static void find_lost(struct wait_graph *g)
{
	size_t room = 0;

	for (size_t k = 0; k < g->s->n_ranks; k++) {
		if (!g->stuck[k] || g->next[k] < 0 ||
		    !where_is_over(g->s, g->next[k]))
			continue;
		g->lost = tape_must(tape_grow_array(
		    g->lost, &room, g->n_lost + 1, sizeof *g->lost));
		g->lost[g->n_lost++] = (struct wait_lost){
		    (int)k, g->next[k],
		    g->stuck[k] == 2 && !g->s->rank[k].may_have_threads &&
			!g->s->rank[g->next[k]].may_have_threads};
	}
}

struct wait_graph *wait_graph_new(const struct where_states *s)
{
	struct wait_graph *g = tape_must(calloc(1, sizeof *g));

	g->s = s;
	g->stuck = tape_must(calloc(s->n_ranks + 1, 1));
	g->next = tape_must(calloc(s->n_ranks + 1, sizeof *g->next));
	for (size_t k = 0; k < s->n_ranks; k++)
		g->next[k] = -1;
	wait_graph_find_rounds(g);
	wait_graph_find_stuck(g, 1, 2);
	wait_graph_find_stuck(g, 0, 1);
	find_cycles(g);
	find_lost(g);
	wait_graph_find_culprits(g);
	return g;
}

void wait_graph_free(struct wait_graph *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n_rounds; i++)
		free(g->round[i].missing);
	for (size_t i = 0; i < g->n_cycles; i++)
		free(g->cycle[i].rank);
	free(g->round);
	free(g->round_of);
	free(g->cycle);
	free(g->lost);
	free(g->culprit);
	free(g->stuck);
	free(g->next);
	free(g);
}
