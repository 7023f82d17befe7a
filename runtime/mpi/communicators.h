/*
 * Communicators: each has a small number on each rank, and an identity. All
 * members compute the same identity without a message: a hash of the members
 * and the parent, the kind of call (TAPE_ORDER_...), and the number of equal
 * calls before. Equal calls are counted together if MPI requires all members
 * to make them in one order. Other calls, for example of several threads,
 * differ in the rest of the hash.
 *
 * Windows and files are communicators here as well: their processes synchronise
 * on them. Handles are therefore plain numbers.
 */
#ifndef TAPE_COMM_H
#define TAPE_COMM_H

#include <mpi.h>

#include "abi.h"
#include "core.h"

/*
 * The job of this process, and the one that spawned it. The identity of the
 * intercommunicator of a spawn is a hash that begins with the number of the
 * spawning job, which sends it to the spawned job (spawn.h). Communicators made
 * from that intercommunicator have members of two worlds, and the same identity
 * in both.
 */
struct tape_spawned {
	uint64_t run; /* the number of this job; 0: it cannot spawn */
	uint64_t id;  /* the intercommunicator; 0: not spawned, or unknown */
	char trace[2048]; /* of the job that spawned it */
};

/* Sets both jobs. Called before tape_comm_start. */
void tape_comm_begin(const struct tape_spawned *s);

/* Defines MPI_COMM_WORLD and MPI_COMM_SELF (numbers 1 and 2). */
int tape_comm_start(void);

/* Defines the communicator of MPI_Comm_get_parent, if its identity is known. */
void tape_comm_parent(MPI_Comm parent);

/*
 * Returns the identity of the intercommunicator that the next spawn over comm
 * will make; 0 if the two jobs will have no common identity, or if this process
 * is not the root.
 */
uint64_t tape_comm_spawning(MPI_Comm comm, int root);

/*
 * Looks up a handle and fills its entry in the flow's cache. If the handle is
 * unknown and defining is set, it is a communicator and is defined now; else
 * the result is NULL. The time of the call is added to *extra.
 */
const struct tape_comm_cache *tape_comm_find(struct tape_flow *f,
					     uintptr_t handle, int defining,
					     uint64_t *extra);

/* How the calls that make communicators are ordered on all members. */
enum tape_comm_order {
	/* collective over the parent, blocking or not: one order of all */
	TAPE_ORDER_PARENT,
	/* MPI_Comm_create_group: collective over the new members alone, those
	 * of one parent, group and tag in order */
	TAPE_ORDER_GROUP,
	/* MPI_Intercomm_create: each side has a parent that the other does not
	 * know; those of one tag in order */
	TAPE_ORDER_TAG,
	/* MPI_Comm_accept and MPI_Comm_connect: likewise, without a tag */
	TAPE_ORDER_PORT,
	/* MPI_Comm_spawn and its like: in the order of the parent, with a
	 * group that has another world */
	TAPE_ORDER_SPAWN,
	/* found at its first use: no wrapped call made it */
	TAPE_ORDER_FOUND
};

/*
 * Adds a new communicator that a call of these traits made from parent with tag
 * (0 if the call has no tag). Returns its number, 0 if it is null.
 */
uint32_t tape_comm_created(unsigned traits, MPI_Comm parent, int tag,
			   MPI_Comm comm);

/*
 * Adds a communicator with the members of parent, whose handle does not exist
 * yet; tape_comm_bind sets the handle later. The definition's name is "what
 * name": what is a word like "window", name may be NULL.
 */
uint32_t tape_comm_reserve(MPI_Comm parent, const char *what, const char *name);
void tape_comm_bind(uint32_t index, uintptr_t handle);

/*
 * Called before and after a call that frees a communicator. The first returns
 * the number of the communicator, 0 if it is unknown; the second removes it.
 * The library may give the handle to another thread's communicator before the
 * call has returned.
 */
uint32_t tape_comm_freeing(uintptr_t handle);
void tape_comm_freed(uint32_t index, uintptr_t handle);

/* Writes the name that the program gave a communicator. */
void tape_comm_named(uintptr_t handle, const char *name);

static inline TAPE_ALWAYS struct tape_comm_cache *
tape_comm_place(struct tape_flow *f, uintptr_t h)
{
	return &f->comms[tape_handle_hash(h) % TAPE_COMM_CACHE];
}

/* Returns the cache entry of comm; defines comm if it is unknown. */
static inline TAPE_ALWAYS const struct tape_comm_cache *
tape_comm(struct tape_flow *f, MPI_Comm comm, uint64_t *extra)
{
	const struct tape_comm_cache *c = tape_comm_place(f, (uintptr_t)comm);

	return TAPE_LIKELY(c->handle == (uintptr_t)comm)
		       ? c
		       : tape_comm_find(f, (uintptr_t)comm, 1, extra);
}

/* As tape_comm before the library has checked the handle: NULL if unknown. */
static inline TAPE_ALWAYS const struct tape_comm_cache *
tape_comm_known(struct tape_flow *f, uintptr_t handle, uint64_t *extra)
{
	const struct tape_comm_cache *c = tape_comm_place(f, handle);

	return TAPE_LIKELY(c->handle == handle)
		       ? c
		       : tape_comm_find(f, handle, 0, extra);
}

#endif
