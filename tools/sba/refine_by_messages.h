/* Clocks that follow the messages of the run; see message_bounds.h. */
#ifndef SBA_REFINE_BY_MESSAGES_H
#define SBA_REFINE_BY_MESSAGES_H

#include "message_bounds.h"

struct refine_result {
	unsigned sweeps;
	size_t n_nonlinear; /* clocks that had no straight line */
	uint64_t n_used;    /* messages and rounds that were looked at */
	uint64_t n_violated_before; /* of them by the straight lines */
	uint64_t n_violated_after;  /* and at the end */
};

/*
 * Clock by clock, those next to the reference first: each becomes what its
 * messages and rounds say, the intervals of the others taken into account,
 * twice. The line of one that no message refutes stays its estimate, as long as
 * it is a possible one. Then, as long as messages that were kept arrive before
 * they were sent, and a few times at most, their clocks are moved within these
 * intervals. Clocks without messages or rounds both ways keep their tracks.
 * wander is that of clocks that are no straight line, k->wander of the others.
 * Dies when out of memory.
 */
void refine_by_messages(struct clocks *k, struct bounds *b, double wander,
			struct refine_result *r);

#endif
