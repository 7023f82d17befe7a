/* The columns of single events, except their times. */
#ifndef TAPE_VIEW_DETAILS_H
#define TAPE_VIEW_DETAILS_H

#include "view.h"

/* Returns the bytes that a call sends and receives; 0: it has none. */
uint64_t view_bytes_of(const struct tape_event *e);

/* Returns 1 if e is a block that stands for skipped events. */
static inline int view_is_skipped(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_BLOCK &&
	       (e->u.block.kind == TAPE_BLOCK_SKIPPED ||
		e->u.block.kind == TAPE_BLOCK_REPEATED);
}

/* Returns the call of a block of skipped calls; 0: unknown. */
unsigned view_call_of_block(const struct tape_trace *t,
			    const struct tape_event *e);

/* Adds the columns of e, a call or a block, to f. */
void view_add_details(const struct view *v, const struct tape_trace *t,
		      struct view_flow *f, const struct tape_event *e);

#endif
