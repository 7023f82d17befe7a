/*
 * An order of ranks, which slot each of them has, that costs less (costs.h).
 *
 *	place_order_find(&slots, &pairs, &cost, slot_of);
 *
 * How: from the root of the tree down, the ranks of a node are divided among
 * its children by SCOTCH (partition.h), so that little is sent between these
 * (as TreeMatch does from below, Jeannot and Mercier 2010); then pairs of ranks
 * change places as long as that costs less (Kernighan and Lin 1970), from there
 * and from the given order. With few ranks there are more such divisions, and
 * the best order is shaken and settles again, many times. The same input has
 * the same result.
 */
#ifndef PLACE_ORDER_H
#define PLACE_ORDER_H

#include "costs.h"

/*
 * slot_of: given by rank, all different; becomes one of least cost, of those
 * that were found: the given one if there is none with less. Where there are
 * more slots than ranks, ranks may move to others: to the fewest nodes that
 * hold them all, the smallest of these first.
 */
void place_order_find(const struct place_slots *s, const struct place_pairs *p,
		      const struct place_cost *c, uint32_t *slot_of);

#endif
