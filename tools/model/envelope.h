/*
 * How wrong a track can be: the guaranteed interval between the knots of a
 * piecewise linear estimate, from hard bounds and from what a clock can do.
 */
#ifndef TAPE_MODEL_ENVELOPE_H
#define TAPE_MODEL_ENVELOPE_H

#include "strip.h"
#include "track.h"

/*
 * Fills in lo_ns and hi_ns of t's knots. Of the n - 1 pieces, zone[i] says
 * which ones are not free-running, rate[i] how wrong the slope can be (s/s).
 * slopes: the least and the most that the offset rose
 * by anywhere in the run, as it is supposed to do before the first and after
 * the last bound. Bounds ascending, in the same terms as the knots. Returns 0
 * or TAPE_ENOMEM.
 */
int tape_envelope(struct tape_clock_track *t, const unsigned char *zone,
		  const double *rate, const double *slopes,
		  const struct tape_strip_bounds *s);

#endif
