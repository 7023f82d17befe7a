/*
 * Lines within bounds, against all lines through two of the bounds: a corner of
 * the polygon is one of these that meets the rest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "error.h"
#include "stamps.h"
#include "tap.h"

enum { MOST = 60, PLACES = 5 };
static const double place[PLACES] = { -3, 0, 0.4, 1, 7 };
static uint64_t state = 20250101;

struct problem {
	struct tape_bound lower[MOST], upper[MOST];
	size_t n_lower, n_upper;
};

static double uniform(double from, double to)
{
	return from + (to - from) * stamps_uniform(&state);
}

/* Bounds around a line; gap < 0 makes some impossible. */
static void make(struct problem *p, double gap, double tail)
{
	double a = uniform(-5, 5), b = uniform(-1, 1);

	p->n_lower = 2 + (size_t)uniform(0, MOST - 2);
	p->n_upper = 2 + (size_t)uniform(0, MOST - 2);
	for (size_t i = 0; i < p->n_lower; i++) {
		double x = uniform(0, 1);

		p->lower[i] = (struct tape_bound){
			x, a + b * x - gap - tail * uniform(0, 1) };
	}
	for (size_t i = 0; i < p->n_upper; i++) {
		double x = uniform(0, 1);

		p->upper[i] = (struct tape_bound){
			x, a + b * x + gap + tail * uniform(0, 1) };
	}
}

static int meets(const struct problem *p, struct tape_line l, double slack)
{
	for (size_t i = 0; i < p->n_lower; i++)
		if (l.a + l.b * p->lower[i].x < p->lower[i].y - slack)
			return 0;
	for (size_t i = 0; i < p->n_upper; i++)
		if (l.a + l.b * p->upper[i].x > p->upper[i].y + slack)
			return 0;
	return 1;
}

/* All lines through two bounds that meet the others; returns how many. */
static int by_force(const struct problem *p, double *least, double *most)
{
	struct tape_bound all[2 * MOST];
	size_t n = p->n_lower + p->n_upper;
	int found = 0;

	memcpy(all, p->lower, p->n_lower * sizeof *all);
	memcpy(all + p->n_lower, p->upper, p->n_upper * sizeof *all);
	for (int k = 0; k < PLACES; k++) {
		least[k] = INFINITY;
		most[k] = -INFINITY;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			struct tape_line l;

			l.b = (all[j].y - all[i].y) / (all[j].x - all[i].x);
			l.a = all[i].y - l.b * all[i].x;
			if (!meets(p, l, 1e-9))
				continue;
			found++;
			for (int k = 0; k < PLACES; k++) {
				double y = l.a + l.b * place[k];

				least[k] = fmin(least[k], y);
				most[k] = fmax(most[k], y);
			}
		}
	return found;
}

static int equal(double a, double b)
{
	return fabs(a - b) <= 1e-6 * (1 + fabs(a));
}

static void against_force(double gap, double tail, const char *what)
{
	double least[PLACES], most[PLACES], lo, hi;
	int wrong = 0, empty = 0, strayed = 0;
	struct tape_lines lines = { .n = 0 };

	for (int c = 0; c < 300; c++) {
		struct problem p, sorted;
		struct tape_line far = { uniform(-9, 9), uniform(-9, 9) }, l;
		int found;

		make(&p, gap, tail);
		found = by_force(&p, least, most);
		sorted = p;
		if (tape_bounds_lines(sorted.lower, p.n_lower, sorted.upper,
				      p.n_upper, &lines))
			wrong++;
		empty += !found;
		wrong += !found != !lines.n;
		for (int k = 0; found && k < PLACES; k++) {
			tape_bounds_at(&lines, place[k], &lo, &hi);
			wrong += !equal(lo, least[k]) || !equal(hi, most[k]);
		}
		if (!found)
			continue;
		l = tape_bounds_nearest(&lines, far, 0, 1);
		strayed += !meets(&p, l, 1e-9);
		/* halfway between two corners is within already */
		far.a = (lines.corner[0].a + lines.corner[lines.n / 2].a) / 2;
		far.b = (lines.corner[0].b + lines.corner[lines.n / 2].b) / 2;
		l = tape_bounds_nearest(&lines, far, 0, 1);
		strayed += hypot(l.a - far.a, l.b - far.b) > 1e-9;
	}
	ok(!wrong, "%s: as by force (%d of 300 without a line)", what, empty);
	ok(!strayed, "%s: the nearest line is one of them", what);
}

