/*
 * The certificate: between which bounds a perturbation lies, whatever a
 * communication model says.
 *
 * The decision tree (perturb.h) needs a model where the trace does not tell
 * whether a message would have been waited for. But in every leaf of it the
 * perturbation at the end of the receive is between those of its two causes,
 * and grows with both. So an interval can be carried along, with the extremes
 * of what the trace leaves open in place of the model: the transit was
 * anything from 0 to what was seen, or to a bound that somebody vouches for.
 *
 *	d = tape_delay_plus(d, alpha);           within a flow
 *	tape_delay_receive(&x, slack, &ps, &pr, &d);
 *	tape_delay_join(own, &po, other, &pq, slack, &d);
 *
 * The corrected date of an event is t - p; its true one (that of the run
 * without the tracer, for the program that did the same in the same order) is
 * in [t - hi, t - lo], provided that the alphas are what tracing cost, and
 * that the clocks are as good as slack says.
 */
#ifndef TAPE_CERTAIN_H
#define TAPE_CERTAIN_H

#include <math.h>
#include <stdint.h>

struct tape_transfer;

/* fmin and fmax are calls: a number that is none, which they look for, never
 * comes here */
static inline double tape_min(double a, double b)
{
	return a < b ? a : b;
}

static inline double tape_max(double a, double b)
{
	return a > b ? a : b;
}

/* A perturbation, ns: as computed, and between which bounds it is. */
struct tape_delay {
	double p, lo, hi;
};

static inline struct tape_delay tape_delay_plus(struct tape_delay d, double ns)
{
	return (struct tape_delay){ d.p + ns, d.lo + ns, d.hi + ns };
}

/* Dates are within that: their differences are numbers of 64 bits, too. */
#define TAPE_TIMESTAMP_MAX (INT64_MAX / 2)

static inline int64_t tape_timestamp_clamp(int64_t ns)
{
	if (ns > TAPE_TIMESTAMP_MAX)
		return TAPE_TIMESTAMP_MAX;
	return ns < -TAPE_TIMESTAMP_MAX ? -TAPE_TIMESTAMP_MAX : ns;
}

/*
 * The date of what the tracer, or a model that may say anything, made later by
 * p: ns - p, whole ns, within the range of dates.
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
 * from those of ps at S and pr at SR; x->ps, pr, transit_ns and dc_ns are not
 * looked at. x->arrived 2: nobody asked; 0 with asked_ns: either may be.
 *
 *	arrived      ta(ER) = max(ta(SR), ta(S) + transit) + DC
 *	             0 <= transit <= min(dmax, t(SR) - t(S))
 *	             and where it came since it was asked for,
 *	             t(SR) - t(S) - asked <= transit, too
 *	waited for   ta(ER) = max(ta(SR), t(ER) - d - pS) + d
 *	             t(ER) - t(S) - dmax <= d <= t(ER) - max(t(S), t(SR))
 *
 * (Maillet 1996, 4.5, with bounds in place of the model). slack: how far the
 * difference of the dates of both flows may be from the truth, ns;
 * x->own_ns is the same of two dates of the receiver's.
 */
void tape_delay_receive(const struct tape_transfer *x, double slack,
			const struct tape_delay *ps,
			const struct tape_delay *pr, struct tape_delay *d);

/*
 * The same for tape_perturb_join: what follows the later of two starts by a
 * lag that does not depend on the tracer.
 */
void tape_delay_join(int64_t own_ns, const struct tape_delay *own,
		     int64_t other_ns, const struct tape_delay *other,
		     double slack, struct tape_delay *d);

#endif
