/* What an event costs where it stands; see in_situ_fit.h. */
#include <math.h>
#include <stdlib.h>

#include "in_situ_fit.h"

double tape_in_situ_cost(const struct tape_in_situ_pair *p)
{
	double n = p->n_skipped;
	double longer = p->kept / p->n_kept - p->skipped / n;

	return (longer + p->skip * (1 - 1 / n)) / (1 - 0.5 / n);
}

/* Pseudo-random bits (Steele and others 2014, splitmix64). */
static uint64_t draw(struct tape_in_situ *s)
{
	uint64_t x = s->random += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void tape_in_situ_add(struct tape_in_situ *s, double cost)
{
	uint64_t at = s->n++;

	if (at >= TAPE_IN_SITU_SAMPLES)
		at = draw(s) % s->n;
	if (at < TAPE_IN_SITU_SAMPLES)
		s->sample[at] = (float)cost;
}

static int ascending(const void *a, const void *b)
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
	qsort(s->sample, (size_t)n, sizeof *s->sample, ascending);
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
