/* The doors of rare calls; see door.h. */
#include "call_sites.h"
#include "door.h"
#include "flows.h"

static inline struct tape_flow *flow_now(const void *frame)
{
	struct tape_flow *f = tape_current;

	return TAPE_LIKELY(f != NULL) ? f : tape_flow_first(frame);
}

struct tape_door tape_door_here(uint32_t call, const void *address,
				const void *frame)
{
	struct tape_door d = { .flow = flow_now(frame) };

	if (TAPE_LIKELY(d.flow != NULL))
		d.site = tape_site_here(d.flow, call, address);
	return d;
}

struct tape_door tape_door_source(uint32_t call, struct tape_site *s,
				  const void *frame)
{
	struct tape_door d = { .flow = flow_now(frame) };

	if (TAPE_LIKELY(d.flow != NULL))
		d.site = tape_site_source(d.flow, s, call);
	return d;
}
