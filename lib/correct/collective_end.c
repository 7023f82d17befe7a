/*
 * The end of a collective; see perturb.h. By its shape: it follows
 * the latest entry that counts by the lag that was measured. By the table of
 * the library's algorithms, where there is one (algorithm.c): the lag changes
 * as the table's does.
 */
#include <math.h>

#include "verdicts.h"
#include "engine_parts.h"

/*
 * The latest of some entries, as measured; and as approximated, after sr. least
 * and most are the bounds of all their perturbations: what follows the latest
 * of them was delayed no less and no more, whatever the clocks say.
 */
struct latest {
	int64_t ns, sr, written_ns;
	struct blame *by;
	struct tape_delay ta; /* lo, hi: with those of the perturbations */
	double least, most;
};

static void update_latest(struct latest *l, int64_t start_ns,
			  int64_t written_ns, const struct tape_delay *p,
			  struct blame *by)
{
	double at = (double)(start_ns - l->sr);

	if (written_ns > l->written_ns)
		l->written_ns = written_ns;
	if (start_ns > l->ns) {
		l->ns = start_ns;
		l->by = by;
	}
	l->ta.p = tape_max(l->ta.p, at - p->p);
	l->ta.lo = tape_max(l->ta.lo, at - p->lo);
	l->ta.hi = tape_max(l->ta.hi, at - p->hi);
	l->least = tape_min(l->least, p->lo);
	l->most = tape_max(l->most, p->hi);
}

int engine_member_rank(const struct engine *g, const struct flow *f,
		       const struct tape_request *r, int member)
{
	const struct tape_rank_info *rank = tape_trace_rank(g->t, f->rank);
	const struct tape_comm_info *c =
		r->comm < rank->n_comms ? &rank->comms[r->comm] : NULL;
	int own, other;

	/* who meets in a group of PVM's is another matter */
	if (!c || rank->tid)
		return -1;
	if (c->side < 0)
		return member < c->size ? c->members[member] : -1;
	own = member - (c->side ? c->size : 0);
	other = member - (c->side ? 0 : c->own_size);
	if (own >= 0 && own < c->own_size)
		return c->own[own];
	return other >= 0 && other < c->size ? c->members[other] : -1;
}

/* An exit, and the round that it leaves. */
struct exit {
	const struct engine *g;
	const struct flow *f;
	const struct tape_round *q;
	const struct tape_request *r;
	/* it came before an entry: that it need not have waited for, or that it
	 * must have */
	int is_early, is_contradicted;
};

/* The entry of member i, if it has entered, unless the exit came before it. */
static void include_member(struct latest *l, struct exit *x, int i)
{
	const struct tape_round *q = x->q;

	if (i < 0 || i >= q->size || q->start_ns[i] == INT64_MIN)
		return;
	switch (engine_judge_entry(x->g, x->f, x->r, q, i)) {
	case ENGINE_INDEPENDENT:
		x->is_early = 1;
		return;
	case ENGINE_WRONG_TRACE:
		x->is_early = x->is_contradicted = 1;
		return;
	case ENGINE_WRONG_CLOCKS:
		x->is_contradicted = 1;
		break;
	case ENGINE_DEPENDS:
		break;
	}
	update_latest(l, q->start_ns[i], member_state(q, i)->written_ns,
		      &member_state(q, i)->p, member_state(q, i)->blame);
}

/*
 * The entry that the exit x, entered at sr with p, has to wait for: the latest,
 * and in *p the perturbation that makes its date the latest one; *by: of what
 * it consists; *written_ns: the latest one of others, as written.
 */
static int64_t last_entry(struct exit *x, int64_t sr, struct tape_delay *p,
			  struct blame **by, int64_t *written_ns)
{
	const struct engine *g = x->g;
	const struct tape_request *r = x->r;
	const struct tape_round *q = x->q;
	struct latest l = { sr, sr, INT64_MIN, *by,
			    { -p->p, -p->lo, -p->hi }, p->lo, p->hi };
	int each;

