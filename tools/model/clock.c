/* Offset and drift of a clock; see clock.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "clock.h"
#include "error.h"

struct point {
	double x, y, trip; /* ref date of the middle, offset there, round trip */
	double w;          /* weight, 0: rejected */
	int after;
};

struct line {
	double a, b;
};

/* ---- hard bounds ---- */

struct bound {
	double x, v;
};

static int by_x(const void *a, const void *b)
{
	const struct bound *p = a, *q = b;

	return p->x < q->x ? -1 : p->x > q->x;
}

/* Keeps the bounds that count: the convex hull, seen from above or below. */
static size_t hull(struct bound *p, size_t n, int upper)
{
	double sign = upper ? -1 : 1; /* upper: hull of the points' top */
	size_t k = 0;

	qsort(p, n, sizeof *p, by_x);
	for (size_t i = 0; i < n; i++) {
		while (k >= 2 &&
		       sign * ((p[k - 1].x - p[k - 2].x) * (p[i].v - p[k - 2].v) -
			       (p[k - 1].v - p[k - 2].v) * (p[i].x - p[k - 2].x)) <=
			       0)
			k--;
		p[k++] = p[i];
	}
	return k;
}

static int meets(struct line l, const struct bound *lo, size_t n_lo,
		 const struct bound *hi, size_t n_hi)
{
	for (size_t i = 0; i < n_lo; i++)
		if (l.a + l.b * lo[i].x < lo[i].v - 1e-3)
			return 0;
	for (size_t i = 0; i < n_hi; i++)
		if (l.a + l.b * hi[i].x > hi[i].v + 1e-3)
			return 0;
	return 1;
}

static void try_line(struct tape_clock_fit *fit, const struct bound *p,
		     const struct bound *q, const struct bound *lo, size_t n_lo,
		     const struct bound *hi, size_t n_hi)
{
	struct line l;

	if (p->x == q->x || fit->n_corners == 64)
		return;
	l.b = (q->v - p->v) / (q->x - p->x);
	l.a = p->v - l.b * p->x;
	if (!meets(l, lo, n_lo, hi, n_hi))
		return;
	fit->corner[fit->n_corners].a = l.a;
	fit->corner[fit->n_corners++].b = l.b;
}

/*
 * The lines that meet all bounds form a convex polygon in (a, b); its corners
 * are lines through two of the hulls' points.
 */
static int bounds(const struct tape_clock_round *r, size_t n,
		  struct tape_clock_fit *fit)
{
	struct bound *lo = malloc(2 * n * sizeof *lo), *hi = lo ? lo + n : NULL;
	size_t n_lo, n_hi;

	if (!lo)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		/* the answer left at s_j and was there by r_ref ... */
		lo[i] = (struct bound){ r[i].r_ref, r[i].s_j - r[i].r_ref };
		/* ... and the question left at s_ref, there at r_j */
		hi[i] = (struct bound){ r[i].s_ref, r[i].r_j - r[i].s_ref };
	}
	n_lo = hull(lo, n, 1);
	n_hi = hull(hi, n, 0);
	for (size_t i = 0; i < n_lo; i++)
		for (size_t j = 0; j < n_hi; j++)
			try_line(fit, &lo[i], &hi[j], lo, n_lo, hi, n_hi);
	for (size_t i = 1; i < n_lo; i++)
		try_line(fit, &lo[i - 1], &lo[i], lo, n_lo, hi, n_hi);
	for (size_t i = 1; i < n_hi; i++)
		try_line(fit, &hi[i - 1], &hi[i], lo, n_lo, hi, n_hi);
	fit->bounded = fit->n_corners > 0;
	free(lo);
	return 0;
}

/* ---- regression ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Weighted least squares, centred before summing. */
static int regress(const struct point *p, size_t n, struct line *l, double *sxx,
		   double *mx)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		w += p[i].w;
		x += p[i].w * p[i].x;
		y += p[i].w * p[i].y;
	}
	if (!(w > 0))
		return TAPE_EFEW;
	x /= w;
	y /= w;
	for (size_t i = 0; i < n; i++) {
		xx += p[i].w * (p[i].x - x) * (p[i].x - x);
		xy += p[i].w * (p[i].x - x) * (p[i].y - y);
	}
	if (!(xx > 0))
		return TAPE_ESPREAD;
	l->b = xy / xx;
	l->a = y - l->b * x;
	*sxx = xx;
	*mx = x;
	return 0;
}

