/*
 * The position of this process (position.h): from the file that the environment
 * variable TAPE_NETWORK names, the name of the host, and hwloc. These are read
 * once in a process and freed by MPI_Finalize.
 */
#ifndef TAPE_OWN_POSITION_H
#define TAPE_OWN_POSITION_H

#include "position.h"

/* A fault of one process, which fails the call on its whole communicator. */
enum tape_fault {
	TAPE_FAULT_NONE,
	TAPE_FAULT_ARGUMENT,
	TAPE_FAULT_INFO,
	TAPE_FAULT_PLACE, /* TAPE_NETWORK or TAPE_BINDING */
	TAPE_FAULT_MEMORY,
	TAPE_FAULTS
};

enum { TAPE_WHY_MAX = 4608 }; /* a path and a sentence */

/*
 * Finds the position of this process from its current binding. On
 * TAPE_FAULT_PLACE why gets the reason and position is "Cluster".
 */
enum tape_fault tape_find_own_position(char position[TAPE_POSITION_MAX],
				       char why[TAPE_WHY_MAX]);

/*
 * Returns the bytes of position up to and including its last step of that type;
 * 0 if it has no such step. The type is one of Tape's, MPI 4.1's or hwloc's:
 * "L3", "mpi_shared_memory", "hwloc://L3Cache". name gets Tape's type.
 */
size_t tape_find_level_position(const char *position, const char *type,
				char name[TAPE_LEVEL_MAX]);

/* Frees the network and the hardware; the next call reads them again. */
void tape_free_levels(void);

#endif
