/* Other processes of the job that run on this host. */
#ifndef TAPE_SIBLINGS_H
#define TAPE_SIBLINGS_H

/*
 * Waits until those that the launcher has started beside this one have ended,
 * but for other receivers: Open MPI's mpirun kills them when a process of the
 * job ends with a status that is not 0, though they have left MPI in order.
 * Those of other hosts cannot be seen.
 */
void siblings_wait(void);

#endif
