/*
 * Waiting for a processor, wait by wait; see ready_waits.h. Calls are gone
 * through in the order in which they ended. In cover and uncover of each the
 * bounds of all such waiting of its flow so far are stored.
 */
#include <math.h>
#include <stdlib.h>

#include "ready_waits.h"
#include "turns.h"

struct way {
	struct tape_history_at at;
	struct tape_sync *next; /* NULL: it is over */
	struct tape_ready sum;
};

struct walk {
	struct tape_history *history;
	struct tape_why *why;
	struct way *ways; /* of each flow */
	struct tape_turns turns;
};

/* What a flow waited for a processor up to s; NULL: nothing yet. */
static struct tape_ready sum_before(const struct tape_sync *s)
{
	return s ? (struct tape_ready){s->cover, s->uncover}
		 : (struct tape_ready){0, 0};
}

static struct tape_ready bound_share(struct walk *w, const struct tape_sync *s)
{
	double wait = (double)s->wait_ns, factor, rest;
	struct tape_ready share = {0, wait}, to, from;
	struct tape_wait_reasons r;

	if (!tape_why_sum(w->why, s, &r) || r.all_ns <= 0)
		return share;
	factor = fmin(wait / r.all_ns, r.most_factor);
	rest = wait - factor * r.all_ns;
	to = sum_before(s->late->before);
	from = sum_before(r.stop);
	share.from_ns = factor * (r.ready.from_ns +
				  fmax(0, to.from_ns - from.from_ns));
	share.to_ns =
	    factor * (r.ready.to_ns + fmax(0, to.to_ns - from.to_ns)) + rest;
	share.to_ns = fmin(share.to_ns, wait);
	share.from_ns = fmin(share.from_ns, share.to_ns);
	return share;
}

static void find_next_call(struct walk *w, size_t flow)
{
	struct way *x = &w->ways[flow];

	x->next = tape_history_next_call(w->history, flow, &x->at);
	if (x->next)
		tape_history_count_read(w->history, x->next);
}

static struct tape_turn call_turn(const struct way *w, size_t flow)
{
	return (struct tape_turn){w->next->ended_ns, 0, (uint32_t)flow};
}

/* Nothing is known of calls that have not had their turn. */
static int begin_walk(struct walk *w, size_t flows)
{
	for (size_t i = 0; i < flows; i++) {
		struct tape_history_at at = {0};
		struct tape_sync *s;

		while ((s = tape_history_next_call(w->history, i, &at))) {
			tape_history_count_read(w->history, s);
			s->cover = s->uncover = 0;
		}
		find_next_call(w, i);
		if (w->ways[i].next)
			tape_turns_push(&w->turns, call_turn(&w->ways[i], i));
	}
	return 0;
}

int tape_ready_waits_find(struct tape_analysis *a,
			  void (*wait)(void *own, const struct tape_sync *s,
				       const struct tape_ready *share),
			  void *own)
{
	struct walk w = {.history = tape_analysis_history(a)};
	size_t flows = tape_history_flows(w.history);
	int rc = TAPE_ENOMEM;

	w.why = tape_why_new(a);
	w.ways = calloc(flows + 1, sizeof *w.ways);
	w.turns.heap = calloc(flows + 1, sizeof *w.turns.heap);
	if (w.why && w.ways && w.turns.heap)
		rc = begin_walk(&w, flows);
	while (!rc && w.turns.n) {
		size_t flow = w.turns.heap[0].flow;
		struct way *x = &w.ways[flow];
		struct tape_sync *s = x->next;

		if (s->wait_ns > 0) {
			struct tape_ready share = bound_share(&w, s);

			x->sum.from_ns += share.from_ns;
			x->sum.to_ns += share.to_ns;
			wait(own, s, &share);
		}
		s->cover = x->sum.from_ns;
		s->uncover = x->sum.to_ns;
		find_next_call(&w, flow);
		if (x->next)
			tape_turns_replace(&w.turns, call_turn(x, flow));
		else
			tape_turns_pop(&w.turns);
	}
	tape_why_free(w.why);
	free(w.ways);
	free(w.turns.heap);
	return rc;
}
