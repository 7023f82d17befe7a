/*
 * One flow of a trace that is played: its event in progress, the regions that
 * it is in, the requests that the event is about.
 */
#ifndef TAPE_FLOW_CURSOR_H
#define TAPE_FLOW_CURSOR_H

#include "messages.h"
#include "ops.h"
#include "tape_reader.h"

/* A request that the event in progress is about, as it was before. */
struct tape_asked {
	const struct tape_request *r;
	int active;
};

struct tape_flow_cursor {
	struct tape_flow *from;
	const struct tape_event *e; /* in progress, or next; NULL: it is over */
	uint64_t events;	      /* so far, with that one */
	enum tape_thread_order order; /* of its rank's calls */
	int begun, played;	      /* has it begun, have its operations? */
	int mark;		      /* it begins and ends, and that is all */
	int waits, forced;
	struct tape_op *ops;
	int n_ops;
	uint32_t *region; /* open, the outermost first */
	size_t n_regions, regions_room;
	struct tape_asked *asked;
	size_t n_asked, asked_room;
};

/* Takes the next event: 1, 0 at its end or where it is damaged, TAPE_ENOMEM. */
int tape_cursor_fetch(struct tape_flow_cursor *l);

/* Closes the flow and frees what is in l, but not l. */
void tape_cursor_close(struct tape_flow_cursor *l);

/* A region begins. Returns 0 or TAPE_ENOMEM. */
int tape_cursor_enter_region(struct tape_flow_cursor *l, uint32_t region);

/* Ends the innermost of that name and what is open within; none: nothing. */
void tape_cursor_leave_region(struct tape_flow_cursor *l, uint32_t region);

/* The innermost region; 0: none. */
static inline uint32_t tape_cursor_region(const struct tape_flow_cursor *l)
{
	return l->n_regions ? l->region[l->n_regions - 1] : 0;
}

/*
 * Records the state of the requests that the event changes, before it does.
 * Returns 0 or TAPE_ENOMEM.
 */
int tape_cursor_record_requests(struct tape_flow_cursor *l,
				struct tape_messages *m);

#endif
