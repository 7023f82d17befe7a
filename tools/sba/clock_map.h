/* Tracks as lines "clock" of meta: ticks to dates, with their intervals. */
#ifndef SBA_CLOCK_MAP_H
#define SBA_CLOCK_MAP_H

#include "clocks.h"

/*
 * The lines of all clocks, which the caller frees. date_ns: of instant 0. Dates
 * never run backwards where pieces join; intervals are rounded outward, and
 * cover the rounding of the dates. Dies when out of memory.
 */
char *clock_map_text(const struct clocks *k, int64_t date_ns);

#endif
