/* Counters of a process and of its flows; see counters.h. */
#ifndef TAPE_COUNTING_H
#define TAPE_COUNTING_H

#include <stdint.h>

#include "papi_events.h"
#include "record.h"

/* The counters of this process; the same for all of its threads. */
struct tape_counters {
	uint32_t n;
	/* of each: which of the values that are read, see counters.c */
	uint32_t value[TAPE_COUNTERS_MAX];
	uint32_t cpu, rusage;     /* is that to be read? */
	struct tape_papi *papi;   /* NULL: not in use */
};

/* Counters of a flow. n is 0 if it has none. */
struct tape_counting {
	uint32_t n;
	int64_t last[TAPE_COUNTERS_MAX];   /* the last reading */
	int64_t so_far[TAPE_COUNTERS_MAX]; /* since that, where it pauses */
	uint32_t pauses;		   /* one within the other */
	struct tape_count event[TAPE_COUNTERS_MAX]; /* in progress */
	struct tape_count run[TAPE_COUNTERS_MAX];   /* pending failed tests */
	struct tape_papi_thread papi;
};

#endif
