/* Two tracks of one clock; see merge_tracks.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "clocks.h"
#include "merge_tracks.h"

/* Offsets that differ by less do so by rounding, ns. */
static const double rounding = 1;

/* A track at time x: estimate and limits of the offset. */
struct limits {
	double x, at, lo, hi;
};

void tracks_make_monotonic(struct tape_clock_track *t)
{
	for (size_t i = 1; i < t->n; i++) {
		struct tape_clock_knot *k = &t->knot[i];
		double dx = k->ref_ns - k[-1].ref_ns;
		double least = k[-1].offset_ns - dx, up = least - k->offset_ns;

		if (up <= 0)
			continue;
		up += 1e-6 * dx;
		k->offset_ns += up;
		k->lo_ns -= up;
		k->hi_ns = fmax(0, k->hi_ns - up);
	}
}

struct tape_clock_track tracks_copy(const struct tape_clock_track *t)
{
	struct tape_clock_track c = *t;

	c.knot = clocks_alloc(t->n, sizeof *c.knot);
	if (t->n)
		memcpy(c.knot, t->knot, t->n * sizeof *c.knot);
	return c;
}

/* The times of the knots of both, at least 1 ns apart; their number. */
static size_t knot_times(const struct tape_clock_track *a,
			 const struct tape_clock_track *b, double *x)
{
	size_t n = a->n + b->n, used = 0;

	for (size_t i = 0; i < a->n; i++)
		x[i] = a->knot[i].ref_ns;
	for (size_t i = 0; i < b->n; i++)
		x[a->n + i] = b->knot[i].ref_ns;
	gsl_sort(x, 1, n);
	for (size_t i = 0; i < n; i++)
		if (!used || x[i] - x[used - 1] >= 1)
			x[used++] = x[i];
	return used;
}

static struct limits track_limits(const struct tape_clock_track *t, double x)
{
	struct tape_clock_knot k = tape_clock_track_at(t, x);

	return (struct limits){ x, k.offset_ns, k.offset_ns + k.lo_ns,
				k.offset_ns + k.hi_ns };
}

static struct tape_clock_knot make_knot(double x, double at, double lo,
					double hi)
{
	at = fmin(fmax(at, lo), hi);
	return (struct tape_clock_knot){ x, at, lo - at, hi - at };
}

static void replace_knots(struct tape_clock_track *t, struct tape_clock_knot *k,
			  size_t n)
{
	free(t->knot);
	t->knot = k;
	t->n = n;
	tracks_make_monotonic(t);
}

void tracks_limit_estimate(struct tape_clock_track *t,
			   const struct tape_clock_track *sure)
{
	double *x = clocks_alloc(t->n + sure->n, sizeof *x);
	size_t n = knot_times(t, sure, x);
	struct tape_clock_knot *k = clocks_alloc(n, sizeof *k);

	for (size_t i = 0; i < n; i++) {
		struct limits p = track_limits(t, x[i]),
			      q = track_limits(sure, x[i]);

		k[i] = make_knot(x[i], p.at, q.lo, q.hi);
	}
	free(x);
	replace_knots(t, k, n);
}

int tracks_is_within(const struct tape_clock_track *t,
		     const struct tape_clock_track *sure)
{
	double *x = clocks_alloc(t->n + sure->n, sizeof *x);
	size_t n = knot_times(t, sure, x);
	int within = 1;

	for (size_t i = 0; i < n; i++) {
		struct limits p = track_limits(t, x[i]),
			      q = track_limits(sure, x[i]);

		within &= p.at >= q.lo - rounding && p.at <= q.hi + rounding;
	}
	free(x);
	return within;
}

/*
 * Returns 1 if a line with heights da at a and db at b crosses 0 more than 1 ns
 * from the ends; *x: the crossing.
 */
static int find_zero(double a, double b, double da, double db, double *x)
{
	if (!isfinite(da) || !isfinite(db) || (da < 0) == (db < 0))
		return 0;
	*x = a + (b - a) * da / (da - db);
	return *x > a + 1 && *x < b - 1;
}

/* Adds to n times x those at which the edges of both intervals cross. x has
 * space for 3 n. Returns the new number. */
static size_t add_crossings(const struct tape_clock_track *a,
			    const struct tape_clock_track *b, double *x,
			    size_t n)
{
	struct limits p = track_limits(a, x[0]), q = track_limits(b, x[0]);
	size_t most = n;

	for (size_t i = 1; i < n; i++) {
		struct limits r = track_limits(a, x[i]),
			      s = track_limits(b, x[i]);

		most += (size_t)find_zero(x[i - 1], x[i], p.lo - q.lo,
					  r.lo - s.lo, &x[most]);
		most += (size_t)find_zero(x[i - 1], x[i], p.hi - q.hi,
					  r.hi - s.hi, &x[most]);
		p = r;
		q = s;
	}
	gsl_sort(x, 1, most);
	return most;
}

void tracks_intersect(struct tape_clock_track *t,
		      const struct tape_clock_track *other)
{
	double *x = clocks_alloc(3 * (t->n + other->n), sizeof *x);
	size_t n = add_crossings(t, other, x, knot_times(t, other, x)),
	       used = 0;
	struct tape_clock_knot *k = clocks_alloc(n, sizeof *k);

	for (size_t i = 0; i < n; i++) {
		struct limits p = track_limits(t, x[i]),
			      q = track_limits(other, x[i]);
		double lo = fmax(p.lo, q.lo), hi = fmin(p.hi, q.hi);

		if (used && x[i] - k[used - 1].ref_ns < 1)
			continue;
		if (lo > hi) {
			lo = fmin(p.lo, q.lo);
			hi = fmax(p.hi, q.hi);
		}
		k[used++] = make_knot(x[i], p.at, lo, hi);
	}
	free(x);
	replace_knots(t, k, used);
}
