/*
 * Which delays are the first steps of loops (delay.h): of each delay it is kept
 * which call was late by it, and how often.
 */
#ifndef TAPE_FIRST_STEPS_H
#define TAPE_FIRST_STEPS_H

#include "activities.h"
#include "delay_entry.h"
#include "history.h"
#include "table.h"

/* What an activity of a flow costs, and what was late by it. */
struct tape_cost {
	struct tape_delay delay;
	/* where most of the calls were that were late, by how much more than
	 * elsewhere, ns, and how often one call there after another */
	uint32_t late_call;
	uint32_t loop; /* activity that this is the first step of; 0: none */
	double late_ns;
	uint64_t late_event, steps; /* late_event: of the last one there */
};

/* Adds ns of waiting for that call: a vote for its place. */
void tape_cost_add_late_call(struct tape_cost *c, const struct tape_sync *late,
			     double ns);

/*
 * Compares two struct tape_delay for qsort_r, the costliest first, with the
 * places. The order does not depend on the numbers of activities.
 */
int tape_delay_compare(const void *a, const void *b, void *places);

/*
 * Adds the costs of first steps, of a table of struct tape_cost, to those of
 * their loops, and sets their loop. Returns 0 or TAPE_ENOMEM.
 */
int tape_first_steps_join(struct tape_table *costs, struct tape_places *places);

#endif