/* How many quick rounds around a round say what its residual should be. */
enum { NEIGHBOURS = 11 };

/*
 * The median residual of the quick rounds nearest to the i-th: quick has their
 * n numbers, ascending; room takes NEIGHBOURS values.
 */
static double usual(const struct point *p, struct line l, const size_t *quick,
		    size_t n, size_t i, double *room)
{
	size_t k = n < NEIGHBOURS ? n : NEIGHBOURS, from = 0;

	/* as many of them before the round as after it, where there are */
	while (from + k < n && quick[from + k / 2] < i)
		from++;
	for (size_t j = 0; j < k; j++) {
		const struct point *q = &p[quick[from + j]];

		room[j] = q->y - l.a - l.b * q->x;
	}
	return median(room, k);
}

/*
 * Rejects the rounds of a phase whose residual from a first, robust line is
 * far from the rolling median of its neighbours' (3.4.4), and weighs the rest
 * by how much their round trip exceeds the phase's least. The median is that
 * of the quicker tenth: on a busy machine most rounds may be aberrant. quick
 * and room are scratch for n values each.
 */
static void weigh(struct point *p, size_t n, struct line l, size_t *quick,
		  double *room)
{
	double least = INFINITY, spread, limit, near[NEIGHBOURS];
	size_t n_quick = 0, best = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].trip < least)
			least = p[best = i].trip;
	for (size_t i = 0; i < n; i++)
		room[i] = p[i].trip - least;
	qsort(room, n, sizeof *room, ascending);
	limit = room[n / 10];
	/* the quicker tenth of the rounds sets the scale */
	spread = fmax(limit, 0.005 * least) + 1;
	for (size_t i = 0; i < n; i++)
		if (p[i].trip - least <= limit)
			quick[n_quick++] = i;
	for (size_t i = 0; i < n; i++) {
		double excess = (p[i].trip - least) / spread;
		double mid = usual(p, l, quick, n_quick, i, near);
		double r = fabs(p[i].y - l.a - l.b * p[i].x - mid);

		/* the asymmetry of a round is at most half its excess */
		p[i].w = r > least / 2 + 3 * spread ? 0
						    : 1 / (1 + excess * excess);
		if (p[i].w < 1e-4)
			p[i].w = 0;
	}
	p[best].w = 1;
}

/* A first line: through the least round trip of each phase. */
static struct line first_line(const struct point *p, size_t n)
{
	const struct point *best[2] = { NULL, NULL };
	struct line l = { 0, 0 };

	for (size_t i = 0; i < n; i++)
		if (!best[p[i].after] || p[i].trip < best[p[i].after]->trip)
			best[p[i].after] = &p[i];
	if (best[0] && best[1] && best[0]->x != best[1]->x)
		l.b = (best[1]->y - best[0]->y) / (best[1]->x - best[0]->x);
	l.a = best[0] ? best[0]->y - l.b * best[0]->x
		      : best[1]->y - l.b * best[1]->x;
	return l;
}

static int fit_line(struct point *p, size_t n, size_t n_before,
		    struct tape_clock_fit *fit)
{
	double *room = malloc(n * sizeof *room), sxx, mx, ss = 0, t, w = 0;
	size_t *quick = malloc(n * sizeof *quick);
	struct line l = first_line(p, n);
	int rc = room && quick ? 0 : TAPE_ENOMEM;

