/*
 * What the partners of an event say of its end. The formulas are
 * those of perturb.h; here is decided to which dates they are applied.
 */
#include <math.h>

#include "verdicts.h"
#include "engine_parts.h"

/* A transfer as the tree wants it, and what goes with it. */
struct transfer {
	struct tape_transfer x;
	struct tape_delay ps, pr;
	double slack;
	struct blame *own, *other; /* of pr, and of ps */
	int answer;	/* arrived: 0 no 1 yes, 2 the model has to tell */
	int by_model;	/* it was asked for x.arrived */
	double seen_ns; /* the longest transit that was seen (max_transit.h) */
	double asked_more_ns; /* x.asked_ns may have been more, by that */
};

/* ---- the end of an action ---- */

/* Where the wait of an event began: with the run of failed tests before it. */
int64_t engine_wait_start(const struct flow *f, struct tape_delay *p)
{
	*p = f->run ? f->run_p : f->p_start;
	return f->run ? f->run_event.start_ns : f->e->start_ns;
}

/*
 * The last receive that the event asked for; the others were asked for before.
 * NULL where that may have been one that it did not complete.
 */
static const struct tape_op *last_asked(const struct flow *f)
{
	const struct tape_op *last = NULL;

	if (f->e->class_ == TAPE_CLASS_WAIT && f->e->u.wait.n > f->e->n_done)
		return NULL;
	for (int i = f->n_ops; i-- && !last;)
		if (f->list[i].kind == TAPE_OP_RECV_END &&
		    f->list[i].arrived < 2)
			last = &f->list[i];
	return last;
}

/*
 * What was not there when it was asked for may have come while others were
 * asked for, before the call began.
 */
static void check_arrived_since(const struct flow *f, struct transfer *t)
{
	struct tape_transfer *x = &t->x;
	double after = (double)(x->sr_ns - x->s_ns);

	x->asked_ns = f->e->alpha_before_ns;
	t->asked_more_ns = f->error.before_more;
	if (!tape_perturb_came_since(x))
		return;
	x->arrived = t->by_model = 1;
	x->transit_ns = tape_max(x->transit_ns, after - x->asked_ns);
}

/*
 * Had it arrived when the wait began? Where that was not asked: a run of
 * failed tests says no, a test that succeeds at once says yes, else the model
 * has to tell.
 */
static void decide_arrival(const struct engine *g, const struct flow *f,
			   const struct tape_op *op, const struct tape_op *last,
			   struct transfer *t)
{
	uint32_t asked = op->kind == TAPE_OP_SEND_END ? 2 : op->arrived;
	struct tape_transfer *x = &t->x;

	if (f->run)
		t->answer = 0;
	else if (asked < 2)
		t->answer = asked == 1;
	else if (f->e->class_ == TAPE_CLASS_TEST ||
		 f->e->class_ == TAPE_CLASS_QUERY ||
		 f->e->class_ == TAPE_CLASS_IPROBE ||
		 f->e->class_ == TAPE_CLASS_NRECV ||
		 f->e->class_ == TAPE_CLASS_IMPROBE ||
		 f->e->class_ == TAPE_CLASS_MRECV)
		t->answer = 1;
	else
		t->answer = 2;
	/* it was sent after SR, and so came while the library looked: in the
	 * call, or in a question that took longer than it costs, for then the
	 * event begins before the answer */
	if (t->answer == 1 && (double)(x->s_ns - x->sr_ns) > t->slack)
		t->answer = 0;
	x->arrived = t->answer == 1;
	if (t->answer == 2) {
		t->by_model = 1;
		x->arrived = (double)(x->sr_ns - x->s_ns) >= x->transit_ns;
	} else if (!f->run && asked == 0 && op->kind == TAPE_OP_RECV_END &&
		   op != last && g->how->rule != TAPE_RULE_THESIS) {
		check_arrived_since(f, t);
	}
}

