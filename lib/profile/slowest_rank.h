/*
 * Which rank computes longest, and from when to when: of a run whose slowest
 * rank changes. Phases (phases.h) tell.
 *
 *	struct slowest_ranks x = slowest_ranks_find(s);
 *
 *	if (x.n > 1)
 *		slowest_ranks_text(&x, text, sizeof text);
 *	slowest_ranks_free(&x);
 */
#ifndef STAT_SLOWEST_RANK_H
#define STAT_SLOWEST_RANK_H

#include <stdio.h>

#include "sums.h"

/* A part of the run: consecutive phases, or groups of phases. */
struct slowest_part {
	int rank;
	double from_ns, to_ns; /* ns since the run began */
	double over_ns;	       /* computing of the rank minus the mean of all */
};

struct slowest_ranks {
	struct slowest_part *part; /* in order of time */
	size_t n;
};

/*
 * Finds the parts of the run in which one rank computes longest, by 5% above
 * the mean or more; phases without such a rank, and those in which little is
 * lost, belong to the part before them. None where the run has no phases, or
 * where its trace is followed and no log of phases was kept. Reads the log, or
 * the trace again. Dies when out of memory.
 */
struct slowest_ranks slowest_ranks_find(struct stats *s);
void slowest_ranks_free(struct slowest_ranks *x);

/*
 * "the slowest rank changes (rank 0 until 93 ms, then rank 1)"; of many parts
 * "the slowest rank changes 17 times (ranks 0-3)". Cut to size.
 */
void slowest_ranks_text(const struct slowest_ranks *x, char *text, size_t size);

/* Writes "slowest":[{"rank":0,"from_s":0,"to_s":0.093}, ...]. */
void slowest_ranks_json(const struct slowest_ranks *x, FILE *f);

#endif
