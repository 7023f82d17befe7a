/*
 * Causes of waiting: activities that made ranks late, each summed over all
 * ranks. What a rank waited because another rank waited is charged to the
 * activity that delayed the first of them (delay.h). So the sum of all causes
 * and of tape_delays.rest_ns is the waiting of all ranks.
 */
#ifndef TAPE_CAUSES_H
#define TAPE_CAUSES_H

#include "delay.h"

struct tape_cause {
	uint32_t activity; /* of the late ranks (activities.h) */
	double ns;	   /* waiting of all ranks that it caused */
	struct tape_ready ready; /* of that, for a processor */
	size_t flow;	   /* the flow with the largest part of ns */
};

/*
 * Returns the causes by descending ns, *n of them; the caller frees the list.
 * NULL: out of memory.
 */
struct tape_cause *tape_causes_list(const struct tape_delays *d, size_t *n);

/* The ranks of one cause. */
struct tape_late_ranks {
	int *rank;	/* each with a twentieth of most_ns or more, in order */
	size_t n;
	double most_ns; /* the part of the flow tape_cause.flow */
};

/*
 * Finds the ranks of c. Returns 0 or TAPE_ENOMEM. The caller frees r->rank.
 */
int tape_cause_ranks(const struct tape_delays *d, const struct tape_cause *c,
		     const struct tape_trace *t, struct tape_late_ranks *r);

/*
 * The same of any times by flow: the ranks of flows with a twentieth or more of
 * the largest, which becomes r->most_ns. Returns 0 or TAPE_ENOMEM.
 */
int tape_late_ranks(const double *ns_by_flow, const struct tape_trace *t,
		    struct tape_late_ranks *r);

/*
 * "computing after MPI_Send x.c:8", "in MPI_Recv x.c:9". Cut to size, returns
 * text.
 */
const char *tape_cause_text(const struct tape_places *p, uint32_t activity,
			    char *text, size_t size);

/*
 * Returns the call that waited longest, directly, for ranks that were late by
 * that activity; 0: none.
 */
uint32_t tape_cause_waiting_call(const struct tape_delays *d,
				 uint32_t activity);

#endif