/*
 * A rendezvous moves its data when both ends have begun, at X = max(S, P), P
 * being where the receive was posted; so ta(X) = max(ta(S), ta(P)) (4.4).
 */
static void join_rendezvous(const struct tape_slot *s, struct transfer *t)
{
	const struct tape_match_side *a = s->send, *b = s->recv;
	const struct side *of_a = send_side(s), *of_b = receive_side(s);
	double apart = (double)(b->start_ns - a->start_ns);

	t->x.s_ns = a->start_ns;
	t->ps = of_a->p;
	t->other = of_a->blame;
	if (!tape_is_posted(s))
		return;
	if (apart > 0) {
		t->x.s_ns = b->start_ns;
		t->other = of_b->blame;
	}
	t->ps.p = tape_min(tape_max(apart, 0) + of_a->p.p,
			   tape_max(-apart, 0) + of_b->p.p);
	tape_delay_join(a->start_ns, &of_a->p, b->start_ns, &of_b->p, t->slack,
			&t->ps);
}

/* The decision tree, and the certificate. */
static struct tape_delay compute_tree_delay(struct engine *g,
					    struct transfer *t,
					    struct tape_perturb_count *count)
{
	int arrived = t->x.arrived;
	double dmax = t->x.dmax_ns;
	uint64_t asked = count ? count->nbsim : 0;
	struct tape_delay d;

	t->x.ps = t->ps.p;
	t->x.pr = t->pr.p;
	/* changes no date: the model says no more than what was seen */
	if (t->x.arrived)
		t->x.dmax_ns = tape_min(t->x.dmax_ns,
					tape_max(t->seen_ns, t->x.transit_ns));
	d.p = tape_perturb_receive_by(g->how->rule, &t->x, count);
	t->x.dmax_ns = dmax;
	if (count && t->by_model && count->nbsim == asked)
		count->nbsim++;
	if (!t->answer &&
	    (double)(t->x.sr_ns - t->x.s_ns) - t->x.asked_ns - t->slack > dmax)
		g->r->too_long++;
	t->x.arrived = t->answer;
	t->x.asked_ns += t->asked_more_ns;
	tape_delay_receive(&t->x, t->slack, &t->ps, &t->pr, &d);
	t->x.asked_ns -= t->asked_more_ns;
	t->x.arrived = arrived;
	return d;
}

/*
 * What x says of an event that waited for others, too. Transit and DC are the
 * model's, kept within what was seen: an arrived message was there at SR, any
 * other came later than it was asked for, and both were over by ER.
 */
static void weigh_transfer(const struct transfer *t, struct candidate *c)
{
	const struct tape_transfer *x = &t->x;
	double sr = (double)(x->sr_ns - x->er_ns);
	double s = (double)(x->s_ns - x->er_ns);
	double dc = tape_max(tape_min(x->dc_ns, -sr), 0);
	double b = s + tape_min(x->transit_ns, x->dmax_ns);

	b = tape_min(b, x->arrived ? sr : -dc);
	if (!t->answer)
		b = tape_max(b, sr - x->asked_ns);
	c->ready = tape_max(sr, b) + dc;
	c->least =
	    -(tape_max(sr - t->pr.p, s - t->ps.p + tape_max(b - s, 0)) + dc);
	c->most = tape_min(t->pr.hi - sr + x->own_ns, t->ps.hi - s + t->slack);
	c->floor_ta = INT64_MIN;
}

/*
 * The least time that a message takes, which took so long: no model, nor a
 * clock, may make the time from its send to the end of its receive shorter than
 * that.
 */
static int64_t least_transit(const struct engine *g, const struct tape_op *op,
			     int64_t took)
{
	int64_t least = g->least_ns[engine_distance(g, op->r->from, op->r->to)];

	return took > least ? least : took > 0 ? took : 0;
}

