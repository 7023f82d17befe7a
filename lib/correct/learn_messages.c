/* What the messages of a trace tell a learner of models; see engine_parts.h. */
#include <math.h>

#include "hash_bits.h"
#include "verdicts.h"
#include "engine_parts.h"

/* Tells the message that an operation of the event of f ends from others. */
static uint64_t message_key(const struct engine *g, const struct flow *f,
			    const struct tape_op *op)
{
	/* odd numbers far apart: sums of few multiples are all different */
	return tape_spread_bits((uint64_t)(f - g->flows)) +
	       f->n_events * 0xc2b2ae3d27d4eb4fu + (uint64_t)(op - f->list);
}

/* A blocking end of a rendezvous always waits for its transfer. */
static void learn_rendezvous(struct engine *g, const struct flow *f,
			     const struct tape_op *op,
			     const struct tape_slot *s)
{
	struct tape_parcel parcel = engine_parcel(g, op, s->send->bytes, 1);
	int64_t x = s->send->start_ns;

	if (op->r->number || !tape_is_posted(s))
		return;
	if (s->recv->start_ns > x)
		x = s->recv->start_ns;
	if (op->kind == TAPE_OP_SEND_END)
		tape_comm_learn_sender(g->learner, message_key(g, f, op),
				       &parcel, (double)(f->e->end_ns - x));
	else
		tape_comm_learn_rendezvous(g->learner, message_key(g, f, op),
					   &parcel, (double)(f->e->end_ns - x));
}

/*
 * Had the message in s arrived when the wait began? As recorded; but one that
 * was sent after SR came while the library looked (event_end.c).
 */
static unsigned message_arrived(const struct engine *g, const struct flow *f,
				const struct tape_op *op,
				const struct tape_slot *s)
{
	struct tape_delay unused;
	double after =
	    (double)(s->send->start_ns - engine_wait_start(f, &unused));

	if (op->arrived == 1 &&
	    after > engine_clock_slack(g, op->r->from, op->r->to))
		return 0;
	return op->arrived;
}

/*
 * What an event completes: messages that were waited for, and when the last of
 * all was sent.
 */
struct completed {
	int waits, sends, late;
	int64_t latest;
};

/*
 * Does the event tell how long the message in s took? Of several things that
 * it completes only the last to come does, and if the others had all arrived
 * before that was sent: those that are in progress together wait for each
 * other, and tell only what none took less than.
 */
enum told { TOLD_NOTHING, TOLD_TOGETHER, TOLD_ALONE };

static enum told classify_message(const struct engine *g, const struct flow *f,
				  const struct tape_op *op,
				  const struct tape_slot *s,
				  const struct completed *c)
{
	unsigned arrived = message_arrived(g, f, op, s);
	struct tape_delay unused;

	if (arrived == 2 && !f->run)
		return TOLD_NOTHING;
	if (arrived == 1)
		return c->waits == 1 && !c->sends ? TOLD_ALONE : TOLD_NOTHING;
	if (s->send->start_ns != c->latest)
		return TOLD_NOTHING;
	if (c->waits > 1 &&
	    (c->late > 1 || s->send->start_ns < engine_wait_start(f, &unused)))
		return TOLD_TOGETHER;
	return tape_is_isolated(g->isolated, (size_t)(f - g->flows),
				op->r->from, s->send->start_ns)
		   ? TOLD_ALONE
		   : TOLD_TOGETHER;
}

static void learn_message(struct engine *g, const struct flow *f,
			  const struct tape_op *op, const struct tape_slot *s,
			  const struct completed *c)
{
	int arrived = message_arrived(g, f, op, s) == 1 && !f->run;
	enum told what = classify_message(g, f, op, s, c);
	struct tape_delay unused;
	struct tape_parcel parcel;

	if (what == TOLD_NOTHING)
		return;
	parcel = engine_parcel(g, op, s->send->bytes, 0);
	if (what == TOLD_TOGETHER) {
		tape_comm_learn_overlapping(g->learner, &parcel,
					    s->send->start_ns, f->e->end_ns);
		return;
	}
	if (!arrived)
		tape_max_transit_add(
		    g->how->seen, message_key(g, f, op), &parcel,
		    (double)(f->e->end_ns - s->send->start_ns));
	tape_comm_learn(g->learner, message_key(g, f, op), &parcel,
			s->send->start_ns, engine_wait_start(f, &unused),
			f->e->end_ns, arrived);
}

/* Of all messages, whatever else they tell. */
static void learn_quickest(struct engine *g, const struct flow *f,
			   const struct tape_op *op)
{
	int64_t *least =
	    &g->r->causality
		 .least_ns[engine_distance(g, op->r->from, op->r->to)];
	int64_t took = f->e->end_ns - engine_find_slot(g, op)->send->start_ns;

	if (took < *least)
		*least = took > 0 ? took : 0;
}

