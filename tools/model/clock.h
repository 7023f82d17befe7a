/*
 * Offset and drift of one clock against a reference, from rounds of messages
 * (Maillet 1996, 3.2 to 3.4), kept within the hard bounds of every round.
 *
 *	struct tape_clock_fit fit;
 *
 *	if (!tape_clock_fit(rounds, n, &fit))
 *		offset = tape_clock_offset(&fit, ref_ns);
 *
 * Dates are ns of each clock, relative to an origin of that clock of their own:
 * a double holds a difference of days to the hundredth of a ns, an absolute
 * date only to 256 ns. All memory is the caller's.
 */
#ifndef TAPE_MODEL_CLOCK_H
#define TAPE_MODEL_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "bounds.h"

/*
 * One round, two messages: sent by the reference at s_ref, received at r_j;
 * sent by j at s_j, received by the reference at r_ref. Either may come first:
 * the question or the answer. Whatever the network did, the offset j - ref is
 * at least s_j - r_ref at r_ref, and at most r_j - s_ref at s_ref.
 */
struct tape_clock_round {
	double s_ref, r_j, s_j, r_ref;
	int after; /* phase: 0 before the run, 1 after it */
};

/*
 * s/s. A clock that runs by more than a thousandth too fast or slow is broken:
 * two clocks drift by no more than twice that from each other, and what samples
 * say is supposed to be within it, where anything is.
 */
#define TAPE_CLOCK_MOST_DRIFT 1e-3

/* How the line is found. All but the default are there to be compared with. */
enum tape_clock_estimator {
	/* least squares on the middles of the rounds, weighted by how much
	 * their trips exceed the least one of the phase */
	TAPE_CLOCK_DEFAULT,
	/* the round of least trip of each phase, interpolated: the rule of
	 * Score-P (Doleschal et al., 2008) and TAU */
	TAPE_CLOCK_TWO_POINT,
	/* least squares on both messages of each round (3.4 to 3.8; Haddad) */
	TAPE_CLOCK_HADDAD,
	/* least squares on the middles of the rounds (3.9; Dunigan 1992), less
	 * those whose residuals are far from their rolling median (3.4.4) */
	TAPE_CLOCK_DUNIGAN,
	/* least squares on the middles of the 1% of least trip */
	TAPE_CLOCK_LEAST_TRIP,
	/* the middle between the tightest bounds of each phase */
	TAPE_CLOCK_HULL,
	TAPE_CLOCK_ESTIMATORS
};

struct tape_clock_fit {
	double offset_ns;   /* of j at ref = 0 (the origins taken apart) */
	double drift;       /* s/s: j = ref + offset + drift ref */
	/* half widths, 95%, Student; of the rounds kept (3.11, 3.12), as if
	 * they were n_effective independent ones, and no less than what the
	 * trips of the rounds of both phases say of their load. If these are
	 * too few, or say nothing of the drift, what the bounds leave open,
	 * which may be infinite. A route that is always slower one way is not
	 * in them */
	double offset_ci_ns, drift_ci;
	double n_effective;
	double durbin_watson; /* of the residuals kept: 2, no correlation */
	double resid_ns;    /* standard deviation of the residuals kept */
	double least_trip_ns;
	size_t kept, rejected;
	int phases;         /* 1: extrapolated from one end */
	int bounded;        /* 0: no line meets the bounds of all rounds */
	/* those that meet every bound; with a drift of a thousandth at most, if
	 * there are such */
	struct tape_lines lines;
};

/*
 * Fits n rounds, in any order, in O(n log n). Where lines meet all the bounds,
 * the fitted one is one of them. With both phases a drift that is known to no
 * better than 100 ppm, and may be within 100 ppm, is 0. Without one of the
 * phases the drift is that within the other, if that says anything: an interval
 * with 0 in it, or one wider than 100 ppm, does not, and then the drift is 0,
 * or as near to that as the bounds allow. fit is untouched on error. Returns 0,
 * TAPE_EFEW (fewer than three rounds), TAPE_ESPREAD (all at one instant),
 * TAPE_ERANGE (a date that is no number) or TAPE_ENOMEM.
 */
int tape_clock_fit(const struct tape_clock_round *rounds, size_t n,
		   struct tape_clock_fit *fit);

/* The same by one of the estimators; only the default heeds the bounds. */
int tape_clock_fit_by(const struct tape_clock_round *rounds, size_t n,
		      enum tape_clock_estimator estimator,
		      struct tape_clock_fit *fit);

/* The offset at ref_ns by the fit. */
double tape_clock_offset(const struct tape_clock_fit *fit, double ref_ns);

/*
 * The guaranteed interval of (true offset - fitted offset) at ref_ns, from
 * every line that meets the bounds. Infinite where nothing bounds it.
 */
void tape_clock_guarantee(const struct tape_clock_fit *fit, double ref_ns,
			  double *lo_ns, double *hi_ns);

#endif
