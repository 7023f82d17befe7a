/* Bounds of the times of a part of a run; see part_bounds.h. */
#include <math.h>

#include "part_bounds.h"

void part_bounds_add_flow(struct part_bounds *b, const struct part_of_flow *x,
			  double spread_ns)
{
	struct tape_efficiency_times *least = &b->least, *most = &b->most;
	double low = fmax(0, x->computing_ns - x->computing.more);
	double high = x->computing_ns + x->computing.less;
	double spread = spread_ns * x->visits;

	least->sum_ns += low;
	least->max_ns = fmax(least->max_ns, low);
	most->sum_ns += high;
	most->max_ns = fmax(most->max_ns, high);
	least->run_ns =
	    fmax(least->run_ns,
		 fmax(low, x->length_ns - x->length.less - x->edges_ns));
	most->run_ns =
	    fmax(most->run_ns, x->length_ns + x->length.more + x->edges_ns);
	least->ideal_ns =
	    fmax(least->ideal_ns,
		 fmin(x->ideal_ns, x->measured_ideal.least_ns - spread));
	most->ideal_ns =
	    fmax(most->ideal_ns,
		 fmax(x->ideal_ns, x->measured_ideal.most_ns + spread));
}
