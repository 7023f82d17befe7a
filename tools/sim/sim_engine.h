/*
 * What replays actions on a machine that need not exist, and tells when each of
 * them began and ended there. Two engines: our own (own.h), and SimGrid
 * (simgrid.c), which runs as another process. tapesim.c chooses, and
 * simulated_trace.c makes a trace of the dates.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <stdint.h>

#include "action.h"

/*
 * Who gets the dates: those of one rank in its own order, ranks in any. Dates
 * are ns from the start of the simulation. put returns 0 or a TAPE_E code,
 * which ends the run.
 */
struct sim_dates {
	void *self;
	int (*put)(void *self, int rank, const struct tape_action *a,
		   int64_t begin_ns, int64_t end_ns);
};

/* What is changed of the machine; zeroed: nothing. Factors of 0 count as 1. */
struct sim_what_if {
	double speed;              /* of all processors, a factor */
	const double *rank_speed;  /* by rank, a factor each; or NULL */
	const double *latency;     /* a factor, also 0; or NULL */
	double bandwidth;          /* a factor */
	int64_t eager_bytes;       /* -1: as the platform has it */
	const int *host_of;        /* by rank: which host of the platform; or
				    * NULL: one after the other */
	char *const *host_name;	   /* by rank: the same by its name; or NULL */
	int ranks_per_host;        /* 0: 1 */
	const char *collectives;   /* SimGrid's name of a table ("ompi"), or
				    * NULL */
};

#endif
