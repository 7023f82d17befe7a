/*
 * stream_full = drop: where there is no room events are not kept. They are
 * recorded as ever, but into memory that nobody looks at, and counted; then,
 * with room, the flow goes on. In the trace the gap is between a mark off, at
 * the end of the last event before it, and a mark on, at the end of the last
 * one in it. The end of the flow says how many are lost.
 *
 * The chunk in the file stays open meanwhile, and its end as it was, for the
 * end of the flow.
 */
#ifndef TAPE_DROPPED_EVENTS_H
#define TAPE_DROPPED_EVENTS_H

#include "core.h"

/*
 * Nothing is kept from here on; the open chunk is full. Returns 0, or -1: no
 * memory.
 */
int tape_gap_begin(struct tape_flow *f);

/* There is no room yet: more of the same. */
void tape_gap_continue(struct tape_flow *f);

/*
 * There is room: the open chunk is the one in the file again, which is full.
 * What is put into the next one begins with tape_gap_put_marks.
 */
void tape_gap_leave(struct tape_flow *f);
void tape_gap_put_marks(struct tape_flow *f);

/* After tape_gap_leave: the flow ends in the chunk that is in the file. */
void tape_gap_discard(struct tape_flow *f);

/* The flow ends: leaves the gap, if it is in one. */
void tape_gap_end(struct tape_flow *f, int ours);

#endif
