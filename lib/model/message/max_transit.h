/*
 * The 95% quantile of the times of messages in a trace, by distance and power
 * of two of the size. Tape's own, with the level of Maillet 1996, 6.3:
 * doc/perturbation.md, "Eager messages: seven cases".
 *
 *	tape_max_transit_add(seen, key, &parcel, er - s);  (each that waited)
 *	tape_max_transit_fit(seen, &max);
 *	ns = tape_max_transit_ns(&max, &parcel);
 *
 * It is no guaranteed bound: one message in twenty takes longer, the level at
 * which models are tested (Maillet 1996, 6.3). The maximum would be worse: one
 * receiver that lost its processor makes it milliseconds, more often in longer
 * runs.
 */
#ifndef TAPE_MODEL_MAX_TRANSIT_H
#define TAPE_MODEL_MAX_TRANSIT_H

#include "comm.h"

/* A class with fewer messages is combined with others. */
#define TAPE_MAX_TRANSIT_MESSAGES 30

/* Samples of times; zeroed: empty. Some 800 KB: not for the stack. */
struct tape_max_transit_seen {
	struct tape_sampler ns[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
};

struct tape_max_transit {
	double ns[TAPE_DISTANCES][TAPE_SIZE_CLASSES]; /* or INFINITY */
};

/*
 * Adds a message whose receiver waited for it: ns from S to ER, transit + DC
 * (Maillet 1996, 4.5). Late messages count, since the longest times are wanted.
 * Rendezvous and negative times, by clock errors, are ignored. key: as in
 * comm.h.
 */
void tape_max_transit_add(struct tape_max_transit_seen *s, uint64_t key,
			  const struct tape_parcel *p, double ns);

/* Moves all samples of from to to. */
void tape_max_transit_join(struct tape_max_transit_seen *from,
			   struct tape_max_transit_seen *to);

/*
 * Finds the 95% quantile of each class. A class with few messages takes the
 * largest quantile of itself and larger classes, whose messages take no less. A
 * distance with too few messages uses all of its transport. INFINITY if these
 * are too few.
 */
void tape_max_transit_fit(const struct tape_max_transit_seen *s,
			  struct tape_max_transit *l);

/* The quantile of the parcel's class, ns; INFINITY for a rendezvous. */
double tape_max_transit_ns(const struct tape_max_transit *l,
			   const struct tape_parcel *p);

#endif
