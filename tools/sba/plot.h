/* A picture of each clock, as SVG. */
#ifndef SBA_PLOT_H
#define SBA_PLOT_H

#include "message_bounds.h"

/*
 * Writes clock.N.svg into the directory, which is made if it is not there, for
 * each clock N that has a track. b: the messages that were kept, or NULL. Dies
 * when a file cannot be written.
 */
void plot_clocks(const struct clocks *k, struct bounds *b,
		 const char *directory);

#endif
