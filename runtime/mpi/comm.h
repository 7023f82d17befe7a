/*
 * Communicators: a small number for each, by rank, and an identity that all
 * its members compute alike, without a message: a hash of the parent's
 * identity, of the members' world ranks, and of how many communicators with
 * the same two this process has made before. Creation is collective over the
 * members, so they agree on all three.
 */
#ifndef TAPE_COMM_H
#define TAPE_COMM_H

#include <mpi.h>

#include "abi.h"
#include "core.h"

/* Defines MPI_COMM_WORLD and MPI_COMM_SELF (numbers 1 and 2). */
int tape_comm_start(void);

/*
 * Looks comm up and fills its place in the flow's cache. An unknown one is
 * defined now where defining is set (comm is then known to be a handle), else
 * the result is NULL. The time it takes is added to *extra.
 */
const struct tape_comm_cache *tape_comm_find(struct tape_flow *f, MPI_Comm comm,
					     int defining, uint64_t *extra);

/* A new communicator from parent; returns its number, 0 if it is null. */
uint32_t tape_comm_created(MPI_Comm parent, MPI_Comm comm);

/* The same with members as parent, whose handle is not there yet. */
uint32_t tape_comm_reserve(MPI_Comm parent);
void tape_comm_bind(uint32_t index, MPI_Comm comm);

void tape_comm_freed(MPI_Comm comm);

static inline TAPE_ALWAYS struct tape_comm_cache *
tape_comm_place(struct tape_flow *f, MPI_Comm comm)
{
	return &f->comms[tape_handle_hash((uintptr_t)comm) % TAPE_COMM_CACHE];
}

/* What the flow needs to know of comm. */
static inline TAPE_ALWAYS const struct tape_comm_cache *
tape_comm(struct tape_flow *f, MPI_Comm comm, uint64_t *extra)
{
	const struct tape_comm_cache *c = tape_comm_place(f, comm);

	return TAPE_LIKELY(c->handle == (uintptr_t)comm)
		       ? c
		       : tape_comm_find(f, comm, 1, extra);
}

/* The same before the library has checked the handle: NULL if unknown. */
static inline TAPE_ALWAYS const struct tape_comm_cache *
tape_comm_known(struct tape_flow *f, MPI_Comm comm, uint64_t *extra)
{
	const struct tape_comm_cache *c = tape_comm_place(f, comm);

	return TAPE_LIKELY(c->handle == (uintptr_t)comm)
		       ? c
		       : tape_comm_find(f, comm, 0, extra);
}

#endif
