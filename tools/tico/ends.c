/*
 * What the partners of an event say of its end; see flow.h. The formulas are
 * those of perturb.h; here is decided to which dates they are applied.
 */
#include <math.h>

#include "flow.h"

/* What one ended action says of the end of its event. */
struct candidate {
	double ready;  /* relative to the end: when it was over, as measured */
	struct tape_delay p; /* at the end, if this one decided */
	double least;  /* p at the end at most, if another did */
	double most;   /* certainly, whoever did */
	struct blame *by; /* of what p consists, or more than that */
};

/* A transfer as the tree wants it, and what goes with it. */
struct transfer {
	struct tape_transfer x;
	struct tape_delay ps, pr;
	double slack;
	struct blame *own, *other; /* of pr, and of ps */
	int known;     /* x.arrived does not come from the model */
};

/* ---- the end of an action ---- */

/* Where the wait of an event began: with the run of failed tests before it. */
int64_t engine_wait_start(const struct flow *f, struct tape_delay *p)
{
	*p = f->run ? f->run_p : f->p_start;
	return f->run ? f->run_event.start_ns : f->e->start_ns;
}

/*
 * Had it arrived when the wait began? Where that was not asked: a run of
 * failed tests says no, a test that succeeds at once says yes, else the model
 * has to tell.
 */
static void had_arrived(const struct flow *f, uint32_t asked,
			struct transfer *t)
{
	struct tape_transfer *x = &t->x;

	t->known = 1;
	if (f->run)
		x->arrived = 0;
	else if (asked < 2)
		x->arrived = asked == 1;
	else if (f->e->class_ == TAPE_CLASS_TEST ||
		 f->e->class_ == TAPE_CLASS_QUERY ||
		 f->e->class_ == TAPE_CLASS_IPROBE ||
		 f->e->class_ == TAPE_CLASS_NRECV ||
		 f->e->class_ == TAPE_CLASS_IMPROBE ||
		 f->e->class_ == TAPE_CLASS_MRECV)
		x->arrived = 1;
	else {
		t->known = 0;
		x->arrived = (double)(x->sr_ns - x->s_ns) >= x->transit_ns;
	}
}

/*
 * A rendezvous moves its data when both ends have begun, at X = max(S, P), P
 * being where the receive was posted; so ta(X) = max(ta(S), ta(P)) (4.4).
 */
static void meet(const struct tape_slot *s, struct transfer *t)
{
	const struct tape_match_side *a = &s->send, *b = &s->recv;
	double apart = (double)(b->start_ns - a->start_ns);

	t->x.s_ns = a->start_ns;
	t->ps = a->p;
	t->other = a->own;
	if (!b->there)
		return;
	if (apart > 0) {
		t->x.s_ns = b->start_ns;
		t->other = b->own;
	}
	t->ps.p = tape_min(tape_max(apart, 0) + a->p.p,
			   tape_max(-apart, 0) + b->p.p);
	tape_certain_join(a->start_ns, &a->p, b->start_ns, &b->p, t->slack,
			  &t->ps);
}

/* The tree, and the certificate beside it. */
static struct tape_delay by_tree(struct engine *g, struct transfer *t,
				 struct tape_perturb_count *count)
{
	struct tape_transfer open = t->x;
	struct tape_delay d;

	t->x.ps = t->ps.p;
	t->x.pr = t->pr.p;
	d.p = tape_perturb_receive_by(g->how->rule, &t->x, count);
	if (t->known && !t->x.arrived &&
	    (double)(t->x.sr_ns - t->x.s_ns) - t->slack > t->x.dmax_ns)
		g->r->too_long++;
	open.arrived = t->known ? t->x.arrived : 2;
	tape_certain_receive(&open, t->slack, &t->ps, &t->pr, &d);
	return d;
}

/* The end at end follows the later of two starts. */
static struct tape_delay join(struct engine *g, int64_t end, int64_t own_ns,
			      const struct tape_delay *own, int64_t other_ns,
			      const struct tape_delay *other, double slack)
{
	struct tape_delay d;

	d.p = tape_perturb_join(end, own_ns, own->p, other_ns, other->p,
				&g->r->count);
	tape_certain_join(own_ns, own, other_ns, other, slack, &d);
	return d;
}

