/*
 * Shares of time by group of calls, in bins of equal width. A page shows them
 * where it has no single events. The width doubles when an event lies beyond
 * the last bin, so memory does not grow with the run. Counters use bins, too.
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

/* Opens bins, at most fine of each flow and kind. Dies when out of memory. */
void view_bins_open(struct view_bins *b, size_t flows, size_t kinds,
		    size_t fine);
void view_bins_free(struct view_bins *b);

/*
 * Spreads an amount evenly from start to end, ns, 0 <= start. If they are
 * equal, adds the amount to one bin.
 */
void view_bins_spread(struct view_bins *b, size_t flow, size_t kind,
		      int64_t start_ns, int64_t end_ns, double amount);

/* Adds the time from start to end to a group of calls. */
void view_bins_add_time(struct view_bins *b, size_t flow, enum view_group g,
			int64_t start_ns, int64_t end_ns);

static inline float view_bins_at(const struct view_bins *b, size_t flow,
				 size_t kind, size_t i)
{
	return b->sum[(flow * b->kinds + kind) * b->n + i];
}

/* Returns the number of bins that a run of that length needs. */
size_t view_bins_used(const struct view_bins *b, int64_t length_ns);

/*
 * Appends the first used bins to s, a byte each, by flow and kind: the share of
 * the bin's width in units of 1/255, at least 1 unless it is 0.
 */
void view_bins_write(const struct view_bins *b, size_t used,
		     struct view_column *s);

#endif
