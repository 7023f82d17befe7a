/* The test of a model on messages whose true model is known. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>

#include "quantile.h"
#include "tap.h"
#include "verdict.h"

enum { TRACES = 8000 };
static const unsigned long seed = 20250117;

static gsl_rng *chance;

enum noise { NORMAL, EXPONENTIAL, NOISES };
static const char *const noises[NOISES] = { "normal", "exponential" };

/* Of mean 0 and standard deviation s. */
static double noise(enum noise kind, double s)
{
	return kind == NORMAL ? gsl_ran_gaussian(chance, s)
			      : gsl_ran_exponential(chance, s) - s;
}

static struct tape_verdict *empty(void)
{
	struct tape_verdict *v = malloc(sizeof *v);

	if (!v)
		abort();
	tape_verdict_reset(v);
	return v;
}

static struct tape_verdict_class *shm(struct tape_verdict *v, int size)
{
	return &v->c[TAPE_SHM][0][size];
}

/* ---- one class ---- */

static void moments(void)
{
	static const double v[] = { 2, 3, 5, 7, 11, 13, 29 };
	struct tape_moments near = { 0 }, far = { 0 };
	double two = 0, three = 0;
	size_t n = sizeof v / sizeof *v;

	for (size_t i = 0; i < n; i++) {
		tape_moments_add(&near, v[i]);
		tape_moments_add(&far, v[i] + 1e9);
		two += pow(v[i] - 10, 2);
		three += pow(v[i] - 10, 3);
	}
	ok(near.n == n && near.least == 2 && near.most == 29 &&
		   fabs(near.mean - 10) < 1e-12 &&
		   fabs(near.m2 / two - 1) < 1e-12 &&
		   fabs(near.m3 / three - 1) < 1e-12 &&
		   fabs(tape_moments_variance(&near) - two / 6) < 1e-9,
	   "mean, squares and cubes as by their definitions");
	ok(fabs(far.m2 / two - 1) < 1e-6 && fabs(far.m3 / three - 1) < 1e-5,
	   "far from 0, too");
}

/* n messages of 1000 bytes; residuals of exactly that mean and deviation. */
static void exact(struct tape_verdict *v, int n, double mean, double s)
{
	struct tape_parcel p = { .bytes = 1000, .distance = TAPE_SHM };
	double half = s * sqrt((n - 1.0) / n);

	for (int i = 0; i < n; i++)
		tape_verdict_time(v, &p,
				  5e9 + mean + (i % 2 ? half : -half), 5e9);
}

/* Maillet 1996, figures 6.2 and 6.4; there in seconds. */
static void thesis(void)
{
	struct tape_verdict *v = empty();
	const struct tape_verdict_class *c = shm(v, 10);

	exact(v, 36, 0.20564e9, 0.16145e9);
	tape_verdict_decide(v, 0.05);
	ok(fabs(c->t - 7.642) < 0.001 && v->decision == TAPE_REJECTED,
	   "the thesis's loaded network is rejected (t %.3f)", c->t);
	ok(fabs(c->k - 2.0301) < 0.0001,
	   "k_35(0.05) is 2.030, not the 2.44 printed there (%.4f)", c->k);
	tape_verdict_reset(v);
	exact(v, 34, -0.022589e9, 0.069625e9);
	tape_verdict_decide(v, 0.05);
	ok(fabs(c->t + 1.891) < 0.001 && fabs(c->k - 2.0345) < 0.0001 &&
		   v->decision == TAPE_ACCEPTED,
	   "its spread messages are accepted (t %.3f, k %.4f)", c->t, c->k);
	tape_verdict_reset(v);
	exact(v, 30, 0.20564e9, 0.16145e9);
	ok(tape_verdict_decide(v, 0.05) == TAPE_UNDECIDED,
	   "30 messages say nothing");
	free(v);
}

