/* Finds equal texts among many: names of hosts or clocks. Pure. */
#ifndef TAPE_EQUAL_TEXTS_H
#define TAPE_EQUAL_TEXTS_H

#include <stddef.h>

/*
 * first[i] receives the lowest index of a text equal to text[i]; a NULL is
 * equal to none. By sorting: n log n. Returns 0 or TAPE_ENOMEM.
 */
int tape_find_equal_texts(const char *const *text, size_t n, size_t *first);

#endif
