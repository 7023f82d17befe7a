/*
 * Results that are text files: each is written next to its final name and
 * renamed when all are whole. Nothing is followed or written elsewhere
 * meanwhile (output_cleanup.h). Dies with a sentence naming the file.
 */
#ifndef TAPE_FILE_OUTPUT_H
#define TAPE_FILE_OUTPUT_H

#include <stdio.h>

/*
 * Begins the file path, "-" for stdout. What is no regular file (a pipe, a
 * device) is written in place; a regular file is replaced at the end.
 */
FILE *tape_file_begin(const char *path);

/*
 * Begins the file name in a directory open as dir, which is called path in
 * sentences; there only regular files are made.
 */
FILE *tape_file_begin_in(int dir, const char *path, const char *name);

/*
 * All of f, one of these, is written: it is closed, and gets its name with the
 * others. Who makes many says so of each, for few can be open.
 */
void tape_file_end(FILE *f);

/*
 * Makes the directory path unless it is there: a descriptor of it, open until
 * the end. One that was made is removed if the results are not committed.
 */
int tape_file_directory(const char *path);

/* All is written: whatever was begun gets its name. */
void tape_file_commit(void);

#endif
