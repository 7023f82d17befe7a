/* Draws each clock as an SVG file. */
#ifndef SBA_PLOT_H
#define SBA_PLOT_H

#include "message_bounds.h"

/*
 * Writes clock.N.svg into the directory, which is created if necessary, for
 * each clock N with a track. b: the stored messages, or NULL. Dies when a file
 * cannot be written.
 */
void plot_clocks(const struct clocks *k, struct bounds *b,
		 const char *directory);

#endif
