/* Events before a window that it may have to begin with; see cut.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "lower_bound.h"
#include "cut_state.h"
#include "sort.h"
#include "tool.h"

/* Returns 1 if a later event may end something that this event begins. */
static int may_begin_window(const struct tape_event *e)
{
	if (e->class_ == TAPE_CLASS_COUNTED)
		return e->u.counted.rate != 0;
	return e->call && e->class_ != TAPE_CLASS_LOCAL &&
	       e->class_ != TAPE_CLASS_PACK && e->class_ != TAPE_CLASS_WAIT &&
	       e->class_ != TAPE_CLASS_TEST && e->class_ != TAPE_CLASS_QUERY &&
	       e->class_ != TAPE_CLASS_RECV;
}

void cut_store_event(struct tape_cut *c, struct cut_flow *f,
		     const struct tape_event *e)
{
	struct tape_done *done = NULL;

	if (!may_begin_window(e))
		return;
	f->kept = tape_must(
	    tape_grow_array(f->kept, &f->room, f->n + 1, sizeof *f->kept));
	if (e->n_done) {
		done = tape_must(malloc(e->n_done * sizeof *done));
		memcpy(done, e->done, e->n_done * sizeof *done);
	}
	f->kept[f->n] = (struct cut_stored){.e = *e, .number = f->events};
	f->kept[f->n++].e.done = done;
	c->kept++;
}

static void free_stored_event(struct tape_cut *c, const struct cut_stored *k)
{
	free((void *)(uintptr_t)k->e.done);
	c->kept--;
}

void cut_free_stored(struct tape_cut *c, struct cut_flow *f)
{
	for (size_t i = 0; i < f->n; i++)
		free_stored_event(c, &f->kept[i]);
	free(f->kept);
	f->kept = NULL;
	f->n = f->room = 0;
}

struct cut_stored *cut_find_stored(struct cut_flow *f, uint64_t number)
{
	size_t i;

	TAPE_LOWER_BOUND(i, f->n, f->kept[i].number < number);
	return i < f->n && f->kept[i].number == number ? &f->kept[i] : NULL;
}

/* Flows are in the order of ranks and threads. */
static int flow_precedes(const struct tape_flow_info *f,
			 const struct tape_where *w)
{
	return f->rank < w->rank ||
	       (f->rank == w->rank && f->thread < w->thread);
}

static struct cut_stored *find_stored_at(struct tape_cut *c,
					 const struct tape_where *w)
{
	size_t i;

	TAPE_LOWER_BOUND(i, c->flows,
			 flow_precedes(tape_trace_flow(c->t, i), w));
	return i < c->flows ? cut_find_stored(&c->flow[i], w->event) : NULL;
}

void cut_mark_in_progress(void *own, const struct tape_where *begun,
			  const struct tape_match_key *key)
{
	struct tape_cut *c = own;
	struct cut_stored *k = find_stored_at(c, begun);

	if (k && key && k->e.class_ == TAPE_CLASS_START) {
		c->started = tape_must(
		    tape_grow_array(c->started, &c->started_room,
				    c->n_started + 1, sizeof *c->started));
		c->started[c->n_started++] = (struct cut_started){k, *key};
	}
	if (k && key)
		k->sends = 1;
	else if (k)
		k->enters = 1;
}

/* ---- requests ---- */

