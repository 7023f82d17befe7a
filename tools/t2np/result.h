/*
 * The result of an exporter, one text file: written beside its final name and
 * renamed when whole. Dies with a sentence naming the file.
 */
#ifndef T2NP_RESULT_H
#define T2NP_RESULT_H

#include <stddef.h>
#include <stdio.h>

/*
 * app.sba.tape -> app.sba.trf, beside the trace; of any other name that name
 * with ".trf" added. The name goes to name, of n bytes.
 */
void result_name(const char *trace, char *name, size_t n);

/*
 * Begins the file path, "-" for stdout. What is no regular file (a pipe, a
 * device) is written in place; a regular file is replaced at the end.
 * One at a time.
 */
FILE *result_begin(const char *path);

/* Everything is written: the file gets its name. */
void result_commit(void);

#endif
