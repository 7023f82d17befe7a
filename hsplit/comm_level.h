/*
 * The hardware level of a communicator, stored as an attribute: its index, the
 * number of communicators of the split, and the type.
 */
#ifndef TAPE_COMM_LEVEL_H
#define TAPE_COMM_LEVEL_H

#include <mpi.h>

#include "position.h"

struct tape_comm_level;

/*
 * Allocates a level, before any collective call; NULL: memory is short.
 * tape_level_set or tape_level_drop takes ownership.
 */
struct tape_comm_level *tape_level_new(void);
void tape_level_drop(struct tape_comm_level *l);

/*
 * Stores l as an attribute of comm, which then owns it. Returns MPI_SUCCESS, or
 * the code of an MPI function.
 */
int tape_level_set(MPI_Comm comm, struct tape_comm_level *l, int num_comms,
		   int index, const char type[TAPE_LEVEL_MAX]);

/*
 * Returns the type as a text that is valid until MPI_Finalize; NULL: memory is
 * short.
 */
const char *tape_level_type(const char type[TAPE_LEVEL_MAX]);

#endif
