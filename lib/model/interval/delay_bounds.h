/*
 * The certificate: bounds of a perturbation that hold for every communication
 * model. Tape's own, from Maillet 1996, 4.5: doc/perturbation.md, "The
 * certificate", derives it.
 *
 * The decision tree (perturb.h) needs a model if the trace does not show
 * whether the receive would have waited. In every leaf the perturbation at the
 * end of the receive lies between those of its two causes and grows with both.
 * So an interval can replace the model: the transit is anything from 0 to the
 * observed time, or to a bound that the user guarantees.
 *
 *	d = tape_delay_plus(d, alpha);           within a flow
 *	tape_delay_receive(&x, slack, &ps, &pr, &d);
 *	tape_delay_join(own, &po, other, &pq, slack, &d);
 *
 * The corrected timestamp of an event is t - p. Its true timestamp (in a run
 * without the tracer that does the same in the same order) is in
 * [t - hi, t - lo] if the alphas are the cost of tracing and the clocks are as
 * accurate as slack.
 */
#ifndef TAPE_CERTAIN_H
#define TAPE_CERTAIN_H

#include <math.h>
#include <stdint.h>

struct tape_transfer;

/* Faster than fmin and fmax, which are calls that test for NAN: no NAN occurs
 * here. */
static inline double tape_min(double a, double b)
{
	return a < b ? a : b;
}

static inline double tape_max(double a, double b)
{
	return a > b ? a : b;
}

/* A perturbation, ns: its estimate p and its bounds. */
struct tape_delay {
	double p, lo, hi;
};

static inline struct tape_delay tape_delay_plus(struct tape_delay d, double ns)
{
	return (struct tape_delay){ d.p + ns, d.lo + ns, d.hi + ns };
}

/* Timestamps are within this limit, so their differences fit 64 bits. */
#define TAPE_TIMESTAMP_MAX (INT64_MAX / 2)

static inline int64_t tape_timestamp_clamp(int64_t ns)
{
	if (ns > TAPE_TIMESTAMP_MAX)
		return TAPE_TIMESTAMP_MAX;
	return ns < -TAPE_TIMESTAMP_MAX ? -TAPE_TIMESTAMP_MAX : ns;
}

/*
 * Subtracts the perturbation p, which may have any value, from a timestamp:
 * ns - p in whole ns, within TAPE_TIMESTAMP_MAX.
 */
static inline int64_t tape_timestamp_minus(int64_t ns, double p)
{
	static const double most = 4.6e18; /* less than 2^62 */

	if (!(p >= -most && p <= most))
		p = p > 0 ? most : -most;
	return tape_timestamp_clamp(tape_timestamp_clamp(ns) - llrint(p));
}

/*
 * Sets the bounds of d at the end of the receive x of an asynchronous message
 * from those of ps at S and pr at SR. Ignores x->ps, pr, transit_ns and dc_ns.
 * x->arrived 2: arrival was not tested; 0 with asked_ns: it may have arrived
 * since the test.
 *
 *	arrived      ta(ER) = max(ta(SR), ta(S) + transit) + DC
 *	             0 <= transit <= min(dmax, t(SR) - t(S))
 *	             and if it arrived after the test, also
 *	             t(SR) - t(S) - asked <= transit
 *	waited for   ta(ER) = max(ta(SR), t(ER) - d - pS) + d
 *	             t(ER) - t(S) - dmax <= d <= t(ER) - max(t(S), t(SR))
 *
 * (Maillet 1996, 4.5, with bounds in place of the model). slack: the largest
 * error of a difference of timestamps of both flows, ns; x->own_ns is that of
 * two timestamps of the receiver.
 */
void tape_delay_receive(const struct tape_transfer *x, double slack,
			const struct tape_delay *ps,
			const struct tape_delay *pr, struct tape_delay *d);

/*
 * The same for tape_perturb_join: the bounds of an end that follows the later
 * of two starts by a lag that does not depend on the tracer (Maillet 1996,
 * 4.4).
 */
void tape_delay_join(int64_t own_ns, const struct tape_delay *own,
		     int64_t other_ns, const struct tape_delay *other,
		     double slack, struct tape_delay *d);

#endif
