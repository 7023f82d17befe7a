/*
 * What bounds leave open of a clock's rate: a wave that they do not refute is
 * within it, and a further bound never makes it larger.
 */
#include <math.h>
#include <stdlib.h>

#include "undetected_rate.h"
#include "tap.h"

enum { MOST_BOUNDS = 400 };

static const double length = 1e10, most = 5e-4;
static unsigned long long state = 20261;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static int by_x(const void *a, const void *b)
{
	const struct tape_corridor_bound *p = a, *q = b;

	return p->x < q->x ? -1 : p->x > q->x;
}

/* A bound of a clock that is off by a wave, with some slack; the first four
 * are at both ends. */
static struct tape_corridor_bound bound(size_t n, double size, double period)
{
	struct tape_corridor_bound b = { .x = length * uniform(),
					 .upper = n & 1 };
	double slack = 1e4 - 1e4 * log(1 - uniform());

	if (n < 4)
		b.x = n < 2 ? 0 : length;
	b.v = size * sin(2 * M_PI * b.x / period) + (b.upper ? slack : -slack);
	return b;
}

/* The rate that the first n bounds leave open; -1: they have no line. */
static double rate_of(const struct tape_corridor_bound *all, size_t n)
{
	struct tape_corridor_bound b[MOST_BOUNDS], room[2 * MOST_BOUNDS];
	struct tape_corridor_bounds s = { b, n, room };
	struct tape_corridor line;
	double rate;

	for (size_t i = 0; i < n; i++)
		b[i] = all[i];
	qsort(b, n, sizeof *b, by_x);
	if (!tape_corridor_line(&s, 0, n, &line) || line.gap < 0 ||
	    tape_undetected_rate(&s, &line, most, &rate))
		return -1;
	return rate;
}

int main(void)
{
	struct tape_corridor_bound b[MOST_BOUNDS];
	int wider = 0, missed = 0, told = 0, capped = 0;

	printf("# seed %llu\n", state);
	for (int i = 0; i < 100; i++) {
		/* from one half period to five, too low to be refuted at first
		 */
		double period = length * (0.4 + 1.6 * uniform());
		double size = 1e4 * uniform(), last = most;

		for (size_t n = 0; n < MOST_BOUNDS; n++)
			b[n] = bound(n, size, period);
		for (size_t n = 25; n <= MOST_BOUNDS; n *= 2) {
			double rate = rate_of(b, n);

			if (rate < 0)
				break;
			told++;
			capped += rate >= most;
			wider += rate > 1.03 * last;
			/* of a wave between two kinds the best is near */
			missed += rate < fmin(0.8 * 2 * M_PI * size / period,
					      most);
			last = rate;
		}
	}
	ok(told > 200 && capped < told / 2, "%d rates, %d of them the most",
	   told, capped);
	ok(!wider, "%d rates are larger with more bounds", wider);
	ok(!missed, "%d rates are less than the clock's", missed);
	return done();
}
