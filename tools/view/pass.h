/* A pass over one trace (pass.c), and its parts in pass_totals.c. */
#ifndef TAPE_VIEW_PASS_H
#define TAPE_VIEW_PASS_H

#include "replay.h"
#include "view.h"

/* A region that a flow is in. */
struct open_region {
	uint32_t name; /* view_names; 0 unknown */
	int64_t start_ns;
	int64_t inner_ns; /* of regions inside it */
};

struct open_regions {
	struct open_region *r;
	size_t n, room;
	uint64_t over; /* how many have ended */
};

struct view_pass {
	struct view *v;
	struct view_base *b;
	const struct view_window *w;
	int first;	/* it gives all but times, too */
	int64_t now_ns; /* the start of the last event */
	uint64_t *seen; /* by flow: events so far */
	size_t *span;	/* by flow: regions kept so far */
	struct open_regions *stack;
	uint32_t *to, *from; /* by flow: the last message's event */
	/* by flow: the receiving event that waited last, and how long */
	uint64_t *late_event;
	int64_t *late_ns;
	size_t *flow_of_rank; /* its first one */
};

/* A timestamp of e, ns from the first event of the base. */
int64_t pass_time_ns(const struct view_base *b, const struct tape_event *e,
		     int64_t ns);

void pass_add_region(struct view_pass *g, size_t flow,
		     const struct open_region *r, uint32_t depth, int64_t end,
		     uint64_t n);

/* ---- pass_totals.c ---- */

/* Adds to tables: an event of any class, a matched message. */
void pass_add_event(struct view_pass *g, const struct tape_event *e,
		    size_t flow);
void pass_add_message(struct view_pass *g, const struct tape_message *m);

/* The flow of that place; the number of flows if there is none. */
size_t pass_flow_of(const struct view_pass *g, const struct tape_where *p);

/* A mark: a region begins or ends. And at the end of the trace all end. */
void pass_add_mark(struct view_pass *g, const struct tape_event *e, size_t flow,
		   int64_t start, int64_t end);
void pass_end_regions(struct view_pass *g);

#endif
