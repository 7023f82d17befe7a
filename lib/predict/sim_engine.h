/*
 * What both engines have in common. An engine replays actions on a simulated
 * machine and gives the start and end of each action there. There are two
 * engines: Tape's own (own.h), and SimGrid (simgrid.c), which runs in another
 * process. tapesim.c chooses; simulated_trace.c writes a trace with the
 * simulated times.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <stdint.h>

#include "action.h"

/*
 * Receives the times of the actions, those of one rank in its order, the ranks
 * in any order. Times are ns from the start of the simulation. put returns 0,
 * or a TAPE_E code that ends the simulation.
 */
struct sim_times {
	void *self;
	int (*put)(void *self, int rank, const struct tape_action *a,
		   int64_t begin_ns, int64_t end_ns);
};

/* Changes to the machine; zeroed: none. A factor of 0 counts as 1. */
struct sim_what_if {
	double speed;		   /* factor for all processors */
	const double *rank_speed;  /* factors by rank; or NULL */
	const double *latency;	   /* factor, which can be 0; or NULL */
	double bandwidth;          /* a factor */
	int64_t eager_bytes;	   /* -1: as in the platform */
	const int *host_of; /* host of the platform by rank; NULL: in order */
	char *const *host_name;	   /* host names by rank; or NULL */
	int ranks_per_host;        /* 0: 1 */
	/* SimGrid's name of a selector ("ompi"), or NULL */
	const char *collectives;
};

#endif
