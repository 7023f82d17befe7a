/*
 * Classifies a clock; see diagnose.h. Line and oscillation: Maillet 1996,
 * 3.3.2. The limits of steps and slews are Tape's own, explained where they
 * stand.
 */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_complex_math.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "stats.h"
#include "diagnose.h"
#include "error.h"

enum {
	LEAST = 8,    /* knots */
	POINTS = 256, /* of the track, equally far apart */
	PERIODS = 80, /* tried before the fit of the oscillation */
	REGULAR = 3   /* changes that make a saw-tooth */
};

/* More than a free-running quartz changes its rate by at once; a step of
 * 0.1 ms has to show in a gap of some seconds between messages. */
static const double quartz_change = 25e-6;

/* A change: pieces from knot first to last that are not free-running. */
struct clock_change {
	size_t first, last;
	double size;  /* ns gained relative to the median rate */
	int gradual;  /* the track has knots in the middle of the change */
};

static double knot_slope(const struct tape_clock_track *t, size_t i)
{
	const struct tape_clock_knot *k = &t->knot[i];

	return (k[1].offset_ns - k[0].offset_ns) / (k[1].ref_ns - k[0].ref_ns);
}

/* The time-weighted median of the slopes; v, w: scratch, one per piece. */
static double median_slope(const struct tape_clock_track *t, double *v,
			   double *w)
{
	double sum = 0, half = 0;
	size_t n = t->n - 1;

	for (size_t i = 0; i < n; i++) {
		v[i] = knot_slope(t, i);
		w[i] = t->knot[i + 1].ref_ns - t->knot[i].ref_ns;
		half += w[i] / 2;
	}
	gsl_sort2(v, 1, w, 1, n);
	for (size_t i = 0; i < n; i++)
		if ((sum += w[i]) >= half)
			return v[i];
	return v[n - 1];
}

/* Sets the size of a change, and whether the track shows it half way. */
static void measure_change(const struct tape_clock_track *t, double rate,
			   struct clock_change *h)
{
	const struct tape_clock_knot *a = &t->knot[h->first];
	const struct tape_clock_knot *b = &t->knot[h->last];

	h->size = b->offset_ns - a->offset_ns - rate * (b->ref_ns - a->ref_ns);
	h->gradual = 0;
	/* one late message half way does not prove so slow a slew; and no clock
	 * is slewed by more than ten times the rate of NTP */
	if (fabs(h->size) < 2 * quartz_change * (b->ref_ns - a->ref_ns) ||
	    fabs(h->size) > 5e-3 * (b->ref_ns - a->ref_ns))
		return;
	for (const struct tape_clock_knot *k = a + 1; k < b; k++) {
		double part = (k->offset_ns - a->offset_ns -
			       rate * (k->ref_ns - a->ref_ns)) /
			      h->size;

		h->gradual |= part > 0.15 && part < 0.85;
	}
}

/*
 * Finds the runs of pieces that are too steep, and joins runs close together.
 * Changes of at most least ns are left out: they may be a corner of the track.
 * Returns their number.
 */
static size_t find_changes(const struct tape_clock_track *t, double rate,
			   double least, struct clock_change *h)
{
	size_t n = 0, k = 0;

	for (size_t p = 0; p + 1 < t->n; p++) {
		double from = t->knot[p].ref_ns, to = t->knot[p + 1].ref_ns;

		if (fabs(knot_slope(t, p) - rate) < quartz_change)
			continue;
		if (n) {
			double end = t->knot[h[n - 1].last].ref_ns;
			double took = end - t->knot[h[n - 1].first].ref_ns;

			if (from - end <= took + to - from) {
				h[n - 1].last = p + 1;
				continue;
			}
		}
		h[n].first = p;
		h[n++].last = p + 1;
	}
	for (size_t i = 0; i < n; i++) {
		measure_change(t, rate, &h[i]);
		if (fabs(h[i].size) > least)
			h[k++] = h[i];
	}
	return k;
}

