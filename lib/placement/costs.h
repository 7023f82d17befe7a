/*
 * The cost of an order of ranks (the slot of each rank): the sum over pairs of
 * ranks of the cost of their messages. It depends on the level of the deepest
 * common node of their slots.
 */
#ifndef PLACE_COSTS_H
#define PLACE_COSTS_H

#include "partners.h"
#include "slots.h"

/* By level of place_slots: cost of a message and of a byte. */
struct place_cost {
	double *message, *byte;
};

/*
 * Sets costs that grow by a factor (times) from level to level. A message costs
 * as much as message_bytes bytes.
 */
void place_cost_set_levels(struct place_cost *c, const struct place_slots *s,
			   double times, double message_bytes);
void place_cost_free(struct place_cost *c);

double place_order_cost(const struct place_slots *s,
			const struct place_pairs *p, const struct place_cost *c,
			const uint32_t *slot_of);

/* The cost of all messages of a rank with a partner, on slots a and b. */
static inline double place_pair_cost(const struct place_slots *s,
				     const struct place_cost *c,
				     const struct place_partner *q, uint32_t a,
				     uint32_t b)
{
	uint32_t level = place_common_node(s, a, b)->level;

	return q->messages * c->message[level] + q->bytes * c->byte[level];
}

#endif
