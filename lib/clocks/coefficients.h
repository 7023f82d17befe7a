/*
 * Coefficients of clocks in a file, for other runs on the same machines until
 * the next boot: a text of lines of words,
 *
 *	tape-clocks 1
 *	reference NAME
 *	clock NAME TICK REFERENCE RATIO LO HI RATIO_LO RATIO_HI
 *
 * NAME is that of a clock domain, escaped as in meta; it contains the boot. At
 * tick REFERENCE of the reference the clock showed TICK, within LO to HI ns. It
 * makes RATIO ticks for each tick of the reference; the true ratio is within
 * [RATIO + RATIO_LO, RATIO + RATIO_HI].
 */
#ifndef SBA_COEFFICIENTS_H
#define SBA_COEFFICIENTS_H

#include "clocks.h"

/* Writes the placed clocks to file, or dies. */
void coefficients_save(const struct clocks *k, const char *file);

/*
 * Sets the line of each clock that the trace samples at one end only (the drift
 * of the file) or not at all (also its offset). Returns the age of the used
 * coefficients, s. Dies if the file is of another boot or older than limit_s.
 */
double coefficients_load(struct clocks *k, const char *file, double limit_s);

#endif
