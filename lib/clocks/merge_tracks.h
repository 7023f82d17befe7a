/* Combines two tracks of one clock: estimates and intervals. */
#ifndef SBA_MERGE_TRACKS_H
#define SBA_MERGE_TRACKS_H

#include "clock_track.h"

/*
 * Limits the estimate of t to the interval of sure, which replaces that of t.
 * All functions die when out of memory.
 */
void tracks_limit_estimate(struct tape_clock_track *t,
			   const struct tape_clock_track *sure);

/*
 * Intersects the interval of t with that of other and limits the estimate to
 * it. Where they do not overlap one of them is wrong: then both are included.
 */
void tracks_intersect(struct tape_clock_track *t,
		      const struct tape_clock_track *other);

/* Returns 1 if the estimate of t is within the interval of sure, to the ns. */
int tracks_is_within(const struct tape_clock_track *t,
		     const struct tape_clock_track *sure);

/*
 * Makes the clock of t monotonic: each reading then has one time. The limits of
 * the true offset do not change.
 */
void tracks_make_monotonic(struct tape_clock_track *t);

/* A copy, freed by tape_clock_track_free. */
struct tape_clock_track tracks_copy(const struct tape_clock_track *t);

#endif
