/*
 * PAPI, where it is installed and asked for: loaded when tracing begins, so
 * that libtape-mpi does not depend on it. Each thread has event sets of its
 * own, one for each component of PAPI that its events belong to.
 *
 * PAPI opens descriptors in the program. They are given high numbers, closed
 * on exec and in forked children; and before PAPI reads from them they are
 * looked at, since the program may have closed them and opened its own.
 */
#ifndef TAPE_PAPI_EVENTS_H
#define TAPE_PAPI_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "record.h"

struct tape_papi;

/* One event set of a thread. */
struct tape_papi_set {
	int set, component;
	uint32_t n;                        /* events in it */
	uint32_t to[TAPE_COUNTERS_MAX];    /* where their values go */
};

struct tape_papi_thread {
	uint32_t n_sets, n_fds;
	struct tape_papi_set sets[TAPE_COUNTERS_MAX];
	int fds[TAPE_COUNTERS_MAX];        /* that PAPI opened for it */
};

/* Loads PAPI. NULL where that fails: why receives the reason (n bytes). */
struct tape_papi *tape_papi_load(char *why, size_t n);

/*
 * Adds the event of that name; its value will be number n_events of what
 * tape_papi_read delivers. Returns 0, or -1 with the reason in why: the name
 * is not known, or it cannot be counted together with those added before.
 * Tried in the calling thread, of which nothing is left behind.
 */
int tape_papi_add(struct tape_papi *p, const char *name, char *why, size_t n);

uint32_t tape_papi_events(const struct tape_papi *p);

/* The unit of an event, "count" where PAPI does not say. */
const char *tape_papi_unit(const struct tape_papi *p, uint32_t event);

/*
 * Starts counting in the calling thread. Returns 0 or -1. No other thread may
 * be in this or in tape_papi_stop meanwhile.
 */
int tape_papi_start(const struct tape_papi *p, struct tape_papi_thread *t);

/* Ends it there. */
void tape_papi_stop(const struct tape_papi *p, struct tape_papi_thread *t);

/*
 * Reads all events of the calling thread into values, by their numbers. 0, or
 * -1 when they cannot be read any more: values and errno are as before, and
 * the thread's counters have been given up.
 */
int tape_papi_read(const struct tape_papi *p, struct tape_papi_thread *t,
		   int64_t *values);

/* In a forked child: closes the descriptors of its parent's thread. */
void tape_papi_child(struct tape_papi_thread *t);

#endif
