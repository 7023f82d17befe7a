/* tapelive, started as a child, and how it ends. */
#ifndef TAPE_FOLLOWER_H
#define TAPE_FOLLOWER_H

#include <sched.h>

/*
 * Starts the tapelive of this installation with args and dirs, both ended by
 * NULL, which are kept or not, to analyse by so many processes, unless args say
 * otherwise, that may run where. It is in a session of its own, so that who
 * kills the job does not kill it, and does not know of the job. Its process id,
 * or 0: there is none.
 */
int follower_start(char *const *args, char *const *dirs, int kept,
		   int processes, const cpu_set_t *where);

/* Has it ended? Its exit status, or -1. */
int follower_poll_status(int pid);

/* Waits for its end. Its exit status; 1 where a signal ended it. */
int follower_wait(int pid);

#endif
