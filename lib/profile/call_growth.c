/* Calls that take longer and longer; see call_growth.h. */
#include <string.h>

#include "call_growth.h"

enum { QUARTERS = 4, LEAST_CALLS = 4 };

/* Makes each bin twice as wide. */
static void widen_bins(struct call_growth *g)
{
	struct call_growth wide = {.first = g->first >> 1,
				   .last = g->last >> 1,
				   .shift = g->shift + 1,
				   .used = 1};

	for (int64_t i = g->first; i <= g->last; i++) {
		wide.bin[(i >> 1) - wide.first].calls +=
		    g->bin[i - g->first].calls;
		wide.bin[(i >> 1) - wide.first].ns += g->bin[i - g->first].ns;
	}
	*g = wide;
}

static int64_t least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Widens bins until there is one for at_ns. Returns its number, from 0. */
static int64_t find_bin(struct call_growth *g, int64_t at_ns)
{
	int64_t at = at_ns >> g->shift, first;

	if (!g->used)
		g->first = g->last = at;
	g->used = 1;
	while ((uint64_t)most_of(g->last, at) -
		   (uint64_t)least_of(g->first, at) >=
	       GROWTH_BINS) {
		widen_bins(g);
		at >>= 1;
	}
	first = least_of(g->first, at);
	if (first < g->first) {
		size_t by = (size_t)(g->first - first);

		memmove(g->bin + by, g->bin,
			(GROWTH_BINS - by) * sizeof *g->bin);
		memset(g->bin, 0, by * sizeof *g->bin);
		g->first = first;
	}
	g->last = most_of(g->last, at);
	return at - first;
}

void call_growth_add(struct call_growth *g, int64_t at_ns, uint64_t calls,
		     int64_t ns)
{
	int64_t i = find_bin(g, at_ns);

	g->bin[i].calls += calls;
	g->bin[i].ns += (uint64_t)ns;
}

void call_growth_merge(struct call_growth *g, const struct call_growth *other)
{
	struct call_growth x = *other;
	int64_t i;

	if (!x.used)
		return;
	while (g->used && x.shift < g->shift)
		widen_bins(&x);
	while (g->shift < x.shift && g->used)
		widen_bins(g);
	g->shift = x.shift > g->shift ? x.shift : g->shift;
	for (int64_t k = x.first; k <= x.last; k++) {
		/* g may have become wider meanwhile */
		i = find_bin(g, (int64_t)((uint64_t)k << x.shift));
		g->bin[i].calls += x.bin[k - x.first].calls;
		g->bin[i].ns += x.bin[k - x.first].ns;
	}
}

int call_growth_find(const struct call_growth *g, struct call_trend *t)
{
	double calls[QUARTERS] = {0}, ns[QUARTERS] = {0}, all = 0, n = 0;
	int64_t bins = g->last - g->first + 1;

	if (!g->used || bins < QUARTERS)
		return 0;
	for (int64_t i = 0; i < bins; i++) {
		calls[i * QUARTERS / bins] += (double)g->bin[i].calls;
		ns[i * QUARTERS / bins] += (double)(int64_t)g->bin[i].ns;
	}
	for (int q = 0; q < QUARTERS; q++) {
		if (calls[q] < LEAST_CALLS || ns[q] <= 0)
			return 0;
		if (q && ns[q] / calls[q] < 0.95 * (ns[q - 1] / calls[q - 1]))
			return 0;
		all += ns[q];
		n += calls[q];
	}
	*t = (struct call_trend){ns[0] / calls[0],
				 ns[QUARTERS - 1] / calls[QUARTERS - 1], 0};
	t->more_ns = all - n * t->from_ns;
	return t->to_ns >= 1.5 * t->from_ns;
}
