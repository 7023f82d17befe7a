/*
 * Counters over time, by counter and flow, in bins (bins.h). A count is the
 * difference of two readings; it is spread evenly between them.
 */
#ifndef TAPE_VIEW_CURVES_H
#define TAPE_VIEW_CURVES_H

#include "bins.h"
#include "tape_reader.h"

struct view_curve {
	const struct tape_counter_info
	    *info;	       /* of the first rank that has it */
	double most;           /* the highest rate of a bin, per ns */
};

struct view_curves {
	size_t n;
	struct view_curve *curve;
	uint32_t (*of_rank)[TAPE_COUNTERS_MAX]; /* by rank, counter: curve */
	int64_t *read_ns;      /* by flow: time of the last reading */
	struct view_bins bins; /* kind: the counter */
};

/* If no rank has counters, no bins are allocated. */
void view_curves_open(struct view_curves *c, const struct tape_trace *t);
void view_curves_free(struct view_curves *c);

/* Adds the counts of e, of any class, from start to end. */
void view_curves_add(struct view_curves *c, const struct tape_event *e,
		     size_t flow, int64_t start_ns, int64_t end_ns);

/*
 * Appends a byte for each counter, flow and used bin: the rate in units of
 * 1/255 of the counter's highest rate. Sets the highest rate (most).
 */
void view_curves_write(struct view_curves *c, size_t used,
		       struct view_column *s);

#endif
