/*
 * The few requests that have no word of their own (request.h): a hash table
 * under a lock. As long as it is empty nobody asks for the lock.
 */
#ifndef TAPE_REQUEST_TABLE_H
#define TAPE_REQUEST_TABLE_H

#include <mpi.h>
#include <stdint.h>

#include "core.h"

/* What is known of a request, of a word of its own or not. */
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

/* How many there are; changed under the lock. */
extern uint64_t tape_request_table_used __attribute__((visibility("hidden")));

static inline uint64_t tape_request_table_count(void)
{
	return __atomic_load_n(&tape_request_table_used, __ATOMIC_RELAXED);
}

/* Remembers handle, in place of what was there. Without memory: nothing. */
void tape_request_table_add(uintptr_t handle, const struct tape_request *r);

/* What is known of it; 0: nothing. */
int tape_request_table_find(uintptr_t handle, struct tape_request *r);

/* Forgets it if it is still the request of that number. */
void tape_request_table_forget(uintptr_t handle, uint64_t number);

/* Sets it, if it is still the request of that number, to *r. */
void tape_request_table_change(uintptr_t handle, const struct tape_request *r);

#endif
