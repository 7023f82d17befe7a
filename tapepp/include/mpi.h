/*
 * Comes before the real mpi.h in the search path of a source that tapepp
 * rewrote, and adds the prototypes of the wrappers.
 */
#ifndef TAPE_MPI_H
#define TAPE_MPI_H
/* without this, gcc -pedantic complains about the next line */
#pragma GCC system_header
#include_next <mpi.h>
#include <tape/site.h>
#include <tape/tape_prototypes.h>
#endif
