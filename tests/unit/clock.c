/*
 * Clock fits on synthetic rounds whose truth is known: the truth must lie in
 * the guaranteed interval always, and the estimate near it.
 */
#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "error.h"
#include "tap.h"

static unsigned long long state;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static double busy; /* share of transits that wait for a processor */

/* A transit: least, plus an exponential tail, now and then a spike. */
static double transit(double least, double tail)
{
	double t = least - tail * log(1 - uniform());

	if (busy > 0 && uniform() < busy)
		return t + 1e6 + 2e6 * uniform();
	return uniform() < 0.05 ? t + 100 * tail * uniform() : t;
}

enum { ROUNDS = 200 };

static void make(struct tape_clock_round *r, double offset, double drift,
		 double least, double tail, double apart)
{
	for (int i = 0; i < 2 * ROUNDS; i++) {
		double t = (i < ROUNDS ? 0 : apart) + 5e5 * (i % ROUNDS);
		double there = t + transit(least, tail);
		double away = there + 200;
		double back = away + transit(least, tail);

		r[i].s_ref = t;
		r[i].r_j = there + offset + drift * there;
		r[i].s_j = away + offset + drift * away;
		r[i].r_ref = back;
		r[i].after = i >= ROUNDS;
	}
}

static void many(const char *what, double least, double tail, double limit)
{
	static struct tape_clock_round r[2 * ROUNDS];
	struct tape_clock_fit fit;
	double worst = 0;
	int outside = 0, failed = 0;
	enum { CASES = 300 };

	for (int c = 0; c < CASES; c++) {
		double offset = 1e12 * (uniform() - 0.5);
		double drift = 2e-4 * (uniform() - 0.5), apart = 6e11;

		make(r, offset, drift, least, tail, apart);
		if (tape_clock_fit(r, 2 * ROUNDS, &fit)) {
			failed++;
			continue;
		}
		for (int k = 0; k <= 10; k++) {
			double x = apart * k / 10, lo, hi;
			double e = offset + drift * x -
				   tape_clock_offset(&fit, x);

			tape_clock_guarantee(&fit, x, &lo, &hi);
			outside += e < lo - 0.01 || e > hi + 0.01;
			worst = fmax(worst, fabs(e));
		}
	}
	ok(!failed, "%s: every case is fitted", what);
	ok(!outside, "%s: the truth is never outside the guarantee (%d)", what,
	   outside);
	ok(worst < limit, "%s: worst error %.1f ns below %.0f", what, worst,
	   limit);
}

int main(void)
{
	struct tape_clock_round r[4] = { { 0, 0, 0, 0, 0 } };
	struct tape_clock_fit fit = { .kept = 77 };

	state = 12345;
	printf("# seed %llu\n", state);
	many("shared memory", 300, 40, 100);
	many("TCP", 12000, 3000, 3000);
	/* three rounds of four are aberrant */
	busy = 0.5;
	many("TCP, too few processors", 12000, 3000, 5000);

	/* dates of 10^18 apart from each other lose nothing: exact rounds */
	for (int i = 0; i < 4; i++) {
		r[i] = (struct tape_clock_round){ i * 1e9, i * 1e9 + 1e15 + 500,
						  i * 1e9 + 1e15 + 500,
						  i * 1e9 + 1000, i > 1 };
	}
	ok(!tape_clock_fit(r, 4, &fit) && fabs(fit.offset_ns - 1e15) < 1 &&
		   fabs(fit.drift) < 1e-12,
	   "exact rounds give the exact line");
	ok(fit.phases == 2 && fit.bounded, "two phases, bounds met");
	/* a clock that was stepped: no line meets the bounds */
	r[1].r_j += 1e6, r[1].s_j += 1e6;
	ok(!tape_clock_fit(r, 4, &fit) && !fit.bounded,
	   "a step in mid-phase is seen");
	fit.kept = 77;
	ok(tape_clock_fit(r, 2, &fit) == TAPE_EFEW && fit.kept == 77,
	   "two rounds are too few, and the result is untouched");
	for (int i = 0; i < 4; i++)
		r[i] = r[0];
	ok(tape_clock_fit(r, 4, &fit) == TAPE_ESPREAD,
	   "one instant tells no drift");
	return done();
}
