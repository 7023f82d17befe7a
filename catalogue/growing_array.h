/*
 * Arrays of malloc that grow. Their room doubles, so that an appended element
 * costs constant time on average:
 *
 *	struct call *list = tape_grow_array(s->list, &s->room, s->n + 1,
 *					    sizeof *list);
 *
 *	if (!list)
 *		return TAPE_ENOMEM;
 *	s->list = list;
 *	s->list[s->n++] = one;
 *
 * In a tool that ends when out of memory:
 *
 *	s->list = tape_must(tape_grow_array(s->list, &s->room, s->n + 1,
 *					    sizeof *s->list));
 *	s->list[s->n++] = one;
 *
 * room and n count elements; bytes is the size of an element. New elements are
 * not initialised. The owner frees the array.
 */
#ifndef TAPE_GROWING_ARRAY_H
#define TAPE_GROWING_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The rare part of tape_grow_array. */
__attribute__((unused, noinline)) static void *
tape_grow_room(void *array, size_t *room, size_t n, size_t bytes)
{
	enum { LEAST = 8 };
	size_t more = 2 * *room;

	if (more < LEAST)
		more = LEAST;
	if (more < n)
		more = n;
	if (more > PTRDIFF_MAX / bytes)
		return NULL;
	array = realloc(array, more * bytes);
	if (array)
		*room = more;
	return array;
}

/*
 * Returns the array with room for at least n elements. If *room is less, the
 * array is reallocated with at least twice the room, and *room is set. Before
 * the first call the array is NULL and *room is 0. Returns NULL when out of
 * memory, or if the array would have more than PTRDIFF_MAX bytes: then array
 * and *room are unchanged and still valid.
 */
static inline void *tape_grow_array(void *array, size_t *room, size_t n,
				    size_t bytes)
{
	if (array && n <= *room)
		return array;
	return tape_grow_room(array, room, n, bytes);
}

/*
 * The same for an array of n elements whose room is not stored: it is the least
 * power of two that is not below n. Returns the array with room for one more
 * element, reallocated if n is 0 or a power of two. Call it before each element
 * that is appended; elements may also be removed from the end.
 */
static inline void *tape_grow_list(void *array, size_t n, size_t bytes)
{
	if (n & (n - 1))
		return array;
	if (n > PTRDIFF_MAX / 2 / bytes)
		return NULL;
	return realloc(array, (n ? 2 * n : 1) * bytes);
}

#endif
