/* A delay, as delay.h finds it. */
#ifndef TAPE_DELAY_ENTRY_H
#define TAPE_DELAY_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* Waiting of others that an activity of a flow caused, ns over all of them. */
struct tape_delay {
	size_t flow;
	uint32_t activity;
	double direct_ns; /* in calls that waited for this flow */
	double spread_ns; /* in those that waited for these, and so on */
};

#endif
