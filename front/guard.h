/*
 * The guard: another process of tape's process group, that
 *
 * - sees which signals are sent to the whole group: the command has got them,
 *   and tape must not pass them to the command once more;
 * - removes the spool when tape is killed, once no process uses the spool.
 *
 * The guard blocks all signals, and ends when tape ends.
 */
#ifndef TAPE_GUARD_H
#define TAPE_GUARD_H

#include <sys/types.h>

#include "live_spool.h"

struct guard {
	int fd; /* of the connection; -1: there is no guard */
};

/* Signals within this time are one: a sender may send one to tape, and to all.
 */
enum { GUARD_SAME_MS = 500 };

/*
 * Starts the guard. spool: the spool that the guard removes, or NULL. Where no
 * guard can be started g->fd is -1, and tape passes every signal.
 */
void guard_start(struct guard *g, const struct live_spool *spool);

/*
 * Returns 1 if the guard has got the signal within the last GUARD_SAME_MS, else
 * 0. Asks several times: tape may get a signal a moment before the guard does.
 */
int guard_saw(struct guard *g, int signal);

/* Ends the guard. */
void guard_stop(struct guard *g);

#endif
