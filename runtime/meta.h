/*
 * The directory of a trace, and the lines of its file meta that are the same
 * whatever library the program uses. For the process that begins a run.
 */
#ifndef TAPE_META_H
#define TAPE_META_H

#include <stddef.h>
#include <stdio.h>

#include "config.h"

/*
 * Makes the directory that the settings name, else NAME.tape after the
 * program, or NAME.2.tape, ...: never one that exists. dir (n bytes) receives
 * its absolute name. Returns 0, or a negative TAPE_E code with a sentence in
 * error (en bytes).
 */
int tape_meta_directory(const struct tape_config *c, char *dir, size_t n,
			char *error, size_t en);

/* The first lines: what the file is, the program and its command line. */
void tape_meta_begin(FILE *out);

/* What the settings leave out of the trace: tools have to know. */
void tape_meta_filters(FILE *out);

#endif
