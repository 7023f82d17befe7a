/*
 * The processor time that a thread gets: lines "processor" of rank.R, written
 * where a chunk ends and where the flow begins and ends, never in an event.
 */
#ifndef TAPE_PROCESSOR_H
#define TAPE_PROCESSOR_H

#include "core.h"

/*
 * What the kernel has counted of this thread, which is that of f. Where a chunk
 * ends it is written only when ten milliseconds have passed, else always.
 */
void tape_processor_chunk(struct tape_flow *f);
void tape_processor_sample(struct tape_flow *f);

/* The same, and which processors this process may use: as f begins, ends. */
void tape_processor_border(struct tape_flow *f);

#endif
