/*
 * Numbers for keys: equal keys get the same number, a new key gets the next
 * number, from 0. Used for user tasks (key: the label) and for subsets of nodes
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
 * Returns the number of the key of len bytes. *is_new: 1 if the key is new;
 * then it is copied.
 */
int32_t names_number(struct names *n, const void *key, size_t len, int *is_new);

#endif
