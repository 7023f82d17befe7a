/* Clocks that follow the messages of the run; see bounds.h. */
#ifndef SBA_FOLLOW_H
#define SBA_FOLLOW_H

#include "bounds.h"

struct follow_result {
	unsigned sweeps;
	uint64_t kept;       /* messages and rounds that were looked at */
	uint64_t violated;   /* of them by the straight lines */
	uint64_t left;       /* and at the end */
};

/*
 * Clock by clock, those next to the reference first, until no message that was
 * kept arrives before it was sent, or a few sweeps are done. Clocks without
 * messages both ways keep their tracks. Rounds bound, too. Dies when out of
 * memory.
 */
void follow_messages(struct clocks *k, struct bounds *b,
		     struct follow_result *r);

#endif
