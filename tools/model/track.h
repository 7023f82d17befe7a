/*
 * A clock through the whole run: its offset to the reference as a piecewise
 * linear function of time, and how wrong that can be at most at each instant.
 */
#ifndef TAPE_MODEL_TRACK_H
#define TAPE_MODEL_TRACK_H

#include <stddef.h>

#include "clock.h"

/*
 * At date ref_ns of the reference the offset (reading of the clock less that
 * of the reference) is at most, or at least, offset_ns. A message gives one: it
 * cannot arrive before it was sent.
 */
struct tape_clock_bound {
	double ref_ns, offset_ns;
};

/*
 * The offset at one date, linear from there to the next knot's. The true offset
 * less offset_ns lies within [lo_ns, hi_ns], which are linear in between, too.
 */
struct tape_clock_knot {
	double ref_ns, offset_ns;
	double lo_ns, hi_ns;
};

struct tape_clock_track {
	size_t n;                     /* at least 2, dates ascending */
	struct tape_clock_knot *knot; /* tape_clock_track_free */
	double wander;                /* s/s: the rate is supposed to differ by
				       * no more from that of the track */
};

/*
 * The track of a fitted straight line from from_ns to to_ns. Its interval holds
 * all lines that meet the rounds' bounds, widened by wander for the time from
 * the nearest rounds. Returns 0, TAPE_ERANGE (to_ns <= from_ns) or TAPE_ENOMEM.
 */
int tape_clock_straight(const struct tape_clock_fit *fit, double wander,
			double from_ns, double to_ns,
			struct tape_clock_track *t);

/*
 * The track that follows the bounds: upper and lower ones, in any order (both
 * arrays are sorted by it). first is a first approximation of the whole, at
 * least as good as the drift of a straight line; it may be NULL. The track never
 * leaves the guaranteed interval.
 * Returns 0, TAPE_EFEW (no bound on one of the sides), TAPE_ERANGE or
 * TAPE_ENOMEM; t is untouched on error.
 */
int tape_clock_follow(struct tape_clock_bound *upper, size_t n_upper,
		      struct tape_clock_bound *lower, size_t n_lower,
		      const struct tape_clock_track *first, double wander,
		      double from_ns, double to_ns,
		      struct tape_clock_track *t);

/* The track at a date: beyond its ends, as the first or last piece goes on. */
struct tape_clock_knot tape_clock_at(const struct tape_clock_track *t,
				     double ref_ns);

/* May be called twice, and for a track of zeroes. */
void tape_clock_track_free(struct tape_clock_track *t);

#endif
