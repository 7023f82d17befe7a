/*
 * Intervals that hold for even clocks, too, where few messages tell how fast a
 * track may be off: see linear_bounds.c.
 */
#ifndef SBA_LINEAR_BOUNDS_H
#define SBA_LINEAR_BOUNDS_H

#include <stddef.h>

#include "clock_track.h"

/*
 * Widens the interval of t to all straight lines that meet these bounds, if
 * there are any: t is then right for a clock that follows it and for an even
 * one. Dies when out of memory.
 */
void linear_bounds_widen(struct tape_clock_track *t,
			 const struct tape_clock_bound *upper, size_t n_upper,
			 const struct tape_clock_bound *lower, size_t n_lower);

#endif
