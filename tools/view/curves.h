/*
 * What counters counted, over time: by counter and flow, in bins (bins.h). A
 * count lies evenly between the two readings that it is the difference of.
 */
#ifndef TAPE_VIEW_CURVES_H
#define TAPE_VIEW_CURVES_H

#include "bins.h"
#include "tape_reader.h"

struct view_curve {
	const struct tape_counter_info *info; /* of the first rank with it */
	double most;           /* the highest rate of a bin, per ns */
};

struct view_curves {
	size_t n;
	struct view_curve *curve;
	uint32_t (*of_rank)[TAPE_COUNTERS_MAX]; /* a rank's counters in ours */
	int64_t *read_ns;      /* by flow: when they were read last */
	struct view_bins bins; /* kind: the counter */
};

/* Does nothing but that where no rank has counters. */
void view_curves_open(struct view_curves *c, const struct tape_trace *t);
void view_curves_free(struct view_curves *c);

/* Adds the counts of e, of any class, from start to end. */
void view_curves_add(struct view_curves *c, const struct tape_event *e,
		     size_t flow, int64_t start_ns, int64_t end_ns);

/*
 * By counter, flow and the first used bins a byte each: the rate in parts of
 * 255 of the counter's most, which this sets.
 */
void view_curves_write(struct view_curves *c, size_t used,
		       struct view_column *s);

#endif
