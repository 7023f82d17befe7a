/* Tracks as lines of meta; see clock_map.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "tool.h"
#include "clock_map.h"
#include "range.h"

/* A reading, its estimated instant, and the interval of the true one. */
struct point {
	double reading, instant, lo, hi;
};

/*
 * Returns 1 if a piece or its interval is so steep that the edges need knots of
 * their own; elsewhere these are within microseconds of the track's knots.
 */
static int is_steep(const struct tape_clock_knot *a)
{
	const struct tape_clock_knot *b = a + 1;
	double dx = b->ref_ns - a->ref_ns, slope = 1e-4 * dx;

	return !(fabs(b->offset_ns - a->offset_ns) < slope) ||
	       (isfinite(a->hi_ns) && isfinite(b->hi_ns) &&
		!(fabs(b->hi_ns - a->hi_ns) < slope)) ||
	       (isfinite(a->lo_ns) && isfinite(b->lo_ns) &&
		!(fabs(b->lo_ns - a->lo_ns) < slope));
}

/* The readings at which pieces may join, ascending; their number. */
static size_t find_joints(const struct range *r, double *at)
{
	const struct tape_clock_track *t = r->t;
	const double *up = r->up, *down = r->down;
	double from = t->knot[0].ref_ns + t->knot[0].offset_ns;
	double to = t->knot[t->n - 1].ref_ns + t->knot[t->n - 1].offset_ns;
	size_t n = 0, used = 0;

	for (size_t i = 0; i < t->n; i++) {
		int steep = (i && is_steep(&t->knot[i - 1])) ||
			    (i + 1 < t->n && is_steep(&t->knot[i]));
		double v = t->knot[i].ref_ns + t->knot[i].offset_ns;

		at[n++] = v;
		if (steep && up[i] > from && up[i] < to)
			at[n++] = up[i];
		if (steep && down[i] > from && down[i] < to)
			at[n++] = down[i];
	}
	gsl_sort(at, 1, n);
	for (size_t i = 0; i < n; i++)
		if (!used || at[i] > at[used - 1])
			at[used++] = at[i];
	return used;
}

/* The largest error of a piece that replaces several, ns. */
static const double slack = 0.05;

/* Returns 1 if the piece from a to b can replace the points between them. */
static int is_replaceable(const struct point *a, const struct point *b)
{
	for (const struct point *p = a + 1; p < b; p++) {
		double f = (p->reading - a->reading) /
			   (b->reading - a->reading);
		double x = a->instant + (b->instant - a->instant) * f;
		double lo = a->lo + (b->lo - a->lo) * f;
		double hi = a->hi + (b->hi - a->hi) * f;
		double more = 2 + 0.02 * (p->hi - p->lo);

		if (!(fabs(x - p->instant) < slack))
			return 0;
		if (p->lo == -INFINITY ? a->lo != p->lo || b->lo != p->lo
				       : !(lo <= p->lo + slack &&
					   lo > p->lo - more))
			return 0;
		if (p->hi == INFINITY ? a->hi != p->hi || b->hi != p->hi
				      : !(hi >= p->hi - slack &&
					  hi < p->hi + more))
			return 0;
	}
	return 1;
}

/* Drops points on straight pieces between others; returns the number left. */
static size_t drop_redundant(struct point *p, size_t n)
{
	size_t used = 0, from = 0;

	if (n < 3)
		return n;
	while (from + 1 < n) {
		size_t to = from + 1, step = 1;

		/* as far as it goes: steps that double, then halve */
		while (step) {
			if (to + step < n &&
			    is_replaceable(&p[from], &p[to + step])) {
				to += step;
				step *= 2;
			} else {
				step /= 2;
			}
		}
		p[used++] = p[from];
		from = to;
	}
	p[used++] = p[n - 1];
	return used;
}

/* ---- lines ---- */

static int64_t clamp_ns(double ns)
{
	return ns >= 9e18 ? INT64_MAX : ns <= -9e18 ? INT64_MIN : (int64_t)ns;
}

static void write_line(FILE *f, size_t clock, uint64_t tick, int64_t date,
		       double rate, double lo, double hi)
{
	/* timestamps are rounded to whole ns, at joints and in between */
	if (lo < 0 || hi > 0) {
		lo = floor(lo - 1);
		hi = ceil(hi + 1);
	}
	fprintf(f,
		"clock %zu %" PRIu64 " %" PRId64 " %.17g %" PRId64 " %" PRId64
		"\n",
		clock, tick, date, rate, clamp_ns(lo), clamp_ns(hi));
}

/*
 * Rates relate whole timestamps to whole ticks: then no timestamp before a
 * joint exceeds that of the joint. Points too close to the last one are left
 * out.
 */
static void write_lines(FILE *f, const struct clocks *k, size_t i,
			const struct point *p, size_t n, int64_t date_ns)
{
	const struct clock *c = &k->c[i];
	uint64_t tick = 0;
	double rate = c->rate, lo = 0, hi = 0;
	int64_t date = 0;
	int any = 0;

	for (size_t j = 0; j < n; j++) {
		int64_t ticks = llrint(p[j].reading / c->rate), at;
		uint64_t next = c->origin + (uint64_t)ticks;
		double back = (double)ticks * c->rate - p[j].reading;

		at = date_ns + llrint(p[j].instant + back);
		if (any && (next <= tick || at <= date)) {
			/* include the intervals of points left out */
			lo = fmin(lo, p[j].lo);
			hi = fmax(hi, p[j].hi);
			continue;
		}
		if (any) {
			rate = (double)(at - date) / (double)(next - tick);
			write_line(f, i, tick, date, rate, lo, hi);
		}
		tick = next;
		date = at;
		lo = p[j].lo;
		hi = p[j].hi;
		any = 1;
	}
	write_line(f, i, tick, date, rate, lo, hi);
}

static void write_track(FILE *f, const struct clocks *k, size_t i,
			int64_t date_ns)
{
	const struct tape_clock_track *t = &k->c[i].track;
	double *at = malloc(3 * t->n * sizeof *at);
	struct point *p = malloc(3 * t->n * sizeof *p);
	struct range r;
	size_t n;

	if (!at || !p)
		tape_die_no_memory();
	range_open(&r, t);
	n = find_joints(&r, at);
	for (size_t j = 0; j < n; j++) {
		double x = clock_instant(t, at[j], NULL, NULL), first, last;

		range_find(&r, at[j], &first, &last);
		p[j] = (struct point){ at[j], x, fmin(0, first - x),
				       fmax(0, last - x) + k->c[i].grain_ns };
		if (range_unbounded(t, x, 1))
			p[j].lo = -INFINITY;
		if (range_unbounded(t, x, 0))
			p[j].hi = INFINITY;
	}
	n = drop_redundant(p, n);
	write_lines(f, k, i, p, n, date_ns);
	range_close(&r);
	free(at);
	free(p);
}

char *clock_map_text(const struct clocks *k, int64_t date_ns)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		tape_die_no_memory();
	for (size_t i = 0; i < k->n; i++) {
		const struct clock *c = &k->c[i];

		if (c->status == CLOCK_PLACED)
			write_track(f, k, i, date_ns);
		else /* its own timestamps, unrelated to other clocks */
			write_line(f, i, c->origin, c->origin_ns, c->rate,
				   i ? -INFINITY : 0,
				   i ? INFINITY : c->grain_ns);
	}
	if (fclose(f))
		tape_die_no_memory();
	return text;
}
