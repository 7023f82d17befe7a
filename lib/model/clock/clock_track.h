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

/* The track at a time; outside its ends the first or last piece continues. */
struct tape_clock_knot tape_clock_track_at(const struct tape_clock_track *t,
					   double ref_ns);

/* May be called twice, and for a zeroed track. */
void tape_clock_track_free(struct tape_clock_track *t);

#endif
