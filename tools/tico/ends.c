/*
 * What the partners of an event say of its end; see flow.h. The formulas are
 * those of perturb.h; here is decided to which dates they are applied.
 */
#include <math.h>

#include "flow.h"

/* What one ended action says of the end of its event. */
struct candidate {
	double ready;  /* relative to the end: when it was over, as measured */
	double p;      /* at the end, if this one decided */
	double least;  /* p at the end at most, if another did */
};

/* ---- the end of an action ---- */

/* Where the wait of an event began: with the run of failed tests before it. */
int64_t engine_wait_start(const struct flow *f, double *p)
{
	*p = f->run ? f->run_p : f->p_start;
	return f->run ? f->run_event.start_ns : f->e->start_ns;
}

/*
 * Had it arrived when the wait began? Where that was not asked: a run of
 * failed tests says no, a test that succeeds at once says yes, else the model
 * has to tell.
 */
static int had_arrived(const struct flow *f, uint32_t asked,
		       const struct tape_transfer *x)
{
	if (f->run)
		return 0;
	if (asked < 2)
		return asked == 1;
	if (f->e->class_ == TAPE_CLASS_TEST ||
	    f->e->class_ == TAPE_CLASS_IPROBE ||
	    f->e->class_ == TAPE_CLASS_IMPROBE ||
	    f->e->class_ == TAPE_CLASS_MRECV)
		return 1;
	return (double)(x->sr_ns - x->s_ns) >= x->transit_ns;
}

/*
 * A rendezvous moves its data when both ends have begun, at X = max(S, P), P
 * being where the receive was posted; so ta(X) = max(ta(S), ta(P)) (4.4).
 */
static void meet(const struct tape_slot *s, struct tape_transfer *x)
{
	double apart = (double)(s->recv.start_ns - s->send.start_ns);
	double ta = fmax(-s->send.p, apart - s->recv.p); /* after S */

	x->s_ns = s->send.start_ns;
	x->ps = s->send.p;
	if (!s->recv.there)
		return;
	if (apart > 0)
		x->s_ns = s->recv.start_ns;
	x->ps = fmax(apart, 0) - ta;
}

/*
 * What x says of an event that waited for others, too. Transit and DC are the
 * model's, kept within what was seen: an arrived message was there at SR, any
 * other came later, and both were over by ER.
 */
static void weigh(const struct tape_transfer *x, struct candidate *c)
{
	double sr = (double)(x->sr_ns - x->er_ns);
	double s = (double)(x->s_ns - x->er_ns);
	double dc = fmax(fmin(x->dc_ns, -sr), 0), b = s + x->transit_ns;

	b = x->arrived ? fmin(b, sr) : fmax(fmin(b, -dc), sr);
	c->ready = fmax(sr, b) + dc;
	c->least = -(fmax(sr - x->pr, s - x->ps + fmax(b - s, 0)) + dc);
}

/*
 * Of an event that completes several things only the last to come tells how
 * long it took; latest is when the last of them was sent.
 */
