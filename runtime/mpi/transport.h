/* The eager limits of the MPI library's transports. */
#ifndef TAPE_TRANSPORT_H
#define TAPE_TRANSPORT_H

#include <mpi.h>
#include <stddef.h>

/*
 * Writes lines "eager TRANSPORT BYTES [measured]" (doc/trace-format.md) into
 * text, n bytes; unknown limits are left out. Returns the length. Collective
 * over comm: limits that a library does not report are measured. domains has
 * the clock domain of each rank, which represents its host.
 */
size_t tape_transport_text(MPI_Comm comm, const int *domains, char *text,
			   size_t n);

/* Stores the library's name and version on one line, n bytes. */
void tape_library(char *text, size_t n);

#endif
