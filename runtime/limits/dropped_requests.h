/*
 * Numbers of requests where events were dropped (dropped_events.h): the runtime
 * counts all that are created, a trace counts those whose events it has.
 */
#ifndef TAPE_DROPPED_REQUESTS_H
#define TAPE_DROPPED_REQUESTS_H

#include "core.h"

/* Those created since there were this many have no event. 0, or -1: no memory.
 */
int tape_gap_requests(struct tape_flow *f, uint64_t since);

/* How many the trace knows of. */
uint64_t tape_requests_known(const struct tape_flow *f);

/*
 * The number in the trace of the one that thread of the process created as its
 * n-th; 0: not known there. Of another thread that dropped any, none is.
 */
uint64_t tape_request_known(const struct tape_flow *f, uint64_t thread,
			    uint64_t n);

void tape_gap_requests_free(struct tape_flow *f);

#endif
