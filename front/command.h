/*
 * The process of the command that tape runs. The command gets the signals, and
 * has the exit status, that it would have without tape.
 */
#ifndef TAPE_COMMAND_H
#define TAPE_COMMAND_H

#include <sys/types.h>

#include "guard.h"

/*
 * Starts the command argv and returns its process number. signals_hold() must
 * have been called; signals that tape has got since then are passed to the
 * command. empty_input: the command's standard input is empty, else it is
 * tape's. Ends tape with a sentence where no process can be started.
 */
pid_t command_start(char *const *argv, int empty_input);

/* Passes a signal to the command, unless it was sent to the whole group. */
void command_pass(pid_t command, int signal, struct guard *g);

#endif
