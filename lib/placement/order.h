/*
 * Finds an order of ranks (the slot of each rank) that costs less (costs.h).
 *
 *	place_order_find(&slots, &pairs, &cost, slot_of);
 *
 * Method: from the root of the tree down, SCOTCH divides the ranks of a node
 * among its children (partition.h), so that little is sent between children (as
 * TreeMatch does from the leaves up, Jeannot and Mercier 2010). Then pairs of
 * ranks swap slots as long as that costs less (Kernighan and Lin 1970), from
 * there and from the given order. With few ranks there are several divisions,
 * and the best order is perturbed and improved many times. The same input gives
 * the same result.
 */
#ifndef PLACE_ORDER_H
#define PLACE_ORDER_H

#include "costs.h"

/*
 * slot_of: the slot of each rank, all different. It is replaced by the order of
 * least cost that was found, and unchanged if none costs less. If there are
 * more slots than ranks, ranks can move to unused slots: to the fewest nodes
 * that hold all ranks, the smallest of these nodes first.
 */
void place_order_find(const struct place_slots *s, const struct place_pairs *p,
		      const struct place_cost *c, uint32_t *slot_of);

#endif