/* Shows the message in s, which the event of f ended, to the observer. */
static void show_message(struct engine *g, const struct flow *f,
			 const struct tape_op *op, const struct tape_slot *s,
			 int sends)
{
	struct tape_delay unused;
	struct received m = {
	    .parcel =
		engine_parcel(g, op, s->send->bytes, engine_was_rendezvous(s)),
	    .s_ns = s->send->start_ns,
	    .go_ns = s->send->start_ns,
	    .sr_ns = f->run ? engine_wait_start(f, &unused) : f->e->sr_ns,
	    .er_ns = f->e->end_ns,
	    .arrived = f->run ? 0 : message_arrived(g, f, op, s),
	    .sends = sends,
	    .slack_ns = engine_clock_slack(g, op->r->from, op->r->to)};

	if (m.arrived == 2 && f->e->class_ == TAPE_CLASS_TEST)
		m.arrived = 1;
	if (m.parcel.rendezvous) {
		/* a blocking receive is asked for the envelope */
		if (!op->r->number)
			m.arrived = 0;
		if (tape_is_posted(s) && s->recv->start_ns > m.go_ns)
			m.go_ns = s->recv->start_ns;
	}
	m.model_ns = engine_link_transit(g, s, m.go_ns, 0, NAN);
	g->how->watcher->sees(g->how->watcher->self, &m);
}

/* Which messages tell something is told by all, by those of a test, too. */
static void learn_arrived(struct engine *g, const struct flow *f,
			  const struct tape_op *op, const struct tape_slot *s)
{
	struct tape_parcel parcel = engine_parcel(g, op, s->send->bytes, 0);
	struct tape_delay unused;

	if (!f->run && message_arrived(g, f, op, s) == 1)
		tape_comm_learn_arrived(g->learner, &parcel, s->send->start_ns,
					engine_wait_start(f, &unused));
}

/* May the model learn from the message in s? */
static int is_learnable(const struct engine *g, const struct tape_op *op,
			const struct tape_slot *s)
{
	struct tape_parcel parcel =
	    engine_parcel(g, op, s->send->bytes, engine_was_rendezvous(s));
	const struct watcher *w = g->how->watcher;

	return w->may_learn(w->self, &parcel, s->send->start_ns);
}

static struct completed scan_completed(struct engine *g, struct flow *f)
{
	struct completed c = {.latest = INT64_MIN};

	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];

		c.waits += engine_may_block(op);
		if (op->kind == TAPE_OP_LEAVE)
			engine_learn_round(g, f, op);
		/* even an eager send may take long: Open MPI's shared memory
		 * hands more than 256 bytes over once the receiver looks */
		c.sends +=
		    op->kind == TAPE_OP_SEND || op->kind == TAPE_OP_SEND_END;
		if (op->kind != TAPE_OP_RECV_END)
			continue;
		c.late += op->arrived != 1;
		if (!engine_is_op_ready(g, op) ||
		    engine_judge_pair(g, f, op, engine_find_slot(g, op)) !=
			ENGINE_DEPENDS)
			continue;
		learn_quickest(g, f, op);
		if (engine_find_slot(g, op)->send->start_ns > c.latest)
			c.latest = engine_find_slot(g, op)->send->start_ns;
	}
	return c;
}

void engine_learn_messages(struct engine *g, struct flow *f)
{
	struct completed c = scan_completed(g, f);

	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];
		const struct tape_slot *s;

		if ((op->kind != TAPE_OP_RECV_END &&
		     op->kind != TAPE_OP_SEND_END) ||
		    !engine_may_block(op) || !engine_is_op_ready(g, op))
			continue;
		s = tape_match_slot(g->match, match_slot(op->r));
		if (engine_judge_pair(g, f, op, s) != ENGINE_DEPENDS)
			continue;
		if (c.waits == 1 && op->kind == TAPE_OP_RECV_END) {
			if (g->how->watcher)
				show_message(g, f, op, s, c.sends);
			if (!engine_was_rendezvous(s))
				learn_arrived(g, f, op, s);
		}
		if (g->how->watcher && !is_learnable(g, op, s))
			continue;
		if (!engine_was_rendezvous(s))
			learn_message(g, f, op, s, &c);
		else if (c.waits == 1)
			learn_rendezvous(g, f, op, s);
	}
	for (int i = 0; i < f->n_ops; i++)
		if (f->list[i].kind == TAPE_OP_RECV_END)
			tape_isolated_add(g->isolated, (size_t)(f - g->flows),
					  f->list[i].r->from, f->e->end_ns);
}
