/*
 * The tracer's communicators of all processes and of this process only. A
 * program that began with MPI_Session_init has no MPI_COMM_WORLD and no
 * MPI_COMM_SELF: then they are made of the process sets mpi://WORLD and
 * mpi://SELF, in a session of the tracer.
 */
#ifndef TAPE_WORLD_H
#define TAPE_WORLD_H

#include <mpi.h>

extern MPI_Comm tape_world __attribute__((visibility("hidden")));
extern MPI_Comm tape_self __attribute__((visibility("hidden")));

/*
 * Sets both; makes them if MPI_Init was not called. Collective over all
 * processes, whether they began with MPI_Init or a session. Non-zero: they
 * cannot be made, or some processes began with MPI_Init and others with a
 * session; one line has reported it.
 */
int tape_world_open(void);

/* Frees the communicators that were made. Collective. */
void tape_world_close(void);

/* Returns 1 if MPI_COMM_WORLD exists: between MPI_Init and MPI_Finalize. */
int tape_world_is_open(void);

/*
 * Returns 1 if the library can wait for a message. A session of MPICH with one
 * process cannot: it has no network, and a call that makes progress crashes
 * (4.0.2), also a call of the program. Needs tape_process.size.
 */
int tape_world_can_wait(void);

#endif
