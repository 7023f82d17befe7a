/* Sums in bins; see bins.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"

/* Bins: at most MOST in total, at least MIN of each flow and kind. */
enum { MOST = 1 << 23, MIN = 64 };

void view_bins_open(struct view_bins *b, size_t flows, size_t kinds,
		    size_t fine)
{
	size_t n = fine;

	while (n > MIN && n * kinds * flows > MOST)
		n /= 2;
	*b = (struct view_bins){ flows, kinds, n, 8, NULL };
	b->sum = view_alloc(flows * n * kinds, sizeof *b->sum);
}

void view_bins_free(struct view_bins *b)
{
	free(b->sum);
	b->sum = NULL;
}

static void double_bin_width(struct view_bins *b)
{
	float *v = b->sum;

	for (size_t i = 0; i < b->flows * b->kinds; i++, v += b->n) {
		for (size_t j = 0; j < b->n / 2; j++)
			v[j] = v[2 * j] + v[2 * j + 1];
		memset(v + b->n / 2, 0, b->n / 2 * sizeof *v);
	}
	b->shift++;
}

void view_bins_spread(struct view_bins *b, size_t flow, size_t kind,
		      int64_t start_ns, int64_t end_ns, double amount)
{
	float *v = b->sum + (flow * b->kinds + kind) * b->n;
	uint64_t start = start_ns < 0 ? 0 : (uint64_t)start_ns;
	uint64_t end = end_ns < 0 ? 0 : (uint64_t)end_ns;
	size_t i, last;
	double per;

	if (end < start)
		return;
	while (end >> b->shift >= b->n)
		double_bin_width(b);
	i = start >> b->shift;
	last = end >> b->shift;
	if (i == last) {
		v[i] += (float)amount;
		return;
	}
	per = amount / (double)(end - start);
	v[i] += (float)(per * (double)(((uint64_t)(i + 1) << b->shift) -
				       start));
	while (++i < last)
		v[i] += (float)(per * (double)((uint64_t)1 << b->shift));
	v[last] += (float)(per * (double)(end - ((uint64_t)last << b->shift)));
}

void view_bins_add_time(struct view_bins *b, size_t flow, enum view_group g,
			int64_t start_ns, int64_t end_ns)
{
	/* a call without duration must be visible */
	if (g != VIEW_COMPUTING)
		view_bins_spread(b, flow, (size_t)g - 1, start_ns, end_ns,
				 fmax((double)(end_ns - start_ns), 1e-3));
}

size_t view_bins_used(const struct view_bins *b, int64_t length_ns)
{
	size_t used = ((uint64_t)length_ns >> b->shift) + 1;

	return used < b->n ? used : b->n;
}

void view_bins_write(const struct view_bins *b, size_t used,
		     struct view_column *s)
{
	double width = ldexp(1, (int)b->shift);
	const float *v = b->sum;

	view_column_reserve(s, b->flows * b->kinds * used);
	for (size_t i = 0; i < b->flows * b->kinds; i++, v += b->n)
		for (size_t j = 0; j < used; j++)
			s->p[s->n++] = (unsigned char)fmin(
				ceil(255 * (double)v[j] / width), 255);
}
