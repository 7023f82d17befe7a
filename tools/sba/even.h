/*
 * Intervals that hold for even clocks, too, where few messages tell how fast a
 * track may be off: see even.c.
 */
#ifndef SBA_EVEN_H
#define SBA_EVEN_H

#include <stddef.h>

#include "clock_track.h"

/*
 * Widens the interval of t to all straight lines that meet these bounds, if
 * there are any: t is then right for a clock that follows it and for an even
 * one. Dies when out of memory.
 */
void even_widen(struct tape_clock_track *t,
		const struct tape_clock_bound *upper, size_t n_upper,
		const struct tape_clock_bound *lower, size_t n_lower);

#endif
