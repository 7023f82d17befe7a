/* Binary search by a condition. */
#ifndef TAPE_LOWER_BOUND_H
#define TAPE_LOWER_BOUND_H

#include <stddef.h>

/*
 * Sets i, a variable of type size_t, to the first number from 0 to n - 1 for
 * which is_before is 0, or to n if there is none. is_before is an expression
 * with i that is true up to some number and false from there on:
 *
 *	TAPE_LOWER_BOUND(i, n, list[i].key < key);
 */
#define TAPE_LOWER_BOUND(i, n, is_before) \
	do { \
		size_t tape_from_ = 0, tape_to_ = (n); \
\
		while (tape_from_ < tape_to_) { \
			(i) = tape_from_ + (tape_to_ - tape_from_) / 2; \
			if (is_before) \
				tape_from_ = (i) + 1; \
			else \
				tape_to_ = (i); \
		} \
		(i) = tape_from_; \
	} while (0)

#endif
