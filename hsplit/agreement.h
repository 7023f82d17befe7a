/*
 * What the members of a communicator agree on: one broadcast of a position,
 * and one reduction of three numbers.
 */
#ifndef TAPE_AGREEMENT_H
#define TAPE_AGREEMENT_H

#include <mpi.h>

#include "own_place.h"

struct tape_agreement {
	size_t common; /* bytes of their positions that they share */
	int same;      /* the first bytes, as many as each said, are the same */
	enum tape_fault fault; /* of the lowest rank that has one */
};

/*
 * Collective over comm, in O(log p) messages of 1 KiB. bytes of position are
 * what this process thinks to be the same at all; fault is its own, which it
 * says on standard error, with why, if it is the lowest rank that has one.
 * Returns MPI_SUCCESS, or what an MPI function returned.
 */
int tape_agree(MPI_Comm comm, const char *position, size_t bytes,
	       enum tape_fault fault, const char *why,
	       struct tape_agreement *a);

/*
 * MPI's code for a fault: after the communicator's error handler was called
 * with it.
 */
int tape_fault_raise(MPI_Comm comm, enum tape_fault fault);

/*
 * Can comm be split? MPI_SUCCESS, or the code of the error, after its handler
 * (of MPI_COMM_WORLD for MPI_COMM_NULL) was called.
 */
int tape_usable(MPI_Comm comm);

#endif
