/*
 * Fits the track of a clock to bounds of its offset. Tape's own:
 * doc/clocks-run.md.
 */
#ifndef TAPE_MODEL_CLOCK_TRACK_FIT_H
#define TAPE_MODEL_CLOCK_TRACK_FIT_H

#include <stddef.h>

#include "clock_track.h"

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

#endif
