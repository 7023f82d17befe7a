/* Shares of time in bins; see bins.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"

/* Of all flows and kinds together at most MOST, of one flow MAX. */
enum { MOST = 1 << 23, MAX = 4096, MIN = 64, KINDS = VIEW_WAITING };

void view_bins_open(struct view_bins *b, size_t flows)
{
	size_t n = MAX;

	while (n > MIN && n * KINDS * flows > MOST)
		n /= 2;
	*b = (struct view_bins){ .flows = flows, .n = n, .shift = 8 };
	b->ns = view_alloc(flows * n * KINDS, sizeof *b->ns);
}

void view_bins_free(struct view_bins *b)
{
	free(b->ns);
	b->ns = NULL;
}

static void widen(struct view_bins *b)
{
	float *v = b->ns;

	for (size_t i = 0; i < b->flows * KINDS; i++, v += b->n) {
		for (size_t j = 0; j < b->n / 2; j++)
			v[j] = v[2 * j] + v[2 * j + 1];
		memset(v + b->n / 2, 0, b->n / 2 * sizeof *v);
	}
	b->shift++;
}

void view_bins_add(struct view_bins *b, size_t flow, enum view_group g,
		   int64_t start_ns, int64_t end_ns)
{
	float *v = b->ns + (flow * KINDS + (size_t)g - 1) * b->n;
	uint64_t start = start_ns < 0 ? 0 : (uint64_t)start_ns;
	uint64_t end = end_ns < 0 ? 0 : (uint64_t)end_ns;
	size_t i, last;

	if (g == VIEW_COMPUTING || end < start)
		return;
	while (end >> b->shift >= b->n)
		widen(b);
	i = start >> b->shift;
	last = end >> b->shift;
	if (i == last) {
		/* a call of no length is still to be seen */
		v[i] += end > start ? (float)(end - start) : 1e-3f;
		return;
	}
	v[i] += (float)(((uint64_t)(i + 1) << b->shift) - start);
	while (++i < last)
		v[i] += (float)((uint64_t)1 << b->shift);
	v[last] += (float)(end - ((uint64_t)last << b->shift));
}

size_t view_bins_used(const struct view_bins *b, int64_t length_ns)
{
	size_t used = ((uint64_t)length_ns >> b->shift) + 1;

	return used < b->n ? used : b->n;
}

void view_bins_write(const struct view_bins *b, size_t used,
		     struct view_stream *s)
{
	double width = ldexp(1, (int)b->shift);
	const float *v = b->ns;

	view_stream_room(s, b->flows * KINDS * used);
	for (size_t i = 0; i < b->flows * KINDS; i++, v += b->n)
		for (size_t j = 0; j < used; j++)
			s->p[s->n++] = (unsigned char)fmin(
				ceil(255 * (double)v[j] / width), 255);
}
