/*
 * tapelive without a directory, in an MPI job of more than one process, is the
 * receiver of its other programs' traces: that is a program of the job's MPI
 * library, libexec/tape/tapelive-openmpi or -mpich, which takes this one's
 * place.
 */
#ifndef LIVE_RECEIVER_H
#define LIVE_RECEIVER_H

/* Returns where the process is in no such job. */
void live_door(char **argv);

#endif
