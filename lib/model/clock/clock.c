/*
 * Offset and drift of a clock; see clock.h. bounds.c finds the hard bounds. The
 * formulas: Maillet 1996, chapter 3 (its numbers are given here), and
 * doc/clocks.md, "The fit" and "Two kinds of interval".
 *
 * A first line goes through the fastest round of each of two groups: the two
 * phases, or the halves of the only phase. All later steps use differences from
 * this line: small numbers, without a trend.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_movstat.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "clock.h"
#include "error.h"
#include "sort.h"
#include "stats.h"

enum { WINDOW = 11 };         /* rounds of a rolling median */
enum { FEW = 8 };             /* rounds that determine no drift in 20 ms */
enum { LEAST_KEPT = 3 };      /* rounds of a group that are used at least */
enum { QUICK = 5 };           /* rounds that show the least possible trip */
/* weight one half: if a trip exceeds the minimum by this share of it */
static const double HALF = 0.05;
static const double LEAST_WEIGHT = 0.01;
static const double EDGE = 0.1; /* of the way to the middle of all lines */
static const double QUARTZ =
    1e-4; /* s/s; no drift is larger, between quartzes */
/* ns, one deviation: readings, and routes that look symmetrical */
static const double UNSEEN = 8;

struct point {
	double s, r;          /* timestamps of the reference */
	double x;             /* middle of the round */
	double y, up, down;   /* offset in the middle, its bounds; less line */
	double trip;
	double weight;        /* 0: left out */
	int after;
};

/* All rounds, in order of time, and the line that they are relative to. */
struct work {
	struct point *p;
	size_t n, half;       /* the second group begins at half */
	double *room[3];      /* scratch, 2 n values each */
	struct tape_line line;
};

static double line_at(struct tape_line l, double x)
{
	return l.a + l.b * x;
}

static int compare_round_time(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->after != q->after)
		return p->after - q->after;
	return p->x < q->x ? -1 : p->x > q->x;
}

/* Subtracts l from the offsets of all rounds and adds it to w->line. */
static void subtract_line(struct work *w, struct tape_line l)
{
	w->line.a += l.a;
	w->line.b += l.b;
	for (size_t i = 0; i < w->n; i++) {
		struct point *p = &w->p[i];

		p->y -= line_at(l, p->x);
		p->up -= line_at(l, p->s);
		p->down -= line_at(l, p->r);
	}
}

/* ---- groups ---- */

/* The rounds of group g; their number in *n. */
static struct point *round_group(const struct work *w, int g, size_t *n)
{
	*n = g ? w->n - w->half : w->half;
	return g ? w->p + w->half : w->p;
}

static const struct point *fastest_round(const struct work *w, int g)
{
	size_t n;
	const struct point *p = round_group(w, g, &n), *best = p;

	for (size_t i = 1; i < n; i++)
		if (p[i].trip < best->trip)
			best = &p[i];
	return best;
}

/* The line through the fastest round of each group. */
static int fit_two_point(struct work *w, struct tape_line *l)
{
	const struct point *p = fastest_round(w, 0), *q = fastest_round(w, 1);

	if (p->x == q->x)
		return TAPE_ESPREAD;
	l->b = (q->y - p->y) / (q->x - p->x);
	l->a = p->y - l->b * p->x;
	return 0;
}

static void set_weights(struct work *w, double weight)
{
	for (size_t i = 0; i < w->n; i++)
		w->p[i].weight = weight;
}

/* Keeps the given share of each group: the fastest rounds. */
static void keep_fastest(struct work *w, double share)
{
	double *trip = w->room[0];

	for (int g = 0; g < 2; g++) {
		size_t n, k;
		struct point *p = round_group(w, g, &n);

		for (size_t i = 0; i < n; i++)
			trip[i] = p[i].trip;
		gsl_sort(trip, 1, n);
		k = (size_t)(share * (double)n);
		k = k < LEAST_KEPT ? LEAST_KEPT : k;
		k = k > n ? n : k;
		for (size_t i = 0; i < n; i++)
			p[i].weight = p[i].trip <= trip[k - 1];
	}
}

