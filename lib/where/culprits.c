/* The ranks that others wait for and that are in no call; see wait_graph.h. */
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "sort.h"
#include "tool.h"
#include "wait_graph.h"

/* Of so many ranks that are in no call who waits for them is counted. */
enum { MOST_CULPRITS = 64 };

/* Who waits for a rank, as lists by index; -1 ends a list. */
struct waiting {
	int *by_target, *next_by_target;  /* ranks that name one rank */
	int *inside, *next_inside;        /* ranks in a round */
	int *missing, *next_missing;      /* rounds that a rank is missing in */
	int *missing_round;               /* of each entry of that list */
	int *wild;                        /* ranks that wait for any rank */
	size_t n_wild;
};

/* The rank that the call of a rank waits for alone; -1: not one. */
static int get_target(const struct wait_graph *g, int rank)
{
	const struct where_states *s = g->s;
	const struct where_flow *f = where_flow_of(s, rank);
	const struct where_request *w;

	if (!f || f->state != WHERE_IN_CALL)
		return -1;
	switch (f->call.class_) {
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_MPROBE:
	case TAPE_CLASS_SEND:
		return wait_graph_peer(s, f, f->call.peer);
	case TAPE_CLASS_SENDRECV:
		return wait_graph_peer(s, f, f->call.rpeer);
	case TAPE_CLASS_WAIT:
		w = &f->request[0];
		return f->call.n_requests && w->call
			       ? tape_peer_rank(s->t, rank, w->comm, w->peer)
			       : -1;
	default:
		return -1;
	}
}

/* Does the rank wait for a message of any rank? */
static int is_wild(const struct where_states *s, int rank)
{
	const struct where_flow *f = where_flow_of(s, rank);

	if (!f || f->state != WHERE_IN_CALL || !f->call.comm)
		return 0;
	switch (f->call.class_) {
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_MPROBE:
		return f->call.peer == TAPE_ANY_SOURCE;
	case TAPE_CLASS_SENDRECV:
		return f->call.rpeer == TAPE_ANY_SOURCE;
	default:
		return 0;
	}
}

/* May the rank receive from that one? */
static int is_possible_source(const struct where_states *s, int rank, int from)
{
	const struct where_flow *f = where_flow_of(s, rank);
	const struct tape_rank_info *r = tape_trace_rank(s->t, rank);
	const struct tape_comm_info *c = &r->comms[f->call.comm];

	if (c->id == 1 || r->tid)
		return 1;
	for (int i = 0; c->members && i < c->size; i++)
		if (c->members[i] == from)
			return 1;
	return 0;
}

static int *new_list(size_t n)
{
	int *list = tape_must(malloc((n + 1) * sizeof *list));

	for (size_t i = 0; i <= n; i++)
		list[i] = -1;
	return list;
}

static void build_lists(const struct wait_graph *g, struct waiting *w)
{
	size_t n = g->s->n_ranks, entries = 0, k = 0;

	for (size_t i = 0; i < g->n_rounds; i++)
		entries += g->round[i].n_missing;
	w->by_target = new_list(n);
	w->next_by_target = new_list(n);
	w->inside = new_list(g->n_rounds);
	w->next_inside = new_list(n);
	w->missing = new_list(n);
	w->next_missing = new_list(entries);
	w->missing_round = new_list(entries);
	w->wild = new_list(n);
	for (size_t i = 0; i < n; i++) {
		int target = get_target(g, (int)i);
		size_t round = g->round_of[i];

		if (target >= 0 && (size_t)target < n) {
			w->next_by_target[i] = w->by_target[target];
			w->by_target[target] = (int)i;
		}
		if (is_wild(g->s, (int)i))
			w->wild[w->n_wild++] = (int)i;
		if (round) {
			w->next_inside[i] = w->inside[round - 1];
			w->inside[round - 1] = (int)i;
		}
	}
	for (size_t i = 0; i < g->n_rounds; i++)
		for (size_t m = 0; m < g->round[i].n_missing; m++, k++) {
			int rank = g->round[i].missing[m];

			w->missing_round[k] = (int)i;
			w->next_missing[k] = w->missing[rank];
			w->missing[rank] = (int)k;
		}
}

