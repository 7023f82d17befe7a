/*
 * Clocks whose lines messages contradict. A message that arrives too early by
 * two tracks shows that one of them is wrong, not which. The clock with most
 * such partners is taken as wrong, then the next one of the remaining pairs (a
 * vertex cover, by the greedy rule).
 */
#include <math.h>
#include <stdlib.h>

#include "linearity_test.h"

/* Violations up to this are rounding, ns. */
static const double rounding = 1;

/* Returns 1 if a message is early even at the far ends of both intervals. */
static int is_refuting(const struct clocks *k, const struct bounds_pair *w,
		       const struct bounds_message *m)
{
	double lo[2], hi[2];
	double to = clock_instant(&k->c[w->to].track, m->received, &lo[0],
				  &hi[0]);
	double from = clock_instant(&k->c[w->from].track, m->sent, &lo[1],
				    &hi[1]);

	return to + hi[0] < from + lo[1] - rounding;
}

static int is_placed(const struct clocks *k, uint32_t i)
{
	return k->c[i].status != CLOCK_UNPLACED;
}

static uint64_t count_refuting(const struct clocks *k,
			       const struct bounds_pair *w)
{
	uint64_t n = 0;

	if (is_placed(k, w->from) && is_placed(k, w->to))
		for (size_t j = 0; j < w->n; j++)
			n += is_refuting(k, w, &w->kept[j]) != 0;
	return n;
}

/* The clock with most partners that it contradicts; 0: there is none. */
static uint32_t most_contradicted(const struct clocks *k,
				  const struct bounds_pair *way,
				  const uint64_t *n, size_t n_ways,
				  const unsigned char *nonlinear,
				  size_t *partners)
{
	uint32_t best = 0;

	for (size_t i = 0; i < k->n; i++)
		partners[i] = 0;
	for (size_t i = 0; i < n_ways; i++) {
		const struct bounds_pair *w = &way[i];

		if (!n[i] || nonlinear[w->from] || nonlinear[w->to])
			continue;
		/* the reference is right by definition */
		partners[w->from] += w->to ? 1 : k->n;
		partners[w->to] += w->from ? 1 : k->n;
	}
	for (size_t i = 1; i < k->n; i++)
		if (partners[i] > (best ? partners[best] : 0))
			best = (uint32_t)i;
	return best;
}

uint64_t linearity_test(const struct clocks *k, const struct bounds_pair *way,
			size_t n_ways, unsigned char *nonlinear)
{
	uint64_t *n = clocks_alloc(n_ways, sizeof *n), sum = 0;
	size_t *partners = clocks_alloc(k->n, sizeof *partners);
	uint32_t i;

	for (size_t w = 0; w < n_ways; w++)
		sum += n[w] = count_refuting(k, &way[w]);
	while ((i = most_contradicted(k, way, n, n_ways, nonlinear, partners)))
		nonlinear[i] = 1;
	free(partners);
	free(n);
	return sum;
}
