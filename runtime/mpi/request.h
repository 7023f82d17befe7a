/*
 * Requests and message handles that are in use, by handle: their number in the
 * trace and their kind.
 *
 * A handle leads to a word of memory as an address leads to a page: through
 * three levels of tables. A table of the last level is made at the first handle
 * of its range. So an operation costs the same for any number of requests,
 * nothing is moved, and threads need no lock: one thread at a time uses a
 * handle. Requests that do not fit in a word are stored in request_table.h,
 * under a lock: communicators under construction, handles that share a word,
 * and numbers that are too large.
 *
 * A library may reuse a handle as soon as a call has completed its request.
 * With several threads, the thread that completes a request calls
 * tape_request_find before the real call and tape_request_finish after it. With
 * one thread, tape_request_take after the real call is enough.
 *
 * Requests that the library completes at once all have one handle; their
 * numbers are in a queue of the thread that created them.
 */
#ifndef TAPE_REQUEST_H
#define TAPE_REQUEST_H

#include <mpi.h>
#include <stdint.h>

#include "abi.h"
#include "request_table.h"
#include "core.h"

/* Called once, after MPI_Init: finds the handles that the library shares. */
void tape_request_start(void);

/* Returns 1 if the library shares the handle between completed requests. */
int tape_request_is_shared(uintptr_t handle);

/* Stores the request of handle, in place of an older one with that handle. */
void tape_request_add(uintptr_t handle, const struct tape_request *r);

/*
 * Copies the request of handle to *r and returns 1; returns 0 if it is unknown.
 * For a shared handle it is the oldest request.
 */
int tape_request_find(uintptr_t handle, struct tape_request *r);

/* As tape_request_find, and removes the request; a persistent request becomes
 * inactive instead. */
int tape_request_take(uintptr_t handle, struct tape_request *r);

/* As tape_request_find, and removes the request, persistent or not. */
int tape_request_drop(uintptr_t handle, struct tape_request *r);

/*
 * Removes the request that tape_request_find found before the call, as
 * tape_request_take does, unless the handle now belongs to another request.
 */
void tape_request_finish(uintptr_t handle, const struct tape_request *r);

/* Mark the request of a handle as active or cancelled. Return 0 if it is
 * unknown; else *number is its number. */
int tape_request_activate(uintptr_t handle, uint64_t *number);
int tape_request_cancel(uintptr_t handle, uint64_t *number);

/* Returns the handle as a number, also where MPI_Request is an int. */
static inline uintptr_t tape_handle(MPI_Request r)
{
	return sizeof r == sizeof(uint32_t) ? (uint32_t)(uintptr_t)r
					    : (uintptr_t)r;
}

static inline uintptr_t tape_message(MPI_Message m)
{
	return sizeof m == sizeof(uint32_t) ? (uint32_t)(uintptr_t)m
					    : (uintptr_t)m;
}

#endif
