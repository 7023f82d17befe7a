/*
 * Where this process is: its position (position.h), from the file in the
 * variable TAPE_NETWORK, the host's name and hwloc; and what is made once in
 * a process and freed by MPI_Finalize.
 */
#ifndef TAPE_OWN_PLACE_H
#define TAPE_OWN_PLACE_H

#include "position.h"

/* What is wrong on one process, and so at all of its communicator's. */
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
 * The position, by what this process may run on now. On TAPE_FAULT_PLACE why
 * says what is wrong; then position is "Cluster".
 */
enum tape_fault tape_own_place(char position[TAPE_POSITION_MAX],
			       char why[TAPE_WHY_MAX]);

/*
 * Bytes of position up to and with its last step of that type, which is one of
 * ours, of MPI 4.1's or of hwloc's: "L3", "hwloc://L3Cache",
 * "mpi_shared_memory". 0: it has none. name: the type as ours.
 */
size_t tape_place_find(const char *position, const char *type,
		       char name[TAPE_LEVEL_MAX]);

/* Forgets what was read, so that it is read again. */
void tape_place_forget(void);

#endif
