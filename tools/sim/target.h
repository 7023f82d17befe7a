/*
 * The machine that our own engine simulates, as the options say: a platform of
 * SimGrid; or models of messages, and what they leave out from the trace; or
 * the trace's own machine, as its messages show it.
 *
 *	target_open(&target, &options, trace, ranks);
 *	sim_own_run(actions, &target.machine, ...);
 *	target_close(&target);
 */
#ifndef SIM_TARGET_H
#define SIM_TARGET_H

#include "options.h"
#include "own.h"
#include "sim_platform.h"

struct target {
	struct sim_machine machine;
	struct sim_net net;
	struct sim_platform platform;
	struct tape_comm_model model;
	struct own_model *own;  /* a model in Lua, or NULL */
	struct inputs inputs;
	int has_inputs;
	double *rank_speed;     /* both or NULL */
	int *host;
	struct tape_distances far; /* if machine.far is that */
	int hosts;              /* in use */
	char name[300];         /* of what says what messages take */
};

/*
 * trace NULL: there is none. Must stay where it is until it is closed. Dies
 * where the options, the files or the trace do not tell enough.
 */
void target_open(struct target *g, const struct sim_options *o,
		 struct tape_trace *trace, size_t ranks);
void target_close(struct target *g);

#endif
