/*
 * Intervals that also hold for linear clocks if few messages determine the rate
 * error of a track; see linear_bounds.c.
 */
#ifndef SBA_LINEAR_BOUNDS_H
#define SBA_LINEAR_BOUNDS_H

#include <stddef.h>

#include "clock_track.h"

/*
 * Widens the interval of t to all straight lines that meet these bounds, if
 * there are any: it then holds for a clock that follows t and for a linear
 * clock. Dies when out of memory.
 */
void linear_bounds_widen(struct tape_clock_track *t,
			 const struct tape_clock_bound *upper, size_t n_upper,
			 const struct tape_clock_bound *lower, size_t n_lower);

#endif
