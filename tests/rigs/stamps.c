/*
 * stamps: how wrong each estimator of lib/model/clock/clock.h is on recordings
 * (stamps.h). A case is two phases of a recording, set apart, with a clock of
 * random offset and drift; its error is the largest one of any date from the
 * start of the first phase to the end of the second.
 *
 * Prints for each recording, in ns:
 *
 *	recording FILE phases N rounds MEDIAN cases N unfitted N
 *	estimator NAME P50 P95 MAX
 *	guarantee DATES OUTSIDE WIDTH_P50 WIDTH_P95 UNBOUNDED_CASES
 *	confidence OFFSET DRIFT
 *
 * the guarantee being that of the default at many dates of each case, the
 * confidence the share of cases whose 95% intervals hold the truth. Ends with 1
 * if a date was outside its guarantee.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "error.h"
#include "stamps.h"

static const char usage[] =
	"usage: stamps [-c cases] [-s seed] [-t seconds apart] file...\n";

static const char *const names[TAPE_CLOCK_ESTIMATORS] = {
	"default", "two-point", "haddad", "dunigan", "least-trip", "hull"
};

/* The results on one recording. */
struct campaign {
	size_t cases, fitted;
	double *error[TAPE_CLOCK_ESTIMATORS], *width;
	uint64_t dates, outside, unbounded;
	uint64_t offset_held, drift_held; /* by the confidence intervals */
};

enum { DATES = 1000 }; /* of each case */

static void die(const char *what, const char *why)
{
	fprintf(stderr, "stamps: %s: %s\n", what, why);
	exit(2);
}

/* Looks at the whole span of a case whose truth is known. */
static void guarantee(struct campaign *c, const struct tape_clock_fit *fit,
		      double offset, double drift, double end)
{
	double widest = 0;

	for (int k = 0; k < DATES; k++) {
		double x = end * k / (DATES - 1), lo, hi;
		double e = offset + drift * x - tape_clock_offset(fit, x);

		tape_clock_guarantee(fit, x, &lo, &hi);
		/* the truth itself is rounded */
		c->outside += !(e >= lo - 0.01 && e <= hi + 0.01);
		widest = fmax(widest, hi - lo);
	}
	c->dates += DATES;
	c->unbounded += !fit->bounded;
	c->width[c->fitted] = widest;
}

static void one_case(struct campaign *c, const struct stamps *s,
		     uint64_t *state, double apart, struct tape_clock_round *r)
{
	size_t i = (size_t)(stamps_uniform(state) * (double)s->n_phases);
	size_t j = (size_t)(stamps_uniform(state) * (double)(s->n_phases - 1));
	double offset = 2e9 * (stamps_uniform(state) - 0.5);
	double drift = 2e-4 * (stamps_uniform(state) - 0.5), end;
	struct tape_clock_fit fit;
	size_t n;

	j += j >= i;
	n = stamps_phase(s, i, 0, offset, drift, 0, r);
	n += stamps_phase(s, j, apart, offset, drift, 1, r + n);
	end = fmax(r[n - 1].r_ref, r[n - 1].s_ref);
	for (int e = 0; e < TAPE_CLOCK_ESTIMATORS; e++) {
		double d[2];

		if (tape_clock_fit_by(r, n, (enum tape_clock_estimator)e, &fit))
			return;
		for (int k = 0; k < 2; k++)
			d[k] = offset + drift * k * end -
			       tape_clock_offset(&fit, k * end);
		c->error[e][c->fitted] = fmax(fabs(d[0]), fabs(d[1]));
		if (e != TAPE_CLOCK_DEFAULT)
			continue;
		guarantee(c, &fit, offset, drift, end);
		c->offset_held += fabs(d[0]) <= fit.offset_ci_ns;
		c->drift_held += fabs(drift - fit.drift) <= fit.drift_ci;
	}
	c->fitted++;
}

static double sorted(const double *v, size_t n, double q)
{
	return n ? gsl_stats_quantile_from_sorted_data(v, 1, n, q) : NAN;
}

static void report(const char *path, const struct stamps *s,
		   const struct campaign *c)
{
	double *length = calloc(s->n_phases, sizeof *length);

	for (size_t i = 0; length && i < s->n_phases; i++)
		length[i] = (double)(s->start[i + 1] - s->start[i]);
	printf("recording %s phases %zu rounds %.0f cases %zu unfitted %zu\n",
	       path, s->n_phases,
	       length ? gsl_stats_median(length, 1, s->n_phases) : NAN,
	       c->cases, c->cases - c->fitted);
	free(length);
	for (int e = 0; e < TAPE_CLOCK_ESTIMATORS; e++) {
		double *v = c->error[e];

		gsl_sort(v, 1, c->fitted);
		printf("estimator %s %.1f %.1f %.1f\n", names[e],
		       sorted(v, c->fitted, 0.5), sorted(v, c->fitted, 0.95),
		       sorted(v, c->fitted, 1));
	}
	gsl_sort(c->width, 1, c->fitted);
	printf("guarantee %llu %llu %.1f %.1f %llu\n",
	       (unsigned long long)c->dates, (unsigned long long)c->outside,
	       sorted(c->width, c->fitted, 0.5),
	       sorted(c->width, c->fitted, 0.95),
	       (unsigned long long)c->unbounded);
	printf("confidence %.3f %.3f\n",
	       (double)c->offset_held / (double)c->fitted,
	       (double)c->drift_held / (double)c->fitted);
}

/* Returns the number of times outside, or of cases without a guarantee. */
static uint64_t campaign(const char *path, size_t cases, uint64_t seed,
			 double apart)
{
	struct campaign c = { .cases = cases };
	double *room = calloc(cases * (TAPE_CLOCK_ESTIMATORS + 1),
			      sizeof *room);
	struct tape_clock_round *r = NULL;
	struct stamps s;
	int rc = room ? stamps_read(path, &s) : TAPE_ENOMEM;

	if (rc)
		die(path, tape_error_text(rc));
	if (s.n_phases < 2)
		die(path, "has no two phases");
	r = malloc(s.start[s.n_phases] * sizeof *r);
	if (!r)
		die(path, tape_error_text(TAPE_ENOMEM));
	for (int e = 0; e < TAPE_CLOCK_ESTIMATORS; e++)
		c.error[e] = room + cases * (size_t)e;
	c.width = room + cases * TAPE_CLOCK_ESTIMATORS;
	for (size_t k = 0; k < cases; k++)
		one_case(&c, &s, &seed, apart, r);
	report(path, &s, &c);
	stamps_free(&s);
	free(room);
	free(r);
	return c.outside + c.unbounded;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, bad = 0;
	size_t cases = 250;
	double apart = 600;
	int c;

	while ((c = getopt(argc, argv, "c:s:t:")) != -1)
		if (c == 'c')
			cases = strtoull(optarg, NULL, 10);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (c == 't')
			apart = strtod(optarg, NULL);
		else
			die("options", usage);
	if (optind == argc || !cases || !(apart > 0))
		die("arguments", usage);
	printf("# seed %llu, phases %g s apart\n", (unsigned long long)seed,
	       apart);
	for (int i = optind; i < argc; i++)
		bad += campaign(argv[i], cases, seed, apart * 1e9);
	return bad != 0;
}
