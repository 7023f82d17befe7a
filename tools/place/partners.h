/*
 * What ranks send to each other, from what each of them does (action.h):
 * messages, one-sided transfers, and collectives as the messages that the
 * library's algorithms send (coll.h). Memory is of the order of pairs that
 * have something to do with each other.
 */
#ifndef PLACE_PARTNERS_H
#define PLACE_PARTNERS_H

#include <stddef.h>
#include <stdint.h>

#include "action.h"
#include "coll.h"

/* One rank's partner. */
struct place_partner {
	uint32_t rank;
	double messages, bytes; /* of both directions */
	double sent;		/* bytes to the partner */
};

struct place_pairs {
	size_t ranks;
	size_t *first; /* of rank r: partner[first[r]] ... [first[r + 1] - 1] */
	struct place_partner *partner;
	double messages, bytes;
	uint64_t unknown; /* collectives that are not in it */
};

/*
 * Reads the actions to their end. Messages of a rank to itself are left out.
 * Dies with the sentence of an action that cannot be.
 */
void place_pairs_read(struct place_pairs *p, struct tape_actions *s,
		      enum tape_coll_library library);
void place_pairs_free(struct place_pairs *p);

/* The same by hand: give all, then end. */
struct place_traffic;
struct place_traffic *place_traffic_new(size_t ranks);
void place_traffic_add(struct place_traffic *g, int from, int to,
		       double messages, double bytes);
void place_traffic_end(struct place_traffic *g, struct place_pairs *p);

#endif
