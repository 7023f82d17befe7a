/*
 * What each flow did in each region, calls and regions inside included, for the
 * efficiency of regions. A region within itself counts once.
 */
#ifndef STAT_REGION_SUMS_H
#define STAT_REGION_SUMS_H

#include "sums.h"

struct stats_regions;

/* Adds to s->regions, until stats_regions_close frees it. s outlives it. */
struct stats_regions *stats_regions_new(struct stats *s);

/* f, the end of an event that is in the sums of its flow already. */
void stats_regions_add_event(struct stats_regions *r,
			     const struct tape_found *f);

/* After the last event: what is open still ends with its flow. */
void stats_regions_close(struct stats_regions *r);

#endif
