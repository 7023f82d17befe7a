/*
 * Causes of waiting: what made ranks late, all ranks that did the same taken
 * together. The sum of all causes and of tape_delays.rest_ns is the waiting of
 * all ranks (delay.h), since what a rank waited because another one waited is
 * charged to what made the first of them late.
 */
#ifndef TAPE_CAUSES_H
#define TAPE_CAUSES_H

#include "delay.h"

struct tape_cause {
	uint32_t activity; /* what the late ranks did (activities.h) */
	double ns;	   /* waiting of all ranks that this caused */
	size_t flow;	   /* the one that caused most of that */
};

/*
 * The causes, the one that caused most first: *n of them, which the caller
 * frees. NULL: out of memory.
 */
struct tape_cause *tape_causes_list(const struct tape_delays *d, size_t *n);

/* Adds to by_flow[i] what flow i caused by that activity, ns. */
void tape_cause_add_flows(const struct tape_delays *d, uint32_t activity,
			  double *by_flow);

/*
 * The call in which most time was waited for ranks that were late by that
 * activity, not through other ranks. 0: none.
 */
uint32_t tape_cause_waiting_call(const struct tape_delays *d,
				 uint32_t activity);

#endif
