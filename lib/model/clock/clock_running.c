/*
 * Clocks while the program runs; see clock_running.h. Bounds by messages: Duda
 * et al. 1987; the adjustment: doc/streaming.md, "Clocks".
 */
#include <math.h>
#include <string.h>

#include "clock_running.h"

/* The part of a correction that counts as a correction of the rate. */
static const double rate_part = 0.25;

/* The largest adjustment of a rate; a map accepts less than 1e-3. */
static const double max_steer = 0.9e-3;

void tape_clock_running_advance(struct tape_clock_error *c, double at_ns)
{
	double span = at_ns - c->at_ns;

	if (!(span > 0) || c->reference)
		return;
	c->lo_ns += (c->steered - TAPE_CLOCK_RUNNING_DRIFT) * span;
	c->hi_ns += (c->steered + TAPE_CLOCK_RUNNING_DRIFT) * span;
	c->at_ns = at_ns;
}

/* The sum that the map added to its timestamps from from_ns to at_ns. */
static double steering_since(const struct tape_clock_error *c, double from_ns)
{
	double until = c->at_ns, rate = c->steered, sum = 0;

	if (c->reference || from_ns >= until)
		return 0;
	for (int i = c->turns; i-- && c->turn[i].at_ns > from_ns;) {
		if (c->turn[i].at_ns < until) {
			sum += rate * (until - c->turn[i].at_ns);
			until = c->turn[i].at_ns;
		}
		rate = c->turn[i].before;
	}
	return sum + rate * (until - from_ns);
}

/* Returns 1 if all changes of the rate since from_ns are stored. */
static int is_remembered(const struct tape_clock_error *c, double from_ns)
{
	return c->turns < TAPE_CLOCK_RUNNING_TURNS ||
	       from_ns >= c->turn[0].at_ns;
}

/* The most that the clock drifted from from_ns to at_ns. */
static double max_drift_since(const struct tape_clock_error *c, double from_ns)
{
	return c->reference || from_ns >= c->at_ns
		   ? 0
		   : TAPE_CLOCK_RUNNING_DRIFT * (c->at_ns - from_ns);
}

/*
 * With e the errors, sent - e_a <= received - e_b: so e_b is at most e_a plus
 * the trip. A bound that contradicts the interval is ignored: then the drift is
 * larger than assumed, or a timestamp is wrong.
 */
void tape_clock_running_message(struct tape_clock_error *a,
				struct tape_clock_error *b, double sent_ns,
				double received_ns)
{
	double trip = received_ns - sent_ns, between, drift;
	double hi, lo;

	if (a == b || !is_remembered(a, sent_ns) ||
	    !is_remembered(b, received_ns))
		return;
	tape_clock_running_advance(a, sent_ns);
	tape_clock_running_advance(b, received_ns);
	/* from one interval back to the message, and on to the other */
	drift = max_drift_since(a, sent_ns) + max_drift_since(b, received_ns);
	between = steering_since(b, received_ns) - steering_since(a, sent_ns);
	hi = a->hi_ns + trip + between + drift;
	lo = b->lo_ns - trip - between - drift;
	if (hi < b->hi_ns && hi >= b->lo_ns)
		b->hi_ns = hi;
	if (lo > a->lo_ns && lo <= a->hi_ns)
		a->lo_ns = lo;
}

static void store_rate_change(struct tape_clock_error *c, double at_ns)
{
	if (c->turns == TAPE_CLOCK_RUNNING_TURNS)
		memmove(c->turn, c->turn + 1,
			(size_t)--c->turns * sizeof *c->turn);
	c->turn[c->turns++] = (struct tape_clock_turn){at_ns, c->steered};
}

double tape_clock_running_steer(struct tape_clock_error *c, double from_ns,
				double at_ns, double span_ns)
{
	double middle, step, before = c->steered, past;

	tape_clock_running_advance(c, fmax(from_ns, at_ns));
	past = c->at_ns - from_ns;
	store_rate_change(c, from_ns);
	middle = (c->lo_ns + c->hi_ns) / 2;
	if (c->reference || !isfinite(middle) || !(span_ns > 0)) {
		c->steered = 0;
	} else {
		step = -middle / (span_ns + past);
		c->rate = fmax(fmin(c->rate + rate_part * step, max_steer),
			       -max_steer);
		c->steered = fmax(fmin(c->rate + step, max_steer), -max_steer);
	}
	c->lo_ns += (c->steered - before) * past;
	c->hi_ns += (c->steered - before) * past;
	return c->steered;
}
