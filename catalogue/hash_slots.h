/*
 * Hash tables with open addressing and linear probing (Knuth, The Art of
 * Computer Programming 3, 6.4, algorithms L and R). A table has a power of two
 * of slots, at most half of them in use. Slots are of any type; one whose bytes
 * are 0 is free.
 *
 *	TAPE_SLOTS_TYPE(calls, struct call)
 *	TAPE_SLOTS(calls, struct call, const void *, uint64_t, is_used,
 *		   get_key, hash_key, is_equal)
 *
 * defines struct calls and the functions below. It needs these, where own is
 * what the caller of the functions hands over:
 *
 *	int is_used(const struct call *slot)
 *	uint64_t get_key(own, const struct call *slot)
 *	uint64_t hash_key(uint64_t key)		the lowest bits count most
 *	int is_equal(uint64_t a, uint64_t b)
 *
 *	calls_reserve(own, table, least)	makes room for one more; the
 *						first time least slots, a power
 *						of two. 0, or -1: out of memory
 *	calls_find(own, table, key)		the slot of key, or the free
 *						slot where it belongs. The table
 *						has room. The caller fills the
 *						slot and increments used
 *	calls_remove(own, table, slot)		frees a slot that is in use;
 *						others move
 *
 * The owner frees list. For records of a fixed size by number see table.h.
 */
#ifndef TAPE_HASH_SLOTS_H
#define TAPE_HASH_SLOTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAPE_SLOTS_TYPE(name, slot) \
	struct name { \
		slot *list; /* mask + 1 slots, or NULL */ \
		size_t mask, used; \
	};

#define TAPE_SLOTS(name, slot, context, key, is_used, get_key, hash_key, \
		   is_equal) \
	__attribute__((unused)) static inline slot *name##_find( \
	    context own, const struct name *t, key k) \
	{ \
		size_t i = (size_t)hash_key(k) & t->mask; \
\
		while (is_used(&t->list[i]) && \
		       !is_equal(get_key(own, &t->list[i]), k)) \
			i = (i + 1) & t->mask; \
		return &t->list[i]; \
	} \
\
	__attribute__((unused, noinline)) static int name##_grow( \
	    context own, struct name *t, size_t least) \
	{ \
		struct name old = *t; \
		size_t n = old.list ? old.mask + 1 : 0; \
		size_t room = n ? 2 * n : least; \
\
		t->list = calloc(room, sizeof *t->list); \
		if (!t->list) { \
			t->list = old.list; \
			return -1; \
		} \
		t->mask = room - 1; \
		for (size_t i = 0; i < n; i++) \
			if (is_used(&old.list[i])) \
				*name##_find(own, t, \
					     get_key(own, &old.list[i])) = \
				    old.list[i]; \
		free(old.list); \
		return 0; \
	} \
\
	__attribute__((unused)) static inline int name##_reserve( \
	    context own, struct name *t, size_t least) \
	{ \
		return t->list && 2 * t->used <= t->mask \
			   ? 0 \
			   : name##_grow(own, t, least); \
	} \
\
	__attribute__((unused)) static inline void name##_remove( \
	    context own, struct name *t, slot *s) \
	{ \
		size_t hole = (size_t)(s - t->list), i = hole, home; \
\
		for (;;) { \
			i = (i + 1) & t->mask; \
			if (!is_used(&t->list[i])) \
				break; \
			/* what would not be found behind the hole fills it */ \
			home = (size_t)hash_key(get_key(own, &t->list[i])); \
			if (((i - home) & t->mask) < ((i - hole) & t->mask)) \
				continue; \
			t->list[hole] = t->list[i]; \
			hole = i; \
		} \
		memset(&t->list[hole], 0, sizeof t->list[hole]); \
		t->used--; \
	}

#endif
