/*
 * The spool: the directory, in memory, in which `tape live` has the traces that
 * nobody keeps. It is made in the folder that TAPE_SPOOL names, in /dev/shm, or
 * else in TMPDIR.
 *
 * Whoever uses a spool holds a lock (flock) on it: tape, and the analyser,
 * which inherits tape's. The kernel gives it back however they end. So a spool
 * that can be locked is one that nobody uses any more, and may be removed.
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
 * Makes a spool, after it has removed those that were left behind by a `tape
 * live` of this user that was killed, each with a line. Dies with a sentence.
 */
void live_spool_make(struct live_spool *s);

/* Appends the paths of the traces that have begun; returns how many. */
size_t live_spool_traces(const struct live_spool *s,
			 struct argument_list *traces);

/* Says to all who follow a trace in it that nothing more is written. */
void live_spool_is_over(const struct live_spool *s);

/* Removes the spool and gives back the lock; says what could not be removed. */
void live_spool_remove(struct live_spool *s);

/*
 * For a process that outlives tape: the spool as such, without the lock. It
 * then waits until nobody has the lock, and removes the spool.
 */
int live_spool_open(const struct live_spool *s);
void live_spool_remove_unused(const struct live_spool *s, int fd);

#endif
