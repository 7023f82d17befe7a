/*
 * The stages of a trace, in its folder: as recorded, with one clock (sba),
 * without the time that tracing took (tico).
 */
#ifndef TAPE_CORRECTED_TRACE_H
#define TAPE_CORRECTED_TRACE_H

#include <stddef.h>

#include "argument_list.h"

enum { STAGES = 3 };

struct stages {
	char *trace[STAGES]; /* from the recorded one to the most corrected */
	size_t n;	     /* 1 at least */
};

/* Exits with a message if path is not a trace; suggests a trace. */
void trace_must_be(const char *path);

/*
 * Finds the first line of the file meta that has that beginning. Returns 1 and
 * copies the rest of the line, as far as it fits into n bytes; or returns 0.
 */
int trace_read_line(const char *trace, const char *beginning, char *rest,
		    size_t n);

/* Returns 1 if the file meta has a line with that beginning. */
int trace_has_line(const char *trace, const char *beginning);

/*
 * Makes the result of a tool from the traces, unless it exists and is newer
 * than they are. The tool's output goes to the descriptor out (-1: nowhere).
 * Returns 1 if the result exists now; else 0, and the reason has been printed.
 */
int trace_make(const char *tool, char *const *traces, char *result, int out);

/* The same with a reference for tico; NULL: none. */
int trace_make_by(const char *tool, const char *reference, char *const *traces,
		  char *result, int out);

/*
 * Makes the stages that are missing, or older than the trace. If a tool fails,
 * it says why, and the stages end before its result.
 */
void stages_make(struct stages *s, const char *trace);

/*
 * The same by a reference of the same order (tico --reference). If tico refuses
 * it, the trace is corrected without.
 */
void stages_make_by(struct stages *s, const char *trace, const char *reference);

/* Returns the most corrected stage. */
const char *stages_best(const struct stages *s);

/* Returns 1 if that stage is without the time that tracing took. */
int stages_are_whole(const struct stages *s);

/* Appends the command line of tapestat for that stage. */
void stages_figures(const struct stages *s, char *const *options,
		    struct argument_list *a);

#endif
