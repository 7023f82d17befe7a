/*
 * Support of the calls that complete requests. Such a call copies the handles
 * before the real call, which overwrites them. If the call may block, the
 * wrapper first probes which messages have arrived. It stores one record for
 * the call, then one record for each completed request.
 */
#ifndef TAPE_COMPLETION_H
#define TAPE_COMPLETION_H

#include "request.h"

/*
 * The request of a handle before the call that may complete it. With several
 * threads the handle may belong to another thread's request when the call
 * returns, so the request is looked up before the call; else after it.
 */
struct tape_before {
	struct tape_request r;
	enum { TAPE_FIND_LATER, TAPE_UNKNOWN, TAPE_KNOWN } state;
};

/*
 * Memory of the flow for n requests: handles, arrival, statuses, and the
 * requests before the call (NULL if they are looked up after it).
 */
struct tape_scratch {
	MPI_Request *handles;
	unsigned char *arrived;
	MPI_Status *statuses;
	struct tape_before *before;
};

/* State of a call about requests, from before the real call until after it. */
struct tape_waited {
	MPI_Request handle;	     /* of its only request */
	struct tape_before before;   /* of that handle */
	struct tape_scratch all;     /* of several requests, if known is set */
	struct tape_request request; /* freed, queried, or a message */
	unsigned arrived;
	int known;
};

/* Fills s. Non-zero: no memory; the call's requests are then not recorded. */
int tape_scratch(struct tape_flow *f, int n, struct tape_scratch *s);

/*
 * Returns 1 if the active receive of handle has arrived, 0 if not, and 2 if
 * handle is no active receive.
 */
unsigned tape_probe_request(MPI_Request handle);

/* Looks up a handle before the real call. */
void tape_find_before(MPI_Request handle, struct tape_before *b);

static inline TAPE_ALWAYS void tape_before(MPI_Request handle,
					   struct tape_before *b)
{
	b->state = TAPE_FIND_LATER;
	if (TAPE_UNLIKELY(tape_process.many_threads))
		tape_find_before(handle, b);
}

/*
 * Removes a completed request: stores in *q what b, or the table if b is NULL,
 * has of it. Returns 0 if the request is unknown.
 */
int tape_take_completed(MPI_Request handle, const struct tape_before *b,
			struct tape_request *q);

/* As tape_take_completed for a freed request, also a persistent one. */
int tape_take_freed(MPI_Request handle, const struct tape_before *b,
		    struct tape_request *q);

/* Stores the record of a handle that the call completed. */
void tape_record_completed(struct tape_flow *f, MPI_Request handle,
			   const struct tape_before *b, int rc,
			   const MPI_Status *status, unsigned arrived);

/* Removes a request that was completed while nothing is recorded. */
void tape_forget_completed(MPI_Request handle, const struct tape_before *b);

#endif
