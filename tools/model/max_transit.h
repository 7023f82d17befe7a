/*
 * How long messages take at most, but for one in twenty, as far as a trace
 * tells: by distance and powers of two of the size.
 *
 *	tape_longest_seen(seen, key, &parcel, er - s);  (each that waited)
 *	tape_longest_fit(seen, &longest);
 *	ns = tape_longest(&longest, &parcel);
 *
 * This is no certain bound: one message in twenty takes longer, the level at
 * which models are tested (Maillet 1996, 6.3). The very longest would be worse:
 * one message whose receiver had lost its processor makes it milliseconds, and
 * the longer a run the more so. Unlike a model it says nothing of how long a
 * message takes, and no median or line has to be near.
 */
#ifndef TAPE_MODEL_MAX_TRANSIT_H
#define TAPE_MODEL_MAX_TRANSIT_H

#include "comm.h"

/* A class with fewer tells nothing by itself. */
#define TAPE_MAX_TRANSIT_MESSAGES 30

/* What was seen; all zero: nothing. Some 800 KB: not for the stack. */
struct tape_max_transit_seen {
	struct tape_sampler ns[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
};

struct tape_max_transit {
	double ns[TAPE_DISTANCES][TAPE_SIZE_CLASSES]; /* or INFINITY */
};

/*
 * A message whose receiver waited for it was under way for at most that long,
 * from S to ER: transit and DC (Maillet 1996, 4.5). Late ones count like the
 * others, since they are what is looked for; rendezvous do not count. A time
 * below 0, by clocks that disagree, is not counted. key is as for comm.h.
 */
void tape_max_transit_add(struct tape_max_transit_seen *s, uint64_t key,
			  const struct tape_parcel *p, double ns);

/* All of from becomes part of to. */
void tape_max_transit_join(struct tape_max_transit_seen *from,
			   struct tape_max_transit_seen *to);

/*
 * The 95% quantile of each class; where it has few messages the longest of
 * those of larger ones, too, which do not take less; where a distance has too
 * few that of all of its transport. INFINITY where these are too few.
 */
void tape_max_transit_fit(const struct tape_max_transit_seen *s,
			  struct tape_max_transit *l);

/* That of the parcel's class; INFINITY for a rendezvous. */
double tape_max_transit_ns(const struct tape_max_transit *l,
			   const struct tape_parcel *p);

#endif