/* The end at end follows the later of two starts. */
struct tape_delay
engine_join_delays(struct engine *g, int64_t end, int64_t own_ns,
		   const struct tape_delay *own, int64_t other_ns,
		   const struct tape_delay *other, double slack)
{
	struct tape_delay d;

	d.p = tape_perturb_join(end, own_ns, own->p, other_ns, other->p,
				&g->r->count);
	tape_delay_join(own_ns, own, other_ns, other, slack, &d);
	return d;
}

struct blame *engine_own_blame(const struct flow *f)
{
	return f->run ? f->run_blame : f->blame;
}

/* What is known of a message of some bytes for the event of f. */
static void init_transfer(struct engine *g, const struct flow *f,
			  const struct tape_op *op,
			  const struct tape_parcel *parcel, struct transfer *t)
{
	/* in pieces: gcc clears all of it by an instruction that takes long to
	 * begin */
	t->x = (struct tape_transfer){0};
	t->ps = (struct tape_delay){0};
	t->other = NULL;
	t->answer = t->by_model = 0;
	t->asked_more_ns = 0;
	t->slack = engine_clock_slack(g, op->r->from, op->r->to);
	t->x.er_ns = f->e->end_ns;
	t->x.sr_ns = engine_wait_start(f, &t->pr);
	t->own = engine_own_blame(f);
	t->x.transit_ns = tape_comm_transit(g->model, parcel);
	t->x.own_ns = engine_own_clock_slack(g, f->rank);
	t->x.dmax_ns =
	    g->how->longest_ns + g->how->longest_rate * (double)parcel->bytes;
	t->seen_ns = g->how->rule == TAPE_RULE_THESIS
			 ? INFINITY
			 : tape_max_transit_ns(&g->how->longest, parcel);
}

/*
 * What the message in s says of the end of the event of f, which t knows.
 * meets: it waited for both ends, and no answer tells anything; else last and
 * count are those of had_arrived and by_tree.
 */
static struct candidate
transfer_end(struct engine *g, const struct flow *f, const struct tape_op *op,
	     const struct tape_slot *s, struct transfer *t, int meets,
	     const struct tape_op *last, struct tape_perturb_count *count)
{
	struct candidate c;

	t->x.transit_ns =
	    engine_link_transit(g, s, t->x.s_ns, t->ps.p, t->x.transit_ns);
	if (meets) {
		c.p = engine_join_delays(g, t->x.er_ns, t->x.sr_ns, &t->pr,
					 t->x.s_ns, &t->ps, t->slack);
		c.by = t->x.sr_ns >= t->x.s_ns ? t->own : t->other;
	} else {
		decide_arrival(g, f, op, last, t);
		c.p = compute_tree_delay(g, t, count);
		c.by = t->x.arrived ? t->own : t->other;
	}
	weigh_transfer(t, &c);
	return c;
}

/*
 * The partner is in no trace: all that is certain of the end is that it comes
 * after the start, and that a perturbation is never negative.
 */
static struct tape_delay outside_trace_delay(const struct engine *g,
					     const struct flow *f)
{
	struct tape_delay p;
	int64_t sr = engine_wait_start(f, &p);

	p.p = f->p_start.p;
	p.lo = tape_min(p.lo, 0);
	p.hi +=
	    (double)(f->e->end_ns - sr) + engine_own_clock_slack(g, f->rank);
	return p;
}

/* The event of f may have waited for anything, or for nothing. */
static struct candidate unconstrained_end(const struct engine *g,
					  const struct flow *f)
{
	struct tape_delay own;
	int64_t sr = engine_wait_start(f, &own);
	struct candidate c = {.ready = (double)(sr - f->e->end_ns),
			      .p = outside_trace_delay(g, f),
			      .least = INFINITY,
			      .floor_ta = INT64_MIN,
			      .most = INFINITY};

	c.by = engine_own_blame(f);
	return c;
}

