/*
 * Reports of many ranks stay short: of rows in order of what matters most
 * there, up to 32 are shown, of more the quantiles and the highest.
 *
 *	for (k = 0; (word = tape_select_row(k, n, &i)); k++)
 *		printf("%s%d\n", word, row[i].rank);
 */
#ifndef TAPE_ROW_SELECTION_H
#define TAPE_ROW_SELECTION_H

#include <stddef.h>

enum { TAPE_SHOWN_ALL = 32 };

/*
 * The k-th row to be shown of n in ascending order: *index receives which, the
 * word says what it is ("least: ", "median: ", "next: ", ...), "" where all are
 * shown, in the same order. NULL: there is no other.
 */
const char *tape_select_row(size_t k, size_t n, size_t *index);

#endif