	if (!rc && n_before)
		weigh(p, n_before, l, quick, room);
	if (!rc && n > n_before)
		weigh(p + n_before, n - n_before, l, quick, room);
	free(room);
	free(quick);
	if (!rc)
		rc = regress(p, n, &l, &sxx, &mx);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++) {
		double r = p[i].y - l.a - l.b * p[i].x;

		fit->kept += p[i].w > 0;
		ss += p[i].w * r * r;
		w += p[i].w;
	}
	fit->rejected = n - fit->kept;
	fit->offset_ns = l.a;
	fit->drift = l.b;
	if (fit->kept > 2) {
		/* V(b) = s^2 (X'X)^-1 (3.11), s^2 of N - 2 degrees (3.12) */
		double s2 = ss / w * (double)fit->kept /
			    (double)(fit->kept - 2);

		t = gsl_cdf_tdist_Pinv(0.975, (double)(fit->kept - 2));
		fit->resid_ns = sqrt(s2);
		fit->drift_ci = t * sqrt(s2 / sxx);
		fit->offset_ci_ns = t * sqrt(s2 * (1 / w + mx * mx / sxx));
	} else {
		fit->drift_ci = fit->offset_ci_ns = INFINITY;
	}
	return 0;
}

/* Moves the line to the nearest one that meets the bounds at both ends. */
static void keep_within(struct tape_clock_fit *fit, double x1, double x2)
{
	double x[2] = { x1, x2 }, y[2];

	for (int i = 0; i < 2; i++) {
		double lo, hi;

		y[i] = tape_clock_offset(fit, x[i]);
		tape_clock_guarantee(fit, x[i], &lo, &hi);
		y[i] += lo > 0 ? lo : hi < 0 ? hi : 0;
	}
	if (x1 == x2)
		return;
	fit->drift = (y[1] - y[0]) / (x2 - x1);
	fit->offset_ns = y[0] - fit->drift * x1;
}

int tape_clock_fit(const struct tape_clock_round *rounds, size_t n,
		   struct tape_clock_fit *out)
{
	struct point *p = malloc((n + 1) * sizeof *p);
	struct tape_clock_fit *fit = calloc(1, sizeof *fit);
	size_t k = 0, n_before = 0;
	int rc = n < 3 ? TAPE_EFEW : 0;

	if (!p || !fit)
		rc = TAPE_ENOMEM;
	if (rc)
		goto out;
	fit->least_trip_ns = INFINITY;
	for (int after = 0; after < 2; after++)
		for (size_t i = 0; i < n; i++) {
			const struct tape_clock_round *r = &rounds[i];

			if (!r->after != !after)
				continue;
			/* Dunigan: the middles of both intervals belong
			 * together (3.9, shifted by half the round trip) */
			p[k].x = (r->s_ref + r->r_ref) / 2;
			p[k].y = (r->r_j + r->s_j) / 2 - p[k].x;
			p[k].trip = (r->r_ref - r->s_ref) - (r->s_j - r->r_j);
			p[k].after = after;
			p[k].w = 1;
			fit->least_trip_ns = fmin(fit->least_trip_ns, p[k].trip);
			k++;
			n_before += !after;
		}
	fit->phases = (n_before > 0) + (n > n_before);
	rc = fit_line(p, n, n_before, fit);
	if (!rc)
		rc = bounds(rounds, n, fit);
	if (!rc && fit->bounded)
		keep_within(fit, p[0].x, p[n - 1].x);
	if (!rc)
		*out = *fit;
out:
	free(p);
	free(fit);
	return rc;
}

double tape_clock_offset(const struct tape_clock_fit *fit, double ref_ns)
{
	return fit->offset_ns + fit->drift * ref_ns;
}

void tape_clock_guarantee(const struct tape_clock_fit *fit, double ref_ns,
			  double *lo_ns, double *hi_ns)
{
	double here = tape_clock_offset(fit, ref_ns);

	*lo_ns = INFINITY;
	*hi_ns = -INFINITY;
	for (size_t i = 0; i < fit->n_corners; i++) {
		double v = fit->corner[i].a + fit->corner[i].b * ref_ns - here;

		*lo_ns = fmin(*lo_ns, v);
		*hi_ns = fmax(*hi_ns, v);
	}
	if (!fit->n_corners) {
		*lo_ns = -INFINITY;
		*hi_ns = INFINITY;
	}
}
