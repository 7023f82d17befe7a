/*
 * System functions of taperun --simulate: messages, temporary files that are
 * removed at exit, and calls of other programs.
 */
#ifndef TAPE_SIMULATE_TOOLS_H
#define TAPE_SIMULATE_TOOLS_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

/* Prints "taperun: ..." on standard error and exits with that status. */
__attribute__((noreturn, format(printf, 2, 3))) void
tape_simulate_fail(int status, const char *format, ...);

/* The same if memory is short; the status is 1. */
__attribute__((noreturn)) void tape_simulate_no_memory(void);

/* Makes the folder tape_simulate_own; it goes when taperun ends. */
void tape_simulate_folder(void);
extern char tape_simulate_own[PATH_MAX];

/* A new file in it, for writing and reading. */
FILE *tape_simulate_file(const char *name);

/* Returns 1 if PATH has such a program. */
int tape_simulate_finds(const char *name);

/*
 * Runs argv to its end and returns its exit status. output, errors: descriptors
 * of its standard output and error, or -1 to inherit them.
 */
int tape_simulate_call(char **argv, int output, int errors);

#endif
