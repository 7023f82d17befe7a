/*
 * Requests and message handles that are in use, by handle: which number the
 * trace gave them, what they are.
 *
 * A handle leads to a word of memory as an address leads to a page: through
 * three levels of tables, the last one made where the first handle of its part
 * of the addresses comes. So an operation costs the same whatever the number
 * of requests, nothing is ever moved, and threads need no lock: a handle is in
 * the hands of one thread at a time. What does not fit (communicators under
 * construction, handles closer than requests can be, numbers that are too
 * large) is kept aside, under a lock.
 *
 * A library may use a handle again as soon as a call has completed its
 * request. Where several threads make calls, who completes a request has to
 * ask for it before the real call and to say so after it (tape_request_find,
 * tape_request_finish); where one does, tape_request_take after it is enough.
 *
 * Requests that the library completes at once all have one handle; their
 * numbers wait in a queue of the thread that created them.
 */
#ifndef TAPE_REQUEST_H
#define TAPE_REQUEST_H

#include <mpi.h>
#include <stdint.h>

#include "abi.h"
#include "request_table.h"
#include "core.h"

/* Called once, after MPI_Init: learns which handles the library shares. */
void tape_request_start(void);

/* Is it a handle that the library shares between completed requests? */
int tape_request_is_shared(uintptr_t handle);

/* Remembers handle. A handle already there is replaced: it was reused. */
void tape_request_add(uintptr_t handle, const struct tape_request *r);

/*
 * Copies what is known of handle to *r and returns 1, or returns 0. The
 * library's shared handles for completed requests: the oldest.
 */
int tape_request_find(uintptr_t handle, struct tape_request *r);

/* The same, and forgets it unless it is persistent (made inactive then). */
int tape_request_take(uintptr_t handle, struct tape_request *r);

/* Forgets it, persistent or not. */
int tape_request_drop(uintptr_t handle, struct tape_request *r);

/*
 * What tape_request_find said of the handle before the call has been completed
 * by it: as tape_request_take, unless the handle is by now another request's.
 */
void tape_request_finish(uintptr_t handle, const struct tape_request *r);

/* Sets a mark of a known handle; returns 0 when it is not known. */
int tape_request_activate(uintptr_t handle, uint64_t *number);
int tape_request_cancel(uintptr_t handle, uint64_t *number);

/* The handle as a number; that of a library whose handles are int, too. */
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
