/*
 * Shares of time by group of calls, in bins of equal width: what a page shows
 * where it has no single events. The width doubles when the run turns out to be
 * longer, so that memory does not grow with it.
 */
#ifndef TAPE_VIEW_BINS_H
#define TAPE_VIEW_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "groups.h"
#include "stream.h"

struct view_bins {
	size_t flows, n; /* bins of each flow and group; n is even */
	unsigned shift;  /* a bin is 1 << shift ns wide */
	float *ns;       /* by flow, group (VIEW_SEND .. VIEW_WAITING), bin */
};

void view_bins_open(struct view_bins *b, size_t flows);
void view_bins_free(struct view_bins *b);

/* The flow was in a call of that group from start to end, ns, 0 <= start. */
void view_bins_add(struct view_bins *b, size_t flow, enum view_group g,
		   int64_t start_ns, int64_t end_ns);

/* How many bins a run of that length has. */
size_t view_bins_used(const struct view_bins *b, int64_t length_ns);

/*
 * The first used bins, a byte each, by flow and group: the share of the bin in
 * parts of 255, at least 1 where there is any.
 */
void view_bins_write(const struct view_bins *b, size_t used,
		     struct view_stream *s);

#endif
