/* The programs that tape calls. They are in tape's own folder. */
#ifndef TAPE_CALLED_PROGRAMS_H
#define TAPE_CALLED_PROGRAMS_H

#include <sys/types.h>

/* Returns DIR/bin of the running tape; programs_beside() returns DIR. */
const char *programs_folder(void);
const char *programs_beside(void);

/*
 * Returns the path of a program in that folder; the string stays valid. Dies
 * with a sentence if there is no such program.
 */
const char *program_need(const char *name);

/* Returns the status as $? of a shell: exit status, or 128 + the signal. */
int program_status(int wait_status);

/*
 * Runs a program to its end and returns its status. Its standard input is
 * empty; its standard output is the descriptor out (-1: nowhere).
 */
int program_run(char *const *argv, int out);

/* Executes the program in this process; dies with status 126 or 127 if it
 * cannot. */
__attribute__((noreturn)) void program_become(char *const *argv);

/* Returns a descriptor of /dev/null. */
int program_nowhere(void);

#endif
