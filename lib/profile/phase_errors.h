/*
 * How certain the times of phases are, from a pass over the trace. As measured
 * the errors are those of alphas, so of computing; without tracing those of
 * when phases begin and end (errors.h).
 */
#ifndef STAT_PHASE_ERRORS_H
#define STAT_PHASE_ERRORS_H

#include "errors.h"

/*
 * When a phase begins or ends. error: as measured that of all alphas of the
 * flow so far; without tracing that of ns. edge_ns: as measured, by how much
 * the alphas since the event before may be wrong.
 */
struct phase_moment {
	int64_t ns;
	struct tape_ideal_time ideal;
	struct stats_error error;
	double edge_ns;
};

/*
 * A flow: its latest event, and what is uncertain after that. Of start and end
 * ns and ideal.ns are not set.
 */
struct phase_clock {
	struct phase_moment start, end, latest;
	int has_begun;
};

/* Of phases of a flow, ns: sums over their computing, or their lengths. */
struct phase_errors {
	struct stats_error sum;
	double edges_ns;
};

/* The next event of the flow has ended; f of the analysis of s->t. */
void phase_clock_add_event(struct phase_clock *c, const struct stats *s,
			   const struct tape_found *f);

/* The time by the ideal clock between two moments of a flow. */
struct tape_ideal_time phase_ideal_between(const struct phase_moment *from,
					   const struct phase_moment *to);

/* errors: enum stats_errors of the trace. */
struct phase_errors phase_errors_between(int errors,
					 const struct phase_moment *from,
					 const struct phase_moment *to);
void phase_errors_add(struct phase_errors *to, const struct phase_errors *from);

#endif
