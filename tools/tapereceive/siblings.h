/* The other processes of the job on this host. */
#ifndef TAPE_SIBLINGS_H
#define TAPE_SIBLINGS_H

/*
 * Waits until the processes that the same launcher has started on this host
 * have ended, except other receivers. Otherwise Open MPI's mpirun would kill
 * them, even after MPI_Finalize, when this process exits with a non-zero
 * status.
 */
void siblings_wait(void);

#endif
