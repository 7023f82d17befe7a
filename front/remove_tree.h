/* Removing a directory with all that is in it. */
#ifndef TAPE_REMOVE_TREE_H
#define TAPE_REMOVE_TREE_H

#include <stdint.h>

/*
 * Removes what name is in the directory at, whatever it is; links are removed,
 * not followed. Adds to *bytes what the files took. 0, or -1 with errno.
 */
int remove_tree(int at, const char *name, uint64_t *bytes);

#endif
