/*
 * What goes on where nothing can, as events are: see engine_parts.h.
 */
#include "engine_parts.h"

/*
 * Nothing can go on: the clocks of two ranks contradict the order of threads.
 * The oldest event that has not begun need not keep to it.
 */
static int skip_turn(struct engine *g)
{
	struct flow *oldest = NULL;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && !f->has_begun && !f->out_of_turn &&
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

		for (int k = 0; f->e && f->has_begun && k < f->n_ops; k++) {
			would |= engine_awaits_table(g, &f->list[k]);
			ready &= !engine_may_block(&f->list[k]) ||
				 engine_is_op_ready(g, &f->list[k]);
		}
		if (would && ready &&
		    (!first || f->e->end_ns < first->e->end_ns))
			first = f;
	}
	if (first)
		first->is_forced = 1;
	return first != NULL;
}

/*
 * Where one flow stands: all that it does from there on is to come. INT64_MIN
 * is kept for nowhere.
 */
static int64_t flow_time(const struct flow *f)
{
	if (f->has_begun && f->e)
		return f->e->start_ns;
	return f->has_events ? f->last_end : INT64_MIN + 1;
}

int64_t engine_process_time(const struct flow *f)
{
	int64_t first = INT64_MAX;

	for (int i = 0; f && i < f->n_threads; i++)
		if (!f[i].is_finished && flow_time(&f[i]) < first)
			first = flow_time(&f[i]);
	return first;
}

/*
 * Where the last of the members stands that have not entered q; INT64_MIN: all
 * have. Of a member that is not in the trace nothing is to come.
 */
static int64_t last_missing_time(struct engine *g, const struct flow *f,
				 const struct tape_op *op, struct tape_round *q)
{
	struct collective_state *m = collective_state(q);

	/* the same for all that leave it, as long as nothing goes on */
	if (m->looked == g->skips)
		return m->last_stands_at;
	m->looked = g->skips;
	m->last_stands_at = INT64_MIN;
	for (int i = 0; i < q->size; i++) {
		int64_t at = INT64_MIN;

		if (q->start_ns[i] == INT64_MIN)
			at = engine_process_time(engine_find_flow(
			    g, engine_member_rank(g, f, op->r, i)));
		if (at > m->last_stands_at)
			m->last_stands_at = at;
	}
	return m->last_stands_at;
}

/*
 * Returns 1 if every member that has not entered the collective which f
 * leaves can still enter. It returns 0 if the flow of such a member has
 * ended, or waits at a later time than this exit: then the trace may lack
 * the entry.
 */
static int members_will_enter(struct engine *g, const struct flow *f,
			      const struct tape_op *op)
{
	struct tape_round *q = engine_get_round(g, op);
	int64_t last = last_missing_time(g, f, op, q);
	int me = op->r->rank;

	/* in a damaged trace the entry of f itself may be missing */
	return me >= 0 && me < q->size && q->start_ns[me] != INT64_MIN &&
	       last > INT64_MIN && last < INT64_MAX &&
	       (double)last - (double)f->e->end_ns <= g->slack;
}

/*
 * Does the event wait for nothing but receives that may be known already, or
 * members of a collective for which it did not wait, since they are to come?
 * *sends: how many of the former.
 */
static int can_guess(struct engine *g, const struct flow *f, int *sends)
{
	struct detached_message unused;

	copy_detached(&unused, NULL);
	*sends = 0;
	for (int i = 0; i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];

		if (!engine_may_block(op) || engine_is_op_ready(g, op) ||
		    (op->kind == TAPE_OP_LEAVE &&
		     (op->r->weak || members_will_enter(g, f, op))))
			continue;
		if (op->kind != TAPE_OP_SEND_END ||
		    !engine_guess_receive(g, f, op, &unused.s))
			return 0;
		++*sends;
	}
	return 1;
}

/*
 * Called when every flow is blocked. Either sends and wildcard receives wait
 * in a circle: the source of each receive becomes known after a later send
 * of the same rank only. Or a rank has left a collective that another rank
 * enters only after a message which the first rank sends afterwards. Lets the
 * blocked event with the earliest end continue: the message or the member that
 * the event waited for began before that end.
 */
static int force_guessed(struct engine *g)
{
	struct flow *first = NULL;
	int sends = 0, of_first = 0;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && f->has_begun &&
		    (!first || f->e->end_ns < first->e->end_ns) &&
		    can_guess(g, f, &sends)) {
			first = f;
			of_first = sends;
		}
	}
	if (!first)
		return 0;
	first->is_forced = first->is_guessed = 1;
	g->r->guessed += of_first > 0;
	return 1;
}

/* Nothing can go on: the oldest event that waits goes without its partner. */
static int force_oldest(struct engine *g)
{
	struct flow *oldest = NULL;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && f->has_begun &&
		    (!oldest || f->e->start_ns < oldest->e->start_ns))
			oldest = f;
	}
	if (!oldest)
		return 0;
	oldest->is_forced = 1;
	g->r->forced++;
	return 1;
}

int engine_break_deadlock(struct engine *g)
{
	int skipped;

	g->skips++;
	skipped = skip_table(g) || skip_turn(g) || engine_skip_spawn(g, 1) ||
		  force_guessed(g) || engine_skip_spawn(g, 0) ||
		  force_oldest(g);
	if (skipped)
		engine_wake_all(g);
	return skipped;
}
