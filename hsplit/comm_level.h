/*
 * What a communicator stands for, as an attribute of it: which of how many
 * communicators, and of what type.
 */
#ifndef TAPE_COMM_LEVEL_H
#define TAPE_COMM_LEVEL_H

#include <mpi.h>

#include "position.h"

struct tape_comm_level;

/*
 * Room for a level, before anything that others take part in; NULL: memory is
 * short. To be given to tape_level_set or tape_level_drop.
 */
struct tape_comm_level *tape_level_new(void);
void tape_level_drop(struct tape_comm_level *l);

/*
 * Caches it with comm, which owns l from then on. Returns MPI_SUCCESS, or what
 * an MPI function returned.
 */
int tape_level_set(MPI_Comm comm, struct tape_comm_level *l, int num_comms,
		   int index, const char type[TAPE_LEVEL_MAX]);

/*
 * The type as text that stays until MPI_Finalize; NULL: memory is short.
 */
const char *tape_level_type(const char type[TAPE_LEVEL_MAX]);

#endif
