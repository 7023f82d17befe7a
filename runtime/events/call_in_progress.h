/*
 * The call in progress of a flow, stored in the file while a call may block, so
 * that a process that hangs or is killed shows where (catalogue/record.h). The
 * next record makes it invalid: nothing is cleared.
 */
#ifndef TAPE_CALL_IN_PROGRESS_H
#define TAPE_CALL_IN_PROGRESS_H

#include "core.h"

static inline TAPE_ALWAYS void tape_call_put(struct tape_flow *f, uint32_t at,
					     uint32_t value)
{
	tape_put32(f->chunk + TAPE_CHUNK_CALL + at, value);
}

/* What a message or a collective names: rank or root, tag, communicator. */
static inline TAPE_ALWAYS void tape_call_partner(struct tape_flow *f,
						 int32_t peer, int32_t tag,
						 uint32_t comm)
{
	tape_call_put(f, TAPE_CALL_PEER, (uint32_t)peer);
	tape_call_put(f, TAPE_CALL_TAG, (uint32_t)tag);
	tape_call_put(f, TAPE_CALL_COMM, comm);
}

/* The receive of a sendrecv; else 0. */
static inline TAPE_ALWAYS void tape_call_receive(struct tape_flow *f,
						 int32_t rpeer, int32_t rtag)
{
	tape_call_put(f, TAPE_CALL_RPEER, (uint32_t)rpeer);
	tape_call_put(f, TAPE_CALL_RTAG, (uint32_t)rtag);
}

/* Bytes of a send, or elements of a collective; 0: not known. */
static inline TAPE_ALWAYS void tape_call_amount(struct tape_flow *f,
						uint64_t amount)
{
	tape_put64(f->chunk + TAPE_CHUNK_CALL + TAPE_CALL_AMOUNT, amount);
}

/* The i-th request of a wait, i < TAPE_CALL_REQUESTS_MAX. */
static inline TAPE_ALWAYS void
tape_call_request(struct tape_flow *f, uint32_t i, uint64_t request)
{
	tape_put64(f->chunk + TAPE_CHUNK_CALL + TAPE_CALL_REQUESTS + 8 * i,
		   request);
}

/* The call at this site begins: all its operands have been stored. */
static inline TAPE_ALWAYS void tape_call_begin(struct tape_flow *f,
					       uint32_t site)
{
	tape_call_put(f, TAPE_CALL_SITE, site);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	tape_call_put(f, TAPE_CALL_POSITION, (uint32_t)(f->p - f->chunk));
}

/* Its tick, right before the real call. */
static inline TAPE_ALWAYS void tape_call_started(struct tape_flow *f,
						 uint64_t tick)
{
	tape_put64(f->chunk + TAPE_CHUNK_CALL + TAPE_CALL_START, tick);
}

#endif
