/*
 * Sends and receives without a partner in the trace, summed up by call site,
 * communicator, peer and tag, and their table for a report.
 *
 *	struct tape_unmatched *u = tape_unmatched_new();
 *
 *	tape_unmatched_slots(u, match);
 *	tape_unmatched_text(u, trace, stdout);
 *	tape_unmatched_free(u);
 *
 * Memory grows with the lines of the table, not with what they sum up.
 */
#ifndef TAPE_UNMATCHED_H
#define TAPE_UNMATCHED_H

#include <stdio.h>

#include "match.h"
#include "tape_reader.h"

/* One of them, or many alike. */
struct tape_unmatched_line {
	struct tape_where where; /* event is not looked at */
	int is_send;
	int32_t peer, tag;       /* rank in the communicator, as passed where
				  * no message is known: they may be any */
	uint64_t count, bytes;   /* bytes: of all; of sends, and of receives
				  * that ended */
};

struct tape_unmatched;

/* NULL: out of memory. The caller frees it; NULL is accepted. */
struct tape_unmatched *tape_unmatched_new(void);
void tape_unmatched_free(struct tape_unmatched *u);

/* Adds to the line of its like. Returns 0 or TAPE_ENOMEM. */
int tape_unmatched_add(struct tape_unmatched *u,
		       const struct tape_unmatched_line *one);

/* Adds every slot of m that has one side only. 0 or TAPE_ENOMEM. */
int tape_unmatched_slots(struct tape_unmatched *u, const struct tape_match *m);

/*
 * The lines, from *at (0 at first), in no order that means anything: the next
 * one, or NULL.
 */
const struct tape_unmatched_line *
tape_unmatched_each(const struct tape_unmatched *u, uint64_t *at);

/* All sends, all receives. */
uint64_t tape_unmatched_sends(const struct tape_unmatched *u);
uint64_t tape_unmatched_receives(const struct tape_unmatched *u);

/*
 * A copy of the lines, the most frequent first: *n of them. The caller frees
 * it. NULL: out of memory.
 */
struct tape_unmatched_line *tape_unmatched_list(const struct tape_unmatched *u,
						size_t *n);

/*
 * "1 message from rank 1 to rank 0 (tag 5, MPI_Send x.c:4) was never received":
 * only of a trace in which all of the run is. Cut to size.
 */
void tape_unmatched_sentence(const struct tape_unmatched_line *l,
			     const struct tape_trace *t, char *text,
			     size_t size);

/*
 * Write the table, without a line where there is nothing, and a JSON array of
 * all lines. They die when out of memory.
 */
void tape_unmatched_text(const struct tape_unmatched *u,
			 const struct tape_trace *t, FILE *f);
void tape_unmatched_json(const struct tape_unmatched *u,
			 const struct tape_trace *t, FILE *f);

#endif
