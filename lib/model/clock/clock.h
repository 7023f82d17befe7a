/*
 * Offset and drift of one clock relative to a reference, from rounds of
 * messages (Maillet 1996, 3.2 to 3.4), within the hard bounds of every round.
 * doc/clocks.md derives what is Tape's own.
 *
 *	struct tape_clock_fit fit;
 *
 *	if (!tape_clock_fit(rounds, n, &fit))
 *		offset = tape_clock_offset(&fit, ref_ns);
 *
 * Timestamps are ns of each clock since an origin of that clock: a double holds
 * a difference of days to the hundredth of a ns, an absolute timestamp only to
 * 256 ns. All memory is the caller's.
 */
#ifndef TAPE_MODEL_CLOCK_H
#define TAPE_MODEL_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "bounds.h"

/*
 * One round of two messages: sent by the reference at s_ref, received at r_j;
 * sent by j at s_j, received by the reference at r_ref. Either message may be
 * the first. For any delays in the network the offset j - ref is at least
 * s_j - r_ref at r_ref, and at most r_j - s_ref at s_ref.
 */
struct tape_clock_round {
	double s_ref, r_j, s_j, r_ref;
	int after; /* phase: 0 before the run, 1 after it */
};

/*
 * The largest drift, s/s. A clock that is further off is broken; two clocks
 * drift apart by at most twice this. Fits stay within it if any line does.
 */
#define TAPE_CLOCK_MOST_DRIFT 1e-3

/* How the line is found. The other estimators exist for comparison. */
enum tape_clock_estimator {
	/* least squares on the middles of the rounds, weighted by how much
	 * their round-trip times exceed the minimum of the phase */
	TAPE_CLOCK_DEFAULT,
	/* the fastest round of each phase, interpolated: the rule of
	 * Score-P (Doleschal et al., 2008) and TAU */
	TAPE_CLOCK_TWO_POINT,
	/* least squares on both messages of each round (3.4 to 3.8; Haddad) */
	TAPE_CLOCK_HADDAD,
	/* least squares on the middles of the rounds (3.9; Dunigan 1992), less
	 * those whose residuals are far from their rolling median (3.4.4) */
	TAPE_CLOCK_DUNIGAN,
	/* least squares on the middles of the fastest 1% */
	TAPE_CLOCK_LEAST_TRIP,
	/* the middle between the tightest bounds of each phase */
	TAPE_CLOCK_HULL,
	TAPE_CLOCK_ESTIMATORS
};

struct tape_clock_fit {
	double offset_ns;   /* of j at ref = 0, between both origins */
	double drift;       /* s/s: j = ref + offset + drift ref */
	/* half widths, 95%, Student; of the rounds used (3.11, 3.12), as
	 * n_effective independent rounds, and at least the error that the
	 * round-trip times of both phases indicate. With too few rounds, or
	 * an undetermined drift, the width of the bounds, which may be
	 * infinite. They do not cover a route that is always slower one way */
	double offset_ci_ns, drift_ci;
	double n_effective;
	double durbin_watson; /* of the residuals used: 2, no correlation */
	double resid_ns;    /* standard deviation of the residuals used */
	double least_trip_ns;
	size_t kept, rejected;
	int phases;         /* 1: extrapolated from one end */
	int bounded;        /* 0: no line meets the bounds of all rounds */
	/* the lines that meet every bound; with a drift of at most
	 * TAPE_CLOCK_MOST_DRIFT if there are any */
	struct tape_lines lines;
};

/*
 * Fits n rounds, in any order, in O(n log n). If lines meet all the bounds, the
 * result is one of them. With both phases, the drift is 0 if its interval is
 * wider than 100 ppm and contains values within 100 ppm. With one phase, the
 * drift is that within the phase. If its interval contains 0 or is wider than
 * 100 ppm, the drift is 0, or as near to 0 as the bounds allow. fit is
 * unchanged on error. Returns 0, TAPE_EFEW (fewer than three rounds),
 * TAPE_ESPREAD (all at one instant), TAPE_ERANGE (a timestamp is not finite) or
 * TAPE_ENOMEM.
 */
int tape_clock_fit(const struct tape_clock_round *rounds, size_t n,
		   struct tape_clock_fit *fit);

/* The same by one estimator; only the default stays within the bounds. */
int tape_clock_fit_by(const struct tape_clock_round *rounds, size_t n,
		      enum tape_clock_estimator estimator,
		      struct tape_clock_fit *fit);

/* The fitted offset at ref_ns, ns. */
double tape_clock_offset(const struct tape_clock_fit *fit, double ref_ns);

/*
 * The guaranteed interval of (true offset - fitted offset) at ref_ns: the range
 * of all lines that meet the bounds. Infinite without bounds.
 */
void tape_clock_guarantee(const struct tape_clock_fit *fit, double ref_ns,
			  double *lo_ns, double *hi_ns);

#endif
