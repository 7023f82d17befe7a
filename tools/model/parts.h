/*
 * A clock's bounds in a few parts: what one corridor for all of them, or a
 * curve that hides more than one bend, would not show.
 */
#ifndef TAPE_PARTS_H
#define TAPE_PARTS_H

#include "corridor.h"

#define TAPE_PARTS 8

/*
 * The straight corridors of parts of the bounds from first to end, of equally
 * many; returns how many could be fitted.
 */
size_t tape_parts(const struct tape_corridor_bounds *s, size_t first,
		  size_t end, struct tape_corridor w[TAPE_PARTS]);

/*
 * What the rate (ns/ns) may do unseen within a part: it has the room that the
 * corridor loses to that of the whole run, or window. Half of the n parts leave
 * that much open, or more; 0 without any.
 */
double tape_parts_unseen(const struct tape_corridor *all,
			 const struct tape_corridor *w, size_t n);

/*
 * Can one straight corridor, of a given gap, stand for all n? As high as it is
 * in the parts of a run, less what chance makes, it would have to be if the
 * clock was even, but for some parts that have something wrong with them, and
 * those with a slower network.
 */
int tape_parts_agree(const struct tape_corridor *all,
		     const struct tape_corridor *w, size_t n);

#endif
