/*
 * The directory of a new trace: written next to its final name and renamed
 * when whole, so that no half-written result is ever found under the name.
 * Its files are made in it and nowhere else (output_cleanup.h). Everything here
 * dies with a sentence when the disk says no.
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

/*
 * Where it is until it has its name; and there, in another process of a job,
 * the same directory, for files of its own: these stay if it is left (freed)
 * before the first one commits, else they are abandoned. The second one dies
 * as tape_output_begin does.
 */
const char *tape_output_place(const struct tape_output *o);
struct tape_output *tape_output_enter(const char *place);
void tape_output_leave(struct tape_output *o);

/* Makes a file in it, to be written: a descriptor, or a stream. */
int tape_output_file(struct tape_output *o, const char *name);
/*
 * The same for one of many that stay open: a descriptor, or -1 if there are so
 * many by now that half of what the process may have open are; then it is
 * opened for each write by tape_output_again: a descriptor, or -1 with errno.
 * number: of this one, from 1.
 */
int tape_output_flow(struct tape_output *o, const char *name, int *number);
int tape_output_again(const struct tape_output *o, const char *name);

FILE *tape_output_stream(struct tape_output *o, const char *name);

/* Ends such a stream: all of it was written, or dies. */
void tape_output_end(const struct tape_output *o, FILE *f, const char *name);

/* What sentences call a file of it, static storage until the next call. */
const char *tape_output_path(const struct tape_output *o, const char *name);

/* Opens it, as it is by now, for reading: as tape_trace_open. */
int tape_output_read(const struct tape_output *o, struct tape_trace **t);

/* The lines of meta that say how tools lay out the records of flows. */
void tape_output_classes(FILE *meta);

/*
 * Writes meta: that of t with its lines of the keys base, clock and history
 * put anew. base and history as the lines' values; clocks: whole lines.
 * one_clock: all ranks are on one domain called "global", and a writer makes
 * the flows anew; 0: the flows are those of t, with its classes.
 */
void tape_output_meta(struct tape_output *o, const struct tape_trace *t,
		      const char *base, const char *clocks,
		      const char *history, int one_clock);

/*
 * Puts the file of t into o: the file itself (a hard link) where it can be in
 * both, else a copy. bytes: of which only so many at its start, if it is
 * longer.
 */
void tape_output_take(struct tape_output *o, const struct tape_trace *t,
		      const char *name, uint64_t bytes);

/* Renames to the final name, and frees. */
void tape_output_commit(struct tape_output *o);

/* Removes what was written, and frees. NULL is accepted. */
void tape_output_abandon(struct tape_output *o);

#endif
