/*
 * Tracks relative to the reference, from tracks of each clock relative to the
 * clock that sampled it: with o the offset at an instant t,
 *
 *	o(t) = o_parent(t) + o_child(t + o_parent(t))
 *
 * since the child is sampled in readings of its parent. See clocks.h.
 */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "lower_bound.h"
#include "clocks.h"
#include "tool.h"

/* A step for slopes; the shortest span, by which slopes are divided. */
static const double second = 1e9, shortest_ns = 1e6;

/* The number of the last knot at or before a reading, at most n - 2. */
static size_t knot_before(const struct tape_clock_track *t, double reading)
{
	const struct tape_clock_knot *k = t->knot;
	size_t i;

	TAPE_LOWER_BOUND(i, t->n - 1, k[i].ref_ns + k[i].offset_ns <= reading);
	return i ? i - 1 : 0;
}

double clock_instant(const struct tape_clock_track *t, double reading,
		     double *lo_ns, double *hi_ns)
{
	const struct tape_clock_knot *k = t->n ? t->knot : NULL;
	double slope = 0, x = reading;

	if (k) {
		k += knot_before(t, reading);
		slope = (k[1].offset_ns - k[0].offset_ns) /
			(k[1].ref_ns - k[0].ref_ns);
		/* reading = x + offset + slope (x - ref) */
		x = k[0].ref_ns + (reading - k[0].ref_ns - k[0].offset_ns) /
					  (1 + slope);
	}
	if (!lo_ns || !hi_ns)
		return x;
	*lo_ns = *hi_ns = 0;
	if (k) {
		struct tape_clock_knot e = tape_clock_track_at(t, x);

		/* a larger true offset makes the true time earlier */
		*lo_ns = isfinite(e.hi_ns) ? -e.hi_ns / (1 + slope) : -INFINITY;
		*hi_ns = isfinite(e.lo_ns) ? -e.lo_ns / (1 + slope) : INFINITY;
	}
	return x;
}

/* ---- the span ---- */

static void widen_span(struct clocks *k, const struct clock *c, double reading)
{
	double x = clock_instant(&c->track, reading, NULL, NULL);

	k->from_ns = fmin(k->from_ns, x);
	k->to_ns = fmax(k->to_ns, x);
}

void clocks_span(struct clocks *k)
{
	size_t n;
	const struct tape_sample *s = tape_trace_samples(k->t, &n);

	k->from_ns = INFINITY;
	k->to_ns = -INFINITY;
	for (size_t i = 0; i < k->n; i++) {
		const struct clock *c = &k->c[i];

		if (c->status == CLOCK_UNPLACED ||
		    (c->status == CLOCK_PLACED && !c->track.n))
			continue;
		widen_span(k, c, clock_ticks(c, c->info->first.tick));
		widen_span(k, c, clock_ticks(c, c->info->last.tick));
		if (c->first_ns <= c->last_ns) {
			widen_span(k, c, c->first_ns);
			widen_span(k, c, c->last_ns);
		}
	}
	for (size_t i = 0; i < n; i++)
		if (!s[i].by) {
			widen_span(k, &k->c[0],
				   clock_ticks(&k->c[0], s[i].s_ref));
			widen_span(k, &k->c[0],
				   clock_ticks(&k->c[0], s[i].r_ref));
		}
	/* a slope needs some distance */
	if (k->to_ns - k->from_ns < shortest_ns)
		k->to_ns = k->from_ns + shortest_ns;
}

/* ---- tracks ---- */

enum { LINE_KNOTS = 33 };

/* The track of coefficients from a file: its interval grows from l->at. */
static int line_track(const struct clock_line *l, double wander, double from,
		      double to, struct tape_clock_track *t)
{
	struct tape_clock_knot *k = malloc(LINE_KNOTS * sizeof *k);

	if (!k)
		return TAPE_ENOMEM;
	for (int i = 0; i < LINE_KNOTS; i++) {
		double x = from + (to - from) * i / (LINE_KNOTS - 1);
		double far = x - l->at, w = wander * fabs(far);

		k[i].ref_ns = x;
		k[i].offset_ns = l->offset_ns + l->drift * far;
		k[i].lo_ns = l->lo_ns - w +
			     fmin(l->drift_lo * far, l->drift_hi * far);
		k[i].hi_ns = l->hi_ns + w +
			     fmax(l->drift_lo * far, l->drift_hi * far);
	}
	*t = (struct tape_clock_track){ LINE_KNOTS, k, wander, 1 };
	return 0;
}

/* v, or what in place of an infinite value or NAN. */
static double finite_or(double v, double what)
{
	return isfinite(v) ? v : what;
}

/*
 * Composes at the knots of both tracks. If the true reading of the parent
 * differs from its track by d, the child's offset is that of a reading d later:
 * with drift b the total changes by (1 + b) d. The wanders of both add up.
 */
static void compose_tracks(const struct tape_clock_track *parent,
			   const struct tape_clock_track *own,
			   struct tape_clock_track *out)
{
	size_t n = parent->n + own->n, used = 0;
	struct tape_clock_knot *k = clocks_alloc(n, sizeof *k);
	double *x = clocks_alloc(n, sizeof *x);

	for (size_t i = 0; i < parent->n; i++)
		x[i] = parent->knot[i].ref_ns;
	for (size_t i = 0; i < own->n; i++)
		x[parent->n + i] = clock_instant(parent, own->knot[i].ref_ns,
						 NULL, NULL);
	gsl_sort(x, 1, n);
	for (size_t i = 0; i < n; i++) {
		struct tape_clock_knot p, c, q;
		double b;

		/* the same instant but for rounding */
		if (used && x[i] - k[used - 1].ref_ns < 1)
			continue;
		p = tape_clock_track_at(parent, x[i]);
		c = tape_clock_track_at(own, x[i] + p.offset_ns);
		q = tape_clock_track_at(own, x[i] + p.offset_ns + second);
		b = (q.offset_ns - c.offset_ns) / second;
		k[used++] = (struct tape_clock_knot){
		    x[i], p.offset_ns + c.offset_ns,
		    finite_or((1 + b) * p.lo_ns + c.lo_ns, -INFINITY),
		    finite_or((1 + b) * p.hi_ns + c.hi_ns, INFINITY)};
	}
	free(x);
	*out = (struct tape_clock_track){ used, k,
					  parent->wander + own->wander,
					  1 };
}

void clocks_compose(struct clocks *k)
{
	for (size_t i = 1; i < k->n_order; i++) {
		struct clock *c = &k->c[k->order[i]], *p = &k->c[c->by];
		struct tape_clock_track own = { 0 }, *t = &p->track;
		double from = k->from_ns, to = k->to_ns;
		int rc;

		if (t->n) {
			from += tape_clock_track_at(t, from).offset_ns;
			to += tape_clock_track_at(t, to).offset_ns;
		}
		if (c->source & CLOCK_FILE)
			rc = line_track(&c->line, k->wander, from, to, &own);
		else
			rc = tape_clock_track_line(&c->fit, k->wander, from, to,
						   &own);
		if (rc)
			tape_die(TAPE_FAILED, "%s", tape_error_text(rc));
		tape_clock_track_free(&c->track);
		if (!t->n) {
			c->track = own;
			continue;
		}
		compose_tracks(t, &own, &c->track);
		tape_clock_track_free(&own);
	}
}
