/* How long the calls of a place took, in classes; see sums.h. */
#include <math.h>
#include <stdlib.h>

#include "sums.h"
#include "tool.h"

/* The first 16 are of 1 ns each, then 16 for each doubling. */
static unsigned duration_class(uint64_t ns)
{
	unsigned e;

	if (ns < STATS_FINE)
		return (unsigned)ns;
	e = 63 - (unsigned)__builtin_clzll(ns);
	return (e - 3) * STATS_FINE + (unsigned)(ns >> (e - 4) & 15);
}

/* The middle of a class, ns. */
static double middle_of(unsigned class_)
{
	unsigned e = class_ / STATS_FINE + 3;
	double step = ldexp(1, (int)e - 4);

	if (class_ < STATS_FINE)
		return class_;
	return (STATS_FINE + class_ % STATS_FINE) * step + (step - 1) / 2;
}

double stats_quantile(const struct stats_place *p, double q)
{
	uint64_t sum = 0, want, all = 0;

	if (!p->histogram)
		return NAN;
	for (int i = 0; i < STATS_CLASSES; i++)
		all += p->histogram[i];
	want = (uint64_t)ceil(q * (double)all);
	for (unsigned i = 0; i < STATS_CLASSES; i++) {
		sum += p->histogram[i];
		if (sum >= want && sum)
			return fmin(middle_of(i), p->max_ns);
	}
	return NAN;
}

void stats_add_durations(struct stats_place *p, double ns, uint64_t n)
{
	if (!p->histogram)
		p->histogram = calloc(STATS_CLASSES, sizeof *p->histogram);
	if (!p->histogram)
		tape_die_no_memory();
	p->histogram[duration_class(ns > 0 ? (uint64_t)ns : 0)] += n;
	p->max_ns = fmax(p->max_ns, ns);
}
