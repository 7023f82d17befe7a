/*
 * The guard: a process beside tape, in the same process group, that
 *
 * - sees which signals are sent to the whole group: those the command has got,
 *   too, and tape must not pass them to it once more;
 * - removes the spool when tape is killed, once nobody uses it any more.
 *
 * It holds all signals back, and ends with tape.
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
 * Starts the guard. spool may be NULL. Where that fails there is none, and
 * every signal is passed on.
 */
void guard_start(struct guard *g, const struct live_spool *spool);

/*
 * Has the guard got the signal, too, within the last GUARD_SAME_MS? Asks
 * several times: tape may hear of a signal a moment before the others.
 */
int guard_saw(struct guard *g, int signal);

/* The guard has no more to do. */
void guard_stop(struct guard *g);

#endif
