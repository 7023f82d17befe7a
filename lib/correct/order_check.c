/* Gives the messages of a rank to receive_order.h as its receives end. */
#include "engine_parts.h"
#include "tool.h"
#include "verdicts.h"

/*
 * Bounds of how long the message in s took to arrive: it was there when the
 * event ended; or already when its wait began; or not yet when it was asked
 * for.
 */
static void bound_transit(const struct flow *f, const struct tape_op *op,
			  const struct tape_slot *s, double slack,
			  struct received_message *m)
{
	const struct tape_event *e = f->e;
	double asked = e->alpha_before_ns + f->error.before_more + slack;

	m->least_ns = 0;
	m->most_ns = (double)(e->end_ns - s->send->start_ns);
	if (op->kind == TAPE_OP_RECV_END && !f->run && op->arrived == 1 &&
	    e->sr_ns >= s->send->start_ns)
		m->most_ns = (double)(e->sr_ns - s->send->start_ns);
	if (op->kind == TAPE_OP_RECV_END && !f->run && op->arrived == 0)
		m->least_ns = tape_max(
		    (double)(e->sr_ns - s->send->start_ns) - asked, 0);
	m->most_ns = tape_max(m->most_ns, m->least_ns);
}

/* A receive or a probe has ended. */
static void add_message(struct engine *g, struct flow *f,
			const struct tape_op *op)
{
	const struct tape_slot *s = engine_find_slot(g, op);
	double slack = engine_clock_slack(g, op->r->from, op->r->to);
	uint64_t n;
	struct received_message m = {
	    .key = s->key,
	    .any_source = op->r->peer == TAPE_ANY_SOURCE,
	    .tag = op->r->tag,
	    .site = f->e->site,
	    .posted_ns = f->e->start_ns,
	    .sent_ns = s->send->start_ns,
	    .end_ns = f->e->end_ns,
	    .p_lo = send_side(s)->p.lo,
	    .p_hi = send_side(s)->p.hi,
	    .known = known_receives_count(send_side(s)->known, f->rank),
	};

	if (op->kind == TAPE_OP_RECV_END && tape_is_posted(s)) {
		m.posted_ns = s->recv->start_ns;
		m.site = s->recv->begun.site;
	}
	bound_transit(f, op, s, slack, &m);
	if (m.any_source && receive_order_watch(g->receive_order, f->rank))
		tape_die_no_memory();
	receive_order_add(g->receive_order, f->rank, &m, slack, &g->r->order);
	f->known = known_receives_merge(g->known_pool, f->known,
					send_side(s)->known);
	n = receive_order_count(g->receive_order, f->rank);
	if (n)
		f->known =
		    known_receives_set(g->known_pool, f->known, f->rank, n);
}

void engine_check_order(struct engine *g, struct flow *f)
{
	for (int i = 0; f->n_blocking_ops && i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];

		if ((op->kind == TAPE_OP_RECV_END ||
		     op->kind == TAPE_OP_PROBE) &&
		    op->r->from >= 0 &&
		    (!f->is_forced || engine_is_op_ready(g, op)) &&
		    engine_judge_pair(g, f, op, engine_find_slot(g, op)) !=
			ENGINE_INDEPENDENT)
			add_message(g, f, op);
	}
}