void engine_allow_anything(const struct engine *g, const struct flow *f,
			   struct candidate *c)
{
	struct tape_delay any = outside_trace_delay(g, f);

	c->p.lo = tape_min(c->p.lo, any.lo);
	c->p.hi = tape_max(c->p.hi, any.hi);
	c->most = INFINITY;
}

/*
 * c says what the message in s does. Where several threads have such messages
 * it may have been another one, and where the clocks are wrong nothing is
 * certain.
 */
static void allow_other_pairs(struct engine *g, const struct flow *f,
			      const struct tape_op *op,
			      const struct tape_slot *s, enum engine_verdict v,
			      struct candidate *c)
{
	if (v == ENGINE_WRONG_CLOCKS)
		g->r->contradictions++;
	if (v == ENGINE_WRONG_CLOCKS || engine_is_shared_pair(f, op, s))
		engine_allow_anything(g, f, c);
}

/* What the event of f waited for is not the message in its slot. */
static struct candidate refuted_end(struct engine *g, const struct flow *f,
				    enum engine_verdict v)
{
	if (v == ENGINE_WRONG_TRACE)
		g->r->contradictions++;
	else
		g->r->refuted++;
	return unconstrained_end(g, f);
}

/* A receive, or a probe; last: the last that the event asked for. */
static struct candidate receive_end(struct engine *g, struct flow *f,
				    const struct tape_op *op,
				    const struct tape_op *last)
{
	const struct tape_slot *s = engine_find_slot(g, op);
	int probe = op->kind == TAPE_OP_PROBE;
	int rendezvous = engine_was_rendezvous(s);
	/* of a rendezvous, the envelope is all that a probe waits for */
	struct tape_parcel parcel =
	    engine_parcel(g, op, probe && rendezvous ? 0 : s->send->bytes,
			  !probe && rendezvous);
	struct transfer t;
	/* a message is counted once, where it is received */
	struct tape_perturb_count *count =
	    rendezvous || probe ? NULL : &g->r->count;
	enum engine_verdict v = engine_judge_pair(g, f, op, s);
	struct candidate c;

	if (v == ENGINE_INDEPENDENT || v == ENGINE_WRONG_TRACE)
		return refuted_end(g, f, v);
	init_transfer(g, f, op, &parcel, &t);
	t.x.s_ns = s->send->start_ns;
	t.ps = send_side(s)->p;
	t.other = send_side(s)->blame;
	/* after the send, if the event has one */
	if (!rendezvous && !f->run)
		t.x.sr_ns = f->e->sr_ns;
	if (!probe && !rendezvous)
		t.x.dc_ns = tape_comm_dc(g->model, &parcel);
	if (!probe && rendezvous) {
		g->r->count.rendezvous++;
		join_rendezvous(s, &t);
	}
	/* a blocking receive is asked for the envelope, which tells nothing */
	c = transfer_end(g, f, op, s, &t,
			 !probe && rendezvous && !op->r->number, last, count);
	c.floor_ta = send_side(s)->written_ns +
		     least_transit(g, op, t.x.er_ns - s->send->start_ns);
	allow_other_pairs(g, f, op, s, v, &c);
	return c;
}

/*
 * The end of a rendezvous at its sender. A send that is not synchronous and
 * ended before its receive began did not wait: the eager limit is another one.
 * Where several threads have such messages it may have waited for another
 * receive.
 */
static struct candidate send_end(struct engine *g, struct flow *f,
				 const struct tape_op *op,
				 const struct tape_slot *s)
{
	struct tape_parcel parcel = engine_parcel(g, op, op->r->bytes, 1);
	struct tape_delay p;
	int64_t sr = engine_wait_start(f, &p);
	enum engine_verdict v = engine_judge_pair(g, f, op, s);
	struct transfer t;
	struct candidate c;

	if (v == ENGINE_WRONG_TRACE ||
	    (v == ENGINE_INDEPENDENT && engine_is_shared_pair(f, op, s)))
		return refuted_end(g, f, v);
	if (v == ENGINE_INDEPENDENT) {
		g->r->eager++;
		return engine_end_after(g, f, sr, &p, sr, &p, NULL);
	}
	init_transfer(g, f, op, &parcel, &t);
	join_rendezvous(s, &t);
	c = transfer_end(g, f, op, s, &t, !op->r->number, NULL, NULL);
	if (tape_is_posted(s))
		c.floor_ta = receive_side(s)->written_ns;
	allow_other_pairs(g, f, op, s, v, &c);
	return c;
}

