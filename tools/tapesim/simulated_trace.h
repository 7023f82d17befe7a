/*
 * Writes the trace of the actions again, with simulated timestamps. It reads
 * each flow once more, in parallel with the simulation.
 *
 *	d = sim_trace_open(trace, actions, output, NULL);
 *	... sim_trace_put(d, rank, a, begin_ns, end_ns);
 *	sim_trace_end(d, &measured);
 *	sim_trace_free(d);
 *
 * All events are written. An event of several actions lasts from the first
 * action to the last. An event without an action takes no time. Of a rank with
 * several threads only the flow of the actions is written. Dies with an error
 * message if a flow is damaged or a file cannot be written.
 */
#ifndef SIM_SIMULATED_TRACE_H
#define SIM_SIMULATED_TRACE_H

#include <stdint.h>

#include "action.h"
#include "output.h"

struct sim_trace;

/*
 * The measured run. total_ns: from the first end of MPI_Init to the last start
 * of MPI_Finalize; -1 if there are no events.
 */
struct sim_measured {
	int64_t total_ns;
	size_t flows_left_out;
	uint64_t events;
};

/*
 * s: the actions of t. out NULL: only measures the run. t and out must stay
 * open. host: the number of each rank's simulated host, which names the host in
 * the new trace; NULL: the hosts of t.
 */
struct sim_trace *sim_trace_open(struct tape_trace *t,
				 const struct tape_actions *s,
				 struct tape_output *out, const int *host);

/* The put function of struct sim_times. Returns 0. */
int sim_trace_put(struct sim_trace *d, int rank, const struct tape_action *a,
		  int64_t begin_ns, int64_t end_ns);

/*
 * After the last action: writes the remaining events, closes the flows, and
 * sets *m.
 */
void sim_trace_end(struct sim_trace *d, struct sim_measured *m);

/* NULL is accepted. */
void sim_trace_free(struct sim_trace *d);

#endif