static void free_lists(struct waiting *w)
{
	free(w->by_target);
	free(w->next_by_target);
	free(w->inside);
	free(w->next_inside);
	free(w->missing);
	free(w->next_missing);
	free(w->missing_round);
	free(w->wild);
}

/* Does the member of a round wait for that missing one? */
static int is_needed(const struct wait_graph *g, int rank, int missing)
{
	const struct where_flow *f = where_flow_of(g->s, rank);
	int root = wait_graph_peer(g->s, f, f->call.peer);

	switch (tape_call_shape(f->call.call)) {
	case TAPE_SHAPE_FROM: return root == missing;
	case TAPE_SHAPE_TO: return root == rank || root == missing;
	default: return 1;
	}
}

/*
 * Counts the ranks that wait for the rank, directly or through others;
 * with_wild: also those that wait for any rank.
 */
static size_t count_waiting(const struct wait_graph *g, const struct waiting *w,
			    int rank, int with_wild, int *queue,
			    unsigned char *seen)
{
	size_t n = 1;

	memset(seen, 0, g->s->n_ranks);
	queue[0] = rank;
	seen[rank] = 1;
	for (size_t at = 0; at < n; at++) {
		int of = queue[at];

		for (int k = w->by_target[of]; k >= 0; k = w->next_by_target[k])
			if (!seen[k]) {
				seen[k] = 1;
				queue[n++] = k;
			}
		for (size_t i = 0; with_wild && i < w->n_wild; i++)
			if (!seen[w->wild[i]] &&
			    is_possible_source(g->s, w->wild[i], of)) {
				seen[w->wild[i]] = 1;
				queue[n++] = w->wild[i];
			}
		for (int m = w->missing[of]; m >= 0; m = w->next_missing[m])
			for (int k = w->inside[w->missing_round[m]]; k >= 0;
			     k = w->next_inside[k])
				if (!seen[k] && is_needed(g, k, of)) {
					seen[k] = 1;
					queue[n++] = k;
				}
	}
	return n - 1;
}

static int compare_culprits(const void *a, const void *b)
{
	const struct wait_culprit *x = a, *y = b;

	if (x->n_waiting != y->n_waiting)
		return x->n_waiting > y->n_waiting ? -1 : 1;
	if (x->n_perhaps != y->n_perhaps)
		return x->n_perhaps > y->n_perhaps ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Is the rank in no blocking call, and not over? */
static int is_free(const struct where_states *s, int rank)
{
	const struct where_flow *f = where_flow_of(s, rank);

	return !f || (f->state != WHERE_IN_CALL && f->state != WHERE_ENDED);
}

void wait_graph_find_culprits(struct wait_graph *g)
{
	const struct where_states *s = g->s;
	int *queue = tape_must(calloc(s->n_ranks + 1, sizeof *queue));
	unsigned char *seen = tape_must(calloc(s->n_ranks + 1, 1));
	struct waiting w = {0};
	size_t tried = 0;

	g->culprit = tape_must(calloc(MOST_CULPRITS, sizeof *g->culprit));
	build_lists(g, &w);
	for (size_t k = 0; k < s->n_ranks && tried < MOST_CULPRITS; k++) {
		size_t n;

		if (!is_free(s, (int)k))
			continue;
		tried++;
		n = count_waiting(g, &w, (int)k, 1, queue, seen);
		if (n)
			g->culprit[g->n_culprits++] = (struct wait_culprit){
			    (int)k,
			    count_waiting(g, &w, (int)k, 0, queue, seen), n};
	}
	tape_sort(g->culprit, g->n_culprits, sizeof *g->culprit,
		  compare_culprits);
	free_lists(&w);
	free(queue);
	free(seen);
}
