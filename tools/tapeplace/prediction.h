/*
 * Predicts with tapesim, from the folder of this program, how long a run takes
 * with an order of ranks, and what messages cost.
 */
#ifndef PLACE_PREDICTION_H
#define PLACE_PREDICTION_H

#include "costs.h"

/* The options of tapesim for the machine. */
struct place_machine {
	const char *platform; /* platform of SimGrid; or NULL, and models: */
	const char *const *model;
	int models;
};

/*
 * Predicts the time of a run, ns. path: a trace or actions. Each rank runs on
 * the host of its slot. Dies with tapesim's error message if tapesim fails, and
 * if a slot has no host.
 */
int64_t place_predict_run(const struct place_machine *m, const char *path,
			  const struct place_slots *s, size_t ranks,
			  const uint32_t *slot_of);

/*
 * Predicts the costs in ns by level, with all slots sending at the same time.
 * In the largest node of a level, each slot sends to the slot half of them
 * further on, which is below another child. Messages are of 1 byte and of 1 MB.
 * The costs include the sharing of links between hosts.
 */
void place_predict_costs(const struct place_machine *m,
			 const struct place_slots *s, struct place_cost *c);

#endif
