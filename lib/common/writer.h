/*
 * Writes the events of a trace: one flow file after another, or several at
 * once, each with one chunk in memory. Ticks are nanoseconds, unless the flow
 * was begun with tape_flow_writer_raw. Everything here dies with a sentence
 * when the disk says no.
 */
#ifndef TAPE_WRITER_H
#define TAPE_WRITER_H

#include "output.h"

/*
 * Writes rank.R of o from the definitions of t, for a trace with one clock
 * whose alpha is part of each record or nothing. host: where it ran; NULL: as
 * t has it. is_same_run: also how much of its processor the rank got, in two
 * lines of the thread that waited longest.
 */
void tape_write_rank(struct tape_output *o, const struct tape_trace *t,
		     int rank, const char *host, int is_same_run);

/* A blank and a word of a definition line, escaped; "" or NULL: the empty. */
void tape_write_word(FILE *f, const char *s);

/* The rest of a line "module": its four words and the newline. */
void tape_write_module(FILE *f, const struct tape_module_info *m);

struct tape_flow_writer;

/* Begins flow.R.T of o; its first event may start at start_ns or later. */
struct tape_flow_writer *tape_flow_writer_open(struct tape_output *o, int rank,
					       int thread, int64_t start_ns);

/*
 * The same for a flow in raw ticks: of each event its ticks, field probe and
 * extra alpha are written as they are, for a rank file with the constants.
 * first and last are a pair of anchors to put into the headers, both NULL for
 * none: with them the flow has a chunk at its end that holds only the last.
 */
struct tape_flow_writer *
tape_flow_writer_raw(struct tape_output *o, int rank, int thread,
		     uint64_t start_tick, const struct tape_anchor *first,
		     const struct tape_anchor *last);

/*
 * Adds an event from e->start_ns to e->end_ns with everything else of it; the
 * alphas are written whole, and the field probe, which is part of them, as 0.
 * Starts must not be before the previous end; if one is, it is moved there
 * and 1 is returned, else 0. In a raw flow nothing is moved.
 */
int tape_flow_writer_put(struct tape_flow_writer *w,
			 const struct tape_event *e);

/*
 * The same for an event that took place from start_ns to end_ns instead, and
 * cost nothing: its alphas are left out. It ended earlier_ns earlier at most,
 * or later_ns later; neither is negative. Not for a raw flow. It may be called
 * by any thread, one at a time: where something could not be written it does
 * not die but returns TAPE_EIO, and tape_flow_writer_check dies then.
 */
int tape_flow_writer_dated(struct tape_flow_writer *w,
			   const struct tape_event *e, int64_t start_ns,
			   int64_t end_ns, int64_t earlier_ns,
			   int64_t later_ns);

/* Dies where something could not be written. */
void tape_flow_writer_check(const struct tape_flow_writer *w);

/* Ends the flow (TAPE_END_NONE: as a killed one) and frees w. */
void tape_flow_writer_close(struct tape_flow_writer *w, enum tape_end why,
			    uint64_t lost);

#endif
