/*
 * Goes through a trace in the order of its dependencies (a receive after its
 * send), flow by flow, and gives each event its approximated dates.
 */
#ifndef TICO_ENGINE_H
#define TICO_ENGINE_H

#include "comm.h"
#include "ops.h"
#include "output.h"
#include "perturb.h"
#include "tape_reader.h"
#include "unmatched.h"

/* Largest message handed over at once, by distance; from meta or -e. */
struct eager {
	uint64_t bytes[TAPE_DISTANCES];
	int known;
};

/* Alpha spent at one call site of one rank. */
struct site_cost {
	double alpha_ns;
	uint64_t events;
};

struct rank_result {
	int seen;
	uint64_t events;
	int64_t first_ns, last_ns;     /* as measured */
	int64_t first_ta, last_ta;     /* as corrected */
	double alpha_ns;               /* direct perturbation, summed */
	struct site_cost *sites;       /* by id */
};

struct result {
	struct tape_perturb_count count;
	struct rank_result *ranks;
	uint64_t events, forced, unknown, moved;
	struct tape_unmatched *unmatched;
	uint64_t rounds_open;
	int64_t first_ns, last_ns, first_ta, last_ta;
	int incomplete;                /* flows without an end record */
};

/*
 * One pass over t. learner: collects samples, corrects nothing, out is NULL.
 * Otherwise corrects with the model and writes the flows to out.
 * Dies on a damaged trace. The caller frees r with result_free.
 */
void engine_run(struct tape_trace *t, const struct eager *eager,
		struct tape_comm_learner *learner,
		const struct tape_comm_model *model, struct tape_output *out,
		struct result *r);

void result_free(struct result *r, size_t ranks);

#endif
