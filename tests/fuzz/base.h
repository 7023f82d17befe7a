/* The definitions that an input may rely on, and a place to put files. */
#ifndef FUZZ_BASE_H
#define FUZZ_BASE_H

#include <stddef.h>

/*
 * Makes a new empty directory in memory (/dev/shm) or else in TMPDIR; path
 * holds at least 64 bytes. Ends the process when there is none.
 */
void fuzz_folder(char *path, size_t size);

/* Removes a folder and its files. */
void fuzz_folder_remove(const char *path);

/* Writes a file of the folder anew. */
void fuzz_file(const char *folder, const char *name, const void *bytes,
	       size_t n);

/*
 * Text of the file of a part ('m' with one piece, 'g' meta with three, '0',
 * '1', 'c'): a site of each class with an operand of each kind, three
 * communicators, two regions, constants of alpha. Static storage.
 */
const char *fuzz_base(char kind);

#endif
