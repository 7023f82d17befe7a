/*
 * The common part of a call's two wrappers, for MPI names and for sources that
 * tapecc compiled: the flow that records the call, the number of its call site,
 * and for rare calls all code around the real call.
 */
#ifndef TAPE_CALL_ENTRY_H
#define TAPE_CALL_ENTRY_H

#include "call_sites.h"
#include "flows.h"

struct tape_call_entry {
	struct tape_flow *flow;
	uint32_t site; /* 0: the call is not recorded */
};

/*
 * Finds the flow and the call site: by source, the site that tapepp made, or,
 * if source is NULL, by the return address. frame is that of the wrapper.
 */
static inline TAPE_ALWAYS struct tape_call_entry
tape_enter_call(uint32_t call, struct tape_site *source, const void *address,
		const void *frame)
{
	struct tape_flow *f = tape_current;
	struct tape_call_entry d = {.flow = f};

	if (TAPE_UNLIKELY(f == NULL))
		d.flow = f = tape_flow_acquire(frame);
	if (TAPE_LIKELY(f != NULL))
		d.site = source ? tape_site_source(f, source, call)
				: tape_site_here(f, call, address);
	return d;
}

/*
 * Enclose a real call that is not recorded, in a thread that records: calls
 * from its call-backs are part of it and are not recorded either. frame is that
 * of the wrapper. The result of tape_pass_begin is passed to tape_pass_end.
 */
static inline struct tape_flow *tape_pass_begin(const void *frame)
{
	struct tape_flow *f = tape_current;

	if (f) {
		f->frame = frame;
		tape_current = NULL;
		tape_counted_begin(f);
	}
	return f;
}

static inline void tape_pass_end(struct tape_flow *f)
{
	if (f) {
		tape_counted_end(f);
		tape_current = f->self;
	}
}

/* A rare call, from its wrapper's begin until it is recorded. */
struct tape_rare {
	struct tape_flow *flow;
	uint32_t site;
	uint64_t entry; /* tick, if more than two readings are needed; else 0 */
	uint64_t start, end; /* ticks around the real call */
};

/* As tape_enter_call for a rare call. Returns 0 if it is not recorded. */
int tape_rare_begin(struct tape_rare *c, uint32_t call,
		    struct tape_site *source, const void *address,
		    const void *frame);

/* Right before the real call, and right after it. */
void tape_rare_start(struct tape_rare *c);
void tape_rare_stop(struct tape_rare *c);

/* After the record. */
void tape_rare_end(const struct tape_rare *c);

#endif
