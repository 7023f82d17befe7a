/*
 * Numbers for names: equal keys get the same number, new ones the next, from
 * 0. Used for the user tasks (key: the label) and for the subsets of nodes
 * (key: the identity of a communicator).
 */
#ifndef T2NP_NAMES_H
#define T2NP_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct names;

/* Dies when out of memory, as does names_number. The caller frees. */
struct names *names_new(void);
void names_free(struct names *n);

/*
 * The number of the key of len bytes, which is copied on first sight; *is_new
 * then becomes 1, else 0.
 */
int32_t names_number(struct names *n, const void *key, size_t len, int *is_new);

#endif
