/*
 * What the messages of a run say of its clocks: one sent by clock a at its
 * reading A and received by clock b at B, so date(A) <= date(B). Of many, each
 * stretch of time keeps the one that says most: memory does not grow with the
 * trace.
 */
#ifndef SBA_BOUNDS_H
#define SBA_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "clocks.h"

struct bounds_message {
	double sent, received; /* readings of both clocks */
	double slack;          /* received less sent, by the first tracks, ns */
	int64_t bin;
	int is_round;          /* of clock sampling */
};

/* All messages from one clock to another. */
struct bounds_pair {
	uint32_t from, to;
	uint64_t messages;
	/* even at the far ends of both intervals received before they were
	 * sent: no such tracks are possible */
	uint64_t refuted;
	struct bounds_message *kept; /* in order of bin, one each */
	size_t n, room;
};

struct bounds;

/* Messages kept of all ways, about. */
enum { BOUNDS_KEPT = 1 << 20 };

/* The tracks that k has now rank the messages. Dies when out of memory. */
struct bounds *bounds_new(const struct clocks *k);
void bounds_free(struct bounds *b);

/* Adds a message between two clocks; its readings are exact to 0.5 ns. */
void bounds_add(struct bounds *b, uint32_t from, double sent, uint32_t to,
		double received);

/* The same for one of the two messages of a round: it is not counted. */
void bounds_round(struct bounds *b, uint32_t from, double sent, uint32_t to,
		  double received);

/*
 * What another b has kept: the sums of a way, and so many messages of it, in
 * order, which are changed. wide: how often its stretches were doubled.
 */
unsigned bounds_doublings(const struct bounds *b);
void bounds_merge(struct bounds *b, unsigned wide, const struct bounds_pair *w,
		  struct bounds_message *m, size_t n);

/* Messages that no tracks within the first intervals allow. */
uint64_t bounds_refuted(const struct bounds *b);

/* The ways, in order of from, then to; their number in *n. */
const struct bounds_pair *bounds_pairs(struct bounds *b, size_t *n);

#endif
