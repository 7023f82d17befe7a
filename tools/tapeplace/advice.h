/* Prints the result of tapeplace, as text and as JSON. */
#ifndef PLACE_ADVICE_H
#define PLACE_ADVICE_H

#include "costs.h"

struct place_advice {
	const char *input;
	const struct place_slots *s;
	const struct place_pairs *p;
	const struct place_cost *c;
	/*
	 * slot of each rank: in the run, or in rank order; and in the order
	 * found, which is the same if none is better
	 */
	const uint32_t *before, *after;
	int64_t before_ns, after_ns; /* predicted times; -1: none */
	const char *machine;	     /* machine of the prediction; or NULL */
	/*
	 * predicted time of an order with less traffic that was rejected, since
	 * it would take longer; -1: none
	 */
	int64_t refused_ns;
};

void place_advice_print_text(const struct place_advice *a);
void place_advice_print_json(const struct place_advice *a);

#endif
