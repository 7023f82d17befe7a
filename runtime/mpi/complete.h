/*
 * The calls that complete requests. Each takes copies of the handles before
 * the real call (it overwrites them), asks which receives have arrived where
 * the call may block, and stores one record for the call, then one for each
 * request that it completed.
 */
#ifndef TAPE_COMPLETE_H
#define TAPE_COMPLETE_H

#include "hooks.h"

TAPE_PUT(wait)
TAPE_PUT(test)
TAPE_POLL(test, TEST)
TAPE_PUT(start)
TAPE_PUT(req)
TAPE_PUT(mrecv)
TAPE_PUT(imrecv)

/* Room of the flow for n requests: handles, arrival, statuses. */
struct tape_scratch {
	MPI_Request *handles;
	unsigned char *arrived;
	MPI_Status *statuses;
};

/* Fills s; non-zero: no memory (the call is then not looked into). */
int tape_scratch(struct tape_flow *f, int n, struct tape_scratch *s);

/* Asks whether the active receive has arrived: 0, 1, or 2 if it is none. */
unsigned tape_ask_request(MPI_Request handle);

/* Stores what became of a handle that the call completed. */
void tape_completed(struct tape_flow *f, MPI_Request handle, int rc,
		    const MPI_Status *status, unsigned arrived);

/* Notices completions while nothing is recorded, so that no entry is stale. */
void tape_completed_outside(MPI_Request handle);

#endif
