/*
 * Tracks of clocks whose truth is known, from random messages: the truth must
 * lie in the guaranteed interval always, and the estimate near it.
 *
 *	track [CASES]     of each kind; 2 without
 *
 * With CASES, what each kind of clock and of traffic gives is printed, too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tap.h"
#include "track.h"

static unsigned long long state;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* ---- clocks ---- */

enum kind {
	EVEN, SINE, RAMP, SAW, SAW_SLEWED, SLEW, STEP, RATE, STOP, KINDS
};

static const char *const kinds[KINDS] = {
	"even", "sine", "ramp", "saw-tooth", "saw-tooth, slewed back", "slew",
	"step", "change of rate", "standstill"
};

struct truth {
	enum kind kind;
	double offset, drift, phase, at, size;
};

static const double second = 1e9;

static double gained(double at, double t, double rate, double length)
{
	return t < at ? 0 : rate * fmin(t - at, length);
}

/* The offset at t ns. */
static double offset(const struct truth *c, double t)
{
	double y = c->offset + c->drift * t, period = 300 * second, x, s;

	s = t / second;
	x = fmod(t + c->phase / (2 * M_PI) * period, period);
	switch (c->kind) {
	case EVEN:
	case KINDS:
		return y;
	case SINE:
		return y + 17500 * sin(2 * M_PI * t / (1020 * second) +
				       c->phase);
	case RAMP: /* a machine that warms up: 1 ppm, in a quarter of an hour */
		return y + c->size * 1e-6 * 900 * second *
				   (s / 900 + exp(-s / 900) - 1);
	case SAW:
		return y + 1e6 * x / period;
	case SAW_SLEWED:
		return y + (x < period - 2 * second
				    ? 1e6 * x / (period - 2 * second)
				    : 5e-4 * (period - x));
	case SLEW:
		return y + gained(c->at, t, 5e-4 * c->size, 2 * second);
	case STEP:
		return y + (t < c->at ? 0 : 1e5 * c->size);
	case RATE:
		return y + gained(c->at, t, 2e-5 * c->size, 1e18);
	case STOP:
		return y - (t < c->at ? 0 : 5 * second);
	}
	return y;
}

static struct truth draw(enum kind kind, double length)
{
	struct truth c = { .kind = kind };

	c.offset = 1e12 * (uniform() - 0.5);
	c.drift = 2e-4 * (uniform() - 0.5);
	c.phase = 2 * M_PI * uniform();
	c.at = length * (0.1 + 0.8 * uniform());
	c.size = uniform() < 0.5 ? -1 : 1;
	return c;
}

/* ---- messages ---- */

struct traffic {
	const char *name;
	double least, tail, busy; /* ns, ns, share of delayed ones */
	double every;             /* s; negative: bursts of 50 that far apart */
};

static const struct traffic traffics[] = {
	{ "shared memory", 250, 50, 0, 1 },
	{ "shared memory, loaded", 250, 50, 0.05, 1 },
	{ "TCP", 12000, 3000, 0, 1 },
	{ "TCP, loaded", 12000, 3000, 0.05, 1 },
	{ "TCP, sparse", 12000, 3000, 0.02, 10 },
	{ "TCP, bursts", 12000, 3000, 0.02, -20 },
	{ "TCP, much", 12000, 3000, 0.02, 0.05 },
};

enum { TRAFFICS = sizeof traffics / sizeof *traffics };

static double transit(const struct traffic *m)
{
	double t = m->least - m->tail * log(1 - uniform());

	return uniform() < m->busy ? t + 1e6 + 2e6 * uniform() : t;
}

struct bounds {
	struct tape_clock_bound *p;
	size_t n;
};

/* Messages of one direction; towards the reference if upper is 0. */
static struct bounds messages(const struct truth *c, const struct traffic *m,
			      double length, int upper)
{
	double every = fabs(m->every) * second, phase = uniform() * every;
	size_t burst = m->every < 0 ? 50 : 1, n = 0;
	size_t most = ((size_t)(length / every) + 2) * burst;
	struct bounds b = { malloc(most * sizeof *b.p), 0 };

	for (double at = phase; at < length; at += every)
		for (size_t i = 0; i < burst && n < most; i++) {
			double sent = at + (double)i * 1e6 * uniform();
			double there = sent + transit(m);

			/* sent by the reference, received by the clock */
			if (upper)
				b.p[n].offset_ns = there + offset(c, there) -
						   sent;
			else
				b.p[n].offset_ns = sent + offset(c, sent) -
						   there;
			b.p[n++].ref_ns = upper ? sent : there;
		}
	b.n = n;
	return b;
}

/* A date of one clock and a date of the other one: the offset at the end of
 * the first is what a message bounds; over its flight the clock goes on. */

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

	if (tape_clock_follow(u.p, u.n, l.p, l.n, NULL, 1e-7, 0, length, &t)) {
		y->failed++;
		goto out;
	}
	for (int i = 0; i < DATES; i++) {
		double x = length * uniform();
		struct tape_clock_knot k = tape_clock_at(&t, x);
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

static void many(enum kind kind, const struct traffic *m, size_t cases,
		 int loud)
{
	struct tally y = { 0 };
	double e50, e95;

	y.width = malloc(cases * sizeof *y.width);
	y.error = malloc(cases * sizeof *y.error);
	for (size_t i = 0; i < cases; i++)
		one(kind, m, 3600 * second * (i % 3 ? 1 : 0.25 + 0.5 * uniform()),
		    &y);
	e50 = quantile(y.error, y.cases, 0.5);
	e95 = quantile(y.error, y.cases, 0.95);
	if (loud)
		printf("# %-22s %-21s %7zu %5zu %8.0f  %8.3f %8.3f %8.3f"
		       "  %8.3f %6.0f\n",
		       kinds[kind], m->name, y.dates, y.outside, y.excess,
		       e50 / 1e3, e95 / 1e3, y.worst / 1e3,
		       quantile(y.width, y.cases, 0.5) / 1e3,
		       (double)y.knots / (double)cases);
	ok(!y.failed && !y.outside, "%s, %s: %zu of %zu dates are outside",
	   kinds[kind], m->name, y.outside, y.dates);
	free(y.width);
	free(y.error);
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
			many((enum kind)k, &traffics[m], cases, 1);
	return done();
}