static int compare_endings(const void *a, const void *b)
{
	const struct cut_ending *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

/* What events in progress end is over for the replay, since they have begun. */
static void list_ending_requests(struct tape_cut *c,
				 const struct tape_replay *r)
{
	c->endings = 0;
	for (size_t i = 0; i < c->flows; i++) {
		const struct tape_event *e = tape_replay_current_event(r, i);

		for (uint32_t k = 0; e && k < e->n_done; k++) {
			c->ending = tape_must(
			    tape_grow_array(c->ending, &c->ending_room,
					    c->endings + 1, sizeof *c->ending));
			c->ending[c->endings++] =
			    (struct cut_ending){e->rank, e->done[k].request};
		}
	}
	if (c->endings)
		tape_sort(c->ending, c->endings, sizeof *c->ending,
			  compare_endings);
}

static int is_ending(const struct tape_cut *c, int rank, uint64_t request)
{
	const struct cut_ending key = {rank, request};

	return tape_search(&key, c->ending, c->endings, sizeof key,
			   compare_endings) != NULL;
}

/* Returns 1 if event k started the request and it is still active. */
static int is_active(const struct tape_cut *c, const struct cut_stored *k,
		     const struct tape_request *q, uint64_t request)
{
	return q && (q->active || is_ending(c, k->e.rank, request)) &&
	       (k->e.class_ == TAPE_CLASS_PREADY ||
		(k->e.class_ == TAPE_CLASS_START &&
		 q->begun.event == k->number));
}

static int equal_keys(const struct tape_match_key *a,
		      const struct tape_match_key *b)
{
	return a->comm == b->comm && a->src == b->src && a->dst == b->dst &&
	       a->tag == b->tag && a->way == b->way;
}

/* Of what it started what is over is left out: a message that was received. */
static void drop_received_starts(const struct tape_cut *c,
				 const struct tape_replay *r, size_t flow,
				 struct cut_stored *k)
{
	struct tape_done *done = (struct tape_done *)(uintptr_t)k->e.done;
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->e.n_done; i++) {
		const struct tape_request *q =
		    tape_replay_find_request(r, flow, done[i].request);
		int is_under_way = is_active(c, k, q, done[i].request);

		if (q && q->is_send)
			is_under_way = 0;
		if (q && q->is_coll && k->enters)
			is_under_way = 1;
		for (size_t s = 0; q && q->is_send && s < c->n_started; s++)
			is_under_way |= c->started[s].k == k &&
					equal_keys(&c->started[s].key, &q->key);
		if (is_under_way)
			done[n++] = done[i];
	}
	k->e.n_done = n;
}

/*
 * Returns 1 if the request that this event created, or a request that it
 * started, is still active.
 */
static int has_request(const struct tape_cut *c, const struct tape_replay *r,
		       size_t flow, const struct cut_stored *k)
{

	if (k->e.class_ == TAPE_CLASS_COUNTED) /* from then on */
		return 1;
	if (k->e.request && (tape_replay_find_request(r, flow, k->e.request) ||
			     is_ending(c, k->e.rank, k->e.request)))
		return 1;
	for (uint32_t i = 0; i < k->e.n_done; i++)
		if (is_active(
			c, k,
			tape_replay_find_request(r, flow, k->e.done[i].request),
			k->e.done[i].request))
			return 1;
	return 0;
}

void cut_prune(struct tape_cut *c, const struct tape_replay *r)
{
	for (size_t i = 0; i < c->flows; i++)
		for (size_t k = 0; k < c->flow[i].n; k++)
			c->flow[i].kept[k].sends = c->flow[i].kept[k].enters =
			    0;
	c->n_started = 0;
	tape_replay_in_progress(r, cut_mark_in_progress, c);
	if (c->together)
		cut_mark_from_peers(c);
	list_ending_requests(c, r);
	for (size_t i = 0; i < c->flows; i++) {
		struct cut_flow *f = &c->flow[i];
		size_t left = 0;

		for (size_t k = 0; k < f->n; k++)
			if (f->kept[k].e.class_ == TAPE_CLASS_START)
				drop_received_starts(c, r, i, &f->kept[k]);
		for (size_t k = 0; k < f->n; k++) {
			if (f->kept[k].sends || f->kept[k].enters ||
			    has_request(c, r, i, &f->kept[k]))
				f->kept[left++] = f->kept[k];
			else
				free_stored_event(c, &f->kept[k]);
		}
		f->n = left;
	}
	c->prune_at = 2 * c->kept + CUT_MANY;
}
