/*
 * What taperun --simulate needs of the system: sentences, files of its own that
 * are gone when it ends, programs that it calls.
 */
#ifndef TAPE_SIMULATE_TOOLS_H
#define TAPE_SIMULATE_TOOLS_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

/* "taperun: ..." on standard error, and the end, with that status. */
__attribute__((noreturn, format(printf, 2, 3))) void
tape_simulate_fail(int status, const char *format, ...);

/* Makes the folder tape_simulate_own; it goes when taperun ends. */
void tape_simulate_folder(void);
extern char tape_simulate_own[PATH_MAX];

/* A new file in it, for writing and reading. */
FILE *tape_simulate_file(const char *name);

/* Is there such a program in PATH? */
int tape_simulate_finds(const char *name);

/* The name of what is beside this program: ../FOLDER/NAME; "": too long. */
void tape_simulate_installed(const char *folder, const char *name, char *path,
			     size_t n);

/*
 * Runs argv to its end; output, errors: its standard output and error, or -1 as
 * they are. Its exit status.
 */
int tape_simulate_call(char **argv, int output, int errors);

#endif