/*
 * Keeps the rounds whose residual is within three standard deviations of the
 * rolling median of its group (3.4.4); these are estimated by the median
 * distance, which aberrant rounds do not move.
 */
static int keep_near_median(struct work *w)
{
	gsl_movstat_workspace *roll = gsl_movstat_alloc(WINDOW);

	if (!roll)
		return TAPE_ENOMEM;
	for (int g = 0; g < 2; g++) {
		size_t n;
		struct point *p = round_group(w, g, &n);
		gsl_vector_view y = gsl_vector_view_array(w->room[0], n);
		gsl_vector_view mid = gsl_vector_view_array(w->room[1], n);
		double far;

		for (size_t i = 0; i < n; i++)
			w->room[0][i] = p[i].y;
		gsl_movstat_median(GSL_MOVSTAT_END_TRUNCATE, &y.vector,
				   &mid.vector, roll);
		for (size_t i = 0; i < n; i++)
			w->room[2][i] = w->room[0][i] =
				fabs(w->room[0][i] - w->room[1][i]);
		far = 3 * 1.4826 * gsl_stats_median(w->room[2], 1, n);
		for (size_t i = 0; i < n; i++)
			p[i].weight = w->room[0][i] <= far;
	}
	gsl_movstat_free(roll);
	return 0;
}

/* ---- lines ---- */

static int spread_out(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] != x[0])
			return 1;
	return 0;
}

static int regress_line(const double *x, const double *y, size_t n,
			struct tape_line *l)
{
	double c[3], chisq;

	if (!spread_out(x, n))
		return TAPE_ESPREAD;
	gsl_fit_linear(x, 1, y, 1, n, &l->a, &l->b, &c[0], &c[1], &c[2],
		       &chisq);
	return 0;
}

/* Least squares on the rounds used; at_end: x is the end of a round (3.9). */
static int fit_midpoints(struct work *w, int at_end, struct tape_line *l)
{
	size_t k = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->p[i].weight > 0) {
			w->room[0][k] = at_end ? w->p[i].r : w->p[i].x;
			w->room[1][k++] = w->p[i].y;
		}
	return regress_line(w->room[0], w->room[1], k, l);
}

/* Least squares on (S_ref, R_j) and (R_ref, S_j) of all rounds (3.4 to 3.8). */
static int fit_haddad(struct work *w, struct tape_line *l)
{
	for (size_t i = 0; i < w->n; i++) {
		w->room[0][2 * i] = w->p[i].s;
		w->room[1][2 * i] = w->p[i].up;
		w->room[0][2 * i + 1] = w->p[i].r;
		w->room[1][2 * i + 1] = w->p[i].down;
	}
	return regress_line(w->room[0], w->room[1], 2 * w->n, l);
}

/*
 * Least squares on the middles, weighted. The error of a round is at most half
 * of the time by which its trip exceeds the shortest possible trip. In a phase
 * with the least trip l, a round whose trip is e longer has the weight
 * 1 / (1 + (e / (0.05 l))^2). Weights below 1% become 0, else many slow rounds
 * would outweigh a few fast ones.
 */
static int fit_weighted(struct work *w, struct tape_line *l)
{
	double *x = w->room[0], *y = w->room[1], *weight = w->room[2];
	double c[3], chisq, least[2] = { INFINITY, INFINITY };
	size_t k = 0;

	for (size_t i = 0; i < w->n; i++)
		least[w->p[i].after] = fmin(least[w->p[i].after],
					    w->p[i].trip);
	for (size_t i = 0; i < w->n; i++) {
		struct point *p = &w->p[i];
		double scale = HALF * fmax(least[p->after], 0) + DBL_MIN;
		double e = (p->trip - least[p->after]) / scale;

		p->weight = 1 / (1 + e * e);
		if (p->weight < LEAST_WEIGHT)
			p->weight = 0;
		if (!(p->weight > 0))
			continue;
		x[k] = p->x;
		y[k] = p->y;
		weight[k++] = p->weight;
	}
	if (!spread_out(x, k)) { /* one round has all weight: no drift */
		l->b = -w->line.b;
		l->a = y[0] - l->b * x[0];
		return 0;
	}
	gsl_fit_wlinear(x, 1, weight, 1, y, 1, k, &l->a, &l->b, &c[0], &c[1],
			&c[2], &chisq);
	return 0;
}

