/*
 * Bounds of clocks by messages: a message sent by clock a at reading A and
 * received by clock b at B gives time(A) <= time(B). Each bin of time stores
 * only the tightest message, so memory does not grow with the trace.
 */
#ifndef SBA_BOUNDS_H
#define SBA_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "clocks.h"

struct bounds_message {
	double sent, received; /* readings of both clocks */
	double slack;          /* received minus sent by the first tracks, ns */
	int64_t bin;
	int is_round;          /* of clock sampling */
};

/* The messages from one clock to another: a directed pair. */
struct bounds_pair {
	uint32_t from, to;
	uint64_t messages;
	/* messages received before they were sent even at the far ends of both
	 * intervals: the tracks are impossible */
	uint64_t refuted;
	struct bounds_message *kept; /* one for each bin, in order */
	size_t n, room;
};

struct bounds;

/* The approximate number of messages stored for all pairs. */
enum { BOUNDS_KEPT = 1 << 20 };

/* The present tracks of k rank the messages. Dies when out of memory. */
struct bounds *bounds_new(const struct clocks *k);
void bounds_free(struct bounds *b);

/* Adds a message between two clocks; its readings are exact to 0.5 ns. */
void bounds_add(struct bounds *b, uint32_t from, double sent, uint32_t to,
		double received);

/* Adds one of the two messages of a round, without counting it. */
void bounds_round(struct bounds *b, uint32_t from, double sent, uint32_t to,
		  double received);

/*
 * Merges the pair w of other bounds: its sums and its n messages m in order of
 * bin, which are changed. wide: bounds_doublings of the other bounds, the
 * number of times that their bins were doubled.
 */
unsigned bounds_doublings(const struct bounds *b);
void bounds_merge(struct bounds *b, unsigned wide, const struct bounds_pair *w,
		  struct bounds_message *m, size_t n);

/* The number of messages that contradict the first intervals. */
uint64_t bounds_refuted(const struct bounds *b);

/* The directed pairs, in order of from, then to; their number in *n. */
const struct bounds_pair *bounds_pairs(struct bounds *b, size_t *n);

#endif
