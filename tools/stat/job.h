/*
 * tapestat in an MPI job: the processes of the job share the ranks of a trace
 * (crew.h). The program itself knows no MPI. For each library there is another
 * one, libexec/tapestat-openmpi or -mpich, of the same sources and mpi/job.c.
 */
#ifndef STAT_JOB_H
#define STAT_JOB_H

#include "owners.h"

/*
 * In a job of several processes: becomes the program of its library, or, in
 * that one, returns who shares the work. Only process 0 returns: the others
 * serve it until it ends by exit. NULL: it is alone. Dies where the job's
 * library has no such program.
 */
struct tape_peers *stat_job(int argc, char **argv);

/* What was exchanged, in a line on stderr; alone: nothing. */
void stat_job_tell(struct tape_peers *p);

#endif
