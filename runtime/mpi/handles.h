/*
 * A word of memory for each handle; see request.h. If handles are addresses,
 * 256 bytes share a word: a message's request is larger, and few words save
 * memory. Smaller objects, such as matched messages, may share a word; then the
 * second finds it in use.
 */
#ifndef TAPE_HANDLES_H
#define TAPE_HANDLES_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TAPE_HANDLES_NEAR = sizeof(MPI_Request) == sizeof(uint32_t) ? 0 : 8,
	TAPE_HANDLES_LEAF = 13, /* bits of the handle, level by level */
	TAPE_HANDLES_MIDDLE = 13,
	TAPE_HANDLES_TOP = 13
};

/* The tables of the first level; the others are in memory that they point to.
 */
extern uint64_t **tape_handles[1u << TAPE_HANDLES_TOP]
	__attribute__((visibility("hidden")));

/* Makes the tables for a handle. Returns its word; NULL: no memory. */
uint64_t *tape_handles_make(uintptr_t handle);

/* Returns the word of handle; NULL: it has no table, or can have none. */
static inline uint64_t *tape_handles_word(uintptr_t handle)
{
	uint64_t key = (uint64_t)handle >> TAPE_HANDLES_NEAR;
	uint64_t top = key >> (TAPE_HANDLES_LEAF + TAPE_HANDLES_MIDDLE);
	uint64_t **middle, *leaf;

	if (top >> TAPE_HANDLES_TOP)
		return NULL;
	middle = __atomic_load_n(&tape_handles[top], __ATOMIC_ACQUIRE);
	if (!middle)
		return NULL;
	leaf = __atomic_load_n(&middle[key >> TAPE_HANDLES_LEAF &
				       ((1u << TAPE_HANDLES_MIDDLE) - 1)],
			       __ATOMIC_ACQUIRE);
	return leaf ? leaf + (key & ((1u << TAPE_HANDLES_LEAF) - 1)) : NULL;
}

#endif
