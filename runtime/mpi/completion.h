/*
 * The calls that complete requests. Each takes copies of the handles before
 * the real call (it overwrites them), asks which receives have arrived where
 * the call may block, and stores one record for the call, then one for each
 * request that it completed.
 */
#ifndef TAPE_COMPLETION_H
#define TAPE_COMPLETION_H

#include "request.h"

/*
 * What was known of a handle before the call that may complete its request.
 * Where several threads make calls the handle may be another thread's when the
 * call returns, so it is asked about ahead; else there is time afterwards.
 */
struct tape_before {
	struct tape_request r;
	enum { TAPE_FIND_LATER, TAPE_UNKNOWN, TAPE_KNOWN } state;
};

/*
 * Room of the flow for n requests: handles, arrival, statuses, and what was
 * known of them (NULL where that is asked later).
 */
struct tape_scratch {
	MPI_Request *handles;
	unsigned char *arrived;
	MPI_Status *statuses;
	struct tape_before *before;
};

/* What is kept of a call about requests from before it until after it. */
struct tape_waited {
	MPI_Request handle;	     /* of its one request */
	struct tape_before before;   /* what was known of that */
	struct tape_scratch all;     /* of many requests, if known is set */
	struct tape_request request; /* freed, asked about, or a message */
	unsigned arrived;
	int known;
};

/* Fills s; non-zero: no memory (the call is then not looked into). */
int tape_scratch(struct tape_flow *f, int n, struct tape_scratch *s);

/* Asks whether the active receive has arrived: 0, 1, or 2 if it is none. */
unsigned tape_probe_request(MPI_Request handle);

/* Asks about a handle ahead of the real call. */
void tape_find_before(MPI_Request handle, struct tape_before *b);

static inline TAPE_ALWAYS void tape_before(MPI_Request handle,
					   struct tape_before *b)
{
	b->state = TAPE_FIND_LATER;
	if (TAPE_UNLIKELY(tape_process.many_threads))
		tape_find_before(handle, b);
}

/*
 * What b, or the table now (b may be NULL), knows of a request that is
 * complete; it is forgotten. Returns 0 when nothing is known.
 */
int tape_take_completed(MPI_Request handle, const struct tape_before *b,
			struct tape_request *q);

/* The same for one that is freed, also when it is persistent. */
int tape_take_freed(MPI_Request handle, const struct tape_before *b,
		    struct tape_request *q);

/* Stores what became of a handle that the call completed. */
void tape_record_completed(struct tape_flow *f, MPI_Request handle,
			   const struct tape_before *b, int rc,
			   const MPI_Status *status, unsigned arrived);

/* Notices completions while nothing is recorded, so that no entry is stale. */
void tape_forget_completed(MPI_Request handle, const struct tape_before *b);

#endif
