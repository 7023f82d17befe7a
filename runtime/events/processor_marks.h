/*
 * Marks of the processor: events that have what the kernel has counted of the
 * thread so far. They stand where a call that may block begins after a long
 * time outside of calls, and where such a call ends that was long, so that one
 * long piece lies between two of them. Such calls, and all calls of PVM,
 * compare a tick at both ends; others do nothing. A mark stands before a call
 * that begins, or after one that is recorded: the times of a flow do not go
 * back.
 */
#ifndef TAPE_PROCESSOR_MARKS_H
#define TAPE_PROCESSOR_MARKS_H

#include "core.h"

/*
 * A call begins at tick, not before f->mark_due: puts a mark if the last event
 * ended long ago, or the last mark is old. What this takes becomes part of the
 * alpha before the call. Returns the tick of now, where the call begins.
 */
TAPE_COLD uint64_t tape_processor_begin(struct tape_flow *f, uint64_t tick);

/*
 * The same of a call that has been recorded: puts a mark if it was long. None
 * where counters are on, or each alpha is measured.
 */
TAPE_COLD void tape_processor_end(struct tape_flow *f, uint64_t start,
				  uint64_t end);

/* Puts a mark now. Its own time is the alpha after it. */
TAPE_COLD void tape_processor_mark(struct tape_flow *f);

/* The same at tick, from which on the next event has all time as its alpha. */
TAPE_COLD void tape_processor_mark_at(struct tape_flow *f, uint64_t tick);

#define TAPE_MARK_SOON_TICKS 65536u

/* The tick at which a call begins: at tick, or after a mark. */
static inline TAPE_ALWAYS uint64_t tape_processor_due(struct tape_flow *f,
						      uint64_t tick)
{
	return TAPE_UNLIKELY(tick >= f->mark_due)
		   ? tape_processor_begin(f, tick)
		   : tick;
}

/*
 * The same of a call that tests for a message from tick on, before it begins.
 * It asks a little earlier, so that the call itself has nothing to ask.
 */
static inline TAPE_ALWAYS uint64_t
tape_processor_due_soon(struct tape_flow *f, uint64_t tick)
{
	return TAPE_UNLIKELY(tick + TAPE_MARK_SOON_TICKS >= f->mark_due)
		   ? tape_processor_begin(f, tick)
		   : tick;
}

#endif
