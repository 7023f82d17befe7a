/*
 * Jobs that the program spawns (MPI_Comm_spawn, MPI_Comm_spawn_multiple) are
 * traced like the program, each into its own trace. Both traces contain the
 * same identity of the intercommunicator. The root of the spawn writes the
 * identity and the settings into a file of its trace, spawn.ID. The new
 * processes get two variables, LD_PRELOAD and TAPE_SPAWNED, which names that
 * file; the info of the call passes them. Nothing else of the call changes, and
 * no message is sent.
 *
 * Open MPI passes variables to spawned processes; MPICH does not. Its spawned
 * jobs are traced if the launcher passes them the settings, but their traces
 * are not linked.
 */
#ifndef TAPE_SPAWN_H
#define TAPE_SPAWN_H

#include <stdio.h>

#include "communicators.h"

/*
 * Called by rank 0 before the settings are read: finds out whether this job was
 * spawned, and by which job. The settings of that job apply until the trace has
 * begun (settings_of_job.h). One line reports if it cannot find out.
 */
void tape_spawn_find(struct tape_spawned *s);

/* Called by all ranks with rank 0's result: starts the tracing of spawns. */
void tape_spawn_start(const struct tape_spawned *s);

/* Defines the intercommunicator to the job that spawned this one. */
void tape_spawn_define(void);

/* Rank 0 writes the lines of meta, and links the trace of the spawning job. */
void tape_spawn_meta(FILE *meta);

#endif
