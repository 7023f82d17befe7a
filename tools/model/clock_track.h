/*
 * The track of a clock through the whole run: its offset to the reference as a
 * piecewise linear function of time, with a guaranteed interval of the error at
 * each instant. Tape's own: doc/clocks-run.md.
 */
#ifndef TAPE_MODEL_CLOCK_TRACK_H
#define TAPE_MODEL_CLOCK_TRACK_H

#include <stddef.h>

#include "clock.h"

/*
 * A bound: at time ref_ns of the reference the offset (reading of the clock
 * minus that of the reference) is at most, or at least, offset_ns. Each message
 * gives a bound: it cannot arrive before it was sent.
 */
struct tape_clock_bound {
	double ref_ns, offset_ns;
};

/*
 * The offset at one time; offset, lo_ns and hi_ns are linear between knots. The
 * true offset minus offset_ns lies within [lo_ns, hi_ns].
 */
struct tape_clock_knot {
	double ref_ns, offset_ns;
	double lo_ns, hi_ns;
};

struct tape_clock_track {
	size_t n;                     /* at least 2, times ascending */
	struct tape_clock_knot *knot; /* tape_clock_track_free */
	double wander;                /* s/s: assumed difference of the true
				       * rate from that of the track, where
				       * the track shows no larger one */
	int even;                     /* a straight line; -1: unknown */
};

/*
 * Makes the track of a fitted straight line from from_ns to to_ns. Its interval
 * contains all lines that meet the bounds of the rounds, widened by wander (0:
 * the clock is linear) times the distance from the nearest rounds. These are at
 * from_ns and to_ns with two phases, else where the lines are closest. Returns
 * 0, TAPE_ERANGE (to_ns <= from_ns) or TAPE_ENOMEM.
 */
int tape_clock_track_line(const struct tape_clock_fit *fit, double wander,
			  double from_ns, double to_ns,
			  struct tape_clock_track *t);

/*
 * Makes the track that fits upper and lower bounds, in any order (both arrays
 * are sorted). first is an approximation, of which only the line through its
 * ends is used; it may be NULL. The track stays within the guaranteed interval
 * and has at most 4096 knots. The rounds at both ends must be among the bounds:
 * beyond the outermost bounds the interval grows by the largest difference of
 * rates below, or, where a clock was steered, by the range of rates of all
 * windows.
 *
 * The interval rests on three assumptions (doc/clocks-run.md, "Assumptions of
 * the guarantee"): the bounds; a limit of the difference between the true rate
 * and the slope of the track; one direction of movement where windows break or
 * slopes jump by more than 50 ppm.
 *
 * even 1: the track is one straight line if one meets all bounds. Then t->even
 * is 1; it is -1 if the bounds are too few to decide. trip_ns: time of the
 * fastest round, 0: unknown. If most bounds of a non-linear clock leave more
 * than three times trip_ns, the track keeps the line.
 *
 * Returns 0, TAPE_EFEW (no upper or no lower bound), TAPE_ERANGE or
 * TAPE_ENOMEM; t is unchanged on error.
 */
int tape_clock_track_fit(struct tape_clock_bound *upper, size_t n_upper,
			 struct tape_clock_bound *lower, size_t n_lower,
			 const struct tape_clock_track *first, double trip_ns,
			 double wander, int even, double from_ns, double to_ns,
			 struct tape_clock_track *t);

/* The track at a time; outside its ends the first or last piece continues. */
struct tape_clock_knot tape_clock_track_at(const struct tape_clock_track *t,
					   double ref_ns);

/* May be called twice, and for a zeroed track. */
void tape_clock_track_free(struct tape_clock_track *t);

#endif
