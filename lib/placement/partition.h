/*
 * Ranks divided among the children of a node, and of these, by SCOTCH's
 * mapping onto complete graphs whose vertices have the children's sizes.
 */
#ifndef PLACE_PARTITION_H
#define PLACE_PARTITION_H

#include "costs.h"

/*
 * Divides all ranks among the used slots and sets slot_of. used: by slot, 1 for
 * exactly as many slots as ranks. seed: of SCOTCH.
 */
void place_divide_ranks(const struct place_slots *s,
			const struct place_pairs *p, const struct place_cost *c,
			const unsigned char *used, int seed, uint32_t *slot_of);

#endif
