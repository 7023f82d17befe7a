/*
 * How wrong a track can be: the guaranteed interval between the knots of a
 * piecewise linear estimate, from hard bounds and from what a clock can do.
 */
#ifndef TAPE_MODEL_ENVELOPE_H
#define TAPE_MODEL_ENVELOPE_H

#include "corridor.h"
#include "clock_track.h"

/* What is known of the rate of the offset in a piece of a track, s/s. */
struct tape_envelope_rate {
	double wrong;       /* the slope of the track may be off by that */
	double least, most; /* it rises by that where it is free-running */
};

/* No clock is further off than that. */
#define TAPE_ENVELOPE_STEEPEST 2e-3

/*
 * Fills in lo_ns and hi_ns of t's knots. Of the n - 1 pieces, zone[i] says
 * which ones are not free-running. Before the first and after the last bound
 * of all the rate is one of those anywhere in the run. Bounds ascending, in
 * the same terms as the knots. Returns 0 or TAPE_ENOMEM.
 */
int tape_envelope(struct tape_clock_track *t, int is_free,
		  const unsigned char *zone,
		  const struct tape_envelope_rate *rate,
		  const struct tape_corridor_bounds *s);

#endif