/* The median width of the knots' intervals. */
static double median_width(const struct tape_clock_track *t, double *v)
{
	for (size_t i = 0; i < t->n; i++)
		v[i] = t->knot[i].hi_ns - t->knot[i].lo_ns;
	gsl_sort(v, 1, t->n);
	return v[t->n / 2];
}

/* The time of the middle of a change. */
static double change_time(const struct tape_clock_track *t,
			  const struct clock_change *h)
{
	return (t->knot[h->first].ref_ns + t->knot[h->last].ref_ns) / 2;
}

/*
 * The period of changes of equal size and distance, or 0. One of five may
 * deviate: cut off by an end of the run, or divided by late messages.
 */
static double find_period(const struct tape_clock_track *t,
			  const struct clock_change *h, size_t n, double *room)
{
	double period, size;
	size_t odd = 0;

	if (n < REGULAR)
		return 0;
	for (size_t i = 0; i < n; i++)
		room[i] = h[i].size;
	size = gsl_stats_median(room, 1, n);
	for (size_t i = 0; i + 1 < n; i++)
		room[i] = change_time(t, &h[i + 1]) - change_time(t, &h[i]);
	period = gsl_stats_median(room, 1, n - 1);
	for (size_t i = 0; i < n; i++) {
		double apart =
		    i ? change_time(t, &h[i]) - change_time(t, &h[i - 1])
		      : period;
		/* one may have been missed */
		double times = fmax(1, rint(apart / period));

		odd += fabs(h[i].size - size) > 0.4 * fabs(size) ||
		       fabs(apart - times * period) > 0.25 * period;
	}
	return 5 * odd > n ? 0 : period;
}

/* Classifies a clock with changes: stepped, slewed or saw-tooth. */
static void classify_steps(const struct tape_clock_track *t,
			   const struct clock_change *h, size_t n,
			   struct tape_clock_diagnosis *d, double *room)
{
	const struct clock_change *most = h;
	size_t gradual = 0;
	double took;

	for (size_t i = 0; i < n; i++) {
		gradual += h[i].gradual != 0;
		if (fabs(h[i].size) > fabs(most->size))
			most = &h[i];
	}
	d->steps = n;
	d->step_ns = most->size;
	d->when_ns = t->knot[most->first].ref_ns;
	d->until_ns = t->knot[most->last].ref_ns;
	took = d->until_ns - d->when_ns;
	if (most->gradual)
		d->slew = most->size / took;
	d->period_ns = find_period(t, h, n, room);
	d->shape = d->period_ns > 0 ? TAPE_CLOCK_SAWTOOTH
		   : 2 * gradual > n || (most->gradual && n == 1)
			   ? TAPE_CLOCK_SLEWED
			   : TAPE_CLOCK_STEPPED;
	if (d->shape == TAPE_CLOCK_SAWTOOTH) {
		for (size_t i = 0; i < n; i++)
			room[i] = h[i].size;
		d->step_ns = gsl_stats_median(room, 1, n);
	}
}

/* ---- the line and the oscillation ---- */

static double residual_deviation(const double *r, size_t parameters)
{
	double ss = 0;

	for (size_t i = 0; i < POINTS; i++)
		ss += r[i] * r[i];
	return sqrt(ss / (double)(POINTS - parameters));
}

/* p: alpha, beta, A, angular frequency, phase (3.3.2); x in [0, 1]. */
static double sine_model(const double *p, double x)
{
	return p[0] + p[1] * x + p[2] * sin(p[3] * x + p[4]);
}

static double at_point(size_t i)
{
	return (double)i / (POINTS - 1);
}

static int sine_residuals(const gsl_vector *p, void *y, gsl_vector *r)
{
	for (size_t i = 0; i < POINTS; i++)
		gsl_vector_set(r, i,
			       sine_model(p->data, at_point(i)) -
				   ((const double *)y)[i]);
	return GSL_SUCCESS;
}

