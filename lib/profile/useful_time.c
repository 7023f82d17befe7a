/* Time outside of calls, without waiting; see useful_time.h. */
#include <math.h>

#include "stat.h"
#include "useful_time.h"

int stats_is_shared(const struct stats *s)
{
	char text[2200];

	return stat_contention_text(s, text, sizeof text) != 0;
}

/*
 * Bounds of the time that was not waiting, of the time that marks enclose: what
 * was on a processor or blocked, and all without what was ready. Both hold.
 */
static void bound_marked(const struct stats_outside *p, double *least,
			 double *most)
{
	const double *from = p->use.from_ns, *to = p->use.to_ns;

	*least = fmax(p->ns - to[TAPE_PROCESSOR_READY],
		      from[TAPE_PROCESSOR_RUNS] + from[TAPE_PROCESSOR_BLOCKED]);
	*most = fmin(p->ns - from[TAPE_PROCESSOR_READY],
		     to[TAPE_PROCESSOR_RUNS] + to[TAPE_PROCESSOR_BLOCKED]);
}

void stats_bound_useful(const struct stats_outside *p, double ns, double low,
			double high, double *least, double *most)
{
	*least = 0;
	*most = high;
	if (!p)
		return;
	bound_marked(p, least, most);
	/* what may be more or less than the marks were asked for */
	*least = fmin(fmax(*least - (ns - low), 0), low);
	*most = fmin(*most + fmax(ns - p->ns, 0) + (high - ns), high);
}

void stats_useful_bounds(const struct stats *s, size_t flow, double *least,
			 double *most)
{
	double ns = stats_computing(s, flow), low = ns, high = ns;

	stats_computing_bounds(s, flow, &low, &high);
	stats_bound_useful(stats_find_record(&s->outside, 0, (uint32_t)flow),
			   ns, low, high, least, most);
}
