/*
 * stream_full = drop: while the stream is full, events are counted and written
 * to a scratch chunk that is discarded. Recording resumes when space is
 * available. In the trace a gap lies between a marker off, at the end of the
 * last event before it, and a marker on, at the end of the last event in it.
 * The end record of the flow counts the dropped events.
 *
 * During a gap the chunk in the file stays open and unchanged, so that the flow
 * can end there.
 */
#ifndef TAPE_DROPPED_EVENTS_H
#define TAPE_DROPPED_EVENTS_H

#include "core.h"

/*
 * Begins a gap: events are dropped from now on. The open chunk is full. Returns
 * 0, or -1 without memory.
 */
int tape_gap_begin(struct tape_flow *f);

/* Continues the gap: the stream is still full. */
void tape_gap_continue(struct tape_flow *f);

/*
 * Called when the stream has space again. tape_gap_leave makes the chunk in the
 * file, which is full, the open chunk. tape_gap_put_marks puts the first
 * records into the next chunk: they end the gap.
 */
void tape_gap_leave(struct tape_flow *f);
void tape_gap_put_marks(struct tape_flow *f);

/* After tape_gap_leave: frees the gap. */
void tape_gap_discard(struct tape_flow *f);

/*
 * Called at the end of the flow: leaves the gap, if there is one. ours: no
 * other thread can be in the flow.
 */
void tape_gap_end(struct tape_flow *f, int ours);

#endif
