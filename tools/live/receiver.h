/*
 * tapelive without a directory, in an MPI job of more than one process, is the
 * receiver of its other programs' traces: that is a program of the job's MPI
 * library, libexec/tape/tapelive-openmpi or -mpich, which takes this one's
 * place. The tapelive that it starts to follow them gets the same options.
 */
#ifndef LIVE_RECEIVER_H
#define LIVE_RECEIVER_H

/* Where it writes, or NULL; these are the arguments from, to. */
struct live_spool {
	char *dir;
	int from, to;
};

/*
 * Before options are read: if this program ends because of them, the others of
 * its job shall not wait for it, so a receiver that ends the job takes its
 * place.
 */
void live_end_job_at_exit(void);

/*
 * Returns where the process is in no such job, or argv is not all options.
 * keep: what is received stays.
 */
void live_become_receiver(const struct live_spool *spool, int keep, int argc,
			  char **argv);

#endif
