/*
 * A tool in an MPI job: the processes of the job share the ranks of a trace
 * (tape_peers.h). The tool itself knows no MPI. For each library there is
 * another program, libexec/TOOL-openmpi or -mpich, of the same sources and
 * mpi/job.c.
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include "tape_peers.h"

/*
 * In a job of several processes: becomes the program of its library, or, in
 * that one, returns who shares the work. NULL: it is alone. Dies where the
 * job's library has no such program.
 *
 * Process 0 ends as any program does; while it is p->busy that ends the job,
 * else dismiss has told the others, who serve it, to come to tape_job_over.
 */
struct tape_peers *tape_job(int argc, char **argv, const char *tool,
			    void (*dismiss)(struct tape_peers *p));

/* Another process than 0: its work is done. */
__attribute__((noreturn)) void tape_job_finish(struct tape_peers *p);

#endif
