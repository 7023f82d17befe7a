/*
 * Receives of any source, and requests that can be cancelled, hold the actions
 * after them until their completion is read. Where the completion is far away,
 * the flow is read ahead once, and only the outcomes are stored; see
 * action_convert.h.
 */
#include <stdlib.h>

#include "action_convert.h"
#include "growing_array.h"

/* ---- held slots ---- */

/* Releases s if its outcome is known. */
static void apply_outcome(struct tape_action_rank *r,
			  struct tape_action_slot *s)
{
	const struct tape_action_outcome *o = &r->outcomes[s->held - 1];

	s->unknown = o->is == TAPE_OUTCOME_NONE;
	s->gone |= o->is == TAPE_OUTCOME_GONE || o->is == TAPE_OUTCOME_LOST;
	r->of->s.left_out += o->is == TAPE_OUTCOME_LOST;
	if (o->is != TAPE_OUTCOME_GOT)
		return;
	s->a.peer = o->peer;
	s->a.tag = o->tag;
	s->a.bytes = o->bytes;
}

static int add_outcome(struct tape_action_rank *r, int wild)
{
	struct tape_action_outcome *list = tape_grow_array(
	    r->outcomes, &r->outcomes_room, r->n_outcomes + 1, sizeof *list);

	if (!list)
		return TAPE_ENOMEM;
	r->outcomes = list;
	r->outcomes[r->n_outcomes++] =
	    (struct tape_action_outcome){.wild = wild};
	return 0;
}

int tape_action_hold_slot(struct tape_action_rank *r,
			  struct tape_action_slot *s, int wild)
{
	s->wild = wild;
	s->unknown = 1;
	s->held = ++r->n_held;
	if (r->learns)
		return add_outcome(r, wild);
	if (s->held <= r->n_outcomes)
		apply_outcome(r, s);
	return 0;
}

void tape_action_set_outcome(struct tape_action_rank *r, uint64_t held,
			     const struct tape_action_slot *s)
{
	struct tape_action_outcome *o = &r->outcomes[held - 1];

	o->is = s->gone	  ? TAPE_OUTCOME_GONE
		: o->wild ? TAPE_OUTCOME_GOT
			  : TAPE_OUTCOME_IS;
	o->peer = s->a.peer;
	o->tag = s->a.tag;
	o->bytes = s->a.bytes;
}

void tape_action_drop_unknown(struct tape_action_rank *r)
{
	for (uint64_t i = r->q.first + 1; i <= r->q.last; i++) {
		struct tape_action_slot *s = tape_action_queue_at(&r->q, i);

		s->gone |= s->unknown && s->wild;
		r->of->s.left_out += (uint64_t)(s->unknown && s->wild);
		s->unknown = 0;
	}
}

/* ---- look-ahead ---- */

/*
 * Reads the whole flow. Outcomes that are not known at its end are not in the
 * trace.
 */
static int read_outcomes(struct tape_action_rank *r)
{
	const struct tape_event *e;
	int rc = tape_flow_open(r->of->t, r->flow, &r->f), one;

	if (rc)
		return rc;
	while (!rc && (one = tape_flow_next(r->f, &e)) == 1) {
		rc = tape_action_convert_event(r, e);
		r->q.first = r->q.last;
	}
	for (uint64_t i = 0; !rc && !one && i < r->n_outcomes; i++) {
		struct tape_action_outcome *o = &r->outcomes[i];

		if (o->is == TAPE_OUTCOME_NONE)
			o->is = o->wild ? TAPE_OUTCOME_LOST : TAPE_OUTCOME_IS;
	}
	return rc;
}

/*
 * Applies the outcomes to all held slots, and removes dropped slots from the
 * requests that wait for them.
 */
static void apply_outcomes(struct tape_action_rank *r)
{
	struct tape_action_pending *p;
	uint64_t key;
	size_t at = 0;

	for (uint64_t i = r->q.first + 1; i <= r->q.last; i++) {
		struct tape_action_slot *s = tape_action_queue_at(&r->q, i);

		if (s->unknown && s->held <= r->n_outcomes)
			apply_outcome(r, s);
	}
	while ((p = tape_table_each(&r->pending, &at, &key))) {
		const struct tape_action_slot *s;

		if (p->slot <= r->q.first)
			continue;
		s = tape_action_queue_at(&r->q, p->slot);
		/* of two actions, the last is the held one */
		if (s->gone && p->n && s->a.request == p->first + p->n - 1)
			p->n--;
		if (!s->unknown)
			p->slot = 0;
	}
}

int tape_action_look_ahead(struct tape_action_rank *r)
{
	struct tape_action_rank l = {.of = r->of,
				     .rank = r->rank,
				     .info = r->info,
				     .flow = r->flow,
				     .measure = r->measure,
				     .cancels = r->cancels,
				     .learns = 1};
	struct tape_actions was = r->of->s;
	size_t n = r->info->n_comms;
	int rc = 0;

	r->looked = 1;
	l.pending.bytes = r->pending.bytes;
	l.parts.bytes = r->parts.bytes;
	l.declared = calloc(n / 8 + 1, 1);
	l.rounds = calloc(n + 1, sizeof *l.rounds);
	if (!l.declared || !l.rounds || read_outcomes(&l) == TAPE_ENOMEM)
		rc = TAPE_ENOMEM;
	r->of->s = was; /* an error is reported when the flow is read again */
	r->outcomes = l.outcomes;
	r->n_outcomes = l.n_outcomes;
	l.outcomes = NULL;
	tape_action_rank_free(&l);
	apply_outcomes(r);
	return rc;
}
