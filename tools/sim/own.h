/*
 * Our own engine: replays actions forwards, each rank until it has to wait for
 * another one.
 *
 *	rc = sim_own_run(actions, &machine, &dates, &outcome);
 *	if (rc < 0)
 *		tape_die("%s", outcome.error);
 *
 * Messages are matched in their order, and cost what net.h says. Where links
 * are shared they are put on their way in the order of time; else dates depend
 * on nothing but what waits for what, and no order is needed: but for locks of
 * windows, which are had in the order of time, too. Collectives are the
 * library's algorithms (coll.h).
 *
 * Ranks share the processors of a host evenly, where these are fewer. Memory is
 * that of what is under way.
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
	const double *rank_speed;  /* by rank, or NULL */
	const int *host;           /* of each rank; NULL: one each */
	/* the same, and who shares more; NULL: nobody knows */
	const struct tape_distances *far;
	enum tape_coll_library library;
	int no_packing;            /* packing takes no time */
	int cores;                 /* of each host, which its ranks share;
				    * 0: each rank has one */
};

struct sim_outcome {
	uint64_t actions, messages;
	uint64_t rounds;           /* collectives that all have left */
	uint64_t unknown;          /* of them without an algorithm of ours */
	size_t most_waiting;       /* messages under way at a time, at most */
	int cores;                 /* ranks shared those of hosts */
	char error[512];           /* a sentence, or empty */
};

/*
 * Returns 0; or a TAPE_E code with a sentence: an action that cannot be,
 * actions that wait for each other or for what never comes (TAPE_ECYCLE), or
 * what dates->put returned, then without one. Dies when out of memory.
 */
int sim_own_run(struct tape_actions *s, const struct sim_machine *m,
		const struct sim_dates *dates, struct sim_outcome *out);

#endif
