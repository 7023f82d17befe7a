/* The instants at which a clock may show a reading, by its track's interval. */
#ifndef SBA_RANGE_H
#define SBA_RANGE_H

#include "clock_track.h"

struct range {
	const struct tape_clock_track *t;
	double *up, *down; /* highest and lowest reading at each knot */
};

/* t must outlive r. Dies when out of memory. */
void range_open(struct range *r, const struct tape_clock_track *t);
void range_close(struct range *r);

/*
 * Finds [*first, *last], which contains the true instant of a reading. Where
 * the track is unbounded these follow from its surroundings: see
 * range_unbounded.
 */
void range_find(const struct range *r, double reading, double *first,
		double *last);

/* Returns 1 if the offset has no upper (lower) limit at an instant. */
int range_unbounded(const struct tape_clock_track *t, double x, int upper);

#endif
