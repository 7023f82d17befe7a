/*
 * The signals that end, interrupt or tell something to the command that tape
 * runs: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2. tape holds them
 * back and takes them one by one, so that none comes at a bad moment. What was
 * ignored when tape was started stays ignored, in all processes.
 */
#ifndef TAPE_PASS_SIGNALS_H
#define TAPE_PASS_SIGNALS_H

#include <signal.h>

/* Blocks these signals and SIGCHLD from now on, and ignores SIGPIPE. */
void signals_hold(void);

/* Returns the set of these signals, without SIGCHLD. */
const sigset_t *signals_held(void);

/*
 * Restores the signal mask and actions that tape was started with: for the
 * child that becomes the command, and for tape once the command has ended.
 */
void signals_as_before(void);

/* For a child that outlives the command: ignores the signals named above. */
void signals_ignore(void);

/*
 * Waits for one of these signals or SIGCHLD, for the given time at most.
 * Returns the number of the signal, or 0 if none came.
 */
int signals_wait(int milliseconds);

/* Consumes a pending signal. Returns 1 if it was pending, else 0. */
int signals_take(int signal);

/* Returns 1 if the signal is meant to end its process: not SIGUSR1, SIGUSR2. */
int signals_ends(int signal);

#endif
