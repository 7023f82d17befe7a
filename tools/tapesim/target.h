/*
 * The machine that Tape's own engine simulates, by the options: a platform of
 * SimGrid; or models of messages, completed from the trace; or the trace's own
 * machine, fitted to its messages.
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
	double *rank_speed; /* by rank, or NULL */
	int *host;
	/* valid if machine.distances points to it */
	struct tape_distances distances;
	int hosts;              /* in use */
	char name[300];		/* of the source of message costs */
};

/*
 * Sets up *g, which must not move until it is closed. trace NULL: the input is
 * no trace. Dies if the options, the files or the trace do not determine the
 * machine.
 */
void target_open(struct target *g, const struct sim_options *o,
		 struct tape_trace *trace, size_t ranks);
void target_close(struct target *g);

#endif
