/* A delay, as delay.h finds it. */
#ifndef TAPE_DELAY_ENTRY_H
#define TAPE_DELAY_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "processor_use.h"

/* Waiting of others that an activity of a flow caused, ns over all of them. */
struct tape_delay {
	size_t flow;
	uint32_t activity;
	double direct_ns; /* waiting of calls that waited for this flow */
	/* waiting of calls that waited for a flow which this one, directly or
	 * through others, had made late */
	double spread_ns;
	/* of both together: waiting that would not have been if each of the
	 * two flows had had a processor of its own (ready_waits.h) */
	struct tape_ready ready;
};

#endif
