/*
 * The trace as measured, beside the one without tracing. Where there are two
 * processors another thread reads it meanwhile.
 *
 *	m = measured_trace_open(path, t, NULL);
 *	s = stats_read(t, 1);
 *	measured_trace_read(m, s);
 *	...
 *	stats_free(s);
 *	measured_trace_close(m);
 */
#ifndef MEASURED_TRACE_H
#define MEASURED_TRACE_H

#include "sums.h"

struct measured_trace;

/* Opens the trace, with its call sites. Dies with a sentence if it cannot. */
struct tape_trace *stats_open_trace(const char *path);

/*
 * Opens the trace of the same run as t. Dies with a sentence if it is of
 * another run or corrected already. peers: with whom it is read; NULL: alone.
 */
struct measured_trace *measured_trace_open(const char *path,
					   const struct tape_trace *t,
					   struct tape_peers *peers);

/* Reads it to its end, and gives its sums to s, which frees them. */
void measured_trace_read(struct measured_trace *m, struct stats *s);

/* After stats_free of what has its sums. NULL is accepted. */
void measured_trace_close(struct measured_trace *m);

#endif