/* A machine without noise. */
static void certain(void)
{
	struct tape_verdict *v = empty();

	exact(v, 50, 0.9, 0);
	ok(tape_verdict_decide(v, 0.05) == TAPE_ACCEPTED,
	   "without spread: off by rounding is accepted");
	tape_verdict_reset(v);
	exact(v, 50, -1.5, 0);
	ok(tape_verdict_decide(v, 0.05) == TAPE_REJECTED &&
		   shm(v, 10)->p == 0,
	   "without spread: off by more is rejected");
	free(v);
}

/* The time to hand over is taken off, with its error. */
static void hand_over(void)
{
	struct tape_parcel p = { .bytes = 4, .distance = TAPE_SHM };
	struct tape_verdict *v = empty();
	const struct tape_verdict_class *c = shm(v, 10);

	exact(v, 40, 500, 30);
	for (int i = 0; i < 60; i++)
		tape_verdict_dc(v, &p, i % 2 ? 520 : 480);
	tape_verdict_decide(v, 0.05);
	ok(fabs(c->mean_ns) < 1e-3 && fabs(c->dc_ns - 500) < 1e-9 &&
		   c->decision == TAPE_ACCEPTED,
	   "DC of another size is taken off");
	/* by hand: 30^2 / 40 = 22.5, 400 60 / 59 / 60 = 6.7797 */
	ok(fabs(c->error_ns - sqrt(22.5 + 400 / 59.0)) < 1e-3 &&
		   fabs(c->freedom - pow(22.5 + 400 / 59.0, 2) /
					     (22.5 * 22.5 / 39 +
					      pow(400 / 59.0, 2) / 59)) < 0.01,
	   "and its error is added, as Welch does (%.3f)", c->error_ns);
	p.bytes = 1500;
	for (int i = 0; i < 31; i++)
		tape_verdict_dc(v, &p, 100);
	tape_verdict_decide(v, 0.05);
	ok(c->dc_ns == 100, "the nearest size has it");
	tape_verdict_reset(v);
	for (int i = 0; i < 30; i++)
		tape_verdict_dc(v, &p, 100);
	exact(v, 40, 0, 30);
	tape_verdict_decide(v, 0.05);
	ok(c->dc_ns == 0 && !c->dc_seen, "30 of them tell no DC");
	tape_verdict_reset(v);
	p.distance = TAPE_NET;
	for (int i = 0; i < 50; i++)
		tape_verdict_dc(v, &p, 100);
	exact(v, 40, 0, 30);
	tape_verdict_decide(v, 0.05);
	ok(c->dc_ns == 0, "another distance has not");
	free(v);
}

static void holm(void)
{
	static const uint64_t sizes[] = { 1, 10, 100, 1000 };
	static const double t[] = { 2.45, 2.2, 0.5, 2.3 };
	struct tape_verdict *v = empty();
	double p[4], root = sqrt(101);

	for (int i = 0; i < 4; i++) {
		struct tape_parcel x = { .bytes = sizes[i],
					 .distance = TAPE_SHM };

		for (int k = 0; k < 101; k++) {
			double at = k % 2 ? 100 : -100;

			tape_verdict_time(v, &x, k == 100 ? 0 : at,
					  -t[i] * 100 / root);
		}
	}
	ok(tape_verdict_decide(v, 0.05) == TAPE_ACCEPTED && v->classes == 4,
	   "four classes, none far off for one of four");
	for (int i = 0; i < 4; i++)
		p[i] = shm(v, tape_size_class(sizes[i]))->p;
	ok(shm(v, 1)->alone == TAPE_REJECTED &&
		   shm(v, 4)->alone == TAPE_REJECTED &&
		   shm(v, 7)->alone == TAPE_ACCEPTED,
	   "alone, some of them would be rejected");
	ok(fabs(shm(v, 1)->p_all - 4 * p[0]) < 1e-9 &&
		   fabs(shm(v, 10)->p_all - 3 * p[3]) < 1e-9 &&
		   fabs(shm(v, 4)->p_all - fmax(2 * p[1], 3 * p[3])) < 1e-9 &&
		   fabs(shm(v, 7)->p_all - p[2]) < 1e-9,
	   "Holm: 4, 3, 2 and 1 times p, none less than one before");
	free(v);
}

