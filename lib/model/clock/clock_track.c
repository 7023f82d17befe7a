/* The track of a line, and a track at a time; see clock_track.h. The widening
 * by wander: doc/clocks-run.md, "Assumptions of the guarantee". */
#include <math.h>
#include <stdlib.h>

#include "lower_bound.h"
#include "clock.h"
#include "error.h"
#include "clock_track.h"

enum { STRAIGHT = 33 };

static double bounds_width(const struct tape_clock_fit *fit, double x)
{
	double lo, hi;

	tape_clock_guarantee(fit, x, &lo, &hi);
	return hi - lo;
}

/* The time at which the lines are closest: among the rounds of one phase. */
static double narrowest_time(const struct tape_clock_fit *fit, double a,
			     double b)
{
	for (int i = 0; i < 100; i++) {
		double x = a + (b - a) / 3, y = b - (b - a) / 3;

		if (bounds_width(fit, x) <= bounds_width(fit, y))
			b = y;
		else
			a = x;
	}
	return (a + b) / 2;
}

int tape_clock_track_line(const struct tape_clock_fit *fit, double wander,
			  double from_ns, double to_ns,
			  struct tape_clock_track *t)
{
	struct tape_clock_knot *k = malloc(STRAIGHT * sizeof *k);
	double mid;

	if (!k)
		return TAPE_ENOMEM;
	if (!(to_ns > from_ns)) {
		free(k);
		return TAPE_ERANGE;
	}
	mid = fit->phases == 1 ? narrowest_time(fit, from_ns, to_ns) : 0;
	for (size_t i = 0; i < STRAIGHT; i++) {
		double x = from_ns + (to_ns - from_ns) * (double)i /
					     (STRAIGHT - 1);
		double far = fit->phases == 1 ? fabs(x - mid)
					      : fmin(x - from_ns, to_ns - x);

		k[i].ref_ns = x;
		k[i].offset_ns = tape_clock_offset(fit, x);
		tape_clock_guarantee(fit, x, &k[i].lo_ns, &k[i].hi_ns);
		k[i].lo_ns -= wander * far;
		k[i].hi_ns += wander * far;
	}
	*t = (struct tape_clock_track){ STRAIGHT, k, wander, 1 };
	return 0;
}

/* Continues the piece at k to x; its interval grows by wander. */
static struct tape_clock_knot extrapolate_knot(const struct tape_clock_track *t,
					       const struct tape_clock_knot *k,
					       double x)
{
	struct tape_clock_knot r = x < k->ref_ns ? k[0] : k[1];
	double rate = (k[1].offset_ns - k[0].offset_ns) /
		      (k[1].ref_ns - k[0].ref_ns);
	double far = fabs(x - r.ref_ns);

	r.offset_ns += rate * (x - r.ref_ns);
	r.lo_ns -= t->wander * far;
	r.hi_ns += t->wander * far;
	r.ref_ns = x;
	return r;
}

struct tape_clock_knot tape_clock_track_at(const struct tape_clock_track *t,
					   double ref_ns)
{
	size_t i;
	const struct tape_clock_knot *k;
	struct tape_clock_knot r = { .ref_ns = ref_ns };
	double z;

	TAPE_LOWER_BOUND(i, t->n - 1, t->knot[i].ref_ns <= ref_ns);
	k = &t->knot[i ? i - 1 : 0];
	if (ref_ns < t->knot[0].ref_ns || ref_ns > t->knot[t->n - 1].ref_ns)
		return extrapolate_knot(t, k, ref_ns);
	z = (ref_ns - k[0].ref_ns) / (k[1].ref_ns - k[0].ref_ns);
	r.offset_ns = k[0].offset_ns + z * (k[1].offset_ns - k[0].offset_ns);
	r.lo_ns = isfinite(k[0].lo_ns) && isfinite(k[1].lo_ns)
			  ? k[0].lo_ns + z * (k[1].lo_ns - k[0].lo_ns)
			  : -INFINITY;
	r.hi_ns = isfinite(k[0].hi_ns) && isfinite(k[1].hi_ns)
			  ? k[0].hi_ns + z * (k[1].hi_ns - k[0].hi_ns)
			  : INFINITY;
	return r;
}

void tape_clock_track_free(struct tape_clock_track *t)
{
	free(t->knot);
	*t = (struct tape_clock_track){ 0 };
}
