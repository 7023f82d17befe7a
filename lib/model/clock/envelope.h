/*
 * The guaranteed interval of a track, from hard bounds and from the limits of
 * what a clock can do. Tape's own: doc/clocks-run.md, "Assumptions of the
 * guarantee".
 */
#ifndef TAPE_MODEL_ENVELOPE_H
#define TAPE_MODEL_ENVELOPE_H

#include "corridor.h"
#include "clock_track.h"

/* The rate of the offset in a piece of a track, s/s. */
struct tape_envelope_rate {
	double wrong;       /* largest error of the slope of the track */
	double least, most; /* range of the rate while free-running */
};

/* The largest rate of any clock, s/s. */
#define TAPE_ENVELOPE_STEEPEST 2e-3

/*
 * Sets lo_ns and hi_ns of the knots of t. zone[i] is 1 if the clock was not
 * free-running in piece i of n - 1. Before the first and after the last bound
 * the rate is in the range of all pieces. s: bounds with ascending times,
 * relative to the same line as the knots. Returns 0 or TAPE_ENOMEM.
 */
int tape_envelope(struct tape_clock_track *t, int is_free,
		  const unsigned char *zone,
		  const struct tape_envelope_rate *rate,
		  const struct tape_corridor_bounds *s);

#endif
