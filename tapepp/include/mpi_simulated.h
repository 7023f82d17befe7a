/*
 * tapecc --simulate puts it before sources that tapepp rewrote: smpicc looks
 * for headers in SimGrid's folder first, so ours cannot come before its mpi.h.
 */
#ifndef TAPE_MPI_SIMULATED_H
#define TAPE_MPI_SIMULATED_H
#pragma GCC system_header
#include <mpi.h>
#include <tape/site.h>
#include <tape/tape_prototypes.h>
#endif