/* ---- many traces ---- */

/*
 * A trace of the model 1000 ns + 0.5 ns/byte, tested against off times that:
 * so many classes, each of 31 to 300 messages, noise of a fifth of the
 * transit, half of the classes with a DC of their own.
 */
static void trace(struct tape_verdict *v, enum noise kind, int classes,
		  double off)
{
	tape_verdict_reset(v);
	for (int c = 0; c < classes; c++) {
		struct tape_parcel p = { .distance = TAPE_SHM };
		unsigned long n = 31 + gsl_rng_uniform_int(chance, 270);
		double dc = c % 2 ? 200 : 0;

		for (unsigned long i = 0; i < n; i++) {
			double transit;

			p.bytes = (2 + i % 2) << 2 * c;
			transit = 1000 + 0.5 * (double)p.bytes;
			tape_verdict_time(v, &p, transit + dc +
					  noise(kind, 0.2 * transit) +
					  noise(kind, dc / 4), off * transit);
		}
		for (int i = 0; i < 100; i++)
			tape_verdict_dc(v, &p, dc + noise(kind, dc / 4));
	}
}

static void many(enum noise kind, int classes)
{
	struct tape_verdict *v = empty();
	int rejected = 0, ones = 0, all = 0, found = 0;

	for (int i = 0; i < TRACES; i++) {
		trace(v, kind, classes, 1);
		rejected += tape_verdict_decide(v, 0.05) == TAPE_REJECTED;
		all += v->classes;
		for (int s = 0; s < TAPE_SIZE_CLASSES; s++)
			ones += shm(v, s)->alone == TAPE_REJECTED;
	}
	for (int i = 0; i < TRACES / 10; i++) {
		trace(v, kind, classes, 1.1);
		found += tape_verdict_decide(v, 0.05) == TAPE_REJECTED;
	}
	ok(rejected >= 0.04 * TRACES && rejected <= 0.06 * TRACES,
	   "%s noise, %d classes: of %d true models %.2f%% are rejected",
	   noises[kind], classes, TRACES, 100.0 * rejected / TRACES);
	ok(all == classes * TRACES && ones >= 0.04 * all && ones <= 0.06 * all,
	   "  and of single classes %.2f%%", 100.0 * ones / all);
	ok(found >= 0.9 * TRACES / 10, "  models off by 10%%: %.1f%%",
	   1000.0 * found / TRACES);
	free(v);
}

/* ---- quantiles ---- */

/* One message of a hundred waits for a processor. */
static double disturbed(double transit, enum noise kind)
{
	double ns = transit + noise(kind, 0.2 * transit);

	if (gsl_rng_uniform(chance) < 0.01)
		ns += gsl_ran_flat(chance, 0, 4e6);
	return ns;
}

/*
 * Half a trace is fitted, off times that is tested on the other half: so many
 * classes, each of 31 to 1000 messages, a quarter of which the model is not
 * slower than. mean: tested by their mean instead.
 */
static void halves(struct tape_verdict *v, enum noise kind, int classes,
		   double off, int mean)
{
	double half[1000];

	tape_verdict_reset(v);
	for (int c = 0; c < classes; c++) {
		struct tape_parcel p = { .bytes = 1ull << 2 * c,
					 .distance = TAPE_SHM };
		unsigned long n = 31 + gsl_rng_uniform_int(chance, 970);
		struct tape_verdict_claim claim = { 0.25, 50, n };
		double model, sum = 0;

		for (unsigned long i = 0; i < n; i++) {
			half[i] = disturbed(1000, kind);
			sum += half[i];
		}
		model = off * tape_quantile(half, n, 0.25);
		for (unsigned long i = 0; i < n; i++) {
			double ns = disturbed(1000, kind);

			if (mean)
				tape_verdict_time(v, &p, ns,
						  sum / (double)n);
			else
				tape_verdict_quantile(v, &p, ns + 50, model,
						      &claim);
		}
	}
}

