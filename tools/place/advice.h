/* What tapeplace has found, for people and as JSON. */
#ifndef PLACE_ADVICE_H
#define PLACE_ADVICE_H

#include "costs.h"

struct place_advice {
	const char *input;
	const struct place_slots *s;
	const struct place_pairs *p;
	const struct place_cost *c;
	/* the order that the run had, or the ranks in their order; and what
	 * was found: the same if nothing better was */
	const uint32_t *before, *after;
	int64_t before_ns, after_ns; /* -1: nothing was predicted */
	const char *machine;	     /* that it was predicted for */
	/* where an order was found that moves less and would take longer, it
	 * is not after, and took that: else -1 */
	int64_t refused_ns;
};

void place_advice_print_text(const struct place_advice *a);
void place_advice_print_json(const struct place_advice *a);

#endif
