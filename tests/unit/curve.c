/* Times in straight pieces: fits to samples whose truth is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curve.h"
#include "error.h"
#include "tap.h"

static unsigned long long state;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static void values(void)
{
	struct tape_curve c = { 0 };

	ok(tape_curve_at(&c, 5) == 0, "no piece: no time");
	tape_curve_add(&c, 0, 100, 2);
	tape_curve_add(&c, 50, 100, 2);
	ok(c.n == 1, "what goes on like the last piece is none");
	tape_curve_add(&c, 100, 1000, 0);
	tape_curve_add(&c, 200, -2000, 15);
	ok(tape_curve_at(&c, 0) == 100 && tape_curve_at(&c, 99) == 298 &&
		   tape_curve_at(&c, 100) == 1000 &&
		   tape_curve_at(&c, 199.5) == 1000 &&
		   tape_curve_at(&c, 200) == 1000 &&
		   tape_curve_at(&c, 1e9) == 15e9 - 2000,
	   "each piece from its beginning on, with or without a jump");
	c.piece[0].from_bytes = 10;
	ok(tape_curve_at(&c, 0) == 100, "the first one below its own, too");
	c.piece[0].ns = -500;
	ok(tape_curve_at(&c, 1) == 0, "never negative");
	for (int i = 0; i < 100; i++)
		tape_curve_add(&c, 300 + i, i, i);
	ok(c.n == TAPE_CURVE_PIECES, "as many as there is room for");
	for (int i = 0; i < 50; i++)
		if (tape_curve_at(&c, 300.5 + i) != i + i * (300.5 + i))
			c.n = 0;
	ok(c.n == TAPE_CURVE_PIECES, "and each is found");
}

/*
 * A truth of up to four pieces: a latency, rates, and jumps as from a change
 * of protocol.
 */
static struct tape_curve truth(int pieces)
{
	static const double from[] = { 0, 512, 8192, 131072 };
	struct tape_curve c = { 0 };
	double ns = 200 + 5000 * uniform(), rate = 0.02 + uniform();

	for (int i = 0; i < pieces; i++) {
		/* half as long again at the least, there or a while on */
		if (i % 2)
			ns += (0.5 + uniform()) *
			      tape_curve_at(&c, from[i]);
		else if (i)
			rate *= 3 + uniform();
		if (i && !(i % 2)) /* meets the piece before */
			ns = tape_curve_at(&c, from[i]) - rate * from[i];
		tape_curve_add(&c, from[i], ns, rate);
	}
	return c;
}

/*
 * Sizes as tapecal takes them, each often: with noise of some percent, and one
 * in eight disturbed for long.
 */
static size_t measure(const struct tape_curve *c, double noise,
		      struct tape_timing *s)
{
	size_t n = 0;

	for (double b = 1; b <= 4194304; b *= 2)
		for (int half = 0; half < (b > 1 ? 2 : 1); half++)
			for (int i = 0; i < 40; i++) {
				double bytes = half ? 1.5 * b : b;
				double ns = tape_curve_at(c, bytes);

				ns *= 1 + noise * (uniform() - 0.5);
				if (uniform() < 0.125)
					ns += 50000 * uniform();
				s[n++] = (struct tape_timing){ bytes, ns };
			}
	return n;
}

static double worst_of(const struct tape_curve *a, const struct tape_curve *b)
{
	double worst = 0;

	for (double x = 1; x < 4e6; x *= 1.1) {
		int near_break = 0;

		for (int i = 1; i < a->n; i++)
			near_break |= x > a->piece[i].from_bytes / 1.5 &&
				      x < a->piece[i].from_bytes * 1.5;
		if (!near_break)
			worst = fmax(worst, fabs(tape_curve_at(b, x) /
						 tape_curve_at(a, x) - 1));
	}
	return worst;
}

static void fits(int pieces, double noise, int cases)
{
	struct tape_timing *s = malloc(4000 * sizeof *s);
	double worst = 0;
	int right = 0, bad = 0;

	for (int i = 0; i < cases; i++) {
		struct tape_curve c = truth(pieces), f = { 0 };
		size_t n = measure(&c, noise, s);

		bad += tape_curve_fit(s, n, &f) != 0;
		right += f.n == pieces;
		worst = fmax(worst, worst_of(&c, &f));
		for (int k = 0; k < f.n; k++)
			bad += f.piece[k].rate < 0 ||
			       (k && !(f.piece[k].from_bytes >
				       f.piece[k - 1].from_bytes));
	}
	free(s);
	ok(!bad && right >= cases * 9 / 10 && worst < 0.03 + noise,
	   "%d pieces, noise %g: found in %d of %d cases, off by %.1f%% at "
	   "most", pieces, noise, right, cases, 100 * worst);
}

static void corners(void)
{
	struct tape_timing s[12];
	struct tape_curve c = { .n = 7 };

	ok(tape_curve_fit(s, 0, &c) == TAPE_EFEW && c.n == 7,
	   "no sample, no curve");
	s[0] = (struct tape_timing){ 64, 300 };
	ok(!tape_curve_fit(s, 1, &c) && c.n == 1 &&
		   tape_curve_at(&c, 1e6) == 300, "one sample: a constant");
	s[0] = (struct tape_timing){ 64, 300 };
	s[1] = (struct tape_timing){ 1000, 200 };
	ok(!tape_curve_fit(s, 2, &c) && c.n == 1 && c.piece[0].rate == 0 &&
		   tape_curve_at(&c, 64) >= 200 &&
		   tape_curve_at(&c, 64) <= 300,
	   "larger is not faster: a constant between");
	for (int i = 0; i < 12; i++)
		s[i] = (struct tape_timing){ ldexp(1, i), i < 11 ? 0.5 : 1e6 };
	ok(!tape_curve_fit(s, 12, &c) && tape_curve_at(&c, 0) >= 0 &&
		   c.piece[0].ns >= 0, "no time below 0");
	for (int i = 0; i < 12; i++)
		s[i] = (struct tape_timing){ 0, i == 5 ? 1e9 : 100 + i };
	ok(!tape_curve_fit(s, 12, &c) && c.n == 1 &&
		   fabs(tape_curve_at(&c, 0) - 106) <= 1,
	   "one size: its median");
}

int main(void)
{
	const char *seed = getenv("CURVE_SEED");

	state = seed ? strtoull(seed, NULL, 10) : 2027;
	printf("# seed %llu\n", state);
	values();
	for (int pieces = 1; pieces <= 4; pieces++) {
		fits(pieces, 0, 20);
		fits(pieces, 0.05, 40);
		fits(pieces, 0.2, 40);
	}
	corners();
	return done();
}
