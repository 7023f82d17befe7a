/*
 * What something costs, of made-up pairs of loops whose truth is known: with
 * noise, with interrupts, and of a machine that has two states.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"
#include "tap.h"

static unsigned long long state = 20262;

static double any(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 33) / 2147483648.0;
}

/* About normal: the sum of twelve, less its mean. */
static double noise(double sigma)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += any();
	return sum * sigma;
}

/* Pairs of calls that cost so much; share of them while the core is shared. */
static void make(struct tape_pairs *p, double cost, double shared, double slow,
		 double sigma)
{
	memset(p, 0, sizeof *p);
	for (int k = 0; k < TAPE_PAIRS; k++) {
		double factor = any() < shared ? slow : 1;
		double bare = 1000 * factor + noise(sigma);

		p->without[k] = (float)bare;
		p->with[k] = (float)(1000 * factor + noise(sigma) +
				     TAPE_TIMES * cost * factor + 40);
		p->noted[k] = 40;
		p->independent[k] = (float)(440 * factor + noise(5));
	}
}

static void coverage(void)
{
	int held = 0, narrow = 0, n = 4000;
	struct tape_pairs p;
	struct tape_cost c;

	for (int i = 0; i < n; i++) {
		make(&p, 50, 0, 1, 60);
		c = tape_cost_of(&p);
		held += c.low <= 50 && 50 <= c.high;
		narrow += c.high - c.low < 4 * 60 / TAPE_TIMES;
	}
	ok(held >= 0.94 * n && held <= 0.995 * n,
	   "the interval holds the true cost in 95%%: %.1f%%",
	   100.0 * held / n);
	ok(narrow > 0.95 * n, "and is no wider than it has to be: %.1f%%",
	   100.0 * narrow / n);
}

static void interrupts(void)
{
	struct tape_pairs p;
	struct tape_cost c;

	make(&p, 50, 0, 1, 8);
	for (int k = 0; k < 4; k++)
		(k % 2 ? p.with : p.without)[5 * k] += 50000;
	c = tape_cost_of(&p);
	ok(fabs(c.usual - 50) < 3 && c.low < 50 && c.high > 50 && c.high < 60,
	   "four interrupts: %.1f within %.1f to %.1f", c.usual, c.low, c.high);
}

static void states(void)
{
	int both = 0, n = 1000, one = 0;
	struct tape_pairs p;
	struct tape_cost c;

	for (int i = 0; i < n; i++) {
		make(&p, 50, 0.5, 1.8, 8);
		c = tape_cost_of(&p);
		both += c.low <= 51 && c.high >= 89;
		make(&p, 50, 0.3, 1.8, 8);
		c = tape_cost_of(&p);
		one += fabs(c.usual - 50) < 3;
	}
	ok(both > 0.93 * n, "two states, as often: both are in the interval: "
	   "%d of %d", both, n);
	ok(one > 0.9 * n, "one of them seldom: the cost is the other's: %d of "
	   "%d", one, n);
}

static void steady(void)
{
	struct tape_pairs p;
	struct tape_cost c;

	make(&p, 50, 0, 1, 0);
	c = tape_cost_of(&p);
	ok(fabs(c.usual - 50) < 0.01 && fabs(c.low - 50) < 0.01 &&
		   fabs(c.high - 50) < 0.01,
	   "no noise: the interval is the cost");
	make(&p, 0, 0, 1, 0);
	for (int k = 0; k < TAPE_PAIRS; k++)
		p.with[k] -= 80;
	c = tape_cost_of(&p);
	ok(c.usual >= 0 && c.low >= 0 && c.least >= 0, "nothing costs less "
	   "than nothing");
}

int main(void)
{
	printf("# seed %llu\n", state);
	coverage();
	interrupts();
	states();
	steady();
	return done();
}
