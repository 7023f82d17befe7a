/*
 * Who has entered a collective, and who has left it: the k-th of a communicator
 * is a round, kept from its first entry to its last exit. Memory is bounded by
 * the rounds in progress.
 */
#ifndef TAPE_ROUNDS_H
#define TAPE_ROUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "ops.h"

/* The k-th collective of a communicator, while it is in progress. */
struct tape_round {
	uint64_t comm, k;
	int32_t size;       /* ranks go up to that */
	int32_t known;      /* members expected to enter and leave */
	int32_t entered, left;
	int64_t *start_ns;  /* by rank in it; INT64_MIN: not yet, or never */
	int64_t base_ns;    /* of the entry that came first */
	int32_t latest;     /* rank of the latest entry so far, as dated */
	int64_t latest_ns;
	void *own;          /* the tool's, zeroed at first */
};

struct tape_rounds;

/*
 * own, own_each: bytes of a round for the tool, and more for each rank in it;
 * multiples of 8. NULL: out of memory. The caller frees it; NULL is accepted.
 */
struct tape_rounds *tape_rounds_new(size_t own, size_t own_each);
void tape_rounds_free(struct tape_rounds *r);

/*
 * The round, made on first sight with known of size members; NULL: out of
 * memory. Pointers stay valid.
 */
struct tape_round *tape_rounds_get(struct tape_rounds *r, uint64_t comm,
				   uint64_t k, int32_t size, int32_t known);

/* One member has entered at start_ns. 1, or 0: it had before. */
int tape_round_enter(struct tape_round *q, int32_t rank, int64_t start_ns);

/* Returns 1 if all members have entered q on which the exit of r depends. */
int tape_round_ready(const struct tape_round *q, const struct tape_request *r);

/* One member has left; the last one frees it. */
void tape_round_leave(struct tape_rounds *r, struct tape_round *q);

/*
 * Goes through the rounds that not all have left, from *at (0 at first), in no
 * order that means anything: the next one, or NULL.
 */
struct tape_round *tape_rounds_each(struct tape_rounds *r, uint64_t *at);

/* Rounds that not all members have left. */
uint64_t tape_rounds_left(const struct tape_rounds *r);

#endif
