/*
 * The command that tape runs: it ends, and is told what it is told, as without
 * tape.
 */
#ifndef TAPE_COMMAND_H
#define TAPE_COMMAND_H

#include <sys/types.h>

#include "guard.h"

/*
 * Starts it; signals are held back since before (pass_signals.h). Its standard
 * input is tape's, or empty. What has come already goes to it. Dies with a
 * sentence.
 */
pid_t command_start(char *const *argv, int empty_input);

/* Passes a signal that tape has got on to it, unless it has got it as well. */
void command_pass(pid_t command, int signal, struct guard *g);

#endif
