/*
 * Whether the dates that are written may be those of any run: no flow goes
 * back, no time inside of a call is negative, nothing ends before what it
 * waited for began, and no message takes less than the least that one takes.
 * Only dates are looked at, not how they came about. Memory: none but this; the
 * caller keeps the dates of what is in flight.
 */
#ifndef CORRECT_CAUSALITY_H
#define CORRECT_CAUSALITY_H

#include <stdint.h>

#include "comm.h"
#include "ops.h"
#include "rounds.h"

/* Violations, and by how much the worst of them violates, ns. */
struct violations {
	uint64_t n;
	int64_t worst_ns;
};

struct causality {
	struct violations before;   /* by the dates as measured: messages and
				     * meetings */
	struct violations messages; /* and as corrected: an end before a send
				     * and its least transit, */
	struct violations meetings; /* before an entry that it depends on, or
				     * the other end of a rendezvous, */
	struct violations inside;   /* before its own start; */
	struct violations order;    /* a start before the end before it */
	uint64_t n_messages, n_meetings;
	/* no message takes less, unless it did as measured: what the model
	 * says of an empty one, or what one took that was quicker */
	int64_t least_ns[TAPE_DISTANCES];
};

/* An event of a flow, and the end of the one before it. */
static inline void causality_count(struct violations *v, int64_t by)
{
	if (by <= 0)
		return;
	v->n++;
	if (by > v->worst_ns)
		v->worst_ns = by;
}

static inline void causality_check_order(struct causality *c, int64_t last_ns,
					 int64_t start_ns, int64_t end_ns)
{
	causality_count(&c->order, last_ns - start_ns);
	causality_count(&c->inside, start_ns - end_ns);
}

/* A date as measured and as written. */
struct dates {
	int64_t measured, written;
};

/* The end of a message whose send started then. */
void causality_add_message(struct causality *c, enum tape_distance d,
			   struct dates sent, struct dates end);

/* What ended, and what it had to wait for. */
void causality_add_meeting(struct causality *c, struct dates other,
			   struct dates end);

/*
 * Who left a collective, whose entries are in q. It did not wait for members
 * that refuted(self, member) names.
 */
void causality_add_exit(struct causality *c, const struct tape_round *q,
			const struct tape_request *r, struct dates end,
			int (*refuted)(const void *self, int member),
			const void *self);

/* Adds what b counts to a. */
void causality_add(struct causality *a, const struct causality *b);

/* All violations of the dates as written. */
struct violations causality_sum_after(const struct causality *c);

#endif
