/* Quantile regression against lines that are known, and against all lines. */
#include <math.h>
#include <stdlib.h>

#include "quantile.h"
#include "tap.h"

static unsigned long long state = 20251122;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

enum { MOST = 4000 };
static struct tape_quantile_point p[MOST];

static void point(size_t i, double x, double y, double weight)
{
	p[i] = (struct tape_quantile_point){ .x = x, .y = y, .weight = weight };
}

static void values(void)
{
	double v[] = { 9, 1, 5 }, a, b;

	ok(isnan(tape_quantile(v, 0, 0.5)) && tape_quantile(v, 3, 0) == 1 &&
		   tape_quantile(v, 3, 0.5) == 5 &&
		   tape_quantile(v, 3, 0.75) == 7 &&
		   tape_quantile(v, 3, 1) == 9,
	   "quantiles of values: between two in proportion");
	point(0, 3, 7, 1);
	tape_quantile_line(p, 1, 0.25, &a, &b);
	ok(a == 7 && b == 0, "one point: its height");
	for (size_t i = 0; i < 5; i++)
		point(i, 3, (double)(10 - i), i == 4 ? 5 : 1);
	tape_quantile_line(p, 5, 0.5, &a, &b);
	ok(a == 6 && b == 0, "one x: the weighted quantile (%g)", a);
	point(0, 1, 5, 1);
	point(1, 3, 9, 2);
	ok(tape_quantile_loss(p, 2, 0.25, 1, 3, 9) == 0.25 * 1 + 0.75 * 2 * 1 &&
		   tape_quantile_loss(p, 2, 0.25, 1, 1, 2) ==
			   0.25 * (2 + 2 * 2),
	   "loss by its definition, and with residuals that are cut");
	tape_quantile_line(p, 2, 0.25, &a, &b);
	ok(fabs(a - 3) < 1e-12 && fabs(b - 2) < 1e-12, "two: the line");
}

static double loss(size_t n, double q, double a, double b)
{
	return tape_quantile_loss(p, n, q, a, b, INFINITY);
}

/* The least loss of any line through two of the points, by trying all. */
static double least(size_t n, double q)
{
	double best = INFINITY;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			double b = (p[k].y - p[i].y) / (p[k].x - p[i].x);

			if (p[k].x != p[i].x)
				best = fmin(best, loss(n, q,
						       p[i].y - b * p[i].x, b));
		}
	return best;
}

/* few: small whole numbers, so that many points are on a line. */
static void optimum(int few)
{
	static const double qs[] = { 0.05, 0.25, 0.5, 0.9 };
	int missed = 0;

	for (int turn = 0; turn < 2000; turn++) {
		size_t n = 2 + (size_t)(uniform() * 25);
		double q = qs[turn % 4], a, b;

		for (size_t i = 0; i < n; i++) {
			double x = i < 2 ? (double)i : uniform() * 5;
			double y = uniform() * 5;

			point(i, few ? floor(x) : x, few ? floor(y) : y,
			      few ? 1 : uniform() + 0.01);
		}
		tape_quantile_line(p, n, q, &a, &b);
		missed += loss(n, q, a, b) > least(n, q) + 1e-9;
	}
	ok(!missed, "%s: no other line has less loss (%d of 2000)",
	   few ? "many points on a line" : "points at random", missed);
}

/* 500 + 2 x; so many of ten are disturbed, up to a thousand times as long. */
static void contaminated(int of_ten, double q)
{
	double a, b;

	for (size_t i = 0; i < MOST; i++) {
		double x = 8 << i % 8, y = 500 + 2 * x;

		if (uniform() * 10 < of_ten)
			y *= 1 + 1000 * uniform() * uniform();
		point(i, x, y, 1 / (500 + 2 * x));
	}
	tape_quantile_line(p, MOST, q, &a, &b);
	ok(fabs(a - 500) < 1e-6 && fabs(b - 2) < 1e-9,
	   "%d of ten disturbed: the line of the others (%g + %g x)", of_ten,
	   a, b);
}

/* With noise, the quantile's own line: a quarter is below it. */
static void noisy(void)
{
	double a, b;
	size_t below = 0;

	for (size_t i = 0; i < MOST; i++) {
		double x = 1 + 4000 * uniform();

		/* the quartile of the noise is 0.25 of its width */
		point(i, x, (500 + 2 * x) * (0.95 + 0.2 * uniform()), 1 /
		      (500 + 2 * x));
	}
	tape_quantile_line(p, MOST, 0.25, &a, &b);
	for (size_t i = 0; i < MOST; i++)
		below += p[i].y < a + b * p[i].x;
	ok(fabs(a - 500) < 15 && fabs(b - 2) < 0.03,
	   "noise: the line of its quartile (%.1f + %.3f x)", a, b);
	ok(below <= MOST / 4 && below + 2 >= MOST / 4,
	   "a quarter of the points is below (%zu of %d)", below, (int)MOST);
}

int main(void)
{
	printf("# seed %llu\n", state);
	values();
	optimum(0);
	optimum(1);
	contaminated(0, 0.25);
	contaminated(5, 0.25);
	contaminated(7, 0.25);
	noisy();
	return done();
}
