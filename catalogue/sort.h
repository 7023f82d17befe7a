/* Sorting and searching lists that may be empty, and then have no address. */
#ifndef TAPE_SORT_H
#define TAPE_SORT_H

#include <stdlib.h>

/* As qsort, which may not be given NULL even when there is nothing to sort. */
static inline void tape_sort(void *list, size_t n, size_t size,
			     int (*compare)(const void *, const void *))
{
	if (n > 1)
		qsort(list, n, size, compare);
}

/* As bsearch, which may not be given NULL either; NULL: it is not there. */
static inline void *tape_search(const void *key, const void *list, size_t n,
				size_t size,
				int (*compare)(const void *, const void *))
{
	return n ? bsearch(key, list, n, size, compare) : NULL;
}

#endif
