/*
 * What goes on where nothing can, as events are: see engine_state.h.
 */
#include "engine_state.h"

/*
 * Nothing can go on: the clocks of two ranks contradict the order of threads.
 * The oldest event that has not begun need not keep to it.
 */
static int skip_turn(struct engine *g)
{
	struct flow *oldest = NULL;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && !f->begun && !f->out_of_turn &&
		    (!oldest || f->e->start_ns < oldest->e->start_ns))
			oldest = f;
	}
	if (oldest)
		oldest->out_of_turn = 1;
	return oldest != NULL;
}

/*
 * Nothing can go on: of the collectives that wait only for what a table would
 * like to know, the one that was left first does without.
 */
static int skip_table(struct engine *g)
{
	struct flow *first = NULL;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];
		int would = 0, ready = 1;

		for (int k = 0; f->e && f->begun && k < f->n_ops; k++) {
			would |= engine_would_wait(g, &f->list[k]);
			ready &= !engine_may_wait(&f->list[k]) ||
				 engine_ready(g, &f->list[k]);
		}
		if (would && ready &&
		    (!first || f->e->end_ns < first->e->end_ns))
			first = f;
	}
	if (first)
		first->forced = 1;
	return first != NULL;
}

/* Is there a flow of that rank with more events? */
static int goes_on(const struct engine *g, int rank)
{
	for (size_t i = 0; i < g->n_flows; i++)
		if (g->flows[i].rank == rank && !g->flows[i].finished)
			return 1;
	return 0;
}

/*
 * Is every member that has not entered the collective still to come? The trace
 * of one that is over may have lost its entry.
 */
static int are_to_come(struct engine *g, const struct flow *f,
		       const struct tape_op *op)
{
	const struct tape_round *q = engine_round(g, op);

	for (int i = 0; i < q->size; i++)
		if (q->start_ns[i] == INT64_MIN &&
		    !goes_on(g, engine_member(g, f, op->r, i)))
			return 0;
	return 1;
}

/*
 * Does the event wait for nothing but receives that may be known already, or
 * members of a collective for which it did not wait, since they are to come?
 * *sends: how many of the former.
 */
static int can_guess(struct engine *g, const struct flow *f, int *sends)
{
	struct alone unused;

	kept_copy(&unused, NULL);
	*sends = 0;
	for (int i = 0; i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];

		if (!engine_may_wait(op) || engine_ready(g, op) ||
		    (op->kind == TAPE_OP_LEAVE &&
		     (op->r->weak || are_to_come(g, f, op))))
			continue;
		if (op->kind != TAPE_OP_SEND_END ||
		    !engine_guess(g, f, op, &unused.s))
			return 0;
		++*sends;
	}
	return 1;
}

/*
 * Nothing can go on: senders wait in a circle, each for a receive by a wildcard
 * of which its rank says more only behind a send of its own; or one has left a
 * collective in which another is only to come, behind what it sends from there.
 * The event that ended first goes on: whatever it did wait for has begun by
 * then, and no flow is before that.
 */
static int guess(struct engine *g)
{
	struct flow *first = NULL;
	int sends = 0, of_first = 0;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && f->begun &&
		    (!first || f->e->end_ns < first->e->end_ns) &&
		    can_guess(g, f, &sends)) {
			first = f;
			of_first = sends;
		}
	}
	if (!first)
		return 0;
	first->forced = first->guessed = 1;
	g->r->guessed += of_first > 0;
	return 1;
}

/* Nothing can go on: the oldest event that waits goes without its partner. */
static int let_go(struct engine *g)
{
	struct flow *oldest = NULL;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && f->begun &&
		    (!oldest || f->e->start_ns < oldest->e->start_ns))
			oldest = f;
	}
	if (!oldest)
		return 0;
	oldest->forced = 1;
	g->r->forced++;
	return 1;
}

int engine_skip(struct engine *g)
{
	int skipped = skip_table(g) || skip_turn(g) || engine_skip_spawn(g) ||
		      guess(g) || let_go(g);

	if (skipped)
		engine_wake_all(g);
	return skipped;
}
