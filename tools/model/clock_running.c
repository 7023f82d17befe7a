/* Clocks while the program runs; see clock_running.h. */
#include <math.h>

#include "clock_running.h"

/* Part of a correction that is taken for one of the clock's rate. */
static const double again = 0.25;

/* The most that dates are made faster or slower. */
static const double most = 1e-3;

void tape_clock_running_to(struct tape_clock_error *c, double at_ns)
{
	double span = at_ns - c->at_ns;

	if (!(span > 0) || c->reference)
		return;
	c->lo_ns += (c->steered - TAPE_CLOCK_RUNNING_DRIFT) * span;
	c->hi_ns += (c->steered + TAPE_CLOCK_RUNNING_DRIFT) * span;
	c->at_ns = at_ns;
}

/*
 * With e the errors, sent - e_a <= received - e_b: so e_b is no more than the
 * trip above e_a. What contradicts is left: then the supposition was wrong, or
 * the dates are.
 */
void tape_clock_running_message(struct tape_clock_error *a,
				struct tape_clock_error *b, double sent_ns,
				double received_ns)
{
	double trip = received_ns - sent_ns;
	double hi, lo;

	if (a == b)
		return;
	tape_clock_running_to(a, sent_ns);
	tape_clock_running_to(b, received_ns);
	hi = a->hi_ns + trip;
	lo = b->lo_ns - trip;
	if (hi < b->hi_ns && hi >= b->lo_ns)
		b->hi_ns = hi;
	if (lo > a->lo_ns && lo <= a->hi_ns)
		a->lo_ns = lo;
}

double tape_clock_running_steer(struct tape_clock_error *c, double at_ns,
				double span_ns)
{
	double middle, step;

	tape_clock_running_to(c, at_ns);
	middle = (c->lo_ns + c->hi_ns) / 2;
	if (c->reference || !isfinite(middle) || !(span_ns > 0))
		return c->steered = 0;
	step = -middle / span_ns;
	c->rate = fmax(fmin(c->rate + again * step, most), -most);
	c->steered = fmax(fmin(c->rate + step, most), -most);
	return c->steered;
}