static void learn(struct engine *g, const struct flow *f,
		  const struct tape_op *op, const struct tape_slot *s,
		  int alone, int64_t latest)
{
	double unused;

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

/* A receive, or a probe, of the message in s. */
static struct candidate receive(struct engine *g, struct flow *f,
				const struct tape_op *op,
				const struct tape_slot *s)
{
	enum tape_distance d = engine_distance(g, op->r->from, op->r->to);
	struct tape_transfer x = { .s_ns = s->send.start_ns,
				   .ps = s->send.p,
				   .er_ns = f->e->end_ns,
				   .dmax_ns = INFINITY };
	int probe = op->kind == TAPE_OP_PROBE;
	int rendezvous = engine_was_rendezvous(s);
	struct tape_perturb_count *count = rendezvous ? NULL : &g->r->count;
	struct candidate c;

	x.sr_ns = engine_wait_start(f, &x.pr);
	/* of a rendezvous, the envelope is all that a probe waits for */
	x.transit_ns = tape_comm_transit(g->model, d, probe && rendezvous
							      ? 0
							      : s->send.bytes);
	if (!probe && !rendezvous)
		x.dc_ns = tape_comm_dc(g->model, d, s->send.bytes);
	if (!probe && rendezvous) {
		g->r->count.rendezvous++;
		meet(s, &x);
	}
	/* a blocking receive is asked for the envelope, which tells nothing */
	if (!probe && rendezvous && !op->r->number) {
		c.p = tape_perturb_join(x.er_ns, x.sr_ns, x.pr, x.s_ns, x.ps,
					&g->r->count);
	} else {
		x.arrived = had_arrived(f, op->arrived, &x);
		c.p = tape_perturb_receive(&x, count);
	}
	weigh(&x, &c);
	return c;
}

/* The end of a rendezvous at its sender. */
static struct candidate send_end(struct engine *g, struct flow *f,
				 const struct tape_op *op)
{
	const struct tape_slot *s = tape_match_slot(g->match, op->r->slot);
	enum tape_distance d = engine_distance(g, op->r->from, op->r->to);
	struct tape_transfer x = { .er_ns = f->e->end_ns,
				   .dmax_ns = INFINITY };
	struct candidate c;

	x.sr_ns = engine_wait_start(f, &x.pr);
	x.transit_ns = tape_comm_transit(g->model, d, op->r->bytes);
	meet(s, &x);
	if (!op->r->number) {
		c.p = tape_perturb_join(x.er_ns, x.sr_ns, x.pr, x.s_ns, x.ps,
					&g->r->count);
	} else {
		x.arrived = had_arrived(f, 2, &x);
		c.p = tape_perturb_receive(&x, NULL);
	}
	weigh(&x, &c);
	return c;
}

/*
 * The latest entry among [first, last), and that of the event itself at sr
 * with perturbation p; as measured in *ns, its approximation after sr in the
 * result.
 */
static double latest_of(const struct tape_round *q, int first, int last,
			int64_t sr, double p, int64_t *ns)
{
	double ta = -p;

	*ns = sr;
	for (int i = first; i < last && i < q->size; i++) {
		if (q->start_ns[i] == INT64_MIN)
			continue;
		if (q->start_ns[i] > *ns)
			*ns = q->start_ns[i];
		ta = fmax(ta, (double)(q->start_ns[i] - sr) - q->p[i]);
	}
	return ta;
}

/* The same among the neighbours that r receives from. */
static double latest_source(const struct tape_round *q,
			    const struct tape_pending *r, int64_t sr, double p,
			    int64_t *ns)
{
	double ta = -p, one;
	int64_t at;

	*ns = sr;
	for (size_t i = 0; i < r->n_sources; i++) {
		int source = r->sources[i];

		if (source < 0)
			continue;
		one = latest_of(q, source, source + 1, sr, p, &at);
		ta = fmax(ta, one);
		*ns = at > *ns ? at : *ns;
	}
	return ta;
}

/* The entry that the exit of r, entered at sr with p, has to wait for. */
static void last_entry(const struct tape_round *q, const struct tape_pending *r,
		       int64_t sr, double p, int64_t *ns, double *other_p)
{
	int whole = r->last - r->first >= q->size;

	*ns = sr;
	*other_p = p;
	switch (r->shape) {
	case TAPE_SHAPE_FROM:
		if (r->root >= 0 && r->root < q->size &&
		    q->start_ns[r->root] != INT64_MIN) {
			*ns = q->start_ns[r->root];
			*other_p = q->p[r->root];
		}
		return;
	case TAPE_SHAPE_SCAN:
		*other_p = -latest_of(q, 0, r->rank, sr, p, ns);
		*other_p += (double)(*ns - sr);
		return;
	case TAPE_SHAPE_NEAR:
		*other_p = -latest_source(q, r, sr, p, ns);
		*other_p += (double)(*ns - sr);
		return;
	case TAPE_SHAPE_TO:
		if (r->root != r->rank)
			return;
		if (!whole) {
			*other_p = -latest_of(q, r->first, r->last, sr, p, ns);
			*other_p += (double)(*ns - sr);
			return;
		}
		break;
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_ALL:
		break;
	}
	*ns = q->latest_ns;
	*other_p = (double)(q->latest_ns - q->base_ns) - q->latest_ta;
}

static struct candidate leave(struct engine *g, struct flow *f,
			      const struct tape_op *op)
{
	struct tape_round *q = engine_round(g, op);
	struct candidate c;
	double p, other_p;
	int64_t sr = engine_wait_start(f, &p), other;

	last_entry(q, op->r, sr, p, &other, &other_p);
	c.p = tape_perturb_join(f->e->end_ns, sr, p, other, other_p,
				&g->r->count);
	c.ready = (double)(other - f->e->end_ns);
	c.least = -(c.ready - other_p);
	return c;
}

/*
 * What another did with a window before this one could go on. Where it began
 * to do so after this was over, this did not wait for it.
 */
static struct candidate hear(struct engine *g, struct flow *f,
			     const struct tape_op *op)
{
	const struct tape_slot *s = tape_match_slot(g->windows, op->r->slot);
	int64_t other = s->send.start_ns;
	double p, other_p = s->send.p;
	int64_t sr = engine_wait_start(f, &p);
	struct candidate c;

	if (op->weak && other > f->e->end_ns) {
		other = sr;
		other_p = p;
	}
	c.p = tape_perturb_join(f->e->end_ns, sr, p, other, other_p,
				&g->r->count);
	c.ready = (double)(other - f->e->end_ns);
	c.least = -(c.ready - other_p);
	return c;
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
 * The perturbation at the end of the event. Of several completions, the one
 * that was over last decided the measured end; the others only keep the
 * approximated end from coming before them.
 */
double engine_end(struct engine *g, struct flow *f)
{
	struct candidate best = { 0 };
	double least = INFINITY;
	int any = 0;

	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];
		struct candidate c;

		if (!engine_may_wait(op) || !engine_ready(g, op))
			continue;
		c = candidate(g, f, op);
		if (!any || c.ready > best.ready) {
			if (any)
				least = fmin(least, best.least);
			best = c;
		} else {
			least = fmin(least, c.least);
		}
		any = 1;
	}
	return any ? fmin(best.p, least) : f->p_start;
}
