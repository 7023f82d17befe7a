/*
 * A command that is run with tracing, to its end, and the traces that it made.
 * The tracing library writes the run's number, TAPE_RUN_ID, into meta: traces
 * of other runs in the same directory have another number.
 */
#ifndef TAPE_TRACED_RUN_H
#define TAPE_TRACED_RUN_H

#include "argument_list.h"

/*
 * Runs a command line of taperun to its end. empty_input: its standard input is
 * empty. Returns its exit status. *interrupted becomes 1 if somebody sent a
 * signal, which is passed on to the command. The traces that the command wrote
 * are added to the list traces: those with the name and in the folder of trace,
 * or, if trace is NULL, all in the current folder.
 */
int traced_run(char *const *argv, const char *trace, int empty_input,
	       int *interrupted, struct argument_list *traces);

#endif