/*
 * What x says of an event that waited for others, too. Transit and DC are the
 * model's, kept within what was seen: an arrived message was there at SR, any
 * other came later, and both were over by ER.
 */
static void weigh(const struct transfer *t, struct candidate *c)
{
	const struct tape_transfer *x = &t->x;
	double sr = (double)(x->sr_ns - x->er_ns);
	double s = (double)(x->s_ns - x->er_ns);
	double dc = tape_max(tape_min(x->dc_ns, -sr), 0);
	double b = s + tape_min(x->transit_ns, x->dmax_ns);

	b = x->arrived ? tape_min(b, sr) : tape_max(tape_min(b, -dc), sr);
	c->ready = tape_max(sr, b) + dc;
	c->least = -(tape_max(sr - t->pr.p,
			      s - t->ps.p + tape_max(b - s, 0)) + dc);
	c->most = tape_min(t->pr.hi - sr, t->ps.hi - s + t->slack);
}

/*
 * Of an event that completes several things only the last to come tells how
 * long it took; latest is when the last of them was sent.
 */
static void learn(struct engine *g, const struct flow *f,
		  const struct tape_op *op, const struct tape_slot *s,
		  int alone, int64_t latest)
{
	struct tape_delay unused;

	if (op->kind != TAPE_OP_RECV_END || engine_was_rendezvous(s) ||
	    (op->arrived == 2 && !f->run))
		return;
	if (!alone && (op->arrived == 1 || s->send.start_ns != latest))
		return;
	tape_comm_learn(g->learner,
			engine_distance(g, op->r->from, op->r->to),
			s->send.bytes, s->send.start_ns,
			engine_wait_start(f, &unused), f->e->end_ns,
			op->arrived == 1 && !f->run);
}

static struct blame *own_blame(const struct flow *f)
{
	return f->run ? f->run_blame : f->blame;
}

/* What is known of a message of some bytes for the event of f. */
static struct transfer transfer(struct engine *g, const struct flow *f,
				const struct tape_op *op, uint64_t bytes)
{
	enum tape_distance d = engine_distance(g, op->r->from, op->r->to);
	struct transfer t = { .slack = engine_slack(g, op->r->from,
						    op->r->to) };

	t.x.er_ns = f->e->end_ns;
	t.x.sr_ns = engine_wait_start(f, &t.pr);
	t.own = own_blame(f);
	t.x.transit_ns = tape_comm_transit(g->model, d, bytes);
	t.x.dmax_ns = g->how->longest_ns + g->how->longest_rate * (double)bytes;
	return t;
}

/* A receive, or a probe, of the message in s. */
static struct candidate receive(struct engine *g, struct flow *f,
				const struct tape_op *op,
				const struct tape_slot *s)
{
	int probe = op->kind == TAPE_OP_PROBE;
	int rendezvous = engine_was_rendezvous(s);
	/* of a rendezvous, the envelope is all that a probe waits for */
	struct transfer t = transfer(g, f, op, probe && rendezvous
						       ? 0 : s->send.bytes);
	struct tape_perturb_count *count = rendezvous ? NULL : &g->r->count;
	struct candidate c;

	t.x.s_ns = s->send.start_ns;
	t.ps = s->send.p;
	t.other = s->send.own;
	if (!probe && !rendezvous)
		t.x.dc_ns = tape_comm_dc(g->model,
					 engine_distance(g, op->r->from,
							 op->r->to),
					 s->send.bytes);
	if (!probe && rendezvous) {
		g->r->count.rendezvous++;
		meet(s, &t);
	}
	/* a blocking receive is asked for the envelope, which tells nothing */
	if (!probe && rendezvous && !op->r->number) {
		c.p = join(g, t.x.er_ns, t.x.sr_ns, &t.pr, t.x.s_ns, &t.ps,
			   t.slack);
		c.by = t.x.sr_ns >= t.x.s_ns ? t.own : t.other;
	} else {
		had_arrived(f, op->arrived, &t);
		c.p = by_tree(g, &t, count);
		c.by = t.x.arrived ? t.own : t.other;
	}
	weigh(&t, &c);
	return c;
}