/* The event of f, waiting since sr, follows what began at other_ns. */
struct candidate engine_end_after(struct engine *g, const struct flow *f,
				  int64_t sr, const struct tape_delay *p,
				  int64_t other_ns,
				  const struct tape_delay *other,
				  struct blame *by)
{
	double ready = (double)(other_ns - f->e->end_ns);
	struct candidate c = {.ready = ready,
			      .least = other->p - ready,
			      .floor_ta =
				  tape_timestamp_minus(other_ns, other->p)};

	c.p = engine_join_delays(g, f->e->end_ns, sr, p, other_ns, other,
				 g->slack);
	c.by = sr >= other_ns ? engine_own_blame(f) : by;
	c.most = tape_min(p->hi + (double)(f->e->end_ns - sr) +
			      engine_own_clock_slack(g, f->rank),
			  other->hi - ready + g->slack);
	return c;
}

/*
 * What another did with a window before this one could go on. Where it began
 * to do so after this was over, this did not wait for it.
 */
static struct candidate window_end(struct engine *g, struct flow *f,
				   const struct tape_op *op)
{
	const struct tape_slot *s =
	    tape_match_slot(g->windows, match_slot(op->r));
	enum engine_verdict v = engine_judge_window(g, f, op, s);
	struct tape_delay p;
	int64_t sr = engine_wait_start(f, &p);
	double late = (double)(s->send->start_ns - f->e->end_ns);
	struct candidate c, d;

	d = engine_end_after(g, f, sr, &p, sr, &p, NULL);
	if (v == ENGINE_INDEPENDENT)
		return d;
	if (v == ENGINE_WRONG_TRACE)
		return refuted_end(g, f, v);
	c = engine_end_after(g, f, sr, &p, s->send->start_ns, &send_side(s)->p,
			     send_side(s)->blame);
	if (v == ENGINE_WRONG_CLOCKS) {
		g->r->contradictions++;
		engine_allow_anything(g, f, &c);
	}
	if (!op->weak || late + g->slack <= 0)
		return c;
	/* by the clocks, either may be */
	c.p.lo = d.p.lo = tape_min(c.p.lo, d.p.lo);
	c.p.hi = d.p.hi = tape_max(c.p.hi, d.p.hi);
	c.most = d.most = tape_max(c.most, d.most);
	return late > 0 ? d : c;
}

static struct candidate op_end(struct engine *g, struct flow *f,
			       const struct tape_op *op,
			       const struct tape_op *last)
{
	if (op->kind == TAPE_OP_SEND_END)
		return send_end(g, f, op,
				tape_match_slot(g->match, match_slot(op->r)));
	if (op->kind == TAPE_OP_LEAVE)
		return engine_collective_end(g, f, op);
	if (op->kind == TAPE_OP_HEAR)
		return window_end(g, f, op);
	return receive_end(g, f, op, last);
}

/*
 * The same where the receive is one of several; or the end of a collective in
 * which some may not have been waited for. 0: it is neither.
 */
static int guess_end(struct engine *g, struct flow *f, const struct tape_op *op,
		     struct candidate *c)
{
	struct detached_message m;

