/*
 * The neighbours of a process in a communicator with a topology, and lines of
 * rank.R that are lists of ranks.
 */
#ifndef TAPE_NEIGHBOURS_H
#define TAPE_NEIGHBOURS_H

#include <mpi.h>
#include <stdint.h>

#include "abi.h"

/* How many neighbours the process of that rank has, each way. */
void tape_neighbours_count(MPI_Comm comm, int rank, int32_t *in,
			   int32_t *out);

/*
 * Defines from whom the neighbourhood collectives of that communicator receive,
 * as ranks in it.
 */
void tape_neighbours_define(MPI_Comm comm, uint32_t index, int32_t in,
			    int32_t out);

/* The number of a group with these members; 0 if it could not be defined. */
uint32_t tape_comm_group(MPI_Group group);

/*
 * A list of ranks; several lines of the same number are one. Non-zero: it could
 * not be written.
 */
int tape_define_ranks(const char *what, uint32_t index, const int *ranks,
		      int n);

#endif
