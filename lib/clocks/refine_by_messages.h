/* Refines the tracks of clocks by the messages of the run. */
#ifndef SBA_REFINE_BY_MESSAGES_H
#define SBA_REFINE_BY_MESSAGES_H

#include "message_bounds.h"

struct refine_result {
	unsigned sweeps;
	size_t n_nonlinear; /* clocks without a possible straight line */
	uint64_t n_used;    /* messages and rounds */
	/* messages received before they were sent, by lines and by tracks */
	uint64_t n_violated_before, n_violated_after;
};

/*
 * Fits each clock to its messages and rounds, twice, those next to the
 * reference first, with the intervals of the other clocks. A line that no
 * message contradicts stays the estimate while it is possible. Then clocks with
 * stored messages that arrive before they were sent are moved within their
 * intervals, a few times at most. Clocks without messages or rounds in both
 * directions keep their tracks. wander holds for non-linear clocks, k->wander
 * for the others. Dies when out of memory.
 */
void refine_by_messages(struct clocks *k, struct bounds *b, double wander,
			struct refine_result *r);

#endif
