/* The programs that tape calls. They are in tape's own folder. */
#ifndef TAPE_CALLED_PROGRAMS_H
#define TAPE_CALLED_PROGRAMS_H

#include <sys/types.h>

/* DIR/bin of the running tape; programs_beside: DIR. */
const char *programs_folder(void);
const char *programs_beside(void);

/*
 * The path of a program of the folder, which stays valid. Dies with a sentence
 * where there is none.
 */
const char *program_need(const char *name);

/* What a shell says of a process that has ended so: its status, or 128 + n. */
int program_status(int wait_status);

/*
 * Runs a program to its end and returns its status. Its standard input is
 * empty; its standard output is the descriptor out (-1: nowhere).
 */
int program_run(char *const *argv, int out);

/* Becomes the program; dies with a sentence, status 126 or 127, if it cannot.
 */
__attribute__((noreturn)) void program_become(char *const *argv);

/* A descriptor of /dev/null. */
int program_nowhere(void);

#endif
