/* A pass over one trace (pass.c), and its parts in pass_totals.c. */
#ifndef TAPE_VIEW_PASS_H
#define TAPE_VIEW_PASS_H

#include "replay.h"
#include "view.h"

/* A region that is open in a flow. */
struct open_region {
	uint32_t name; /* number in view_names; 0: unknown */
	int64_t start_ns;
	int64_t inner_ns; /* time of the regions inside it */
};

struct open_regions {
	struct open_region *r; /* the innermost region last */
	size_t n, room;
	uint64_t over; /* number of regions that have ended */
};

struct view_pass {
	struct view *v;
	struct view_base *b;
	const struct view_window *w;
	int first;	/* the pass also collects totals and columns */
	int64_t now_ns; /* start of the latest event */
	uint64_t *seen; /* by flow: events so far */
	size_t *span;	/* by flow: single regions so far */
	struct open_regions *stack; /* by flow */
	uint32_t *to, *from;	    /* by flow: event of the previous message */
	size_t *flow_of_rank; /* first flow of each rank */
};

/*
 * Converts the timestamp ns of e to ns from the first event of the base. The
 * first event that is converted defines the origin.
 */
int64_t pass_time_ns(const struct view_base *b, const struct tape_event *e,
		     int64_t ns);

/*
 * Adds a region that ended at end, if it is a single one. n: its number in the
 * flow, by end.
 */
void pass_add_region(struct view_pass *g, size_t flow,
		     const struct open_region *r, uint32_t depth, int64_t end,
		     uint64_t n);

/* ---- pass_totals.c ---- */

/* Add to the tables: an event of any class; a matched message. */
void pass_add_event(struct view_pass *g, const struct tape_event *e,
		    size_t flow);
void pass_add_message(struct view_pass *g, const struct tape_message *m);

/* Returns the flow of p, or the number of flows if the trace lacks it. */
size_t pass_flow_of(const struct view_pass *g, const struct tape_where *p);

/*
 * Handles a marker event: a region begins or ends. pass_end_regions() ends all
 * open regions at the end of the trace.
 */
void pass_add_mark(struct view_pass *g, const struct tape_event *e, size_t flow,
		   int64_t start, int64_t end);
void pass_end_regions(struct view_pass *g);

#endif
