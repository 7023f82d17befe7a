/*
 * The directory of a new trace: written beside its final name and renamed
 * when whole, so that no half-written result is ever found under the name.
 */
#ifndef TAPE_OUTPUT_DIR_H
#define TAPE_OUTPUT_DIR_H

#include <stdio.h>

#include "tape_reader.h"

/* prog.tape -> prog.WHAT.tape; an earlier stage's word is replaced. */
void tape_output_name(const char *input, const char *what, char *name,
		      size_t n);

struct tape_output;

/*
 * Begins the trace directory path. Dies with a sentence if path exists or
 * cannot be made. A trailing slash is ignored.
 */
struct tape_output *tape_output_begin(const char *path);

/* Path of a file inside it, static storage until the next call. */
const char *tape_output_file(const struct tape_output *o, const char *name);

/*
 * Writes meta: that of t with its lines of the keys base, clock and history
 * put anew. base and history as the lines' values; clocks: whole lines.
 * one_clock: all ranks on one domain called "global".
 */
void tape_output_meta(struct tape_output *o, const struct tape_trace *t,
		      const char *base, const char *clocks,
		      const char *history, int one_clock);

/* Makes the same file in o: a hard link where possible, else a copy. */
void tape_output_link(struct tape_output *o, const char *from,
		      const char *name);

/* Renames to the final name, and frees. */
void tape_output_commit(struct tape_output *o);

/* Removes what was written, and frees. NULL is accepted. */
void tape_output_abandon(struct tape_output *o);

#endif