	switch (r->shape) {
	case TAPE_SHAPE_FROM:
		include_member(&l, x, r->root);
		break;
	case TAPE_SHAPE_SCAN:
		for (int i = 0; i < r->rank; i++)
			include_member(&l, x, i);
		break;
	case TAPE_SHAPE_NEAR:
		for (size_t i = 0; i < r->n_sources; i++)
			include_member(&l, x, r->sources[i]);
		break;
	case TAPE_SHAPE_TO:
		if (r->root != r->rank)
			break;
		if (r->last - r->first < q->size) {
			for (int i = r->first; i < r->last; i++)
				include_member(&l, x, i);
			break;
		}
		/* fall through */
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_ALL:
		/* with one clock, that is known of all together */
		each = g->slack > 0 || q->latest_ns > x->f->e->end_ns;
		for (int i = 0; each && i < q->size; i++)
			include_member(&l, x, i);
		if (x->is_early)
			break;
		l.ns = q->latest_ns;
		l.written_ns = collective_state(q)->latest_written_ns;
		l.by = member_state(q, q->latest)->blame;
		l.ta = tape_delay_plus(collective_state(q)->latest_ta,
				       (double)(q->base_ns - sr));
		break;
	}
	p->p = (double)(l.ns - sr) - l.ta.p;
	p->lo = (double)(l.ns - sr) - l.ta.lo;
	p->hi = (double)(l.ns - sr) - l.ta.hi;
	if (g->slack > 0) {
		p->lo = tape_max(p->lo - g->slack, l.least);
		p->hi = tape_min(p->hi + g->slack, l.most);
	}
	*by = l.by;
	*written_ns = l.written_ns;
	return l.ns;
}

/*
 * The exit as the table has it; not before the member's own entry, nor before
 * the latest that it has to wait for in any case. The bounds are those of any
 * algorithm: the lag that was measured is no bound where it may change.
 */
static void follow_table(const struct tape_delay *x, double own,
			 struct candidate *c)
{
	double p = tape_min(x->p, tape_min(c->least, own));

	c->p.p = p;
	c->p.lo = tape_min(x->lo, p);
	c->p.hi = tape_max(x->hi, p);
}

/*
 * Of what p consists, where the latest entry was not delayed: an algorithm lets
 * an earlier one decide. Which, is not known; it was delayed as much.
 */
static struct blame *nearest_blame(const struct tape_round *q, double p)
{
	const struct member_state *m = member_state(q, 0), *nearest = m;

	for (int i = 1; i < q->size; i++)
		if (fabs(m[i].p.p - p) < fabs(nearest->p.p - p))
			nearest = &m[i];
	return nearest->blame;
}

/*
 * Widens the bounds of the event of f, which began at sr with the perturbation
 * p, by the case that it waited for no member of q. If it needs no data of some
 * members, it may also have waited for the other members only: its perturbation
 * is then between the least and the greatest perturbation of all members.
 */
static void allow_no_wait(struct engine *g, const struct flow *f, int64_t sr,
			  const struct tape_delay *p,
			  const struct tape_round *q, int is_weak,
			  struct candidate *c)
{
	struct candidate d = engine_end_after(g, f, sr, p, sr, p, NULL);

	c->p.lo = tape_min(c->p.lo, d.p.lo);
	c->p.hi = tape_max(c->p.hi, d.p.hi);
	c->most = tape_max(c->most, d.most);
	if (!is_weak || !q->entered)
		return;
	c->p.lo = tape_min(c->p.lo, collective_state(q)->lo - g->slack);
	c->p.hi = tape_max(c->p.hi, collective_state(q)->hi + g->slack);
	c->most = tape_max(c->most, c->p.hi);
}

struct candidate engine_collective_end(struct engine *g, struct flow *f,
				       const struct tape_op *op)
{
	struct tape_round *q = engine_get_round(g, op);
	struct tape_delay p, other_p;
	int64_t sr = engine_wait_start(f, &p), other, written_ns;
	struct blame *by = engine_own_blame(f);
	struct exit x = { g, f, q, op->r, 0, 0 };
	struct candidate c;

	other_p = p;
	other = last_entry(&x, sr, &other_p, &by, &written_ns);
	c = engine_end_after(g, f, sr, &p, other, &other_p, by);
	c.floor_ta = written_ns;
	if (op->r->weak || x.is_early || f->is_guessed)
		allow_no_wait(g, f, sr, &p, q, op->r->weak, &c);
	if (engine_solve_round(g, f, op, q)) {
		g->r->by_table++;
		follow_table(&member_state(q, op->r->rank)->exit,
			     p.p + (double)(f->e->end_ns - sr), &c);
		if (c.p.p > 0 && !(blame_sum(c.by) > 0))
			c.by = nearest_blame(q, c.p.p);
	} else {
		g->r->by_shape++;
	}
	if (x.is_contradicted)
		g->r->contradictions++;
	/* or it met others than was guessed */
	if (x.is_contradicted ||
	    (x.is_early && tape_call_traits(op->r->call) &
				   TAPE_TRAIT_BY_COUNT))
		engine_allow_anything(g, f, &c);
	return c;
}
