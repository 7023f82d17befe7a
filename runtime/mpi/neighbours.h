/*
 * The neighbours of a process in a communicator with a topology, and lines of
 * rank.R that are lists of ranks.
 */
#ifndef TAPE_NEIGHBOURS_H
#define TAPE_NEIGHBOURS_H

#include <mpi.h>
#include <stdint.h>

#include "abi.h"

/* Counts the neighbours that a rank receives from and sends to. */
void tape_neighbours_count(MPI_Comm comm, int rank, int32_t *in,
			   int32_t *out);

/*
 * Defines the ranks from which the neighbourhood collectives of a communicator
 * receive.
 */
void tape_neighbours_define(MPI_Comm comm, uint32_t index, int32_t in,
			    int32_t out);

/* Returns the number of a group with these members; 0: an error. */
uint32_t tape_comm_group(MPI_Group group);

/*
 * Writes a list of ranks; several lines of the same number are one list.
 * Non-zero: an error.
 */
int tape_define_ranks(const char *what, uint32_t index, const int *ranks,
		      int n);

#endif
