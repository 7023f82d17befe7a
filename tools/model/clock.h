/*
 * Offset and drift of one clock against a reference, from rounds of messages:
 * Dunigan's regression with residuals filtered per phase, weighted by round
 * trip, kept within the hard bounds of every round (Maillet 1996, 3.2 to 3.4).
 *
 * Dates are ns of each clock; all are given relative to an origin of their
 * own clock, so that they are small enough for a double.
 */
#ifndef TAPE_MODEL_CLOCK_H
#define TAPE_MODEL_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/*
 * One round: sent at s_ref, received at r_j, answered at s_j, received at
 * r_ref. Whatever the network did, the offset j - ref is within
 * [s_j - r_ref, r_j - s_ref] during the round.
 */
struct tape_clock_round {
	double s_ref, r_j, s_j, r_ref;
	int after; /* phase: 0 before the run, 1 after it */
};

struct tape_clock_fit {
	double offset_ns;   /* of j at ref = 0 (the origins taken apart) */
	double drift;       /* s/s: j = ref + offset + drift ref */
	double offset_ci_ns, drift_ci; /* half widths, 95%, Student t(N-2) */
	double resid_ns;    /* standard deviation of the residuals kept */
	double least_trip_ns;
	size_t kept, rejected;
	int phases;         /* 1: extrapolated from one end */
	int bounded;        /* 0: no line meets the bounds of all rounds */
	/* lines that meet every bound: corners of their region */
	size_t n_corners;
	struct {
		double a, b;
	} corner[64];
};

/*
 * Fits n rounds. fit is untouched on error. Returns 0, TAPE_EFEW (fewer than
 * three rounds), TAPE_ESPREAD (all at one instant) or TAPE_ENOMEM.
 */
int tape_clock_fit(const struct tape_clock_round *rounds, size_t n,
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
