/*
 * Messages that bound clocks, more of them than are kept: two neighbouring
 * stretches of time become one, and of both the message that says most stays.
 * And in whatever order they come, and through how many hands, the same stay.
 */
#include <stdlib.h>
#include <string.h>

#include "message_bounds.h"
#include "tap.h"

enum { KEPT = 1 << 20, MORE = 1001, ALL = KEPT + MORE };

static unsigned long long state = 20261;
static double slack[ALL];

/* Message i of the way to clock 1, a ns after the one before it. */
static void add(struct bounds *b, int i)
{
	slack[i] = (double)(1 + (state >> 33) % 1000);
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	bounds_add(b, 0, i - slack[i], 1, i);
}

/* How many of the kept are not the best of each two, as they were sent. */
static size_t count_wrong_bounds(const struct bounds_pair *w, int n)
{
	size_t bad = w->n != (size_t)(n + 1) / 2;

	for (int i = 0, j = 0; i < n && !bad; i += 2, j++) {
		int k = i + (i + 1 < n && slack[i + 1] < slack[i]);

		bad += w->kept[j].received != k ||
		       w->kept[j].slack != slack[k] ||
		       (j && w->kept[j].bin != w->kept[j - 1].bin + 1);
	}
	return bad;
}

/* Dealt out to others, and put together. */
static struct bounds *dealt(const struct clocks *k)
{
	enum { HANDS = 3 };
	struct bounds *b = bounds_new(k), *other;

	for (int hand = HANDS; hand--;) {
		const struct bounds_pair *w;
		struct bounds_message *m;
		size_t n, half;

		other = bounds_new(k);
		for (int i = 0; i < ALL; i++)
			if ((int)slack[i] % HANDS == hand)
				bounds_add(other, 0, i - slack[i], 1, i);
		if (!hand)
			bounds_add(other, 1, 100, 0, 700);
		w = bounds_pairs(other, &n);
		for (size_t i = 0; i < n; i++) {
			struct bounds_pair rest = {.from = w[i].from,
						   .to = w[i].to};

			half = w[i].n / 2;
			m = malloc((w[i].n + 1) * sizeof *m);
			memcpy(m, w[i].kept, w[i].n * sizeof *m);
			bounds_merge(b, bounds_doublings(other), &w[i], m,
				     half);
			bounds_merge(b, bounds_doublings(other), &rest,
				     m + half, w[i].n - half);
			free(m);
		}
		bounds_free(other);
	}
	return b;
}

/* Have both kept the same? */
static int are_same(struct bounds *a, struct bounds *b)
{
	size_t n, k;
	const struct bounds_pair *v = bounds_pairs(a, &n);
	const struct bounds_pair *w = bounds_pairs(b, &k);

	if (n != k || bounds_doublings(a) != bounds_doublings(b))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (v[i].n != w[i].n || v[i].messages != w[i].messages)
			return 0;
		for (size_t j = 0; j < v[i].n; j++)
			if (v[i].kept[j].received != w[i].kept[j].received ||
			    v[i].kept[j].bin != w[i].kept[j].bin)
				return 0;
	}
	return 1;
}

int main(void)
{
	struct clock c[2] = { { .status = CLOCK_REFERENCE },
			      { .status = CLOCK_PLACED } };
	/* as many stretches as there are at first, of 1 ns */
	struct clocks k = { .c = c, .n = 2, .from_ns = 0, .to_ns = 1 << 24 };
	struct bounds *b = bounds_new(&k), *together;
	const struct bounds_pair *w;
	size_t n;

	printf("# seed %llu\n", state);
	for (int i = 0; i < KEPT - 1; i++)
		add(b, i);
	bounds_add(b, 1, 100, 0, 700);
	w = bounds_pairs(b, &n);
	ok(n == 2 && w[0].n == KEPT - 1 && w[1].n == 1,
	   "%d messages are all kept", KEPT);
	for (int i = KEPT - 1; i < ALL; i++)
		add(b, i);
	w = bounds_pairs(b, &n);
	ok(!count_wrong_bounds(&w[0], ALL),
	   "%d more: the best of each two, %zu kept", MORE, w[0].n);
	ok(w[1].n == 1 && w[1].kept[0].received == 700,
	   "what has no neighbour stays");
	ok(w[0].messages == ALL && !bounds_refuted(b), "all are counted");
	together = dealt(&k);
	ok(are_same(b, together), "the same from several hands");
	bounds_free(together);
	bounds_free(b);
	return done();
}
