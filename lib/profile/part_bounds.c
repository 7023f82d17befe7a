/* Bounds of the times of a part of a run; see part_bounds.h. */
#include <math.h>

#include "part_bounds.h"
#include "useful_time.h"

static void add_useful(struct part_bounds *b, const struct part_of_flow *x,
		       double low, double high)
{
	double from, to;

	if (!b->least.is_shared)
		return;
	stats_bound_useful(x->use, x->computing_ns, low, high, &from, &to);
	b->least.useful_sum_ns += from;
	b->least.useful_max_ns = fmax(b->least.useful_max_ns, from);
	b->most.useful_sum_ns += to;
	b->most.useful_max_ns = fmax(b->most.useful_max_ns, to);
	b->useful_sum_ns += (from + to) / 2;
	b->useful_max_ns = fmax(b->useful_max_ns, (from + to) / 2);
}

void part_bounds_add_flow(struct part_bounds *b, const struct part_of_flow *x,
			  double spread_ns)
{
	struct tape_efficiency_times *least = &b->least, *most = &b->most;
	double low = fmax(0, x->computing_ns - x->computing.more);
	double high = x->computing_ns + x->computing.less;
	double spread = spread_ns * x->visits;

	add_useful(b, x, low, high);
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
