/*
 * The processor time that a thread gets: lines "processor" of rank.R, written
 * where a chunk ends and where the flow begins and ends, never in an event.
 * What is stored between events: events/processor_marks.h.
 */
#ifndef TAPE_PROCESSOR_H
#define TAPE_PROCESSOR_H

#include "core.h"

/*
 * Reads what the kernel has counted of this thread. Takes some microseconds,
 * on a stack that is large enough. Returns 0, or -1 where it does not tell.
 */
int tape_processor_read(struct tape_processor *p);

/*
 * What the kernel has counted of this thread, which is that of f. Where a chunk
 * ends it is written only when ten milliseconds have passed, else always.
 */
void tape_processor_chunk(struct tape_flow *f);
void tape_processor_sample(struct tape_flow *f);

/* The same, and which processors this process may use: as f begins, ends. */
void tape_processor_border(struct tape_flow *f);

#endif
