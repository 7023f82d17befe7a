/*
 * The call that a flow is in: of a process that still runs, hangs or was killed
 * (doc/trace-format.md).
 *
 *	while (tape_flow_next(f, &e) == 1)
 *		;
 *	if (tape_flow_call_in_progress(f, &c))
 *		printf("%s\n", tape_call_name(c.call));
 *
 * Flows that ended, traces of a format before 5, and of a trace that
 * tape_follow.h reads the flows of which more may come, have none.
 */
#ifndef TAPE_READER_CALL_IN_PROGRESS_H
#define TAPE_READER_CALL_IN_PROGRESS_H

#include "tape_reader.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Ranks are those of the communicator, as the program passed them: the trace is
 * untrusted, so they may be out of its range. Fields that the class of the call
 * does not have are 0, peer and root -1.
 */
struct tape_call_in_progress {
	uint32_t site;        /* in the rank's sites */
	uint16_t call;        /* enum tape_call */
	uint16_t class_;      /* enum tape_class */
	uint64_t start_tick;  /* at least the end of the last event */
	int64_t start_ns;     /* in the trace's base */
	int32_t peer, tag;    /* of a message; peer: root of a collective */
	int32_t rpeer, rtag;  /* of the receive of a sendrecv */
	uint32_t comm;        /* of the rank; 0: not known */
	uint64_t bytes;       /* of a send, 0: not known */
	uint64_t elements;    /* of a collective, 0: none or not known */
	uint32_t n;           /* requests of a wait */
	/* numbers of the first requests that the wait found incomplete */
	uint32_t n_requests;
	uint64_t requests[TAPE_CALL_REQUESTS_MAX];
	/* as it is in the file, for tape_call_is_current */
	uint64_t slot;        /* offset of the slot in the flow */
	unsigned char stored[TAPE_CALL_BYTES];
};

/*
 * Once tape_flow_next has returned 0: returns 1 and sets *c if the flow is in a
 * call that may block; else 0.
 */
int tape_flow_call_in_progress(const struct tape_flow *f,
			       struct tape_call_in_progress *c);

/*
 * Reads the end of that flow of t again: returns 1 if c, which it had before,
 * is still in progress and nothing was recorded since; else 0.
 */
int tape_call_is_current(struct tape_trace *t, size_t flow,
			 const struct tape_call_in_progress *c);

/* The same of a flow that is open and has been read to its end. */
int tape_flow_call_is_current(struct tape_flow *f,
			      const struct tape_call_in_progress *c);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