static int sine_jacobian(const gsl_vector *v, void *y, gsl_matrix *j)
{
	const double *p = v->data;

	(void)y;
	for (size_t i = 0; i < POINTS; i++) {
		double x = at_point(i), s = sin(p[3] * x + p[4]);
		double c = p[2] * sin(p[3] * x + p[4] + M_PI / 2);

		gsl_matrix_set(j, i, 0, 1);
		gsl_matrix_set(j, i, 1, x);
		gsl_matrix_set(j, i, 2, s);
		gsl_matrix_set(j, i, 3, c * x);
		gsl_matrix_set(j, i, 4, c);
	}
	return GSL_SUCCESS;
}

/* A linear fit for each period; the best one is the start of the refinement. */
static int scan_periods(const double *y, double *p)
{
	gsl_matrix *x = gsl_matrix_alloc(POINTS, 4), *cov;
	gsl_multifit_linear_workspace *w;
	gsl_vector *c = gsl_vector_alloc(4);
	gsl_vector_const_view v = gsl_vector_const_view_array(y, POINTS);
	double best = INFINITY, ss;
	int rc = TAPE_ENOMEM;

	cov = gsl_matrix_alloc(4, 4);
	w = gsl_multifit_linear_alloc(POINTS, 4);
	if (!x || !c || !cov || !w)
		goto out;
	rc = 0;
	for (int k = 0; k < PERIODS; k++) {
		/* from 0.8 to 40 periods in the run */
		double f = 2 * M_PI * 0.8 * pow(50, k / (PERIODS - 1.));

		for (size_t i = 0; i < POINTS; i++) {
			gsl_matrix_set(x, i, 0, 1);
			gsl_matrix_set(x, i, 1, at_point(i));
			gsl_matrix_set(x, i, 2, sin(f * at_point(i)));
			gsl_matrix_set(x, i, 3,
				       sin(f * at_point(i) + M_PI / 2));
		}
		if (gsl_multifit_linear(x, &v.vector, c, cov, &ss, w) ||
		    ss >= best)
			continue;
		best = ss;
		p[0] = gsl_vector_get(c, 0);
		p[1] = gsl_vector_get(c, 1);
		p[2] = hypot(gsl_vector_get(c, 2), gsl_vector_get(c, 3));
		p[3] = f;
		/* a sin + b cos = A sin(. + phase) */
		p[4] = gsl_complex_arg(gsl_complex_rect(
			gsl_vector_get(c, 2), gsl_vector_get(c, 3)));
	}
out:
	gsl_matrix_free(x);
	gsl_matrix_free(cov);
	gsl_vector_free(c);
	gsl_multifit_linear_free(w);
	return rc;
}

/* Levenberg-Marquardt from p on. */
static int refine_sine(const double *y, double *p)
{
	gsl_multifit_nlinear_parameters how =
		gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(
		gsl_multifit_nlinear_trust, &how, POINTS, 5);
	gsl_multifit_nlinear_fdf f = {
	    .f = sine_residuals, .df = sine_jacobian, .n = POINTS, .p = 5};
	gsl_vector_view start = gsl_vector_view_array(p, 5);
	int info;

	if (!w)
		return TAPE_ENOMEM;
	f.params = (void *)y;
	/* an early end is no error: the best point so far is used */
	if (!gsl_multifit_nlinear_init(&start.vector, &f, w)) {
		gsl_multifit_nlinear_driver(100, 1e-10, 1e-10, 0, NULL, NULL,
					    &info, w);
		gsl_vector_memcpy(&start.vector,
				  gsl_multifit_nlinear_position(w));
	}
	gsl_multifit_nlinear_free(w);
	return 0;
}

/* Fits the line and the oscillation to the points y, in units of scale ns. */
static int fit_models(const double *y, double scale, double span,
		      struct tape_clock_diagnosis *d)
{
	double q[5], x[POINTS], r[POINTS], a, b, c00, c01, c11, ss;
	int rc;

