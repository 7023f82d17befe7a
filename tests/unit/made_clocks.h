/*
 * Clocks whose truth is known, and random messages between them and a
 * reference: for the tests of tracks and diagnoses.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <math.h>
#include <stdlib.h>

#include "clock_track.h"

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

/* One message, sent at a date of the reference; upper: to the clock. */
static struct tape_clock_bound message(const struct truth *c,
				       const struct traffic *m, double sent,
				       int upper)
{
	double there = sent + transit(m);

	/* clocks go forward: what the clock shows on arrival it did not show
	 * before the sending, and the other way round */
	if (upper)
		return (struct tape_clock_bound){ sent, there - sent +
							offset(c, there) };
	return (struct tape_clock_bound){ there, sent - there +
							 offset(c, sent) };
}

enum { ROUNDS = 40 };

/* The messages of one direction, and those of the rounds at both ends. */
static struct bounds messages(const struct truth *c, const struct traffic *m,
			      double length, int upper)
{
	double every = fabs(m->every) * second, phase = uniform() * every;
	size_t burst = m->every < 0 ? 50 : 1;
	size_t most = ((size_t)(length / every) + 2) * burst + ROUNDS;
	struct bounds b = { malloc(most * sizeof *b.p), 0 };

	for (double at = phase; at < length; at += every)
		for (size_t i = 0; i < burst; i++)
			b.p[b.n++] = message(c, m, at + 1e6 * (double)i, upper);
	for (int i = 0; i < ROUNDS; i++)
		b.p[b.n++] = message(c, m,
				     i % 2 ? length - 1e6 * i : 1e6 * i,
				     upper);
	return b;
}

#endif
