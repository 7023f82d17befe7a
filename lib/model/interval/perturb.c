/* The decision tree of the conservative approximation (Maillet 1996, 4.4, 4.5);
 * see perturb.h. */
#include <stddef.h>

#include "delay_bounds.h"
#include "perturb.h"

static double count_leaf(struct tape_perturb_count *c, enum tape_leaf which,
			 double p)
{
	if (c)
		c->leaf[which]++;
	return p;
}

/* case 1: the message had arrived; DC was observed. Times relative to SR. */
static double perturb_arrived(const struct tape_transfer *x,
			      struct tape_perturb_count *c)
{
	double ta_s = (double)(x->s_ns - x->sr_ns) - x->ps;
	double ta_sr = -x->pr;
	double u = tape_min(x->dmax_ns, (double)(x->sr_ns - x->s_ns));
	double ta_b;

	if (x->pr <= x->ps) {
		if (c)
			c->nbcomfa++;
		return count_leaf(c, TAPE_LEAF_ARRIVED_EARLY, x->pr);
	}
	if (u < 0) { /* the clocks disagree: sent after it had arrived */
		if (c)
			c->clamped++;
		u = 0;
	}
	if (ta_s + u <= ta_sr) {
		if (c)
			c->nbcomfa++;
		return count_leaf(c, TAPE_LEAF_ARRIVED_BOUND, x->pr);
	}
	ta_b = ta_s + tape_min(x->transit_ns, u);
	if (c)
		c->nbsim++;
	if (ta_b <= ta_sr) {
		if (c)
			c->nbcomfa++;
		return count_leaf(c, TAPE_LEAF_ARRIVED_MODEL, x->pr);
	}
	if (c)
		c->decided++;
	/* ta(ER) = ta(B) + DC, DC = ER - SR */
	return count_leaf(c, TAPE_LEAF_LATE_MODEL, -ta_b);
}

/* case 2: the receive waited; transit + DC was observed. */
static double perturb_waited(const struct tape_transfer *x,
			     struct tape_perturb_count *c)
{
	double er = (double)(x->er_ns - x->sr_ns);
	double all = (double)(x->er_ns - x->s_ns);
	/* within guaranteed bounds: 0 <= transit <= dmax, B after SR */
	double d = tape_min(tape_max(x->dc_ns, all - x->dmax_ns),
			tape_min(er, tape_max(all, 0))), ta_b;

	if (x->pr >= x->ps)
		return count_leaf(c, TAPE_LEAF_WAITED, x->ps);
	ta_b = er - d - x->ps;
	if (-x->pr <= ta_b)
		return count_leaf(c, TAPE_LEAF_WAITED_STILL, x->ps);
	if (c)
		c->nbcomfa++;
	return count_leaf(c, TAPE_LEAF_WAITS_NO_MORE, er - (-x->pr + d));
}

int tape_perturb_came_since(const struct tape_transfer *x)
{
	return !x->arrived && x->asked_ns > 0 &&
	       (double)(x->er_ns - x->sr_ns) <= 2 * x->dc_ns &&
	       x->transit_ns <= (double)(x->sr_ns - x->s_ns);
}

double tape_perturb_receive(const struct tape_transfer *x,
			    struct tape_perturb_count *c)
{
	if (c) {
		c->nbcom++;
		c->nbcomf += x->arrived != 0;
		c->nbsim_sm += x->sr_ns > x->s_ns;
	}
	return x->arrived ? perturb_arrived(x, c) : perturb_waited(x, c);
}

/* By the model alone; dc: the time to receive the arrived message. */
static double perturb_by_model(const struct tape_transfer *x, double dc,
			       struct tape_perturb_count *c)
{
	double ta_sr = -x->pr; /* relative to SR */
	double ta_b = (double)(x->s_ns - x->sr_ns) - x->ps + x->transit_ns;

	if (c) {
		c->nbcom++;
		c->nbcomf += x->arrived != 0;
		c->nbcomfa += ta_b <= ta_sr;
		c->nbsim++;
		c->nbsim_sm += x->sr_ns > x->s_ns;
		c->decided += ta_b > ta_sr;
	}
	return (double)(x->er_ns - x->sr_ns) - (tape_max(ta_sr, ta_b) + dc);
}

double tape_perturb_receive_by(enum tape_rule rule,
			       const struct tape_transfer *x,
			       struct tape_perturb_count *c)
{
	switch (rule) {
	case TAPE_RULE_FULL:
		return perturb_by_model(
		    x, x->arrived ? (double)(x->er_ns - x->sr_ns) : x->dc_ns,
		    c);
	case TAPE_RULE_TARGET:
		return perturb_by_model(x, x->dc_ns, c);
	case TAPE_RULE_SM94:
		if (x->sr_ns > x->s_ns)
			return perturb_by_model(x, x->dc_ns, c);
		break;
	case TAPE_RULE_MINIMAL:
	case TAPE_RULE_THESIS:
		break;
	}
	return tape_perturb_receive(x, c);
}

double tape_perturb_join(int64_t end_ns, int64_t own_ns, double own_p,
			 int64_t other_ns, double other_p,
			 struct tape_perturb_count *c)
{
	int64_t later = own_ns > other_ns ? own_ns : other_ns;
	double lag = (double)(end_ns - later);
	double own = (double)(own_ns - end_ns) - own_p;
	double other = (double)(other_ns - end_ns) - other_p;

	if (lag < 0) {
		lag = 0;
		if (c)
			c->clamped++;
	}
	/* times relative to the end: p = t - ta */
	return -(tape_max(own, other) + lag);
}
