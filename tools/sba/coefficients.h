/*
 * What was found of clocks, kept for other runs on the same machines before
 * they are booted again: a text of lines of words,
 *
 *	tape-clocks 1
 *	reference NAME
 *	clock NAME TICK REFERENCE RATIO LO HI RATIO_LO RATIO_HI
 *
 * NAME is a clock domain's, escaped as in meta: it holds the boot. At tick
 * REFERENCE of the reference the clock stood at TICK, give or take LO to HI ns;
 * it makes RATIO ticks for each one of the reference, truly within [RATIO +
 * RATIO_LO, RATIO + RATIO_HI].
 */
#ifndef SBA_COEFFICIENTS_H
#define SBA_COEFFICIENTS_H

#include "clocks.h"

/* Writes file, or dies; clocks that are not placed are left out. */
void coefficients_save(const struct clocks *k, const char *file);

/*
 * Gives a line to each clock that the trace samples at one end only (the
 * file's drift) or not at all (its offset, too). Returns the age of what was
 * used, s; dies where the file is of another boot, or older than limit_s.
 */
double coefficients_load(struct clocks *k, const char *file, double limit_s);

#endif
