/*
 * tapelive without a directory, in an MPI job of several processes, receives
 * the traces of the job's other programs. To do so it executes the program for
 * the job's MPI library, libexec/tape/tapelive-openmpi or -mpich. That program
 * starts a tapelive with the same options, which follows the traces.
 */
#ifndef LIVE_RECEIVER_H
#define LIVE_RECEIVER_H

/* The spool directory, or NULL, and its position among the arguments. */
struct live_spool {
	char *dir;
	int from, to;
};

/*
 * Call it before options are parsed. If this process exits in an MPI job
 * because of a usage error, it executes a receiver that aborts the job, so that
 * no process of the job waits for it.
 */
void live_end_job_at_exit(void);

/*
 * Executes the receiver. Returns if the process is not in an MPI job, or argv
 * has a directory. keep: the received traces are kept.
 */
void live_become_receiver(const struct live_spool *spool, int keep, int argc,
			  char **argv);

#endif