/* The middle of the tightest bounds of a group; its mean time in *x. */
static double bounds_midpoint(const struct work *w, int g, double *x)
{
	double up = INFINITY, down = -INFINITY;
	size_t n;
	const struct point *p = round_group(w, g, &n);

	*x = 0;
	for (size_t i = 0; i < n; i++) {
		up = fmin(up, p[i].up);
		down = fmax(down, p[i].down);
		*x += p[i].x / (double)n;
	}
	return (up + down) / 2;
}

/*
 * The line through these middles of both groups. Which bounds are the tightest
 * depends on the slope, so the fit is repeated from the better slope.
 */
static int fit_bounds_midpoints(struct work *w, struct tape_line *l)
{
	keep_fastest(w, 0.1);
	for (int i = 0; i < 3; i++) {
		double x[2], y[2];

		for (int g = 0; g < 2; g++)
			y[g] = bounds_midpoint(w, g, &x[g]);
		if (x[0] == x[1])
			return TAPE_ESPREAD;
		l->b = (y[1] - y[0]) / (x[1] - x[0]);
		l->a = y[0] - l->b * x[0];
		subtract_line(w, *l);
	}
	*l = (struct tape_line){ 0, 0 };
	return 0;
}

static int estimate_line(struct work *w, enum tape_clock_estimator e,
			 struct tape_line *l)
{
	int rc = 0;

	set_weights(w, 1);
	switch (e) {
	case TAPE_CLOCK_TWO_POINT:
		set_weights(w, 0);
		for (int g = 0; g < 2; g++)
			w->p[fastest_round(w, g) - w->p].weight = 1;
		return fit_two_point(w, l);
	case TAPE_CLOCK_HADDAD:
		return fit_haddad(w, l);
	case TAPE_CLOCK_DUNIGAN:
		rc = keep_near_median(w);
		return rc ? rc : fit_midpoints(w, 1, l);
	case TAPE_CLOCK_LEAST_TRIP:
		keep_fastest(w, 0.01);
		return fit_midpoints(w, 0, l);
	case TAPE_CLOCK_HULL:
		return fit_bounds_midpoints(w, l);
	case TAPE_CLOCK_DEFAULT:
	case TAPE_CLOCK_ESTIMATORS:
		break;
	}
	return fit_weighted(w, l);
}

/* ---- what is known of the line ---- */

/*
 * The rounding error of a difference of two timestamps as doubles, ns: each is
 * off by at most half the distance of two neighbouring doubles.
 */
static double rounding_slack(const struct tape_clock_round *r, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fmax(fmax(fabs(r[i].s_ref), fabs(r[i].r_j)),
				       fmax(fabs(r[i].s_j), fabs(r[i].r_ref))));
	return 2 * DBL_EPSILON * most;
}

static int find_bound_lines(const struct work *w, double slack_ns,
			    struct tape_clock_fit *fit)
{
	struct tape_bound *lower = malloc(2 * w->n * sizeof *lower), *upper;
	int rc;

	if (!lower)
		return TAPE_ENOMEM;
	upper = lower + w->n;
	for (size_t i = 0; i < w->n; i++) {
		const struct point *p = &w->p[i];

		lower[i] = (struct tape_bound){ p->r, p->down - slack_ns };
		upper[i] = (struct tape_bound){ p->s, p->up + slack_ns };
	}
	rc = tape_bounds_lines(lower, w->n, upper, w->n, &fit->lines);
	fit->bounded = !rc && fit->lines.n > 0;
	free(lower);
	return rc;
}

/*
 * V(b) = s^2 (X'X)^-1 (3.11), s^2 = |residuals|^2 / (N - 2) (3.12), with the
 * weights. N is the effective number of independent rounds: (sum w)^2 / sum w^2
 * (Kish 1965), reduced by the correlation of neighbours (stats.h).
 */
