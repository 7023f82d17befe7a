/*
 * What is said of clocks whose kind is known, from tracks through random
 * messages.
 *
 *	diagnose [CASES]     of each kind and traffic; 2 without
 */
#include "clock_track_fit.h"
#include "made_clocks.h"
#include "diagnose.h"
#include "error.h"
#include "tap.h"

static const enum tape_clock_shape expected[KINDS] = {
	TAPE_CLOCK_EVEN,	TAPE_CLOCK_OSCILLATES, TAPE_CLOCK_BENT,
	TAPE_CLOCK_SAWTOOTH,	TAPE_CLOCK_SAWTOOTH,   TAPE_CLOCK_SLEWED,
	TAPE_CLOCK_STEPPED,	TAPE_CLOCK_BENT,       TAPE_CLOCK_STEPPED
};

static int near(double a, double b, double part)
{
	return fabs(a - b) <= part * fabs(b);
}

/* Whether the numbers are those of the clock. */
static int numbers(const struct truth *c, const struct tape_clock_diagnosis *d)
{
	switch (c->kind) {
	case SINE:
		return near(d->amplitude_ns, 17500, 0.1) &&
		       near(d->period_ns, 1020e9, 0.05);
	case SAW:
	case SAW_SLEWED:
		return near(d->step_ns, -1e6, 0.05) &&
		       near(d->period_ns, 300e9, 0.02);
	case SLEW:
		return near(d->step_ns, 1e6 * c->size, 0.05) &&
		       fabs(d->when_ns - c->at) < 3e9;
	case STEP:
		return near(d->step_ns, 1e5 * c->size, 0.3) &&
		       fabs(d->when_ns - c->at) < 3e9;
	case STOP:
		return near(d->step_ns, -5e9, 0.01) &&
		       fabs(d->when_ns - c->at) < 3e9;
	case EVEN:
	case RAMP:
	case RATE:
	case KINDS:
		return 1;
	}
	return 1;
}

static void many(enum kind kind, const struct traffic *m, size_t cases)
{
	size_t right = 0, shown = 0, true_numbers = 0;

	for (size_t i = 0; i < cases; i++) {
		double length = (1500 + 2100 * uniform()) * second;
		struct truth c = draw(kind, length);
		struct bounds u = messages(&c, m, length, 1);
		struct bounds l = messages(&c, m, length, 0);
		struct tape_clock_track t = { 0 };
		struct tape_clock_diagnosis d = { 0 };

		if (!tape_clock_track_fit(u.p, u.n, l.p, l.n, NULL, 0, 1e-7, 0,
					  0, length, &t))
			tape_clock_diagnose(&t, &d);
		right += d.shape == expected[kind];
		true_numbers += numbers(&c, &d) != 0;
		if ((d.shape != expected[kind] || !numbers(&c, &d)) &&
		    !shown++)
			printf("# %s, %s, %.0f s: shape %d, line %.0f sine "
			       "%.0f A %.0f period %.1f s, %zu of %.0f at %.1f "
			       "(%.1f) to %.1f, slew %g\n",
			       kinds[kind], m->name, length / second,
			       (int)d.shape, d.resid_line_ns, d.resid_sine_ns,
			       d.amplitude_ns, d.period_ns / second, d.steps,
			       d.step_ns, d.when_ns / second, c.at / second,
			       d.until_ns / second, d.slew);
		free(u.p);
		free(l.p);
		tape_clock_track_free(&t);
	}
	ok(right == cases, "%s, %s: %zu of %zu are recognised", kinds[kind],
	   m->name, right, cases);
	ok(true_numbers == cases, "%s, %s: %zu of %zu have its figures",
	   kinds[kind], m->name, true_numbers, cases);
}

int main(int argc, char **argv)
{
	size_t cases = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;
	struct tape_clock_knot few[7] = { { 0 } };
	struct tape_clock_track t = { 7, few, 0, 0 };
	struct tape_clock_diagnosis d = { .shape = TAPE_CLOCK_BENT };

	state = 4711;
	printf("# seed %llu, %zu cases each\n", state, cases);
	ok(tape_clock_diagnose(&t, &d) == TAPE_EFEW &&
		   d.shape == TAPE_CLOCK_EVEN,
	   "seven knots are too few to tell");
	/* the first four: a message a second each way */
	for (int k = 0; k < KINDS; k++)
		for (size_t m = 0; m < 4; m++)
			many((enum kind)k, &traffics[m], cases);
	return done();
}
