/* The names of traces: DIR/prog.tape, with or without trailing slashes. */
#ifndef TAPE_TRACE_NAME_H
#define TAPE_TRACE_NAME_H

#include <stddef.h>

/* Returns the length of the path without the slashes at its end. */
size_t trace_path_length(const char *path);

/*
 * Returns the length of the path without the slashes and ".tape" at its end;
 * trace_path_length() where the path does not end in ".tape".
 */
size_t trace_stem_length(const char *path);

/* Returns 1 if the path ends in ".tape" after at least one character. */
int trace_is_named(const char *path);

/* Returns a copy of the path without the slashes at its end. */
char *trace_path_copy(const char *path);

#endif
