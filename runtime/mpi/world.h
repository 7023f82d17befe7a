/*
 * The communicators of all processes and of this one alone, for the tracer's
 * own questions. A program that began with MPI_Session_init has no
 * MPI_COMM_WORLD and no MPI_COMM_SELF: then they are made of the process sets
 * mpi://WORLD and mpi://SELF, in a session of the tracer's own.
 */
#ifndef TAPE_WORLD_H
#define TAPE_WORLD_H

#include <mpi.h>

extern MPI_Comm tape_world __attribute__((visibility("hidden")));
extern MPI_Comm tape_self __attribute__((visibility("hidden")));

/*
 * Sets both; makes them where MPI_Init was not called. Collective among all
 * processes, whatever each began with. Non-zero: they cannot be made, or some
 * began with MPI_Init and others with a session; one line has said so.
 */
int tape_world_open(void);

/* Frees what was made. Collective. */
void tape_world_close(void);

/* Is MPI_COMM_WORLD there: between MPI_Init and MPI_Finalize? */
int tape_world_is_open(void);

/*
 * Can the library wait for a message? Not in a session of MPICH that has one
 * process: there is no network, and a call that looks for progress crashes
 * (4.0.2), also one of the program's. tape_process.size is known.
 */
int tape_world_can_wait(void);

#endif
