/* What was counted, by region and flow, while a trace is read. */
#ifndef STAT_COUNTER_SUMS_H
#define STAT_COUNTER_SUMS_H

#include "sums.h"

/* The last event of a flow: what comes until the next one is its program's. */
struct stats_counting {
	int64_t end_ns;
	double alpha_ns; /* after it; of that constants */
	double constant_ns;
	int begun; /* there was one, and tracing is on */
};

/* An event of a rank with counters, whose flow was in region so far; 0: none */
void stats_count_event(struct stats *s, struct stats_counting *c,
		       const struct tape_event *e, uint32_t region);

#endif
