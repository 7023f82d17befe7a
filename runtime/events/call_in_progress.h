/*
 * The call in progress of a flow, stored in the file while a call may block, so
 * that a process that hangs or is killed shows where (catalogue/record.h). The
 * next record makes it invalid: nothing is cleared.
 */
#ifndef TAPE_CALL_IN_PROGRESS_H
#define TAPE_CALL_IN_PROGRESS_H

#include "core.h"

/*
 * Where the flow's call in progress is stored. The functions below get this
 * place: after each store the compiler would have to read the flow again.
 */
static inline TAPE_ALWAYS unsigned char *
tape_call_place(const struct tape_flow *f)
{
	return f->chunk + TAPE_CHUNK_CALL;
}

/* Stores two fields of 32 bits, of which at is the first, by one write. */
static inline TAPE_ALWAYS void tape_call_pair(unsigned char *call, uint32_t at,
					      uint32_t first, uint32_t second)
{
	tape_put64(call + at, (uint64_t)second << 32 | first);
}

/*
 * What a message or a collective names: rank or root, tag, communicator; and
 * the number of requests of a wait.
 */
static inline TAPE_ALWAYS void tape_call_partner(unsigned char *call,
						 int32_t peer, int32_t tag,
						 uint32_t comm, uint32_t n)
{
	tape_call_pair(call, TAPE_CALL_PEER, (uint32_t)peer, (uint32_t)tag);
	tape_call_pair(call, TAPE_CALL_COMM, comm, n);
}

/* The receive of a sendrecv. */
static inline TAPE_ALWAYS void tape_call_receive(unsigned char *call,
						 int32_t rpeer, int32_t rtag)
{
	tape_call_pair(call, TAPE_CALL_RPEER, (uint32_t)rpeer, (uint32_t)rtag);
}

/* Bytes of a send, or elements of a collective; 0: not known. */
static inline TAPE_ALWAYS void tape_call_amount(unsigned char *call,
						uint64_t amount)
{
	tape_put64(call + TAPE_CALL_AMOUNT, amount);
}

/* The i-th request of a wait, i < TAPE_CALL_REQUESTS_MAX. */
static inline TAPE_ALWAYS void tape_call_request(unsigned char *call,
						 uint32_t i, uint64_t request)
{
	tape_put64(call + TAPE_CALL_REQUESTS + 8 * i, request);
}

/* The call at this site begins: all its operands have been stored. */
static inline TAPE_ALWAYS void
tape_call_begin(const struct tape_flow *f, unsigned char *call, uint32_t site)
{
	const unsigned char *slot = call - TAPE_CHUNK_CALL;

	__atomic_thread_fence(__ATOMIC_RELEASE);
	tape_call_pair(call, TAPE_CALL_POSITION, (uint32_t)(f->p - slot), site);
}

/* Its tick, right before the real call. */
static inline TAPE_ALWAYS void tape_call_started(struct tape_flow *f,
						 uint64_t tick)
{
	tape_put64(f->chunk + TAPE_CHUNK_CALL + TAPE_CALL_START, tick);
}

#endif
