/*
 * Jobs that the program spawns (MPI_Comm_spawn, MPI_Comm_spawn_multiple) are
 * traced as it is, each into a trace of its own, and each names the
 * intercommunicator as the job that spawned it does. The root of the spawn
 * writes what they have to know into a file of its trace, spawn.ID; the new
 * processes get two variables, LD_PRELOAD and TAPE_SPAWNED, which names that
 * file. They come with the info of the call. Nothing else of the call changes,
 * and no message is sent.
 *
 * Open MPI hands variables to what it spawns; MPICH does not. Its children are
 * traced where the launcher hands them the settings, and are not linked.
 */
#ifndef TAPE_SPAWN_H
#define TAPE_SPAWN_H

#include <stdio.h>

#include "communicators.h"

/*
 * Rank 0, ahead of the settings: finds out whether this job was spawned, and by
 * which job. The settings of that job are taken over, until the trace has begun
 * (settings_of_job.h). Says in one line where it cannot know.
 */
void tape_spawn_find(struct tape_spawned *s);

/* All ranks, with what rank 0 found: spawns are noticed from here on. */
void tape_spawn_start(const struct tape_spawned *s);

/* Once communicators can be defined: the one to the job that spawned this. */
void tape_spawn_define(void);

/* The lines of meta, by rank 0. The trace of those who spawned gets to know. */
void tape_spawn_meta(FILE *meta);

#endif
