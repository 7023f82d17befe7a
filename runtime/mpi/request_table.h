/*
 * The few requests that have no word of their own (request.h): a hash table
 * under a lock. While the table is empty the lock is not used.
 */
#ifndef TAPE_REQUEST_TABLE_H
#define TAPE_REQUEST_TABLE_H

#include <mpi.h>
#include <stdint.h>

#include "core.h"

/* The kind of a request, with or without a word of its own. */
enum tape_request_kind {
	TAPE_REQUEST_SEND,
	TAPE_REQUEST_RECV,
	TAPE_REQUEST_COLL,
	TAPE_REQUEST_MESSAGE,
	TAPE_REQUEST_OTHER, /* generalized, one-sided, of files */
	TAPE_REQUEST_COMM /* a communicator under construction */
};

struct tape_request {
	uint64_t number;      /* in the trace */
	uint32_t kind;        /* enum tape_request_kind */
	uint32_t persistent : 1, active : 1, cancelled : 1;
	uint32_t fortran : 1; /* comm is the address of an MPI_Fint */
	MPI_Comm *comm;       /* TAPE_REQUEST_COMM: where the handle will be */
	uint32_t comm_index;  /* and its number */
};

/* Number of requests in the table; changed under the lock. */
extern uint64_t tape_request_table_used __attribute__((visibility("hidden")));

static inline uint64_t tape_request_table_count(void)
{
	return __atomic_load_n(&tape_request_table_used, __ATOMIC_RELAXED);
}

/* Stores the request of handle, in place of an older one. Does nothing without
 * memory. */
void tape_request_table_add(uintptr_t handle, const struct tape_request *r);

/* Copies the request of handle to *r; returns 0 if it is unknown. */
int tape_request_table_find(uintptr_t handle, struct tape_request *r);

/* Removes the request of handle if it has that number. */
void tape_request_table_forget(uintptr_t handle, uint64_t number);

/* Replaces the request of handle by *r if it has the number of *r. */
void tape_request_table_change(uintptr_t handle, const struct tape_request *r);

#endif
