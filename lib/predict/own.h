/*
 * Tape's own engine: replays actions forwards, each rank until it blocks on
 * another rank.
 *
 *	rc = sim_own_run(actions, &machine, &times, &outcome);
 *	if (rc < 0)
 *		tape_die("%s", outcome.error);
 *
 * Messages match in their order, and cost what net.h says. Where messages share
 * links, they start in the order of time. Otherwise the times depend only on
 * dependencies, and no order is needed, except for locks of windows, which are
 * granted in the order of time. Collectives are the algorithms of the MPI
 * library (coll.h).
 *
 * Where a host has fewer processors than ranks, its ranks share them evenly.
 * Memory is that of messages in flight and of pending actions.
 */
#ifndef SIM_OWN_H
#define SIM_OWN_H

#include <stddef.h>
#include <stdint.h>

#include "coll.h"
#include "distances.h"
#include "sim_engine.h"
#include "net.h"

struct sim_machine {
	struct sim_net *net;
	double rate;               /* operations per second of a processor */
	double speed;              /* a factor; 0 counts as 1 */
	const double *rank_speed;  /* factors by rank, or NULL */
	const int *host; /* of each rank; NULL: one host for each rank */
	/* distances between ranks within and between hosts; NULL: unknown */
	const struct tape_distances *distances;
	enum tape_coll_library library;
	int no_packing;            /* packing takes no time */
	/* of each host, shared by its ranks; 0: a processor for each rank */
	int cores;
};

struct sim_outcome {
	uint64_t actions, messages;
	uint64_t rounds;      /* completed collectives */
	uint64_t unknown;     /* of them: without a known algorithm */
	size_t max_in_flight; /* maximum number of messages in flight */
	int cores;	      /* ranks shared the processors of hosts */
	char error[512];      /* error message, or empty */
};

/*
 * Runs the simulation. Returns 0, or a TAPE_E code with an error message in
 * *out: an impossible action, or a deadlock (TAPE_ECYCLE). Returns the error of
 * times->put without an error message. Dies when out of memory.
 */
int sim_own_run(struct tape_actions *s, const struct sim_machine *m,
		const struct sim_times *times, struct sim_outcome *out);

#endif
