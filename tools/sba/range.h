/* The instants at which a clock may show a reading, by its track's interval. */
#ifndef SBA_RANGE_H
#define SBA_RANGE_H

#include "clock_track.h"

struct range {
	const struct tape_clock_track *t;
	double *up, *down; /* what it shows at each knot at most, at least */
};

/* Of a track that outlives it. Dies when out of memory. */
void range_open(struct range *r, const struct tape_clock_track *t);
void range_close(struct range *r);

/*
 * The true instant is within [*first, *last]. Where nothing bounds the track
 * these are as its surroundings say: see range_unbounded.
 */
void range_find(const struct range *r, double reading, double *first,
		double *last);

/* Is there no upper (lower) limit of the offset at an instant? */
int range_unbounded(const struct tape_clock_track *t, double x, int upper);

#endif
