/* How well the clocks of a trace in global time are known, for the page. */
#ifndef TAPE_VIEW_CLOCK_BOUNDS_H
#define TAPE_VIEW_CLOCK_BOUNDS_H

#include <stdio.h>

#include "view.h"

/*
 * ,"clocks":{...} as a member of a JSON object: of the base in global time, if
 * there is one and it has several clocks, the clock of each rank and the
 * guaranteed interval of each clock over the run.
 */
void view_put_clocks(const struct view *v, FILE *f);

#endif
