/*
 * How long messages take at most, as far as a trace tells: by distance and
 * powers of two of the size.
 *
 *	tape_longest_seen(&l, &parcel, er - s);       (each that was waited for)
 *	ns = tape_longest(&l, &parcel);
 *
 * This is no certain bound: the next message may take longer. Of n + 1
 * messages alike and in no order the longest is the last one with probability
 * 1 / (n + 1) (order statistics), so that of TAPE_LONGEST_MESSAGES or more the
 * longest is exceeded by at most one in 31. Unlike a model it says nothing of
 * how long a message takes, and no median or line has to be near.
 */
#ifndef TAPE_MODEL_LONGEST_H
#define TAPE_MODEL_LONGEST_H

#include <stdint.h>

#include "comm.h"

#define TAPE_LONGEST_MESSAGES 30

/* All zero: nothing was seen. */
struct tape_longest {
	uint64_t n[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	double most_ns[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
};

/*
 * A message whose receiver waited for it was under way for at most that long,
 * from S to ER: transit and DC (Maillet 1996, 4.5). Late ones count like the
 * others, since they are what is looked for; rendezvous do not count. A time
 * below 0, by clocks that disagree, is not counted.
 */
void tape_longest_seen(struct tape_longest *l, const struct tape_parcel *p,
		       double ns);

/*
 * The longest of the parcel's class, where few of that were seen of larger
 * ones, too, which do not take less; INFINITY where these are too few.
 */
double tape_longest(const struct tape_longest *l, const struct tape_parcel *p);

#endif
