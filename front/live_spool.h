/*
 * The spool: the directory, in memory, in which `tape live` has the traces that
 * nobody keeps. It is made in the folder that TAPE_SPOOL names, in /dev/shm, or
 * else in TMPDIR.
 *
 * tape holds a lock (flock) on its spool, and the analyser inherits that lock.
 * The kernel releases the lock when both processes have ended, also when they
 * were killed. A process that gets the lock may remove the spool.
 */
#ifndef TAPE_LIVE_SPOOL_H
#define TAPE_LIVE_SPOOL_H

#include <stddef.h>

struct argument_list;

struct live_spool {
	char *path; /* absolute */
	int lock;   /* its descriptor */
};

/*
 * Makes a spool. Before, removes the spools that killed processes of `tape
 * live` of this user have left, and says so in a line for each. Ends tape with
 * a sentence where no spool can be made.
 */
void live_spool_make(struct live_spool *s);

/* Appends the paths of the traces that have begun; returns how many. */
size_t live_spool_traces(const struct live_spool *s,
			 struct argument_list *traces);

/* Marks the spool as complete for all processes that follow a trace in it. */
void live_spool_is_over(const struct live_spool *s);

/* Removes the spool and releases the lock. Prints what remains. */
void live_spool_remove(struct live_spool *s);

/*
 * For a process that outlives tape. live_spool_open() returns a descriptor of
 * the spool without tape's lock, or -1. live_spool_remove_unused() waits until
 * no process holds the lock, and removes the spool.
 */
int live_spool_open(const struct live_spool *s);
void live_spool_remove_unused(const struct live_spool *s, int fd);

#endif
