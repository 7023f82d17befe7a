/* The range of instants of a reading; see range.h. */
#include <math.h>
#include <stdlib.h>

#include "lower_bound.h"
#include "tool.h"
#include "range.h"

/*
 * The first instant of a reading is that of the highest possible curve, the
 * last that of the lowest. edge[i] is the reading of that curve at knot i, made
 * monotonic: readings of a clock never decrease.
 */
static double edge_crossing(const struct tape_clock_track *t,
			    const double *edge, double reading, int last)
{
	size_t i;

	/* the number of knots with edge < reading (last: <= reading) */
	TAPE_LOWER_BOUND(i, t->n,
			 edge[i] < reading || (last && edge[i] == reading));
	/* beyond the track the interval stays as wide as at its end */
	if (!i || i == t->n) {
		size_t end = i ? i - 1 : 0;

		return t->knot[end].ref_ns + (reading - edge[end]);
	}
	return t->knot[i - 1].ref_ns +
	       (t->knot[i].ref_ns - t->knot[i - 1].ref_ns) *
		       (reading - edge[i - 1]) / (edge[i] - edge[i - 1]);
}

/*
 * The monotonic readings at each knot if the clock is as far ahead, or behind,
 * as possible. An unbounded edge has the reading of the track there.
 */
static void find_edges(const struct tape_clock_track *t, double *up,
		       double *down)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct tape_clock_knot *k = &t->knot[i];

		up[i] = down[i] = k->ref_ns + k->offset_ns;
		up[i] += isfinite(k->hi_ns) ? k->hi_ns : 0;
		down[i] += isfinite(k->lo_ns) ? k->lo_ns : 0;
		if (i && up[i] < up[i - 1])
			up[i] = up[i - 1];
	}
	for (size_t i = t->n - 1; i-- > 0;)
		if (down[i] > down[i + 1])
			down[i] = down[i + 1];
}


int range_unbounded(const struct tape_clock_track *t, double x, int upper)
{
	struct tape_clock_knot k = tape_clock_track_at(t, x);

	return !isfinite(upper ? k.hi_ns : k.lo_ns);
}

void range_open(struct range *r, const struct tape_clock_track *t)
{
	r->t = t;
	r->up = malloc(t->n * sizeof *r->up);
	r->down = malloc(t->n * sizeof *r->down);
	if (!r->up || !r->down)
		tape_die_no_memory();
	find_edges(t, r->up, r->down);
}

void range_close(struct range *r)
{
	free(r->up);
	free(r->down);
}

void range_find(const struct range *r, double reading, double *first,
		double *last)
{
	*first = edge_crossing(r->t, r->up, reading, 0);
	*last = edge_crossing(r->t, r->down, reading, 1);
}
