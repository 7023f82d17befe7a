/*
 * Replays actions with SimGrid, in a process of its own (tools/tapereplay).
 * Contention, collectives and windows are SimGrid's.
 *
 *	struct sim_simgrid run = { open_actions, self, "cluster.xml",
 *				   .what_if = { .eager_bytes = -1 } };
 *
 *	if (sim_simgrid_run(&run, &times, error, sizeof error))
 *		tape_die(TAPE_FAILED, "%s", error);
 *
 * Actions are sent as text and times are returned, both in files of a folder in
 * TMPDIR (about 50 bytes an action). The folder is removed however the tool
 * ends.
 *
 * Unless the platform's own <config> has other values: messages below 65536
 * bytes are sent at once, others when their receive is posted
 * (smpi/async-small-thresh, smpi/send-is-detached-thresh); collectives are
 * those of Open MPI (smpi/coll-selector); bandwidths and latencies have
 * SimGrid's default factors (smpi/bw-factor, smpi/lat-factor).
 */
#ifndef SIM_SIMGRID_H
#define SIM_SIMGRID_H

#include <stddef.h>

#include "sim_engine.h"

struct sim_simgrid {
	/*
	 * Opens the actions from their start. Returns 0, or a TAPE_E code with
	 * an error message in *s (tape_actions_error). Called twice; both times
	 * the actions must be the same. sim_simgrid_run closes them.
	 */
	int (*open)(void *self, struct tape_actions **s);
	void *self;
	const char *platform; /* path of a platform file of SimGrid */
	struct sim_what_if what_if;
	int no_packing; /* packing takes no time */
};

/* Returns NULL if SimGrid is available, otherwise the reason why not. */
const char *sim_simgrid_why_missing(void);

/*
 * Returns 0, or a TAPE_E code with an error message in error: SimGrid is
 * missing or fails, the platform has too few hosts, or an action is impossible.
 * The message is empty if times->put returned the code.
 */
int sim_simgrid_run(const struct sim_simgrid *run,
		    const struct sim_times *times, char *error, size_t n);

#endif
