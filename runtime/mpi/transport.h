/* What the MPI library says of its transports. */
#ifndef TAPE_TRANSPORT_H
#define TAPE_TRANSPORT_H

#include <stddef.h>

/*
 * Writes lines "eager TRANSPORT BYTES" (doc/trace-format.md) into text, n
 * bytes; those that the library does not tell are left out. Returns the
 * length.
 */
size_t tape_transport(char *text, size_t n);

/* The library's name and version on one line, n bytes. */
void tape_library(char *text, size_t n);

#endif
