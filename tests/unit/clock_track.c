/*
 * Tracks of clocks whose truth is known, from random messages: the truth must
 * lie in the guaranteed interval always, and the estimate near it.
 *
 *	track [CASES]     of each kind and traffic; 2 without
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "made_clocks.h"
#include "error.h"
#include "tap.h"
#include "clock_track_fit.h"

struct tally {
	size_t dates, outside, failed, knots, cases;
	double worst, excess;
	double *width, *error; /* of each case: median, largest */
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double quantile(double *v, size_t n, double q)
{
	qsort(v, n, sizeof *v, ascending);
	return n ? v[(size_t)(q * (double)(n - 1))] : 0;
}

enum { DATES = 1000 };

static void one(enum kind kind, const struct traffic *m, double length,
		struct tally *y)
{
	struct truth c = draw(kind, length);
	struct bounds u = messages(&c, m, length, 1);
	struct bounds l = messages(&c, m, length, 0);
	struct tape_clock_track t = { 0 };
	double width[DATES], worst = 0;

	if (tape_clock_track_fit(u.p, u.n, l.p, l.n, NULL, 0, 1e-7, 0, 0,
				 length, &t)) {
		y->failed++;
		goto out;
	}
	for (int i = 0; i < DATES; i++) {
		double x = length * uniform();
		struct tape_clock_knot k = tape_clock_track_at(&t, x);
		double e = offset(&c, x) - k.offset_ns;
		double out = fmax(e - k.hi_ns, k.lo_ns - e);

		width[i] = k.hi_ns - k.lo_ns;
		worst = fmax(worst, fabs(e));
		y->outside += out > 0.01;
		y->excess = fmax(y->excess, out);
	}
	y->dates += DATES;
	y->knots += t.n;
	y->worst = fmax(y->worst, worst);
	y->error[y->cases] = worst;
	y->width[y->cases++] = quantile(width, DATES, 0.5);
out:
	free(u.p);
	free(l.p);
	tape_clock_track_free(&t);
}

static void many(enum kind kind, const struct traffic *m, size_t cases)
{
	struct tally y = { 0 };
	double e50, e95;

	y.width = malloc(cases * sizeof *y.width);
	y.error = malloc(cases * sizeof *y.error);
	for (size_t i = 0; i < cases; i++)
		one(kind, m,
		    3600 * second * (i % 3 ? 1 : 0.25 + 0.5 * uniform()), &y);
	e50 = quantile(y.error, y.cases, 0.5);
	e95 = quantile(y.error, y.cases, 0.95);
	printf("# %-22s %-21s %7zu %5zu %8.0f  %8.3f %8.3f %8.3f"
	       "  %8.3f %6.0f\n",
	       kinds[kind], m->name, y.dates, y.outside, y.excess, e50 / 1e3,
	       e95 / 1e3, y.worst / 1e3,
	       quantile(y.width, y.cases, 0.5) / 1e3,
	       (double)y.knots / (double)cases);
	ok(!y.failed && !y.outside, "%s, %s: %zu of %zu dates are outside",
	   kinds[kind], m->name, y.outside, y.dates);
	free(y.width);
	free(y.error);
}

/* A line through rounds at one end, or both. */
static void straight(void)
{
	struct tape_clock_round r[2 * ROUNDS];
	const struct traffic *m = &traffics[2];
	struct truth c = draw(EVEN, 600 * second);
	struct tape_clock_fit fit;
	struct tape_clock_track t = { 0 };
	size_t outside = 0, narrow = 0;

	for (int i = 0; i < 2 * ROUNDS; i++) {
		int after = i >= ROUNDS;
		double s = (after ? 599 : 0) * second + 1e6 * i;
		double there = s + transit(m), back = there + transit(m);

		r[i] = (struct tape_clock_round){
			s, there + offset(&c, there), there + offset(&c, there),
			back, after };
	}
	for (size_t n = ROUNDS; n <= 2 * ROUNDS; n += ROUNDS) {
		double far = 300 * second, lo, hi, w;

		ok(!tape_clock_fit(r, n, &fit) &&
		       !tape_clock_track_line(&fit, 1e-7, 0, 600 * second, &t),
		   "a line through %zu rounds", n);
		for (int i = 0; i < DATES; i++) {
			double x = 600 * second * uniform();
			struct tape_clock_knot k = tape_clock_track_at(&t, x);
			double e = offset(&c, x) - k.offset_ns;

			outside += e > k.hi_ns + 0.01 || e < k.lo_ns - 0.01;
		}
		w = tape_clock_track_at(&t, far).hi_ns -
		    tape_clock_track_at(&t, far).lo_ns;
		tape_clock_guarantee(&fit, far, &lo, &hi);
		w -= hi - lo;
		/* by wander on both sides, for 300 s or a little less; the
		 * knots are some seconds apart */
		narrow += w < 2e-7 * 290 * second || w > 2e-7 * 330 * second;
		tape_clock_track_free(&t);
	}
	ok(!outside, "%zu dates of lines are outside", outside);
	ok(!narrow, "wander widens the interval in the middle");
	ok(tape_clock_track_line(&fit, 0, 5, 5, &t) == TAPE_ERANGE && !t.knot,
	   "a line needs some time");
	tape_clock_track_free(&t);
}

static void errors(void)
{
	struct tape_clock_bound u = { 1e9, 500 }, l = { 2e9, -500 };
	struct tape_clock_track t = { 7, NULL, 3, 0 };

	ok(tape_clock_track_fit(&u, 0, &l, 1, NULL, 0, 0, 0, 0, 3e9, &t) ==
		   TAPE_EFEW &&
	       tape_clock_track_fit(&u, 1, &l, 0, NULL, 0, 0, 0, 0, 3e9, &t) ==
		   TAPE_EFEW,
	   "bounds of one side are too few");
	ok(tape_clock_track_fit(&u, 1, &l, 1, NULL, 0, 0, 0, 3e9, 3e9, &t) ==
		   TAPE_ERANGE &&
	       tape_clock_track_fit(&u, 1, &l, 1, NULL, 0, 0, 0, 3e9, 0, &t) ==
		   TAPE_ERANGE,
	   "a track needs some time");
	ok(t.n == 7 && !t.knot && t.wander == 3, "errors leave the track");
	ok(!tape_clock_track_fit(&u, 1, &l, 1, NULL, 0, 0, 0, 0, 3e9, &t) &&
	       t.n >= 2 && tape_clock_track_at(&t, 1e9).offset_ns <= 500 &&
	       tape_clock_track_at(&t, 2e9).offset_ns >= -500,
	   "a bound of each side is enough");
	tape_clock_track_free(&t);
	tape_clock_track_free(&t);
	ok(!t.n && !t.knot, "freed twice");
}

int main(int argc, char **argv)
{
	size_t cases = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;

	state = 20260;
	printf("# seed %llu, %zu cases each\n", state, cases);
	printf("# clock, messages: dates, outside, by ns; error us p50, p95, "
	       "max; interval us; knots\n");
	for (int k = 0; k < KINDS; k++)
		for (size_t m = 0; m < TRAFFICS; m++)
			many((enum kind)k, &traffics[m], cases);
	straight();
	errors();
	return done();
}
