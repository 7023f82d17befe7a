/*
 * Orders of ranks on a machine, by tapesim, which lies beside this program:
 * how long a run takes there, and what messages cost.
 */
#ifndef PLACE_PREDICTION_H
#define PLACE_PREDICTION_H

#include "costs.h"

/* What says of tapesim's options what messages take. */
struct place_machine {
	const char *platform; /* of SimGrid; or NULL and */
	const char *const *model;
	int models;
};

/*
 * The time of the run at path, a trace or actions, ns. Each rank is on the
 * host of its slot. Dies where tapesim does, with its sentence, and where a
 * slot has no host.
 */
int64_t place_predict_run(const struct place_machine *m, const char *path,
			  const struct place_slots *s, size_t ranks,
			  const uint32_t *slot_of);

/*
 * Costs in ns by level, when all send at once: each slot of the largest node of
 * the level sends to the one half of them further on, which is below another
 * child, and gets a message from half of them before: of one byte, and of a
 * megabyte. What links between hosts share is in it.
 */
void place_predict_costs(const struct place_machine *m,
			 const struct place_slots *s, struct place_cost *c);

#endif
