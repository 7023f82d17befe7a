/* The tables of handles; see handles.h. They are never freed. */
#include <sys/mman.h>

#include "handles.h"

uint64_t **tape_handles[1u << TAPE_HANDLES_TOP];

static void *map_pages(size_t bytes, int now)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			       (now ? MAP_POPULATE : 0), -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Puts fresh where nothing is; another thread may have been faster. */
static void *install_table(void *at, void *fresh, size_t bytes)
{
	void **slot = at, *there = NULL;

	if (!fresh || __atomic_compare_exchange_n(slot, &there, fresh, 0,
						  __ATOMIC_ACQ_REL,
						  __ATOMIC_ACQUIRE))
		return fresh;
	munmap(fresh, bytes);
	return there;
}

uint64_t *tape_handles_make(uintptr_t handle)
{
	const size_t middles = sizeof(uint64_t *) << TAPE_HANDLES_MIDDLE;
	const size_t leaves = sizeof(uint64_t) << TAPE_HANDLES_LEAF;
	uint64_t key = (uint64_t)handle >> TAPE_HANDLES_NEAR;
	uint64_t top = key >> (TAPE_HANDLES_LEAF + TAPE_HANDLES_MIDDLE);
	uint64_t **middle, **at, *leaf;

	if (top >> TAPE_HANDLES_TOP)
		return NULL;
	middle = __atomic_load_n(&tape_handles[top], __ATOMIC_ACQUIRE);
	if (!middle)
		middle = install_table(&tape_handles[top],
				       map_pages(middles, 0), middles);
	if (!middle)
		return NULL;
	at = &middle[key >> TAPE_HANDLES_LEAF &
		     ((1u << TAPE_HANDLES_MIDDLE) - 1)];
	leaf = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	/* a page fault here is known to be the tracer's, one later is not */
	if (!leaf)
		leaf = install_table(at, map_pages(leaves, 1), leaves);
	return leaf ? leaf + (key & ((1u << TAPE_HANDLES_LEAF) - 1)) : NULL;
}
