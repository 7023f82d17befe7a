/* Tracks as lines "clock" of meta: a map from ticks to timestamps. */
#ifndef SBA_CLOCK_MAP_H
#define SBA_CLOCK_MAP_H

#include "clocks.h"

/*
 * The lines of all clocks; the caller frees the text. date_ns: timestamp of
 * instant 0. Timestamps never decrease where pieces join. Intervals are rounded
 * outward and cover the rounding of timestamps. Dies when out of memory.
 */
char *clock_map_text(const struct clocks *k, int64_t date_ns);

#endif
