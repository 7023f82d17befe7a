/* The cost of an event in the program; in_situ_fit.h has the source. */
#include <math.h>
#include <stdlib.h>

#include "hash_bits.h"
#include "in_situ_fit.h"
#include "sort.h"

double tape_in_situ_skip(const struct tape_in_situ_group *g)
{
	double n = g->n_skipped, m = g->n_repeated;

	/* ignores c / 2 (1 / m - 1 / n), which is negligible */
	return (g->repeated / m - g->skipped / n) /
	       ((g->steps - 1) / m - (n - 1) / n);
}

double tape_in_situ_cost(const struct tape_in_situ_group *g, double skip)
{
	double n = g->n_skipped;
	double longer = g->kept / g->n_kept - g->skipped / n;

	return (longer + skip * (1 - 1 / n)) / (1 - 0.5 / n);
}

void tape_in_situ_add(struct tape_in_situ *s, double cost)
{
	uint64_t at = s->n++;

	if (at >= TAPE_IN_SITU_SAMPLES)
		at = tape_next_random(&s->random) % s->n;
	if (at < TAPE_IN_SITU_SAMPLES)
		s->sample[at] = (float)cost;
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

int tape_in_situ_fit(struct tape_in_situ *s, struct tape_in_situ_fit *f)
{
	int n = s->n < TAPE_IN_SITU_SAMPLES ? (int)s->n : TAPE_IN_SITU_SAMPLES;
	int cut = n / 10, left = n - 2 * cut;
	double sum = 0, mean, square = 0;

	if (n < TAPE_IN_SITU_LEAST)
		return 0;
	tape_sort(s->sample, (size_t)n, sizeof *s->sample, compare_floats);
	for (int i = 0; i < n; i++) {
		int k = i < cut ? cut : i >= n - cut ? n - 1 - cut : i;

		sum += s->sample[k];
	}
	mean = sum / n;
	sum = 0;
	for (int i = 0; i < n; i++) {
		int k = i < cut ? cut : i >= n - cut ? n - 1 - cut : i;

		square += (s->sample[k] - mean) * (s->sample[k] - mean);
		if (k == i)
			sum += s->sample[i];
	}
	f->n = s->n;
	f->cost = sum / left;
	f->error = sqrt(square / (n - 1)) * sqrt(n) / left;
	return 1;
}
