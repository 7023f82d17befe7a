/*
 * Calls that grow: the bins against sums of the same calls, in any order and
 * merged of parts; the trend against that of calls of known length. Seed 3.
 */
#include <stdlib.h>
#include <string.h>

#include "call_growth.h"
#include "tap.h"

enum { CALLS = 402, ROUNDS = 300 };

static int64_t at[CALLS], took[CALLS];

/* Adds every step-th call from the first on, forwards or backwards. */
static void add_calls(struct call_growth *g, int first, int step, int backwards)
{
	for (int i = first; i < CALLS; i += step) {
		int k = backwards ? CALLS - 1 - i : i;

		call_growth_add(g, at[k], 1, took[k]);
	}
}

/* Returns the number of bins that do not have the sums of their calls. */
static int count_wrong_bins(const struct call_growth *g)
{
	int wrong = 0;

	for (int64_t b = g->first; b <= g->last; b++) {
		uint64_t calls = 0, ns = 0;

		for (int i = 0; i < CALLS; i++)
			if (at[i] >> g->shift == b) {
				calls++;
				ns += (uint64_t)took[i];
			}
		wrong += g->bin[b - g->first].calls != calls ||
			 g->bin[b - g->first].ns != ns;
	}
	return wrong;
}

static void test_sums(void)
{
	int wrong = 0, order = 0, merged = 0, wide = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct call_growth a = {0}, b = {0}, part[3] = {{0}}, m = {0};
		int64_t range = 1 + rand() % (1 << (1 + round % 30));

		for (int i = 0; i < CALLS; i++) {
			at[i] = rand() % range - range / 3;
			took[i] = rand() % 1000 - 20;
		}
		add_calls(&a, 0, 1, 0);
		add_calls(&b, 0, 1, 1);
		for (int k = 0; k < 3; k++)
			add_calls(&part[k], k, 3, k == 1);
		for (int k = 2; k >= 0; k--)
			call_growth_merge(&m, &part[k]);
		wrong += count_wrong_bins(&a);
		order += memcmp(&a, &b, sizeof a) != 0;
		merged += memcmp(&a, &m, sizeof a) != 0;
		/* no narrower bins would do */
		wide += a.shift && a.last - a.first < GROWTH_BINS / 2 - 1;
	}
	ok(!wrong, "each bin has the sums of its calls: %d have not", wrong);
	ok(!order, "the order does not matter: %d times it does", order);
	ok(!merged, "merged parts are the whole: %d are not", merged);
	ok(!wide, "bins are as narrow as can be: %d times not", wide);
}

/* Calls of 1000 ns and step more each time, one every 10 us. */
static int find_trend(int64_t step, struct call_trend *t)
{
	struct call_growth g = {0};

	for (int i = 0; i < CALLS; i++)
		call_growth_add(&g, i * 10000, 1, 1000 + i * step);
	return call_growth_find(&g, t);
}

static int is_near(double x, double truth)
{
	return x > 0.97 * truth && x < 1.03 * truth;
}

static void test_trend(void)
{
	struct call_growth g = {0};
	struct call_trend t;

	ok(find_trend(10, &t), "calls of 1 to 5 us grow");
	/* the first and the last quarter of them; the sum of 0 to 401 steps */
	ok(is_near(t.from_ns, 1500) && is_near(t.to_ns, 4510),
	   "from 1.50 to 4.51 us: %g to %g", t.from_ns, t.to_ns);
	ok(is_near(t.more_ns, 10 * 401 * 201 + CALLS * (1000 - t.from_ns)),
	   "and all took more: %g", t.more_ns);
	ok(!find_trend(0, &t), "calls of one length do not grow");
	ok(!find_trend(-2, &t), "nor those that become shorter");
	ok(!call_growth_find(&g, &t), "nor none");
	call_growth_add(&g, INT64_MIN, 1, INT64_MAX);
	call_growth_add(&g, INT64_MAX, 1, INT64_MAX);
	ok(g.last - g.first < GROWTH_BINS && !call_growth_find(&g, &t),
	   "the ends of time fit in");
}

int main(void)
{
	srand(3);
	test_sums();
	test_trend();
	return done();
}
