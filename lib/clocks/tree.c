/*
 * The tree of clocks: rounds sorted by pairs of clocks, and a fit for each pair
 * from the reference outwards. See clocks.h.
 */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "clocks.h"
#include "sort.h"
#include "tool.h"

/* One of the two directions of a pair. */
struct link {
	uint32_t from, to;
	size_t pair;
};

void *clocks_alloc(size_t n, size_t size)
{
	return tape_must(calloc(n + 1, size));
}

static uint32_t lower_clock(const struct tape_sample *s)
{
	return s->by < s->domain ? s->by : s->domain;
}

static uint32_t higher_clock(const struct tape_sample *s)
{
	return s->by < s->domain ? s->domain : s->by;
}

static int compare_samples(const void *a, const void *b, void *samples)
{
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const struct tape_sample *s = samples, *p = &s[i], *q = &s[j];

	if (lower_clock(p) != lower_clock(q))
		return lower_clock(p) < lower_clock(q) ? -1 : 1;
	if (higher_clock(p) != higher_clock(q))
		return higher_clock(p) < higher_clock(q) ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* Rounds in either direction belong to one pair. */
static void find_pairs(struct clocks *k)
{
	size_t n, used = 0;
	const struct tape_sample *s = tape_trace_samples(k->t, &n);

	k->round = clocks_alloc(n, sizeof *k->round);
	k->pair = clocks_alloc(n, sizeof *k->pair);
	for (size_t i = 0; i < n; i++)
		if (s[i].by != s[i].domain)
			k->round[used++] = i;
	qsort_r(k->round, used, sizeof *k->round, compare_samples, (void *)s);
	for (size_t i = 0; i < used; i++) {
		const struct tape_sample *x = &s[k->round[i]];
		struct clock_pair *p = k->pair + k->n_pairs;

		if (!k->n_pairs || p[-1].a != lower_clock(x) ||
		    p[-1].b != higher_clock(x)) {
			*p = (struct clock_pair){lower_clock(x),
						 higher_clock(x), i, 0};
			k->n_pairs++;
		}
		k->pair[k->n_pairs - 1].n++;
	}
}

static int compare_clock_pairs(const void *a, const void *b)
{
	const struct clock_pair *p = a, *q = b;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

const struct clock_pair *clocks_pair(const struct clocks *k, uint32_t a,
				     uint32_t b)
{
	struct clock_pair key = { a < b ? a : b, a < b ? b : a, 0, 0 };

	return tape_search(&key, k->pair, k->n_pairs, sizeof key,
			   compare_clock_pairs);
}

/*
 * A round in the other direction has the same two messages with exchanged
 * roles: its bounds, middle and round-trip time are as exact.
 */
struct tape_clock_round clocks_round(const struct clocks *k,
				     const struct clock_pair *p, size_t i,
				     uint32_t by, uint32_t of)
{
	size_t n;
	const struct tape_sample *s =
		&tape_trace_samples(k->t, &n)[k->round[p->first + i]];
	const struct clock *x = &k->c[by], *y = &k->c[of];

	/* a clock shows a reading for a grain: the reading at a receive may be
	 * a grain too early, and bounds allow for that */
	if (s->by == by)
		return (struct tape_clock_round){
			clock_ticks(x, s->s_ref),
			clock_ticks(y, s->r_j) + y->grain_ns,
			clock_ticks(y, s->s_j),
			clock_ticks(x, s->r_ref) + x->grain_ns, s->after };
	return (struct tape_clock_round){
		clock_ticks(x, s->s_j), clock_ticks(y, s->r_ref) + y->grain_ns,
		clock_ticks(y, s->s_ref), clock_ticks(x, s->r_j) + x->grain_ns,
		s->after };
}

/* Fits clock of relative to by. Returns 0 if the rounds give no fit: it stays
 * unplaced. */
static int fit_clock(struct clocks *k, const struct clock_pair *p, uint32_t by,
		     uint32_t of)
{
	struct tape_clock_round *r = clocks_alloc(p->n, sizeof *r);
	double *trip = clocks_alloc(p->n, sizeof *trip);
	struct clock *c = &k->c[of];
	unsigned source = 0;

	for (size_t i = 0; i < p->n; i++) {
		r[i] = clocks_round(k, p, i, by, of);
		trip[i] = (r[i].r_ref - r[i].s_ref) - (r[i].s_j - r[i].r_j);
		source |= r[i].after ? CLOCK_AFTER : CLOCK_BEFORE;
	}
	c->fitted = !tape_clock_fit(r, p->n, &c->fit);
	if (c->fitted) {
		c->status = CLOCK_PLACED;
		c->by = by;
		c->source = source;
		c->rounds = p->n;
		gsl_sort(trip, 1, p->n);
		c->median_trip_ns = gsl_stats_median_from_sorted_data(trip, 1,
								      p->n);
	}
	free(trip);
	free(r);
	return c->fitted;
}

static int compare_links(const void *a, const void *b)
{
	const struct link *p = a, *q = b;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

/* Breadth-first from the reference. */
static void find_tree(struct clocks *k)
{
	size_t n = 2 * k->n_pairs;
	struct link *l = clocks_alloc(n, sizeof *l);
	size_t *first = clocks_alloc(k->n + 1, sizeof *first);

	for (size_t i = 0; i < k->n_pairs; i++) {
		l[2 * i] = (struct link){ k->pair[i].a, k->pair[i].b, i };
		l[2 * i + 1] = (struct link){ k->pair[i].b, k->pair[i].a, i };
	}
	tape_sort(l, n, sizeof *l, compare_links);
	for (size_t i = 0, d = 0; d <= k->n; d++) {
		while (i < n && l[i].from < d)
			i++;
		first[d] = i;
	}
	for (size_t q = 0; q < k->n_order; q++) {
		uint32_t at = k->order[q];

		for (size_t i = first[at]; i < first[at + 1]; i++)
			if (k->c[l[i].to].status == CLOCK_UNPLACED &&
			    fit_clock(k, &k->pair[l[i].pair], at, l[i].to))
				k->order[k->n_order++] = l[i].to;
	}
	free(first);
	free(l);
}

/* Fewer readings may have a common divisor by chance. */
enum { GRAIN_READINGS = 40 };

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Finds clocks that count in steps of many ticks: the greatest common divisor
 * of the distances of all readings.
 */
static void find_grains(struct clocks *k)
{
	size_t n;
	const struct tape_sample *s = tape_trace_samples(k->t, &n);
	uint64_t *step = clocks_alloc(k->n, sizeof *step);

	for (size_t i = 0; i < n; i++) {
		uint64_t from = k->c[s[i].by].origin;
		uint64_t to = k->c[s[i].domain].origin;
		uint64_t *by = &step[s[i].by], *of = &step[s[i].domain];

		*by = greatest_divisor(
		    greatest_divisor(s[i].s_ref - from, s[i].r_ref - from),
		    *by);
		*of = greatest_divisor(
		    greatest_divisor(s[i].r_j - to, s[i].s_j - to), *of);
	}
	for (size_t i = 0; i < n; i++)
		k->c[s[i].by].rounds++, k->c[s[i].domain].rounds++;
	for (size_t i = 0; i < k->n; i++) {
		struct clock *c = &k->c[i];

		if (2 * c->rounds >= GRAIN_READINGS && step[i] > 1)
			c->grain_ns = (double)step[i] * c->rate;
		c->rounds = 0;
	}
	free(step);
}

/* The first tick that was sampled of each clock becomes its origin. */
static void set_origins(struct clocks *k)
{
	size_t n;
	const struct tape_sample *s = tape_trace_samples(k->t, &n);
	unsigned char *seen = clocks_alloc(k->n, 1);

	for (size_t i = 0; i < k->n; i++) {
		struct clock *c = &k->c[i];

		c->info = tape_trace_domain(k->t, (uint32_t)i);
		c->rate = tape_trace_tick_ns(k->t, (uint32_t)i);
		c->origin = c->info->first.tick;
		c->by = (uint32_t)i;
		c->first_ns = INFINITY;
		c->last_ns = -INFINITY;
	}
	for (size_t i = 0; i < n; i++) {
		if (!seen[s[i].by]++)
			k->c[s[i].by].origin = s[i].s_ref;
		if (!seen[s[i].domain]++)
			k->c[s[i].domain].origin = s[i].r_j;
		seen[s[i].by] = seen[s[i].domain] = 1;
	}
	for (size_t i = 0; i < k->n; i++)
		k->c[i].origin_ns = tape_trace_date(k->t, (uint32_t)i,
						    k->c[i].origin);
	free(seen);
}

void clocks_open(struct clocks *k, const struct tape_trace *t)
{
	*k = (struct clocks){ .t = t, .n = tape_trace_domains(t) };
	k->c = clocks_alloc(k->n, sizeof *k->c);
	k->order = clocks_alloc(k->n, sizeof *k->order);
	set_origins(k);
	find_grains(k);
	k->c[0].status = CLOCK_REFERENCE;
	k->order[k->n_order++] = 0;
	find_pairs(k);
	find_tree(k);
}

void clocks_close(struct clocks *k)
{
	for (size_t i = 0; i < k->n; i++)
		tape_clock_track_free(&k->c[i].track);
	free(k->c);
	free(k->order);
	free(k->pair);
	free(k->round);
}
