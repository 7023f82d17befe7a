/* tapelive, started as a child, and how it ends. */
#ifndef TAPE_FOLLOWER_H
#define TAPE_FOLLOWER_H

#include <sched.h>

/*
 * Starts the tapelive of this installation with args and dirs, both ended by
 * NULL. kept: the traces will not be removed. processes: the default number of
 * analysis processes. where: the processors that they may use. tapelive runs in
 * a session of its own, without the job's environment, so that killing the job
 * does not kill it. Returns its process id, or 0 if it cannot be started.
 */
int follower_start(char *const *args, char *const *dirs, int kept,
		   int processes, const cpu_set_t *where);

/* Returns the exit status, or -1 if it still runs. Does not block. */
int follower_poll_status(int pid);

/* Waits for its end. Returns the exit status; 1 if a signal ended it. */
int follower_wait(int pid);

#endif
