/*
 * The traffic between ranks, from the actions of each rank (action.h):
 * messages, one-sided transfers, and collectives as the messages of the
 * library's algorithms (coll.h). Memory is proportional to the number of pairs
 * with traffic.
 */
#ifndef PLACE_PARTNERS_H
#define PLACE_PARTNERS_H

#include <stddef.h>
#include <stdint.h>

#include "action.h"
#include "coll.h"

/* A partner of a rank. */
struct place_partner {
	uint32_t rank;
	double messages, bytes; /* in both directions */
	double sent;		/* bytes to the partner */
};

struct place_pairs {
	size_t ranks;
	/* partners of rank r: partner[first[r]] to [first[r + 1] - 1] */
	size_t *first;
	struct place_partner *partner;
	double messages, bytes;
	uint64_t unknown; /* collectives that are not included */
};

/*
 * Reads the actions to their end. Messages of a rank to itself are ignored.
 * Dies with the error message of the actions.
 */
void place_pairs_read(struct place_pairs *p, struct tape_actions *s,
		      enum tape_coll_library library);
void place_pairs_free(struct place_pairs *p);

/*
 * Builds struct place_pairs from single messages: add all, then end, which
 * frees the builder.
 */
struct place_traffic;
struct place_traffic *place_traffic_new(size_t ranks);
void place_traffic_add(struct place_traffic *g, int from, int to,
		       double messages, double bytes);
void place_traffic_end(struct place_traffic *g, struct place_pairs *p);

#endif
