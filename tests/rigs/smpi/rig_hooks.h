/*
 * Before the hooks: what a call completes, in whichever of them, takes time; so
 * does what it starts, as the reader counts it.
 */
#ifndef RIG_HOOKS_H
#define RIG_HOOKS_H

#include "completion.h"
#include "request.h"

static inline void completed(struct tape_flow *f, MPI_Request handle,
			     const struct tape_before *b, int rc,
			     const MPI_Status *status, unsigned arrived)
{
	rig_done();
	tape_record_completed(f, handle, b, rc, status, arrived);
}
#define tape_record_completed completed

static inline int activated(uintptr_t handle, uint64_t *number)
{
	rig_done();
	return tape_request_activate(handle, number);
}
#define tape_request_activate activated

#endif
