/* Pairs of loops, with and without something; see pairs.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "assembler.h"
#include "pairs.h"
#include "ticks.h"

/* An unshared core's independent work takes less than so much of the least. */
#define ALONE 1.2f
/* A state is met by so many pairs at least. */
enum { FEWEST = 6 };

static double clamp_to_positive(double v)
{
	return v > 0 ? v : 0;
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

uint64_t tape_pairs_order(void)
{
	/* bits of the clock, spread (Steele and others 2014, splitmix64) */
	uint64_t x = tape_spread_bits(tape_tick());

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 31;
}

float tape_pace_chain(void)
{
	uint64_t t = tape_tick(), x = t;

	/* each step waits for the one before */
	for (int i = 0; i < 512; i++) {
		x = x * 3 + 1;
		TAPE_OPAQUE(x);
	}
	return (float)(tape_tick() - t);
}

float tape_pace_independent(void)
{
	uint64_t t = tape_tick(), a = t, b = t + 1, c = t + 2, d = t + 3;

	for (int i = 0; i < 128; i++) {
		a = a << 7 ^ a >> 9;
		b = b << 7 ^ b >> 9;
		c = c << 7 ^ c >> 9;
		d = d << 7 ^ d >> 9;
		TAPE_OPAQUE(a);
		TAPE_OPAQUE(b);
		TAPE_OPAQUE(c);
		TAPE_OPAQUE(d);
	}
	return (float)(tape_tick() - t);
}

static void sort_floats(float *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, compare_floats);
}

double tape_pace_median(float *pace)
{
	sort_floats(pace, TAPE_PAIRS);
	return (double)pace[TAPE_PAIRS / 2];
}

/*
 * How many of n values on each side are outside of the median's 95% interval:
 * the most for which the binomial distribution has no more than 2.5% so far.
 */
static int count_outside(int n)
{
	double p = 1, sum;
	int m = 0;

	for (int i = 0; i < n; i++)
		p /= 2;
	for (sum = p; (sum += p *= (double)(n - m) / (m + 1)) <= 0.025;)
		m++;
	return m;
}

static double clamp_value(double v, double low, double high)
{
	return v < low ? low : v > high ? high : v;
}

/* Widens the interval of c to that of the median of n differences. */
static void widen_interval(struct tape_cost *c, float *d, int n)
{
	int outside = count_outside(n);

	sort_floats(d, n);
	c->low =
	    fmin(c->low, clamp_to_positive((double)d[outside]) / TAPE_TIMES);
	c->high = fmax(c->high, clamp_to_positive((double)d[n - 1 - outside]) /
				    TAPE_TIMES);
}

/*
 * The interval of the median of all pairs d, and of those of each state that
 * enough pairs met: with a neighbour on the core, and without. Which state a
 * run will meet is not known, and no choice among them foretold the cost
 * better than all pairs together.
 */
static void set_cost_interval(struct tape_cost *c, const struct tape_pairs *p,
			      const float *d)
{
	float one[TAPE_PAIRS], other[TAPE_PAIRS], quick = p->independent[0];
	int n = 0, m = 0;

	for (int k = 1; k < TAPE_PAIRS; k++)
		quick = fminf(quick, p->independent[k]);
	memcpy(one, d, sizeof one);
	widen_interval(c, one, TAPE_PAIRS);
	for (int k = 0; k < TAPE_PAIRS; k++)
		if (p->independent[k] < ALONE * quick)
			one[n++] = d[k];
		else
			other[m++] = d[k];
	if (n < FEWEST || m < FEWEST)
		return;
	widen_interval(c, one, n);
	widen_interval(c, other, m);
}

struct tape_cost tape_cost_of(struct tape_pairs *p)
{
	float d[TAPE_PAIRS], sorted[TAPE_PAIRS], without;
	struct tape_cost c;

	for (int k = 0; k < TAPE_PAIRS; k++)
		d[k] = p->with[k] - p->noted[k] - p->without[k];
	memcpy(sorted, d, sizeof d);
	sort_floats(sorted, TAPE_PAIRS);
	sort_floats(p->with, TAPE_PAIRS);
	sort_floats(p->without, TAPE_PAIRS);
	sort_floats(p->noted, TAPE_PAIRS);
	without = p->without[0] + p->noted[0];
	c.least = clamp_to_positive(p->with[0] - without) / TAPE_TIMES;
	c.slow =
	    clamp_to_positive(p->with[TAPE_PAIRS - 2] - without) / TAPE_TIMES;
	c.usual =
	    clamp_value(sorted[TAPE_PAIRS / 2] / TAPE_TIMES, c.least, c.slow);
	c.low = c.high = c.usual;
	set_cost_interval(&c, p, d);
	return c;
}