	if (!f->is_guessed)
		return 0;
	if (op->kind == TAPE_OP_LEAVE) {
		*c = engine_collective_end(g, f, op);
		if (!op->r->may_leave_early) {
			g->r->contradictions++;
			engine_allow_anything(g, f, c);
		}
		return 1;
	}
	if (op->kind != TAPE_OP_SEND_END)
		return 0;
	copy_detached(&m, tape_match_slot(g->match, match_slot(op->r)));
	if (!engine_guess_receive(g, f, op, &m.s))
		return 0;
	*c = send_end(g, f, op, &m.s);
	return 1;
}

static int is_packing(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_PACK ||
	       (tape_call_traits(e->call) & TAPE_TRAIT_PACKING);
}

/* All the time of packing is taken for the tracer's (Maillet 1996, 6.4.2). */
static struct tape_delay packing_delay(struct engine *g, struct flow *f,
				       struct blame **by)
{
	double ns = (double)f->e->inside_ns;

	*by = f->blame = blame_add(g->blames, f->blame, f->place, ns);
	return tape_delay_plus(f->p_start, ns);
}

/*
 * A send takes what the target library takes to hand its data over, shorter or
 * longer than it took here (Maillet 1996, 6.4.2).
 */
static struct tape_delay target_delay(struct engine *g, const struct flow *f)
{
	double ns = (double)(f->e->end_ns - f->e->start_ns);
	int sends = 0;

	for (int i = 0; i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];
		struct tape_parcel p;

		if (op->kind != TAPE_OP_SEND ||
		    request_state(op->r)->rendezvous)
			continue;
		p = engine_parcel(g, op, op->bytes, 0);
		ns -= tape_comm_dc(g->model, &p);
		sends++;
	}
	return sends ? tape_delay_plus(f->p_start, ns) : f->p_start;
}

/*
 * The perturbation at the end of the event. Of several completions, the one
 * that was over last decided the measured end; the others only keep the
 * approximated end from coming before them. Which one it was is for the model
 * to say: the certificate takes each for possible.
 */
struct tape_delay engine_end_delay(struct engine *g, struct flow *f,
				   struct blame **by)
{
	const struct tape_op *last = last_asked(f);
	struct candidate best = {0};
	double least = INFINITY, most = INFINITY, lo = INFINITY, hi = -INFINITY;
	int any = 0;

	if (g->how->no_packing && is_packing(f->e))
		return packing_delay(g, f, by);
	if (g->how->rule == TAPE_RULE_TARGET && !f->n_blocking_ops &&
	    !f->n_outside_trace)
		return target_delay(g, f);
	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];
		int waits = engine_may_block(op);
		int ready = waits && engine_is_op_ready(g, op);
		struct candidate c;

		if (waits > ready)
			ready = guess_end(g, f, op, &c);
		else if (ready)
			c = op_end(g, f, op, last);
		if (waits > ready || engine_is_outside_trace(g, op)) {
			struct tape_delay d = outside_trace_delay(g, f);

			lo = tape_min(lo, d.lo);
			hi = tape_max(hi, d.hi);
		}
		if (!ready)
			continue;
		lo = tape_min(lo, c.p.lo);
		hi = tape_max(hi, c.p.hi);
		most = tape_min(most, c.most);
		if (c.floor_ta > f->floor_ta)
			f->floor_ta = c.floor_ta;
		if (!any || c.ready > best.ready) {
			if (any)
				least = tape_min(least, best.least);
			best = c;
		} else {
			least = tape_min(least, c.least);
		}
		any = 1;
	}
	if (lo > hi)
		return f->p_start;
	if (any)
		*by = best.by;
	else
		best.p.p = f->p_start.p;
	best.p.p = tape_min(best.p.p, least);
	best.p.lo = lo;
	best.p.hi = tape_max(tape_min(hi, most), lo);
	/* p may be out of bounds: a model exaggerates, clocks are wrong. What
	 * is certain prevails; by other rules nothing is */
	if (how_certifies(g->how))
		best.p.p = tape_max(tape_min(best.p.p, best.p.hi), lo);
	return best.p;
}
