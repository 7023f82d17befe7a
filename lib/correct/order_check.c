/* Gives receives, tests, probes and waits to receive_order.h as they end. */
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

/*
 * A receive or a probe has ended, in the call q; found: where it found the
 * message by chance. Returns 1 if it was certainly there.
 */
static int add_message(struct engine *g, struct flow *f,
		       const struct tape_op *op,
		       const struct message_question *q, int found)
{
	const struct tape_slot *s = engine_find_slot(g, op);
	double slack = engine_clock_slack(g, op->r->from, op->r->to);
	uint64_t n;
	struct received_message m = {
	    .key = s->key,
	    .any_source = op->r->peer == TAPE_ANY_SOURCE,
	    .tag = op->r->tag,
	    .comm = op->r->comm,
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
	receive_order_add(g->receive_order, f->rank, &m, found ? q : NULL,
			  slack, &g->r->order);
	f->known = known_receives_merge(g->known_pool, f->known,
					send_side(s)->known);
	n = receive_order_count(g->receive_order, f->rank);
	if (n)
		f->known =
		    known_receives_set(g->known_pool, f->known, f->rank, n);
	return receive_order_was_there(&m, q, slack);
}

/* Does the call look for messages, without waiting for them? */
static int is_test(unsigned class_)
{
	return class_ == TAPE_CLASS_TEST || class_ == TAPE_CLASS_QUERY ||
	       class_ == TAPE_CLASS_IPROBE || class_ == TAPE_CLASS_IMPROBE ||
	       class_ == TAPE_CLASS_NRECV;
}

/* Messages that the call looks for: a probe names them. */
static void set_pattern(const struct tape_event *e, struct message_question *q)
{
	switch (e->class_) {
	case TAPE_CLASS_IPROBE:
		q->comm = e->u.iprobe.comm;
		q->source = e->u.iprobe.peer;
		q->tag = e->u.iprobe.tag;
		break;
	case TAPE_CLASS_IMPROBE:
		q->comm = e->u.improbe.comm;
		q->source = e->u.improbe.peer;
		q->tag = e->u.improbe.tag;
		break;
	case TAPE_CLASS_NRECV:
		q->comm = e->u.nrecv.comm;
		q->source = e->u.nrecv.peer;
		q->tag = e->u.nrecv.tag;
		break;
	default:
		break;
	}
}

struct message_question engine_question(const struct flow *f,
					const struct tape_delay *p_end)
{
	const struct tape_event *e = f->e;
	struct message_question q = {
	    .site = e->site,
	    .start_ns = e->start_ns,
	    .end_ns = e->end_ns,
	    .p_lo = tape_min(f->p_start.lo, p_end->lo),
	    .p_hi = tape_max(f->p_start.hi, p_end->hi),
	};

	set_pattern(e, &q);
	return q;
}

void engine_ask(struct engine *g, const struct flow *f,
		const struct message_question *q)
{
	if (receive_order_ask(g->receive_order, f->rank, q, &g->r->order))
		tape_die_no_memory();
}

/* Would the event end with less if messages came later? */
static int finds_by_chance(const struct flow *f)
{
	const struct tape_event *e = f->e;

	if (f->run)
		return 0; /* the tests before it only waited for this */
	return is_test(e->class_) ||
	       (e->call == TAPE_CALL_MPI_Waitsome && e->n_done > 1);
}

/* Would it end with more if messages came earlier? */
static int misses_by_chance(const struct tape_event *e)
{
	if (tape_event_failed(e->class_, &e->u))
		return is_test(e->class_);
	return (e->class_ == TAPE_CLASS_WAIT && e->u.wait.n > e->n_done) ||
	       (e->class_ == TAPE_CLASS_TEST && e->u.test.n > e->n_done);
}

void engine_check_order(struct engine *g, struct flow *f,
			const struct tape_delay *p_end, int is_run)
{
	struct message_question q = engine_question(f, &f->p_start);
	int found = finds_by_chance(f), there = 1;

	for (int i = 0; f->n_blocking_ops && i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];

		if ((op->kind != TAPE_OP_RECV_END &&
		     op->kind != TAPE_OP_PROBE) ||
		    op->r->from < 0 ||
		    (f->is_forced && !engine_is_op_ready(g, op)) ||
		    engine_judge_pair(g, f, op, engine_find_slot(g, op)) ==
			ENGINE_INDEPENDENT)
			continue;
		there &= add_message(g, f, op, &q, found);
	}
	if (is_run || !misses_by_chance(f->e))
		return;
	q = engine_question(f, p_end);
	q.takes_one = f->e->call == TAPE_CALL_MPI_Waitany ||
		      (f->e->call == TAPE_CALL_MPI_Testany && f->e->n_done);
	q.was_there = there && f->e->n_done;
	engine_ask(g, f, &q);
}
