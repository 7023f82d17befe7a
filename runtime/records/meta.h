/*
 * The directory of a trace, and the lines of its file meta that are the same
 * whatever library the program uses. For the process that begins a run.
 */
#ifndef TAPE_META_H
#define TAPE_META_H

#include <stddef.h>
#include <stdio.h>

#include "config.h"
#include "file.h"

/*
 * Makes the directory that the settings name, else NAME.tape after the
 * program, or NAME.2.tape, ...: never one that exists. dir (n bytes) receives
 * its absolute name. Returns 0, or a negative TAPE_E code with a sentence in
 * error (en bytes).
 */
int tape_meta_directory(const struct tape_config *c, char *dir, size_t n,
			char *error, size_t en);

/*
 * Creates the file meta in tape_process.dir, with its first lines: the program,
 * its command line, the date, the message-passing library and Tape's version.
 * NULL, and errno says why not. hold lasts until the file is closed.
 */
FILE *tape_meta_open(const char *library, struct tape_hold *hold);

/*
 * Writes the last lines, which state the filters, and closes the file. Returns
 * 0, or -1 if the file is incomplete.
 */
int tape_meta_close(FILE *out, struct tape_hold *hold);

#endif