static void find_confidence(const struct work *w, struct tape_line l,
			    struct tape_clock_fit *fit)
{
	double *r = w->room[0], sw = 0, sww = 0, mx = 0, ss = 0, sxx = 0;
	double s2, n, t;
	size_t k = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct point *p = &w->p[i];

		if (!(p->weight > 0))
			continue;
		r[k++] = p->y - line_at(l, p->x);
		ss += p->weight * r[k - 1] * r[k - 1];
		sw += p->weight;
		sww += p->weight * p->weight;
		mx += p->weight * (p->x - mx) / sw;
	}
	for (size_t i = 0; i < w->n; i++)
		sxx += w->p[i].weight * (w->p[i].x - mx) * (w->p[i].x - mx);
	fit->kept = k;
	fit->rejected = w->n - k;
	fit->durbin_watson = tape_stats_durbin_watson(r, k);
	n = tape_stats_effective(fit->durbin_watson, sw * sw / sww);
	fit->n_effective = n;
	fit->resid_ns = sqrt(ss / sw);
	fit->drift_ci = fit->offset_ci_ns = INFINITY;
	/* below one degree of freedom GSL finds no quantile, and ends */
	if (!(n >= 3) || !(sxx > 0))
		return;
	s2 = ss / sw * n / (n - 2);
	sxx *= n / sw;
	t = gsl_cdf_tdist_Pinv(0.975, n - 2);
	fit->resid_ns = sqrt(s2);
	fit->drift_ci = t * sqrt(s2 / sxx);
	fit->offset_ci_ns = t * sqrt(s2 * (1 / n + mx * mx / sxx));
}

/*
 * Estimates by how much the fastest round exceeds the shortest possible trip.
 * The excess is the sum of two delays, so the number of rounds below a time
 * grows with its square. The expected k-th least excess is then proportional to
 * Gamma(k + 1/2) / Gamma(k): 0.886 for the first, 2.18 for the fifth (David and
 * Nagaraja 2003).
 */
static double least_excess(const struct work *w)
{
	double *trip = w->room[0];

	for (size_t i = 0; i < w->n; i++)
		trip[i] = w->p[i].trip;
	gsl_sort(trip, 1, w->n);
	return 0.886 / (2.18 - 0.886) * (trip[QUICK - 1] - trip[0]);
}

/*
 * The variance of a phase's middle by the trips of its rounds; the time of the
 * middle in *x. The standard deviation of a round's middle is taken as a third
 * of its excess. On a busy machine no round of a phase may be fast, and all may
 * have the same error.
 */
static double phase_variance(const struct work *w, int g, double excess,
			     double *x)
{
	double sum = 0, v = 0;
	size_t n;
	const struct point *p = round_group(w, g, &n);

	*x = 0;
	excess -= fmin(fastest_round(w, 0)->trip, fastest_round(w, 1)->trip);
	for (size_t i = 0; i < n; i++) {
		double e = (p[i].trip + excess) / 3;

		if (!(p[i].weight > 0))
			continue;
		sum += p[i].weight;
		v += p[i].weight * p[i].weight * e * e;
		*x += p[i].weight * (p[i].x - *x) / sum;
	}
	return sum > 0 ? v / (sum * sum) + UNSEEN * UNSEEN : INFINITY;
}

/* Widens the intervals to the error that the trips of the rounds indicate. */
static void widen_for_load(const struct work *w, struct tape_clock_fit *fit)
{
	double v[2], x[2], excess, offset, drift, z;

	if (fit->phases != 2 || w->n < QUICK)
		return;
	excess = least_excess(w);
	/* both phases have many fast rounds: the random error is enough */
	if (excess +
		fabs(fastest_round(w, 0)->trip - fastest_round(w, 1)->trip) <=
	    HALF * fit->least_trip_ns)
		return;
	for (int g = 0; g < 2; g++)
		v[g] = phase_variance(w, g, excess, &x[g]);
	z = x[0] / (x[1] - x[0]);
	offset = 1.96 * sqrt(v[0] * (1 + z) * (1 + z) + v[1] * z * z);
	drift = 1.96 * sqrt(v[0] + v[1]) / (x[1] - x[0]);
	fit->offset_ci_ns = isfinite(fit->offset_ci_ns)
				    ? fmax(fit->offset_ci_ns, offset)
				    : offset;
	fit->drift_ci = isfinite(fit->drift_ci) ? fmax(fit->drift_ci, drift)
						: drift;
}

