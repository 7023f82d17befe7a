/*
 * What the times of a part of a run, a region or a phase, are at least and at
 * most: without tracing, and without waiting for processors. From what each
 * flow did there.
 */
#ifndef STAT_PART_BOUNDS_H
#define STAT_PART_BOUNDS_H

#include "efficiency.h"
#include "sums.h"

/* Of useful times also the middles of their bounds, where least.is_shared. */
struct part_bounds {
	struct tape_efficiency_times least, most;
	double useful_sum_ns, useful_max_ns;
};

/*
 * A flow in the part, ns. By how much its length may be less and more, by the
 * intervals of where it begins and ends, and edges_ns in both directions.
 * computing: how much less and more the alphas within may be.
 */
struct part_of_flow {
	double visits; /* times that it was there */
	double length_ns, computing_ns, ideal_ns;
	struct stats_error length, computing;
	double edges_ns;
	struct tape_ideal_time measured_ideal; /* in the trace as measured */
	const struct stats_outside *use;       /* as of stats_bound_useful */
};

/*
 * Adds a flow to b; n stays as it is. spread_ns: by how much ranks began
 * earlier or later, compared with each other, than on the ideal clock of the
 * trace as measured.
 */
void part_bounds_add_flow(struct part_bounds *b, const struct part_of_flow *x,
			  double spread_ns);

#endif
