/*
 * Binary heaps in arrays: is_before orders the elements, and the least of them
 * is at index 0.
 *
 *	static int is_before(const void *own, const struct turn *a,
 *			     const struct turn *b);
 *	TAPE_HEAP(turns, struct turn, const void *, is_before)
 *
 * defines these functions. own is handed to is_before. The caller has the array
 * and the number of elements:
 *
 *	turns_raise(own, heap, i, one)	puts one at i or nearer to the root;
 *					i may be the first free place
 *	turns_sink(own, heap, n, i, one)
 *					puts one at i or further from the root
 *	turns_pop(own, heap, n)		removes the root and returns n - 1
 *	turns_order(own, heap, n)	makes a heap of n elements
 */
#ifndef TAPE_HEAP_H
#define TAPE_HEAP_H

#include <stddef.h>

#define TAPE_HEAP(name, element, context, is_before) \
	__attribute__((unused)) static inline void name##_raise( \
	    context own, element *heap, size_t i, element one) \
	{ \
		for (size_t up; i; i = up) { \
			up = (i - 1) / 2; \
			if (!is_before(own, &one, &heap[up])) \
				break; \
			heap[i] = heap[up]; \
		} \
		heap[i] = one; \
	} \
\
	__attribute__((unused)) static inline void name##_sink( \
	    context own, element *heap, size_t n, size_t i, element one) \
	{ \
		for (size_t down; (down = 2 * i + 1) < n; i = down) { \
			/* not by a branch, which nobody could predict */ \
			down += down + 1 < n && \
				is_before(own, &heap[down + 1], &heap[down]); \
			if (!is_before(own, &heap[down], &one)) \
				break; \
			heap[i] = heap[down]; \
		} \
		heap[i] = one; \
	} \
\
	__attribute__((unused)) static inline size_t name##_pop( \
	    context own, element *heap, size_t n) \
	{ \
		if (--n) \
			name##_sink(own, heap, n, 0, heap[n]); \
		return n; \
	} \
\
	__attribute__((unused)) static inline void name##_order( \
	    context own, element *heap, size_t n) \
	{ \
		for (size_t i = n / 2; i-- > 0;) \
			name##_sink(own, heap, n, i, heap[i]); \
	}

#endif
