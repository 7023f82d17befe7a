/*
 * Communicators: a small number for each, by rank, and an identity that all
 * its members compute alike, without a message: a hash of what they were made
 * of, by what kind of call (TAPE_ORDER_...), and how many of the same this
 * process has made before. The calls counted together are those that MPI has
 * all members make in one order; calls that it does not order, among them
 * those of several threads, are told apart by the rest.
 *
 * A window and a file are communicators here as well: those who opened them
 * synchronise on them. Handles are therefore plain numbers.
 */
#ifndef TAPE_COMM_H
#define TAPE_COMM_H

#include <mpi.h>

#include "abi.h"
#include "core.h"

/*
 * The job of this process, and the one that spawned it. The identity of the
 * intercommunicator of a spawn is a hash that begins with the number of the
 * job that spawns; the spawned job is told it (spawn.h). What is made from that
 * intercommunicator has members of two worlds, and the same identity in both.
 */
struct tape_spawned {
	uint64_t run; /* the number of this job; 0: it cannot spawn */
	uint64_t id;  /* the intercommunicator; 0: not spawned, or not told */
	char trace[2048]; /* of the job that spawned it */
};

/* Ahead of tape_comm_start; without it there is nothing of both. */
void tape_comm_begin(const struct tape_spawned *s);

/* Defines MPI_COMM_WORLD and MPI_COMM_SELF (numbers 1 and 2). */
int tape_comm_start(void);

/* Defines what MPI_Comm_get_parent gives, if this job was told of it. */
void tape_comm_parent(MPI_Comm parent);

/*
 * The identity of the intercommunicator that the next spawn over comm will
 * make. 0: it will have no common one, or this process is not that root.
 */
uint64_t tape_comm_spawning(MPI_Comm comm, int root);

/*
 * Looks a handle up and fills its place in the flow's cache. An unknown one is
 * defined now where defining is set (it is then known to be a communicator),
 * else the result is NULL. The time it takes is added to *extra.
 */
const struct tape_comm_cache *tape_comm_find(struct tape_flow *f,
					     uintptr_t handle, int defining,
					     uint64_t *extra);

/* By what the calls that make communicators are ordered at all members. */
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
	/* seen first when it was used: made by nothing that is wrapped */
	TAPE_ORDER_FOUND
};

/*
 * A new communicator that a call of these traits made from parent with tag (0
 * where it takes none); returns its number, 0 if it is null.
 */
uint32_t tape_comm_created(unsigned traits, MPI_Comm parent, int tag,
			   MPI_Comm comm);

/*
 * The same with members as parent, whose handle is not there yet; what NAME is
 * a word like "window", name another or NULL.
 */
uint32_t tape_comm_reserve(MPI_Comm parent, const char *what, const char *name);
void tape_comm_bind(uint32_t index, uintptr_t handle);

/*
 * Around the call that frees it: the number of the one with that handle, 0 if
 * there is none, and the end of that one. The library may give the handle to
 * another thread's communicator before this one's call has returned.
 */
uint32_t tape_comm_freeing(uintptr_t handle);
void tape_comm_freed(uint32_t index, uintptr_t handle);

/* The program has given it a name. */
void tape_comm_named(uintptr_t handle, const char *name);

static inline TAPE_ALWAYS struct tape_comm_cache *
tape_comm_place(struct tape_flow *f, uintptr_t h)
{
	return &f->comms[tape_handle_hash(h) % TAPE_COMM_CACHE];
}

/* What the flow needs to know of comm. */
static inline TAPE_ALWAYS const struct tape_comm_cache *
tape_comm(struct tape_flow *f, MPI_Comm comm, uint64_t *extra)
{
	const struct tape_comm_cache *c = tape_comm_place(f, (uintptr_t)comm);

	return TAPE_LIKELY(c->handle == (uintptr_t)comm)
		       ? c
		       : tape_comm_find(f, (uintptr_t)comm, 1, extra);
}

/* The same before the library has checked the handle: NULL if unknown. */
static inline TAPE_ALWAYS const struct tape_comm_cache *
tape_comm_known(struct tape_flow *f, uintptr_t handle, uint64_t *extra)
{
	const struct tape_comm_cache *c = tape_comm_place(f, handle);

	return TAPE_LIKELY(c->handle == handle)
		       ? c
		       : tape_comm_find(f, handle, 0, extra);
}

#endif
