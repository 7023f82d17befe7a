/*
 * Which family of MPI libraries a program file uses: by the libraries of its
 * dynamic section, or else by all libraries that the dynamic loader would load
 * with it.
 */
#ifndef TAPE_PROGRAM_FILE_H
#define TAPE_PROGRAM_FILE_H

#include <stddef.h>

#include "library_family.h"

enum tape_program_kind {
	TAPE_PROGRAM_OTHER,  /* cannot be read, or of another machine */
	TAPE_PROGRAM_SCRIPT, /* starts with #! */
	TAPE_PROGRAM_STATIC, /* no dynamic loader: nothing can be preloaded */
	TAPE_PROGRAM_DYNAMIC
};

struct tape_program {
	enum tape_program_kind kind;
	enum tape_family family;
};

/*
 * Finds the file that execvp would start for name, in path (n bytes). Returns
 * non-zero if there is none.
 */
int tape_program_find(const char *name, char *path, size_t n);

/* Reads the file. */
struct tape_program tape_program_look(const char *path);

#endif
