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
#include <stdint.h>

#include "papi_events.h"
#include "record.h"

struct tape_flow;

/* The counters of this process; the same for all of its threads. */
struct tape_counters {
	uint32_t n;
	/* of each: which of the values that are read, see counters.c */
	uint32_t value[TAPE_COUNTERS_MAX];
	uint32_t cpu, rusage;     /* is that to be read? */
	struct tape_papi *papi;   /* NULL: not in use */
};

/* What a flow keeps of them. n is 0 while it has none. */
struct tape_counting {
	uint32_t n;
	int64_t last[TAPE_COUNTERS_MAX];   /* the last reading */
	int64_t paused[TAPE_COUNTERS_MAX]; /* that at tape_counters_pause */
	struct tape_count event[TAPE_COUNTERS_MAX]; /* under way */
	struct tape_count run[TAPE_COUNTERS_MAX];   /* pending failed tests */
	struct tape_papi_thread papi;
};

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

/* Stores what the last event counted, or adds it to the pending run. */
void tape_counters_put(struct tape_flow *f);

/* A run has just been put, with room to spare: stores what it counted. */
void tape_counters_put_run(struct tape_flow *f);

/* Between these two the tracer works, too much to be called the program's. */
void tape_counters_pause(struct tape_flow *f);
void tape_counters_resume(struct tape_flow *f);

#endif
