/* Clocks that follow the messages of the run; see bounds.h. */
#ifndef SBA_FOLLOW_H
#define SBA_FOLLOW_H

#include "bounds.h"

struct follow_result {
	unsigned sweeps;
	size_t crooked;      /* clocks that had no straight line */
	uint64_t kept;       /* messages and rounds that were looked at */
	uint64_t violated;   /* of them by the straight lines */
	uint64_t left;       /* and at the end */
};

/*
 * Clock by clock, those next to the reference first: each whose straight line
 * messages refute, or that was not sampled at both ends, follows what the
 * others, with their intervals, say; the interval of each other one is
 * narrowed. Then, as long as messages that were kept arrive before they were
 * sent, and a few times at most, their clocks are moved within these
 * intervals. Clocks without messages both ways keep their tracks. Rounds
 * bound, too. wander becomes that of k. Dies when out of memory.
 */
void follow_messages(struct clocks *k, struct bounds *b, double wander,
		     struct follow_result *r);

#endif