/* The end of a rendezvous at its sender. */
static struct candidate send_end(struct engine *g, struct flow *f,
				 const struct tape_op *op)
{
	const struct tape_slot *s = tape_match_slot(g->match, op->r->slot);
	struct transfer t = transfer(g, f, op, op->r->bytes);
	struct candidate c;

	meet(s, &t);
	if (!op->r->number) {
		c.p = join(g, t.x.er_ns, t.x.sr_ns, &t.pr, t.x.s_ns, &t.ps,
			   t.slack);
		c.by = t.x.sr_ns >= t.x.s_ns ? t.own : t.other;
	} else {
		had_arrived(f, 2, &t);
		c.p = by_tree(g, &t, NULL);
		c.by = t.x.arrived ? t.own : t.other;
	}
	weigh(&t, &c);
	return c;
}

/* The latest of some entries, as measured; and as approximated, after sr. */
struct latest {
	int64_t ns, sr;
	struct blame *by;
	struct tape_delay ta; /* lo, hi: with those of the perturbations */
};

static void include(struct latest *l, int64_t start_ns,
		    const struct tape_delay *p, struct blame *by)
{
	double at = (double)(start_ns - l->sr);

	if (start_ns > l->ns) {
		l->ns = start_ns;
		l->by = by;
	}
	l->ta.p = tape_max(l->ta.p, at - p->p);
	l->ta.lo = tape_max(l->ta.lo, at - p->lo);
	l->ta.hi = tape_max(l->ta.hi, at - p->hi);
}

/* The entry of member i, if it is one that has entered. */
static void include_member(struct latest *l, const struct tape_round *q, int i)
{
	if (i >= 0 && i < q->size && q->start_ns[i] != INT64_MIN)
		include(l, q->start_ns[i], &q->p[i], q->own[i]);
}

/*
 * The entry that the exit of r, entered at sr with p, has to wait for: the
 * latest, and in *p the perturbation that makes its date the latest one; *by:
 * of what it consists.
 */
static int64_t last_entry(const struct tape_round *q,
			  const struct tape_pending *r, int64_t sr,
			  struct tape_delay *p, struct blame **by)
{
	struct latest l = { sr, sr, *by, { -p->p, -p->lo, -p->hi } };

	switch (r->shape) {
	case TAPE_SHAPE_FROM:
		include_member(&l, q, r->root);
		break;
	case TAPE_SHAPE_SCAN:
		for (int i = 0; i < r->rank; i++)
			include_member(&l, q, i);
		break;
	case TAPE_SHAPE_NEAR:
		for (size_t i = 0; i < r->n_sources; i++)
			include_member(&l, q, r->sources[i]);
		break;
	case TAPE_SHAPE_TO:
		if (r->root != r->rank)
			break;
		if (r->last - r->first < q->size) {
			for (int i = r->first; i < r->last; i++)
				include_member(&l, q, i);
			break;
		}
		/* fall through */
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_ALL:
		l.ns = q->latest_ns;
		l.by = q->own[q->latest];
		l.ta = tape_delay_plus(q->latest_ta,
				       (double)(q->base_ns - sr));
		break;
	}
	p->p = (double)(l.ns - sr) - l.ta.p;
	p->lo = (double)(l.ns - sr) - l.ta.lo;
	p->hi = (double)(l.ns - sr) - l.ta.hi;
	*by = l.by;
	return l.ns;
}

/* The event of f, waiting since sr, follows what began at other_ns. */
static struct candidate after(struct engine *g, const struct flow *f,
			      int64_t sr, const struct tape_delay *p,
			      int64_t other_ns, const struct tape_delay *other,
			      struct blame *by)
{
	double ready = (double)(other_ns - f->e->end_ns);
	struct candidate c = { .ready = ready, .least = other->p - ready };

