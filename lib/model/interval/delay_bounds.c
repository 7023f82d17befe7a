/*
 * Bounds in place of a communication model; see delay_bounds.h. The formulas:
 * doc/perturbation.md, "The certificate", from Maillet 1996, 4.4 and 4.5.
 */
#include <math.h>

#include "delay_bounds.h"
#include "transfer.h"

/* asked: the message arrived at most this long before SR, ns */
static void bound_arrived(const struct tape_transfer *x, double asked,
			  double slack, const struct tape_delay *ps,
			  const struct tape_delay *pr, struct tape_delay *d)
{
	double after = (double)(x->sr_ns - x->s_ns);
	double most = tape_max(tape_min(after + slack, asked), 0);

	d->lo = tape_min(pr->lo,
			 ps->lo + tape_max(after - slack - x->dmax_ns, 0));
	d->hi = tape_min(pr->hi, ps->hi + most);
}

static void bound_waited(const struct tape_transfer *x, double slack,
			 const struct tape_delay *ps,
			 const struct tape_delay *pr, struct tape_delay *d)
{
	double inside = (double)(x->er_ns - x->sr_ns);
	double all = (double)(x->er_ns - x->s_ns);
	double since = inside - all + x->dmax_ns + slack;
	double most = tape_max(tape_min(inside, all + slack), 0);

	d->lo = tape_min(ps->lo, pr->lo + tape_max(inside - most, 0));
	d->hi = tape_min(ps->hi,
			 pr->hi + tape_max(tape_min(inside + x->own_ns, since),
					   0));
}

void tape_delay_receive(const struct tape_transfer *x, double slack,
			const struct tape_delay *ps,
			const struct tape_delay *pr, struct tape_delay *d)
{
	double after = (double)(x->sr_ns - x->s_ns);
	double asked = x->arrived ? INFINITY : x->asked_ns;
	struct tape_delay other;

	/* it had arrived: by the test, or since every transit is shorter */
	if (x->arrived == 1 ||
	    (x->arrived == 2 && after - slack > x->dmax_ns)) {
		bound_arrived(x, asked, slack, ps, pr, d);
		return;
	}
	bound_waited(x, slack, ps, pr, d);
	if (asked <= 0 || after + slack < 0)
		return;
	bound_arrived(x, asked, slack, ps, pr, &other);
	d->lo = tape_min(d->lo, other.lo);
	d->hi = tape_max(d->hi, other.hi);
}

void tape_delay_join(int64_t own_ns, const struct tape_delay *own,
		     int64_t other_ns, const struct tape_delay *other,
		     double slack, struct tape_delay *d)
{
	double after = (double)(other_ns - own_ns);
	double mine = tape_max(after, 0), its = tape_max(-after, 0);

	d->lo = tape_min(own->lo + mine, other->lo + its) - slack;
	d->hi = tape_min(own->hi + mine, other->hi + its) + slack;
	/* despite clock errors it lies between its causes */
	d->lo = tape_max(d->lo, tape_min(own->lo, other->lo));
	d->hi = tape_min(d->hi, tape_max(own->hi, other->hi));
}
