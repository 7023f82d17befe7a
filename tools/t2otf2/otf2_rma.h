/*
 * What calls do with windows, as records of OTF2: one-sided operations and
 * their ends, collective calls, groups, locks.
 */
#ifndef T2OTF2_OTF2_RMA_H
#define T2OTF2_OTF2_RMA_H

#include "definitions.h"

struct otf2_rma;

/*
 * What of windows is defined depends on what all ranks do: is called with each
 * step of theirs that is a call, before anything of them is written.
 */
void rma_define(struct definitions *d, const struct tape_step *s);

/*
 * Of one rank; t and d outlive it; the caller frees. Dies when out of memory.
 */
struct otf2_rma *rma_new(const struct tape_trace *t, struct definitions *d);
void rma_free(struct otf2_rma *r);

/* What is begun at the beginning of the step, a call; and what ends with it. */
OTF2_ErrorCode rma_begin(struct otf2_rma *r, OTF2_EvtWriter *w,
			 const struct tape_step *s);
OTF2_ErrorCode rma_end(struct otf2_rma *r, OTF2_EvtWriter *w,
		       const struct tape_step *s);

/*
 * An operation with a request begins: *id, which is its own at the rank, or 0
 * where it is not written (to nobody, in a window that is not known). And its
 * request is complete: it is over here, though perhaps not at the target.
 */
OTF2_ErrorCode rma_issue(struct otf2_rma *r, OTF2_EvtWriter *w,
			 const struct tape_step *s, uint64_t *id);
OTF2_ErrorCode rma_complete_request(struct otf2_rma *r, OTF2_EvtWriter *w,
				    const struct tape_step *s, uint32_t comm,
				    uint64_t id);

#endif
