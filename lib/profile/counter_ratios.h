/*
 * Why ranks computed slowly, by counters of the processor: cycles per
 * instruction, and cache misses per thousand instructions, of these ranks
 * beside all others. Sums of what was counted outside of calls
 * (counter_sums.h).
 */
#ifndef STAT_COUNTER_RATIOS_H
#define STAT_COUNTER_RATIOS_H

#include <stdio.h>

#include "sums.h"

/*
 * Of these n ranks, which are in order: " (2.10 cycles per instruction, the
 * others 0.80; 12.00 cache misses per 1000 instructions, the others 1.00)"; ""
 * where the counters are not in the trace, of these or of the others. Cut to
 * size; returns text.
 */
const char *stats_counters_text(const struct stats *s, const int *rank,
				size_t n, char *text, size_t size);

/*
 * Writes ,"counters":{"cycles_per_instruction":[2.1,0.8],
 * "cache_misses_per_1000_instructions":[...]}, of these and of the others, each
 * only where it is known; null: none is.
 */
void stats_print_counters_json(const struct stats *s, const int *rank,
			       size_t n, FILE *f);

#endif