/* Bounds that all count: the polygon has more corners than there is room. */
static void many_corners(void)
{
	enum { N = 1000 };
	static struct tape_bound lower[N], upper[N];
	struct tape_lines lines = { .n = 0 };
	double lo, hi;
	int rc;

	for (int i = 0; i < N; i++) {
		double x = 2.0 * i / (N - 1) - 1;

		lower[i] = (struct tape_bound){ x, -1 - x * x };
		upper[i] = (struct tape_bound){ x, 1 + x * x };
	}
	rc = tape_bounds_lines(lower, N, upper, N, &lines);
	ok(!rc && lines.n > 8 && lines.n <= TAPE_BOUNDS_CORNERS,
	   "a thousand bounds that count: %zu corners", lines.n);
	/* at 0 at most 1; at 1, along the tangent of the upper ones that meets
	 * the lower ones: slope 2, through (1, 2), touches -1 - x^2 at -1 */
	tape_bounds_at(&lines, 0, &lo, &hi);
	ok(hi >= 1 && hi < 1.01 && lo <= -1 && lo > -1.01,
	   "in the middle [%.4f, %.4f] holds [-1, 1]", lo, hi);
	tape_bounds_at(&lines, 1, &lo, &hi);
	ok(hi >= 2 - 1e-9 && hi < 2.02 && lo <= -2 + 1e-9 && lo > -2.02,
	   "at the end [%.4f, %.4f] holds [-2, 2]", lo, hi);
}

/* Between -1 and 1 at 0 and at 10: at 20 between -3 and 3, by slope 0.2. */
static void slopes(void)
{
	struct tape_bound low[2] = { { 0, -1 }, { 10, -1 } };
	struct tape_bound high[2] = { { 0, 1 }, { 10, 1 } };
	struct tape_lines lines, all;
	double lo, hi;
	int within = 1;

	tape_bounds_lines(low, 2, high, 2, &lines);
	all = lines;
	tape_bounds_slopes(&lines, 0, 0.1);
	for (size_t i = 0; i < lines.n; i++)
		within &= lines.corner[i].b > -1e-12 &&
			  lines.corner[i].b < 0.1 + 1e-12;
	tape_bounds_at(&lines, 20, &lo, &hi);
	ok(within && fabs(lo + 1) < 1e-12 && fabs(hi - 2) < 1e-12,
	   "slopes from 0 to 0.1: at 20 [%.3f, %.3f]", lo, hi);
	tape_bounds_at(&lines, 0, &lo, &hi);
	ok(fabs(lo + 1) < 1e-12 && fabs(hi - 1) < 1e-12,
	   "at 0 as before: [%.3f, %.3f]", lo, hi);
	lines = all;
	tape_bounds_slopes(&lines, 1, 2);
	ok(lines.n == all.n, "no such slope: all lines stay");
}

int main(void)
{
	struct tape_bound low = { 0, 0 }, high = { 1, 1 };
	struct tape_lines lines = { .n = 77 };
	double lo, hi;

	printf("# seed %llu\n", (unsigned long long)state);
	against_force(0.1, 1, "wide");
	against_force(1e-6, 1, "narrow");
	against_force(-0.02, 1, "partly impossible");
	against_force(0.1, 0.001, "bounds that nearly all count");
	many_corners();
	slopes();
	ok(tape_bounds_lines(&low, 1, &high, 1, &lines) == TAPE_ESPREAD &&
		   lines.n == 77,
	   "a polygon that is not closed is an error");
	ok(tape_bounds_lines(&low, 1, &high, 0, &lines) == TAPE_ESPREAD,
	   "so are bounds of one kind");
	lines.n = 0;
	tape_bounds_at(&lines, 0, &lo, &hi);
	ok(lo == -INFINITY && hi == INFINITY, "no lines bound nothing");
	return done();
}
