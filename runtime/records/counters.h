/*
 * Counters of the kernel or PAPI, between two events of a thread and within an
 * event. They are read before the real call, before the tick of its start, and
 * after the call, after the tick of its end. One reading an event would mix the
 * counts of the library and of the program. At a marker, which has no duration,
 * they are read once.
 *
 * Without counters an event calls none of these functions: its wrapper tests
 * for counters and the measured alpha at once (tape_flow.extras).
 */
#ifndef TAPE_COUNTERS_H
#define TAPE_COUNTERS_H

#include <stddef.h>

#include "core.h"

/*
 * Prepares the counters of the settings, and f, the first flow (NULL: none), to
 * read them. Called once, in MPI_Init. An unavailable counter is left out: why
 * then receives a message; otherwise it is empty.
 */
void tape_counters_start(struct tape_flow *f, char *why, size_t n);

/* Defines the counters in rank.R: names, units, and the cost of a reading. */
void tape_counters_define(struct tape_flow *f);

/* Called in its thread when the flow of a thread begins, and when it ends. */
void tape_counters_thread(struct tape_flow *f);
void tape_counters_thread_end(struct tape_flow *f);

/* Called in a forked child: closes the descriptors of its parent. */
void tape_counters_child(struct tape_flow *f);

/* Resets the counters: earlier counts belong to no event. */
void tape_counters_zero(struct tape_flow *f);

/* Just before the real call, and just after it. */
void tape_counters_enter(struct tape_flow *f);
void tape_counters_leave(struct tape_flow *f);

/* Stores and clears counts of the event, or run, just put: there is room. */
void tape_counters_store(struct tape_flow *f, struct tape_count *counts);

/*
 * Counts between these two calls are the tracer's, not the program's. Pauses
 * may be nested.
 */
void tape_counters_pause(struct tape_flow *f);
void tape_counters_resume(struct tape_flow *f);

#endif
