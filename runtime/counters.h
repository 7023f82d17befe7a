/*
 * Counters: what the kernel or PAPI counted between two events of a thread,
 * and within one. They are read just before the real call, ahead of the tick
 * of its start, and just after it, behind the tick of its end: one reading an
 * event would mix what the library did with what the program did. At a mark,
 * which has no inside, they are read once.
 *
 * Where no counter is wanted, an event does not come here at all: its wrapper
 * asks for that and for the measured alpha in one go (tape_flow.extras).
 */
#ifndef TAPE_COUNTERS_H
#define TAPE_COUNTERS_H

#include <stddef.h>

#include "core.h"

/*
 * Gets the counters of the settings ready, and f, the first flow, to read
 * them; NULL where this process has none. A counter that cannot be had is left
 * out: why receives the sentence, else it is empty. Once, in MPI_Init.
 */
void tape_counters_start(struct tape_flow *f, char *why, size_t n);

/* Defines them in rank.R: their names, units, and what reading them counts. */
void tape_counters_define(struct tape_flow *f);

/* A thread's flow begins, and ends; both in that thread. */
void tape_counters_thread(struct tape_flow *f);
void tape_counters_thread_end(struct tape_flow *f);

/* In a forked child: closes what its parent has open. */
void tape_counters_child(struct tape_flow *f);

/* From here on it is counted: what was before belongs to no event. */
void tape_counters_zero(struct tape_flow *f);

/* Just before the real call, and just after it. */
void tape_counters_enter(struct tape_flow *f);
void tape_counters_leave(struct tape_flow *f);

/* Stores and clears counts of the event, or run, just put: there is room. */
void tape_counters_store(struct tape_flow *f, struct tape_count *counts);

/*
 * Between these two the tracer works, too much to be called the program's; such
 * pieces of work may be within each other.
 */
void tape_counters_pause(struct tape_flow *f);
void tape_counters_resume(struct tape_flow *f);

#endif
