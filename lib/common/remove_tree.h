/* Removing a directory with all that is in it. */
#ifndef TAPE_REMOVE_TREE_H
#define TAPE_REMOVE_TREE_H

#include <stdint.h>

/*
 * Removes the file or directory name of the directory at (AT_FDCWD: the current
 * one), with all that is in it. Symbolic links are removed, not followed. Adds
 * the bytes that the files took to *bytes, unless that is NULL. Returns 0, or
 * -1 with errno.
 */
int tape_remove_tree(int at, const char *name, uint64_t *bytes);

#endif