	for (size_t i = 0; i < POINTS; i++)
		x[i] = at_point(i);
	gsl_fit_linear(x, 1, y, 1, POINTS, &a, &b, &c00, &c01, &c11, &ss);
	for (size_t i = 0; i < POINTS; i++)
		r[i] = y[i] - a - b * x[i];
	d->dw_line = tape_stats_durbin_watson(r, POINTS);
	d->resid_line_ns = scale * residual_deviation(r, 2);
	rc = scan_periods(r, q);
	if (!rc)
		rc = refine_sine(r, q);
	if (rc)
		return rc;
	for (size_t i = 0; i < POINTS; i++)
		r[i] -= sine_model(q, x[i]);
	d->dw_sine = tape_stats_durbin_watson(r, POINTS);
	d->resid_sine_ns = scale * residual_deviation(r, 5);
	d->amplitude_ns = scale * fabs(q[2]);
	d->period_ns = q[3] != 0 ? span * 2 * M_PI / fabs(q[3]) : 0;
	/* A sin(w x + phase) with A and w positive */
	d->phase = q[3] < 0 ? M_PI - q[4] : q[4];
	d->phase += q[2] < 0 ? M_PI : 0;
	d->phase -= 2 * M_PI * floor(d->phase / (2 * M_PI));
	return 0;
}

/* Half the range of the residuals of a straight line. */
static double half_range(const double *y)
{
	double x[POINTS], a, b, c00, c01, c11, ss, least = 0, most = 0;

	for (size_t i = 0; i < POINTS; i++)
		x[i] = at_point(i);
	gsl_fit_linear(x, 1, y, 1, POINTS, &a, &b, &c00, &c01, &c11, &ss);
	for (size_t i = 0; i < POINTS; i++) {
		least = fmin(least, y[i] - a - b * x[i]);
		most = fmax(most, y[i] - a - b * x[i]);
	}
	return (most - least) / 2;
}

static int classify_smooth(const struct tape_clock_track *t, double rate,
			   struct tape_clock_diagnosis *d)
{
	double y[POINTS], width[POINTS], scale, from = t->knot[0].ref_ns;
	double span = t->knot[t->n - 1].ref_ns - from, off;
	int rc;

	for (size_t i = 0; i < POINTS; i++) {
		double x = from + span * at_point(i);
		struct tape_clock_knot k = tape_clock_track_at(t, x);

		y[i] = k.offset_ns - t->knot[0].offset_ns - rate * (x - from);
		width[i] = k.hi_ns - k.lo_ns;
	}
	off = half_range(y);
	scale = fmax(off, 1e-3);
	for (size_t i = 0; i < POINTS; i++)
		y[i] /= scale;
	rc = fit_models(y, scale, span, d);
	if (rc)
		return rc;
	if (d->shape != TAPE_CLOCK_EVEN)
		return 0;
	gsl_sort(width, 1, POINTS);
	if (off < 1 || off < width[POINTS / 2] / 8)
		return 0;
	d->shape = d->resid_sine_ns < (d->period_ns > 0.8 * span ? 0.05 : 0.3) *
					      d->resid_line_ns &&
				   d->period_ns < 1.3 * span
			   ? TAPE_CLOCK_OSCILLATES
			   : TAPE_CLOCK_BENT;
	return 0;
}

int tape_clock_diagnose(const struct tape_clock_track *t,
			struct tape_clock_diagnosis *out)
{
	struct tape_clock_diagnosis d = { .shape = TAPE_CLOCK_EVEN };
	struct clock_change *h;
	double *room, rate, period = 0;
	size_t n;
	int rc = TAPE_ENOMEM;

	if (t->n < LEAST) {
		*out = d;
		return TAPE_EFEW;
	}
	h = malloc(t->n * sizeof *h);
	room = malloc(2 * t->n * sizeof *room);
	if (!h || !room)
		goto out;
	rate = median_slope(t, room, room + t->n);
	n = find_changes(t, rate, 1.5 * median_width(t, room), h);
	if (n) {
		classify_steps(t, h, n, &d, room);
		period = d.period_ns;
	}
	rc = classify_smooth(t, rate, &d);
	if (d.shape == TAPE_CLOCK_SAWTOOTH)
		d.period_ns = period;
	if (!rc)
		*out = d;
out:
	free(h);
	free(room);
	return rc;
}