/*
 * Returns 1 if the rounds determine the drift. A quartz is within 100 ppm, so a
 * wider interval does not, unless all of it lies beyond and the clock is not
 * broken. With one phase, an interval that contains 0 does not, nor does one of
 * a few rounds.
 */
static int is_drift_known(const struct work *w, struct tape_line l,
			  const struct tape_clock_fit *fit)
{
	double drift = fabs(w->line.b + l.b);

	if (fit->phases == 2)
		return fit->drift_ci < QUARTZ || !isfinite(fit->drift_ci) ||
		       (drift > fit->drift_ci + QUARTZ &&
			drift < TAPE_CLOCK_MOST_DRIFT);
	return fit->n_effective >= FEW && fit->drift_ci < QUARTZ &&
	       drift > fit->drift_ci;
}

/* The weighted mean of the rounds, without drift if the bounds allow it. */
static struct tape_line zero_drift_line(const struct work *w,
					struct tape_lines level)
{
	double sum = 0, x = 0, y = 0, least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < w->n; i++) {
		const struct point *p = &w->p[i];

		if (!(p->weight > 0))
			continue;
		sum += p->weight;
		x += p->weight * (p->x - x) / sum;
		y += p->weight * (p->y - y) / sum;
	}
	y += w->line.b * x;
	tape_bounds_slopes(&level, -w->line.b, -w->line.b);
	for (size_t i = 0; i < level.n; i++) {
		if (level.corner[i].b != -w->line.b)
			return (struct tape_line){ y, -w->line.b };
		least = fmin(least, level.corner[i].a);
		most = fmax(most, level.corner[i].a);
	}
	return (struct tape_line){ level.n ? fmin(fmax(y, least), most) : y,
				   -w->line.b };
}

/*
 * Returns l if it meets all bounds, else the nearest line that does, moved
 * inside: on the edge of the bounds a message would take no time.
 */
static struct tape_line move_within_bounds(const struct work *w,
					   const struct tape_lines *lines,
					   struct tape_line l)
{
	struct tape_line o = tape_bounds_nearest(lines, l, w->p[0].x,
						 w->p[w->n - 1].x);
	struct tape_line mid = { 0, 0 };

	if (o.a == l.a && o.b == l.b)
		return l;
	for (size_t i = 0; i < lines->n; i++) {
		mid.a += lines->corner[i].a / (double)lines->n;
		mid.b += lines->corner[i].b / (double)lines->n;
	}
	o.a += EDGE * (mid.a - o.a);
	o.b += EDGE * (mid.b - o.b);
	return o;
}

/*
 * If too few rounds give no confidence interval: takes the interval of all
 * lines that meet the bounds, if there are any, around the fit.
 */
static void use_bounds_width(struct tape_clock_fit *fit)
{
	double least, most;

	if (isfinite(fit->drift_ci) || !fit->lines.n)
		return;
	tape_clock_guarantee(fit, 0, &least, &most);
	fit->offset_ci_ns = fmax(-least, most);
	fit->drift_ci = 0;
	for (size_t i = 0; i < fit->lines.n; i++)
		fit->drift_ci = fmax(fit->drift_ci,
				     fabs(fit->lines.corner[i].b - fit->drift));
}

/* ---- from rounds to a fit ---- */

static int read_rounds(struct work *w, const struct tape_clock_round *rounds,
		       struct tape_clock_fit *fit)
{
	size_t n_before = 0;

