/*
 * What an order of ranks costs, that is which slot each of them has: the sum
 * over pairs of ranks of what their messages cost at the level of what their
 * slots have in common.
 */
#ifndef PLACE_COSTS_H
#define PLACE_COSTS_H

#include "partners.h"
#include "slots.h"

/* By level, of place_slots. */
struct place_cost {
	double *message, *byte;
};

/*
 * Each level times the one below: the dearest first, in the end. A message
 * costs as much as so many bytes more.
 */
void place_cost_set_levels(struct place_cost *c, const struct place_slots *s,
			   double times, double message_bytes);
void place_cost_free(struct place_cost *c);

double place_order_cost(const struct place_slots *s,
			const struct place_pairs *p, const struct place_cost *c,
			const uint32_t *slot_of);

/* Of all messages of a rank with a partner, on slots a and b. */
static inline double place_pair_cost(const struct place_slots *s,
				     const struct place_cost *c,
				     const struct place_partner *q, uint32_t a,
				     uint32_t b)
{
	uint32_t level = place_common_node(s, a, b)->level;

	return q->messages * c->message[level] + q->bytes * c->byte[level];
}

#endif
