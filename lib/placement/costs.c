/* See costs.h. */
#include <stdlib.h>

#include "costs.h"
#include "tool.h"

void place_cost_set_levels(struct place_cost *c, const struct place_slots *s,
			   double times, double message_bytes)
{
	double cost = 1;

	c->byte = tape_must(calloc(s->n_levels + 1, sizeof *c->byte));
	c->message = tape_must(calloc(s->n_levels + 1, sizeof *c->message));
	for (size_t l = 0; l < s->n_levels; l++) {
		c->byte[l] = cost;
		c->message[l] = cost * message_bytes;
		cost *= times;
	}
}

void place_cost_free(struct place_cost *c)
{
	free(c->message);
	free(c->byte);
}

double place_order_cost(const struct place_slots *s,
			const struct place_pairs *p, const struct place_cost *c,
			const uint32_t *slot_of)
{
	double sum = 0;

	for (uint32_t r = 0; r < p->ranks; r++)
		for (size_t k = p->first[r]; k < p->first[r + 1]; k++) {
			const struct place_partner *q = &p->partner[k];

			if (q->rank > r)
				sum += place_pair_cost(s, c, q, slot_of[r],
						       slot_of[q->rank]);
		}
	return sum;
}