	c.p = join(g, f->e->end_ns, sr, p, other_ns, other, g->slack);
	c.by = sr >= other_ns ? own_blame(f) : by;
	c.most = tape_min(p->hi + (double)(f->e->end_ns - sr),
		      other->hi - ready + g->slack);
	return c;
}

static struct candidate leave(struct engine *g, struct flow *f,
			      const struct tape_op *op)
{
	struct tape_delay p, other_p;
	int64_t sr = engine_wait_start(f, &p), other;

	struct blame *by = own_blame(f);

	other_p = p;
	other = last_entry(engine_round(g, op), op->r, sr, &other_p, &by);
	return after(g, f, sr, &p, other, &other_p, by);
}

/*
 * What another did with a window before this one could go on. Where it began
 * to do so after this was over, this did not wait for it.
 */
static struct candidate hear(struct engine *g, struct flow *f,
			     const struct tape_op *op)
{
	const struct tape_slot *s = tape_match_slot(g->windows, op->r->slot);
	struct tape_delay p;
	int64_t sr = engine_wait_start(f, &p);

	if (op->weak && s->send.start_ns > f->e->end_ns)
		return after(g, f, sr, &p, sr, &p, NULL);
	return after(g, f, sr, &p, s->send.start_ns, &s->send.p,
		     s->send.own);
}

static struct candidate candidate(struct engine *g, struct flow *f,
				  const struct tape_op *op)
{
	if (op->kind == TAPE_OP_SEND_END)
		return send_end(g, f, op);
	if (op->kind == TAPE_OP_LEAVE)
		return leave(g, f, op);
	if (op->kind == TAPE_OP_HEAR)
		return hear(g, f, op);
	return receive(g, f, op, engine_slot(g, op));
}

void engine_learn(struct engine *g, struct flow *f)
{
	int64_t latest = INT64_MIN;
	int waits = 0, sends = 0;

	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];

		waits += engine_may_wait(op);
		/* even an eager send may take long: Open MPI's shared memory
		 * hands more than 256 bytes over once the receiver looks */
		sends += op->kind == TAPE_OP_SEND ||
			 op->kind == TAPE_OP_SEND_END;
		if (op->kind == TAPE_OP_RECV_END && engine_ready(g, op) &&
		    engine_slot(g, op)->send.start_ns > latest)
			latest = engine_slot(g, op)->send.start_ns;
	}
	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];

		if (op->kind == TAPE_OP_RECV_END && engine_ready(g, op))
			learn(g, f, op, engine_slot(g, op),
			      waits == 1 && !sends, latest);
	}
}

/*
 * The partner is in no trace: all that is certain of the end is that it comes
 * after the start, and that a perturbation is never negative.
 */
static struct tape_delay alone(const struct flow *f)
{
	struct tape_delay p;
	int64_t sr = engine_wait_start(f, &p);

	p.p = f->p_start.p;
	p.lo = tape_min(p.lo, 0);
	p.hi += (double)(f->e->end_ns - sr);
	return p;
}

/*
 * The perturbation at the end of the event. Of several completions, the one
 * that was over last decided the measured end; the others only keep the
 * approximated end from coming before them. Which one it was is for the model
 * to say: the certificate takes each for possible.
 */
struct tape_delay engine_end(struct engine *g, struct flow *f,
			     struct blame **by)
{
	struct candidate best = { 0 };
	double least = INFINITY, most = INFINITY, lo = INFINITY, hi = -INFINITY;
	int any = 0;

	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];
		struct candidate c;

		if (!engine_may_wait(op))
			continue;
		if (!engine_ready(g, op)) {
			struct tape_delay d = alone(f);

			lo = tape_min(lo, d.lo);
			hi = tape_max(hi, d.hi);
			continue;
		}
		c = candidate(g, f, op);
		lo = tape_min(lo, c.p.lo);
		hi = tape_max(hi, c.p.hi);
		most = tape_min(most, c.most);
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
	/* where clocks or a rule contradict the trace, p is out of bounds */
	best.p.p = tape_min(best.p.p, least);
	best.p.lo = lo;
	best.p.hi = tape_max(tape_min(hi, most), lo);
	return best.p;
}
