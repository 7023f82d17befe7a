/*
 * Shares of time by group of calls, in bins of equal width: what a page shows
 * where it has no single events. The width doubles when the run turns out to be
 * longer, so that memory does not grow with it. Counters lie in bins, too.
 */
#ifndef TAPE_VIEW_BINS_H
#define TAPE_VIEW_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "groups.h"
#include "column.h"

struct view_bins {
	size_t flows, kinds, n; /* n bins of each flow and kind; even */
	unsigned shift;         /* a bin is 1 << shift ns wide */
	float *sum;             /* by flow, kind, bin */
};

/* With at most so many bins of each flow and kind. */
void view_bins_open(struct view_bins *b, size_t flows, size_t kinds,
		    size_t fine);
void view_bins_free(struct view_bins *b);

/*
 * Spreads an amount evenly from start to end, ns, 0 <= start; of no length: at
 * that moment.
 */
void view_bins_spread(struct view_bins *b, size_t flow, size_t kind,
		      int64_t start_ns, int64_t end_ns, double amount);

/* The same of the time itself; kind is the group of a call, less 1. */
void view_bins_add_time(struct view_bins *b, size_t flow, enum view_group g,
			int64_t start_ns, int64_t end_ns);

static inline float view_bins_at(const struct view_bins *b, size_t flow,
				 size_t kind, size_t i)
{
	return b->sum[(flow * b->kinds + kind) * b->n + i];
}

/* How many bins a run of that length has. */
size_t view_bins_used(const struct view_bins *b, int64_t length_ns);

/*
 * The first used bins, a byte each, by flow and kind: the share of the bin in
 * parts of 255, at least 1 where there is any.
 */
void view_bins_write(const struct view_bins *b, size_t used,
		     struct view_column *s);

#endif
