/*
 * Whether a figure can be true, before it is printed. One that cannot is a
 * fault of Tape, or the trace was changed: a sentence stands in its place.
 */
#ifndef STAT_FIGURE_CHECKS_H
#define STAT_FIGURE_CHECKS_H

#include <stddef.h>

#include "efficiency.h"

/*
 * Returns 1 if value lies between from and to, which is to be so for a figure
 * and its guaranteed interval. A difference of 1, or of 1e-9 of the value, is
 * rounding: for times in ns.
 */
int figure_is_within(double value, double from, double to);

/*
 * Returns 1 if the known factors are between 0 and 1, and those with bounds
 * between these. A bound that is NAN is not known; from, to: NULL where there
 * are none.
 */
int figure_factors_hold(const struct tape_efficiency *e,
			const struct tape_efficiency *from,
			const struct tape_efficiency *to);

/*
 * Writes "Internal error: WHAT. Please report it, with the trace", cut to size.
 */
void figure_error_text(const char *what, char *text, size_t size);

#endif
