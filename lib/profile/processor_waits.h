/*
 * Waiting without what was waiting for a processor (lib/waits/ready_waits.h):
 * sums by call site, rank, pair and collective. They are found only where that
 * share may be a hundredth of the waiting or more, and where the trace has
 * marks of the processor.
 */
#ifndef STAT_PROCESSOR_WAITS_H
#define STAT_PROCESSOR_WAITS_H

#include <stdio.h>

#include "sums.h"

/* After the causes are found: sets s->has_ready, and the sums of all waits. */
void stats_sum_processor_waits(struct stats *s);

/* Bounds of the waiting of ns without the share ready, ns. */
struct tape_ready stats_without_ready(double ns,
				      const struct tape_ready *ready);

/*
 * Returns 1 if the report leaves that share out: the waiting is a significant
 * part of the time of all ranks (ANSWER_LEAST_SHARE), and the share of it is
 * certainly a quarter or more, or a tenth and known to within half of it.
 */
int stats_is_ready_told(const struct stats *s);

/*
 * "Waiting for a processor was 8.41 to 8.62 s of the 8.90 s of waiting for
 * other ranks"; "": the report does not leave it out. Cut to size.
 */
void stats_ready_text(const struct stats *s, char *text, size_t size);

/* Writes ,"processor_s":[FROM,TO], s; null: not known, or hardly any. */
void stats_print_ready_json(const struct stats *s,
			    const struct tape_ready *ready, FILE *f);

/* "1.20 s"; of bounds that differ "1.20 s to 1.31 s". Returns text. */
const char *stats_bounds_text(const struct tape_ready *r, char *text,
			      size_t size);

#endif
