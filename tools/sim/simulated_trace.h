/*
 * The trace of which the actions are, with the dates that a simulation gave
 * them. It reads each flow once more, beside the simulation.
 *
 *	d = sim_trace_open(trace, actions, output, NULL);
 *	... sim_trace_put(d, rank, a, begin_ns, end_ns);
 *	sim_trace_end(d, &measured);
 *	sim_trace_free(d);
 *
 * Every event is kept: one of several actions lasts from the first to the last,
 * one of none takes no time. Of a rank with several threads the flow that the
 * actions are of is kept. Dies with a sentence where a flow is damaged or
 * something cannot be written.
 */
#ifndef SIM_SIMULATED_TRACE_H
#define SIM_SIMULATED_TRACE_H

#include <stdint.h>

#include "action.h"
#include "output.h"

struct sim_trace;

/* How long it took as measured, ns, from the first end of MPI_Init to the last
 * start of MPI_Finalize; -1 where no events tell. */
struct sim_measured {
	int64_t total_ns;
	size_t flows_left_out;
	uint64_t events;
};

/*
 * s: the actions of t. out NULL: only what was measured is found out. Both must
 * stay. host: the number of each rank's host there, by which the trace calls
 * it; NULL: hosts are those of t.
 */
struct sim_trace *sim_trace_open(struct tape_trace *t,
				 const struct tape_actions *s,
				 struct tape_output *out, const int *host);

/* As struct sim_dates wants it. Returns 0. */
int sim_trace_put(struct sim_trace *d, int rank, const struct tape_action *a,
		  int64_t begin_ns, int64_t end_ns);

/* All dates were given: what is left is written, and the flows are closed. */
void sim_trace_end(struct sim_trace *d, struct sim_measured *m);

/* NULL is accepted. */
void sim_trace_free(struct sim_trace *d);

#endif
