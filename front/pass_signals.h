/*
 * The signals that end, interrupt or tell something to the command that tape
 * runs: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2. tape holds them
 * back and takes them one by one, so that none comes at a bad moment. What was
 * ignored when tape was started stays ignored, in all processes.
 */
#ifndef TAPE_PASS_SIGNALS_H
#define TAPE_PASS_SIGNALS_H

#include <signal.h>

/* From now on they are held back, as is SIGCHLD; SIGPIPE is ignored. */
void signals_hold(void);

/* Those that are held back, without SIGCHLD. */
const sigset_t *signals_held(void);

/*
 * In a child that is to become the command, and in tape once the command has
 * ended: signals are as they were when tape was started.
 */
void signals_as_before(void);

/* In a child that is to go on whatever the command is told: they are ignored.
 */
void signals_ignore(void);

/*
 * Waits for a signal, at most so long. Returns its number, SIGCHLD among them,
 * or 0.
 */
int signals_wait(int milliseconds);

/* Takes back one that has come already, without waiting: 1, there was one. */
int signals_take(int signal);

/* Does the signal end what it comes to? SIGUSR1 and SIGUSR2 may mean anything.
 */
int signals_ends(int signal);

#endif