	fit->least_trip_ns = INFINITY;
	for (size_t i = 0; i < w->n; i++) {
		const struct tape_clock_round *r = &rounds[i];
		struct point *p = &w->p[i];

		if (!isfinite(r->s_ref) || !isfinite(r->r_j) ||
		    !isfinite(r->s_j) || !isfinite(r->r_ref))
			return TAPE_ERANGE;
		p->s = r->s_ref;
		p->r = r->r_ref;
		p->x = r->s_ref + (r->r_ref - r->s_ref) / 2;
		p->up = r->r_j - r->s_ref;
		p->down = r->s_j - r->r_ref;
		/* exact when both messages took as long (3.9) */
		p->y = p->down + (p->up - p->down) / 2;
		p->trip = p->up - p->down;
		p->after = r->after != 0;
		n_before += !p->after;
		fit->least_trip_ns = fmin(fit->least_trip_ns, p->trip);
	}
	tape_sort(w->p, w->n, sizeof *w->p, compare_round_time);
	fit->phases = n_before && n_before < w->n ? 2 : 1;
	w->half = fit->phases == 2 ? n_before : w->n / 2;
	return 0;
}

static int alloc_work(struct work *w, size_t n)
{
	w->n = n;
	w->p = calloc(n, sizeof *w->p);
	w->room[0] = calloc(6 * n, sizeof *w->room[0]);
	if (!w->p || !w->room[0])
		return TAPE_ENOMEM;
	w->room[1] = w->room[0] + 2 * n;
	w->room[2] = w->room[1] + 2 * n;
	return 0;
}

int tape_clock_fit_by(const struct tape_clock_round *rounds, size_t n,
		      enum tape_clock_estimator estimator,
		      struct tape_clock_fit *out)
{
	struct work w = { NULL, 0, 0, { NULL, NULL, NULL }, { 0, 0 } };
	struct tape_clock_fit fit = { 0 };
	struct tape_line l = { 0, 0 };
	int rc;

	if (n < 3)
		return TAPE_EFEW;
	rc = alloc_work(&w, n);
	rc = rc ? rc : read_rounds(&w, rounds, &fit);
	rc = rc ? rc : fit_two_point(&w, &l);
	if (rc)
		goto out;
	subtract_line(&w, l);
	rc = estimate_line(&w, estimator, &l);
	rc = rc ? rc : find_bound_lines(&w, rounding_slack(rounds, n), &fit);
	if (rc)
		goto out;
	tape_bounds_slopes(&fit.lines, -TAPE_CLOCK_MOST_DRIFT - w.line.b,
			   TAPE_CLOCK_MOST_DRIFT - w.line.b);
	find_confidence(&w, l, &fit);
	if (estimator == TAPE_CLOCK_DEFAULT)
		widen_for_load(&w, &fit);
	if (estimator == TAPE_CLOCK_DEFAULT && !is_drift_known(&w, l, &fit)) {
		l = zero_drift_line(&w, fit.lines);
		if (fit.phases == 2) {
			fit.drift_ci = QUARTZ;
			fit.offset_ci_ns += QUARTZ * fabs(w.p[w.n - 1].x) / 2;
		} else if (!(fit.drift_ci < QUARTZ))
			fit.drift_ci = fit.offset_ci_ns = INFINITY;
	}
	if (estimator == TAPE_CLOCK_DEFAULT)
		l = move_within_bounds(&w, &fit.lines, l);
	fit.offset_ns = w.line.a + l.a;
	fit.drift = w.line.b + l.b;
	for (size_t i = 0; i < fit.lines.n; i++) {
		fit.lines.corner[i].a += w.line.a;
		fit.lines.corner[i].b += w.line.b;
	}
	use_bounds_width(&fit);
	*out = fit;
out:
	free(w.p);
	free(w.room[0]);
	return rc;
}

int tape_clock_fit(const struct tape_clock_round *rounds, size_t n,
		   struct tape_clock_fit *fit)
{
	return tape_clock_fit_by(rounds, n, TAPE_CLOCK_DEFAULT, fit);
}

double tape_clock_offset(const struct tape_clock_fit *fit, double ref_ns)
{
	return fit->offset_ns + fit->drift * ref_ns;
}

void tape_clock_guarantee(const struct tape_clock_fit *fit, double ref_ns,
			  double *lo_ns, double *hi_ns)
{
	double here = tape_clock_offset(fit, ref_ns);

	tape_bounds_at(&fit->lines, ref_ns, lo_ns, hi_ns);
	*lo_ns -= here;
	*hi_ns -= here;
}
