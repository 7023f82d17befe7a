/*
 * A result that is one text file: written beside its final name and renamed
 * when whole. Dies with a sentence naming the file.
 */
#ifndef TAPE_FILE_OUTPUT_H
#define TAPE_FILE_OUTPUT_H

#include <stdio.h>

/*
 * Begins the file path, "-" for stdout. What is no regular file (a pipe, a
 * device) is written in place; a regular file is replaced at the end.
 * One at a time.
 */
FILE *tape_file_begin(const char *path);

/* Everything is written: the file gets its name. */
void tape_file_commit(void);

#endif
