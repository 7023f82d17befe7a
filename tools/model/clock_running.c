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

/* What was added to its dates from then to at_ns. */
static double added(const struct tape_clock_error *c, double from_ns)
{
	if (c->reference || from_ns >= c->at_ns)
		return 0;
	if (from_ns >= c->since_ns)
		return c->steered * (c->at_ns - from_ns);
	return c->steered * (c->at_ns - c->since_ns) +
	       c->before * (c->since_ns - from_ns);
}

/* And what it may have drifted. */
static double drifted(const struct tape_clock_error *c, double from_ns)
{
	return c->reference || from_ns >= c->at_ns
		   ? 0
		   : TAPE_CLOCK_RUNNING_DRIFT * (c->at_ns - from_ns);
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
	double trip = received_ns - sent_ns, between, drift;
	double hi, lo;

	if (a == b)
		return;
	tape_clock_running_to(a, sent_ns);
	tape_clock_running_to(b, received_ns);
	/* from what is known of one back to the message, and on to the other */
	drift = drifted(a, sent_ns) + drifted(b, received_ns);
	between = added(b, received_ns) - added(a, sent_ns);
	hi = a->hi_ns + trip + between + drift;
	lo = b->lo_ns - trip - between - drift;
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
	c->before = c->steered;
	c->since_ns = c->at_ns;
	middle = (c->lo_ns + c->hi_ns) / 2;
	if (c->reference || !isfinite(middle) || !(span_ns > 0))
		return c->steered = 0;
	step = -middle / span_ns;
	c->rate = fmax(fmin(c->rate + again * step, most), -most);
	c->steered = fmax(fmin(c->rate + step, most), -most);
	return c->steered;
}