static void quantiles(enum noise kind, int classes)
{
	struct tape_verdict *v = empty();
	int rejected = 0, found = 0, means = 0, n = TRACES / 8;

	for (int i = 0; i < n; i++) {
		halves(v, kind, classes, 1, 0);
		rejected += tape_verdict_decide(v, 0.05) == TAPE_REJECTED;
		halves(v, kind, classes, 1.1, 0);
		found += tape_verdict_decide(v, 0.05) == TAPE_REJECTED;
		halves(v, kind, classes, 1, 1);
		means += tape_verdict_decide(v, 0.05) == TAPE_REJECTED;
	}
	ok(rejected >= 0.02 * n && rejected <= 0.065 * n,
	   "%s noise, %d classes, a few disturbed: the quartile of a half is "
	   "rejected by the other in %.2f%%", noises[kind], classes,
	   100.0 * rejected / n);
	ok(found >= 0.8 * n, "  10%% more than it in %.1f%%",
	   100.0 * found / n);
	printf("# their mean: %.1f%%\n", 100.0 * means / n);
	free(v);
}

/* Shares, and what is within rounding, by hand. */
static void share(void)
{
	struct tape_verdict_claim claim = { 0.25, 100, 0 };
	struct tape_parcel p = { .bytes = 1000, .distance = TAPE_SHM };
	struct tape_verdict *v = empty();
	const struct tape_verdict_class *c = shm(v, 10);

	for (int i = 0; i < 40; i++)
		tape_verdict_quantile(v, &p, i < 18 ? 1000 : 5e6, 1000,
				      &claim);
	tape_verdict_decide(v, 0.05);
	/* 18 of 40 where 10 are right: (0.25 - 0.45) / sqrt(0.1875 / 40) */
	ok(fabs(c->share - 0.45) < 1e-12 && fabs(c->t + 2.92119) < 1e-5 &&
		   c->dc_ns == 100 && c->decision == TAPE_REJECTED,
	   "too many are quicker than the model: rejected (t %.5f)", c->t);
	tape_verdict_reset(v);
	claim.fitted = 40;
	for (int i = 0; i < 40; i++)
		tape_verdict_quantile(v, &p, i < 18 ? 1000 : 5e6, 1000,
				      &claim);
	tape_verdict_decide(v, 0.05);
	ok(fabs(c->t + 2.06559) < 1e-5 && c->freedom == 39,
	   "one of 40 others errs as much itself (t %.5f)", c->t);
	tape_verdict_reset(v);
	for (int i = 0; i < 40; i++)
		tape_verdict_quantile(v, &p, 1100 + i % 2, 1000.5, &claim);
	tape_verdict_decide(v, 0.05);
	ok(c->share == 0.25 && c->p == 1 && fabs(c->quantile_ns + 0.5) < 1e-9,
	   "all within rounding: as many as it says");
	tape_verdict_reset(v);
	for (int i = 0; i < 40; i++)
		tape_verdict_quantile(v, &p, 1103, 1000, &claim);
	tape_verdict_decide(v, 0.05);
	ok(c->share == 0 && c->t > 2 && c->decision == TAPE_REJECTED &&
		   c->quantile_ns == 3,
	   "none is as quick as the model: rejected");
	free(v);
}

int main(void)
{
	printf("# seed %lu\n", seed);
	chance = gsl_rng_alloc(gsl_rng_taus);
	if (!chance)
		return 1;
	gsl_rng_set(chance, seed);
	moments();
	thesis();
	certain();
	hand_over();
	holm();
	for (int kind = 0; kind < NOISES; kind++) {
		many((enum noise)kind, 1);
		many((enum noise)kind, 6);
		quantiles((enum noise)kind, 1);
		quantiles((enum noise)kind, 6);
	}
	share();
	gsl_rng_free(chance);
	return done();
}
