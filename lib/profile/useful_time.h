/*
 * Useful time of flows: the time outside of calls without waiting for a
 * processor, for the efficiency of runs with more ranks than processors
 * (lib/model/statistics/efficiency.h). How long a flow waited is known within
 * bounds, from its marks of the processor (outside_time.h).
 */
#ifndef STAT_USEFUL_TIME_H
#define STAT_USEFUL_TIME_H

#include "sums.h"

/* Returns 1 if ranks waited for processors (stat_contention_text). */
int stats_is_shared(const struct stats *s);

/*
 * Useful time of a flow, ns, at least and at most, from the bounds of what it
 * computes. Without marks nothing is known: from 0 to all that it computes.
 */
void stats_useful_bounds(const struct stats *s, size_t flow, double *least,
			 double *most);

/*
 * The same of a part of the flow's time, ns: use is its record of s->within, or
 * NULL: without marks. It computes for ns, for low at least and high at most.
 */
void stats_bound_useful(const struct stats_outside *use, double ns, double low,
			double high, double *least, double *most);

#endif
