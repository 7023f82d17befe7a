/*
 * Actions replayed by SimGrid, in a process of its own (tools/sim/replayer):
 * contention, collectives and windows are SimGrid's.
 *
 *	struct sim_simgrid run = { open_actions, self, "cluster.xml",
 *				   .what_if = { .eager_bytes = -1 } };
 *
 *	if (sim_simgrid_run(&run, &dates, error, sizeof error))
 *		tape_die(TAPE_FAILED, "%s", error);
 *
 * The actions go there as text, and the dates come back, in files of a folder
 * of TMPDIR (some 50 bytes an action) that is removed however the tool ends.
 *
 * What holds unless the platform's own <config> says something else: messages
 * below 65536 bytes are sent at once and others when their receive is there
 * (smpi/async-small-thresh, smpi/send-is-detached-thresh), the collectives are
 * those of Open MPI (smpi/coll-selector), and bandwidths and latencies have
 * SimGrid's own factors (smpi/bw-factor, smpi/lat-factor).
 */
#ifndef SIM_SIMGRID_H
#define SIM_SIMGRID_H

#include <stddef.h>

#include "sim_engine.h"

struct sim_simgrid {
	/*
	 * Opens the actions, from their beginning: 0, or a TAPE_E code and a
	 * sentence in *s (tape_actions_error). It is called twice, and the
	 * actions must be the same; they are closed here.
	 */
	int (*open)(void *self, struct tape_actions **s);
	void *self;
	const char *platform; /* a file, as SimGrid takes it */
	struct sim_what_if what_if;
	int no_packing; /* packing takes no time */
};

/* Why it cannot be done here at all, a sentence; NULL: it can. */
const char *sim_simgrid_why_missing(void);

/*
 * Returns 0, or a TAPE_E code with a sentence in error: SimGrid is not there
 * or says no, the platform has not enough hosts, or an action cannot be. The
 * sentence is empty where dates->put returned the code.
 */
int sim_simgrid_run(const struct sim_simgrid *run,
		    const struct sim_dates *dates, char *error, size_t n);

#endif
