/*
 * Agreement of the members of a communicator: one broadcast of a position and
 * one reduction of three numbers.
 */
#ifndef TAPE_AGREEMENT_H
#define TAPE_AGREEMENT_H

#include <mpi.h>

#include "own_position.h"

struct tape_agreement {
	size_t common; /* bytes of the common prefix of their positions */
	int same;      /* all passed the same bytes, with equal contents */
	enum tape_fault fault; /* of the lowest rank with a fault */
};

/*
 * Collective over comm, in O(log p) messages of 1 KiB. bytes is the number of
 * bytes of position that are compared on all processes. fault is the fault of
 * this process. The lowest rank with a TAPE_FAULT_PLACE prints why on standard
 * error. Returns MPI_SUCCESS, or the code of an MPI function.
 */
int tape_reach_agreement(MPI_Comm comm, const char *position, size_t bytes,
			 enum tape_fault fault, const char *why,
			 struct tape_agreement *a);

/*
 * Calls the error handler of comm with the MPI error code of a fault, and
 * returns the code.
 */
int tape_fault_raise(MPI_Comm comm, enum tape_fault fault);

/*
 * Returns MPI_SUCCESS if comm can be split. Otherwise calls the error handler
 * of comm (for MPI_COMM_NULL that of MPI_COMM_WORLD) and returns the code.
 */
int tape_usable(MPI_Comm comm);

#endif
