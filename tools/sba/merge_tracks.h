/* One clock by two tracks: the estimate of one, what both leave open. */
#ifndef SBA_MERGE_TRACKS_H
#define SBA_MERGE_TRACKS_H

#include "clock_track.h"

/*
 * The estimate t, kept within the interval of sure, which becomes its own.
 * Each dies when out of memory.
 */
void tracks_limit_estimate(struct tape_clock_track *t,
			   const struct tape_clock_track *sure);

/*
 * What both intervals allow becomes that of t, whose estimate is kept within.
 * Where they contradict each other one of them is wrong, and neither is left
 * out.
 */
void tracks_intersect(struct tape_clock_track *t,
		      const struct tape_clock_track *other);

/* Is the estimate t within the interval of sure everywhere, to the ns? */
int tracks_is_within(const struct tape_clock_track *t,
		     const struct tape_clock_track *sure);

/*
 * No clock goes back: an estimate that does has too many dates for a reading.
 * What may be true does not change.
 */
void tracks_make_monotonic(struct tape_clock_track *t);

/* A copy, to be freed by tape_clock_track_free. */
struct tape_clock_track tracks_copy(const struct tape_clock_track *t);

#endif
