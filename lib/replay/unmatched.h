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

/* The table to f, the most frequent first; nothing where there is nothing. */
void tape_unmatched_text(struct tape_unmatched *u, const struct tape_trace *t,
			 FILE *f);

/* A JSON array, all lines, to standard output. */
void tape_unmatched_json(struct tape_unmatched *u, const struct tape_trace *t);

#endif
