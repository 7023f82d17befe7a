/*
 * OTF2's records of calls on windows: one-sided operations and their
 * completions, collective calls, groups, locks.
 */
#ifndef T2OTF2_OTF2_RMA_H
#define T2OTF2_OTF2_RMA_H

#include "definitions.h"

struct otf2_rma;

/*
 * Defines the window and the group of a call. Called with each call of all
 * ranks before any event is written, because the definitions depend on them.
 */
void rma_define(struct definitions *d, const struct tape_step *s);

/*
 * The state of one rank. t and d outlive it; the caller frees. Dies when out of
 * memory.
 */
struct otf2_rma *rma_new(const struct tape_trace *t, struct definitions *d);
void rma_free(struct otf2_rma *r);

/* Write the records of a call: of operations that begin, with its start time;
 * of operations that end, with its end time. */
OTF2_ErrorCode rma_begin(struct otf2_rma *r, OTF2_EvtWriter *w,
			 const struct tape_step *s);
OTF2_ErrorCode rma_end(struct otf2_rma *r, OTF2_EvtWriter *w,
		       const struct tape_step *s);

/*
 * rma_issue begins an operation with a request. *id: its number in the rank; 0
 * if it has no target or the window is unknown, so that nothing is written.
 * rma_complete_request completes its request: the operation is complete
 * locally, but maybe not at the target.
 */
OTF2_ErrorCode rma_issue(struct otf2_rma *r, OTF2_EvtWriter *w,
			 const struct tape_step *s, uint64_t *id);
OTF2_ErrorCode rma_complete_request(struct otf2_rma *r, OTF2_EvtWriter *w,
				    const struct tape_step *s, uint32_t comm,
				    uint64_t id);

#endif
