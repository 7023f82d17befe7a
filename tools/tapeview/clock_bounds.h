/* The error bounds of the clocks of a trace in global time, for the page. */
#ifndef TAPE_VIEW_CLOCK_BOUNDS_H
#define TAPE_VIEW_CLOCK_BOUNDS_H

#include <stdio.h>

#include "view.h"

/*
 * Writes ,"clocks":{...} as a member of a JSON object: the clock of each flow
 * and the guaranteed interval of each clock over the run. Writes nothing if no
 * base is in global time, or that base has one clock.
 */
void view_put_clocks(const struct view *v, FILE *f);

#endif
