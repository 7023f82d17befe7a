/*
 * Linear clocks within the bounds of messages; see linear_bounds.h.
 *
 * The noise of windows limits how fast the true clock may leave a track. With
 * few messages this limit is unreliable. But if a straight line meets all
 * bounds, the clock may be linear, and then all such lines are possible
 * (doc/clocks-run.md, "Assumptions of the guarantee").
 */
#include <math.h>
#include <stdlib.h>

#include "clocks.h"
#include "linear_bounds.h"

/* The largest drift of two clocks relative to each other, s/s. */
static const double most_drift = 2 * TAPE_CLOCK_MOST_DRIFT;

/* The line through the ends of t. */
static struct tape_line line_through_ends(const struct tape_clock_track *t)
{
	const struct tape_clock_knot *p = &t->knot[0], *q = &t->knot[t->n - 1];

	return (struct tape_line){ p->offset_ns,
				   (q->offset_ns - p->offset_ns) /
					   (q->ref_ns - p->ref_ns) };
}

static struct tape_bound *relative_bounds(const struct tape_clock_bound *b,
					  size_t n, struct tape_line l,
					  double from)
{
	struct tape_bound *r = clocks_alloc(n, sizeof *r);

	for (size_t i = 0; i < n; i++) {
		r[i].x = b[i].ref_ns - from;
		r[i].y = b[i].offset_ns - l.a - l.b * r[i].x;
	}
	return r;
}

void linear_bounds_widen(struct tape_clock_track *t,
			 const struct tape_clock_bound *upper, size_t n_upper,
			 const struct tape_clock_bound *lower, size_t n_lower)
{
	double from = t->knot[0].ref_ns;
	struct tape_line l = line_through_ends(t);
	struct tape_bound *low = relative_bounds(lower, n_lower, l, from);
	struct tape_bound *up = relative_bounds(upper, n_upper, l, from);
	struct tape_lines lines;

	if (!tape_bounds_lines(low, n_lower, up, n_upper, &lines) &&
	    lines.n) {
		tape_bounds_slopes(&lines, -most_drift - l.b,
				   most_drift - l.b);
		for (size_t i = 0; i < t->n; i++) {
			struct tape_clock_knot *k = &t->knot[i];
			double x = k->ref_ns - from, least, most, here;

			tape_bounds_at(&lines, x, &least, &most);
			here = k->offset_ns - l.a - l.b * x;
			k->lo_ns = fmin(k->lo_ns, least - here);
			k->hi_ns = fmax(k->hi_ns, most - here);
		}
	}
	free(low);
	free(up);
}
