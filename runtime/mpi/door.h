/*
 * What the doors of calls that are rare have in common: the flow that records
 * the call, and the number of its call site.
 */
#ifndef TAPE_DOOR_H
#define TAPE_DOOR_H

#include "core.h"

struct tape_door {
	struct tape_flow *flow;
	uint32_t site; /* 0: the call is not recorded */
};

/* By the return address; frame is that of the exported function. */
struct tape_door tape_door_here(uint32_t call, const void *address,
				const void *frame);

/* By the call site that tapepp made. */
struct tape_door tape_door_source(uint32_t call, struct tape_site *s,
				  const void *frame);

#endif
