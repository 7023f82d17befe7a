/* Piecewise linear times; see curve.h for the method and its sources. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lower_bound.h"
#include "curve.h"
#include "error.h"
#include "sort.h"

/* The piece that holds for a size; the curve is not empty. */
static const struct tape_piece *find_piece(const struct tape_curve *c,
					   double bytes)
{
	size_t i;

	TAPE_LOWER_BOUND(i, (size_t)c->n, c->piece[i].from_bytes <= bytes);
	return &c->piece[i ? i - 1 : 0];
}

double tape_curve_at(const struct tape_curve *c, double bytes)
{
	const struct tape_piece *p;

	if (!c->n)
		return 0;
	p = find_piece(c, bytes);
	return fmax(p->ns + p->rate * bytes, 0);
}

double tape_curve_rate(const struct tape_curve *c, double bytes)
{
	return c->n ? find_piece(c, bytes)->rate : 0;
}

void tape_curve_add(struct tape_curve *c, double from_bytes, double ns,
		    double rate)
{
	const struct tape_piece *last = c->n ? &c->piece[c->n - 1] : NULL;

	if (c->n == TAPE_CURVE_PIECES)
		return;
	if (last && !(last->ns < ns) && !(last->ns > ns) &&
	    !(last->rate < rate) && !(last->rate > rate))
		return;
	c->piece[c->n++] = (struct tape_piece){ from_bytes, ns, rate };
}

/* ---- medians ---- */

/* Medians of a piece; the last piece also holds for all larger sizes. */
enum { LEAST = 2, LEAST_AT_LAST = 3 };

/*
 * Deviations from a line below this share are ignored; for short times, below
 * this share of short_ns: a clock is accurate to some 5 ns.
 */
static const double close_enough = 0.01, short_ns = 500;

static int compare_sizes(const void *a, const void *b)
{
	const struct tape_timing *x = a, *y = b;

	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int compare_times(const void *a, const void *b)
{
	const struct tape_timing *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static double size_class(double bytes)
{
	return bytes < 1 ? -1 : floor(4 * log2(bytes));
}

/*
 * The relative variance of the median of n samples, sorted by time: for the
 * normal distribution, pi / 2 of that of the mean, whose deviation is 1.4826
 * times the median distance from the median (Hampel, Journal of the American
 * Statistical Association 69, 1974, p. 383). Overwrites ns by that distance.
 */
static double median_variance(struct tape_timing *s, size_t n, double median)
{
	double share;

	for (size_t i = 0; i < n; i++)
		s[i].ns = fabs(s[i].ns - median);
	tape_sort(s, n, sizeof *s, compare_times);
	share = 1.4826 * s[n / 2].ns / fmax(median, short_ns);
	return M_PI_2 * share * share / (double)n;
}

/*
 * Reduces the samples in place to the median of each class of sizes. Returns
 * their number; *noise: the mean of their relative variances.
 */
static size_t reduce_to_medians(struct tape_timing *s, size_t n, double *noise)
{
	size_t m = 0, end;

	*noise = 0;
	tape_sort(s, n, sizeof *s, compare_sizes);
	for (size_t i = 0; i < n; i = end) {
		struct tape_timing point;

		for (end = i + 1; end < n && !(size_class(s[end].bytes) >
					       size_class(s[i].bytes)); end++)
			;
		point.bytes = s[i + (end - i) / 2].bytes;
		tape_sort(&s[i], end - i, sizeof *s, compare_times);
		point.ns = s[i + (end - i) / 2].ns;
		*noise += median_variance(&s[i], end - i, point.ns);
		s[m++] = point;
	}
	*noise /= (double)m;
	return m;
}

/* ---- one piece ---- */

static double point_weight(const struct tape_timing *s)
{
	double least = fmax(s->ns, short_ns);

	return 1 / (least * least);
}

/* The line through n points; *cost: the sum of its relative squares. */
static struct tape_piece fit_piece(const struct tape_timing *s, size_t n,
				   int is_first, double *cost)
{
	struct tape_piece p = { .from_bytes = is_first ? 0 : s->bytes };
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, origin = 0, up = 0;

	for (size_t i = 0; i < n; i++) {
		double wi = point_weight(&s[i]);

		w += wi;
		x += wi * s[i].bytes;
		y += wi * s[i].ns;
		origin += wi * s[i].bytes * s[i].bytes;
		up += wi * s[i].bytes * s[i].ns;
	}
	x /= w;
	y /= w;
	for (size_t i = 0; i < n; i++) {
		xx += point_weight(&s[i]) * (s[i].bytes - x) * (s[i].bytes - x);
		xy += point_weight(&s[i]) * (s[i].bytes - x) * (s[i].ns - y);
	}
	p.rate = xx > 0 ? fmax(xy / xx, 0) : 0;
	/* no rate from rounding errors */
	if (p.rate * (s[n - 1].bytes - s->bytes) < 1e-6)
		p.rate = 0;
	p.ns = y - p.rate * x;
	/* no time is negative where the piece begins */
	if (p.ns + p.rate * p.from_bytes < 0) {
		p.ns = 0;
		p.rate = up / origin;
	}
	*cost = 0;
	for (size_t i = 0; i < n; i++) {
		double off = s[i].ns - p.ns - p.rate * s[i].bytes;

		*cost += point_weight(&s[i]) * off * off;
	}
	return p;
}

/* ---- all of them ---- */

/*
 * best[k][j] is the least cost of k + 1 pieces through the first j points;
 * the last of them begins at point from[k][j].
 */
struct search {
	const struct tape_timing *s;
	size_t m, most;  /* points; pieces at most */
	double noise;    /* relative variance of a point */
	double *cost;    /* of one piece through the points i to j - 1 */
	double *best;
	size_t *from;
};

static size_t table_index(const struct search *q, size_t k, size_t j)
{
	return k * (q->m + 1) + j;
}

static void search_piece(struct search *q, size_t k, size_t j)
{
	size_t cell = table_index(q, k, j);
	size_t least = j == q->m ? LEAST_AT_LAST : LEAST;

	q->best[cell] = INFINITY;
	for (size_t i = k * LEAST; i + least <= j; i++) {
		double cost = q->best[table_index(q, k - 1, i)] +
			      q->cost[table_index(q, i, j)];

		if (cost < q->best[cell]) {
			q->best[cell] = cost;
			q->from[cell] = i;
		}
	}
}

/* The best number of pieces, by Schwarz's criterion. */
static size_t search_all(struct search *q)
{
	double m = (double)q->m, least = INFINITY;
	size_t pieces = 1;

	for (size_t i = 0; i < q->m; i++)
		for (size_t j = i + 1; j <= q->m; j++)
			fit_piece(&q->s[i], j - i, !i,
				  &q->cost[table_index(q, i, j)]);
	for (size_t k = 0; k < q->most; k++) {
		double off, score;

		for (size_t j = 1; j <= q->m; j++)
			if (k)
				search_piece(q, k, j);
			else
				q->best[table_index(q, 0, j)] =
				    q->cost[table_index(q, 0, j)];
		off = fmax(q->best[table_index(q, k, q->m)] / m,
			   fmax(close_enough * close_enough, q->noise));
		score = m * log(off) + 3 * (double)(k + 1) * log(m);
		if (score < least) {
			least = score;
			pieces = k + 1;
		}
	}
	return pieces;
}

/* Where piece b, through points from first on, begins after a. */
static double find_crossing(const struct tape_piece *a,
			    const struct tape_piece *b,
			    const struct tape_timing *first)
{
	double x = (a->ns - b->ns) / (b->rate - a->rate);

	return x >= first[-1].bytes && x <= first->bytes ? x : first->bytes;
}

static void build_curve(const struct search *q, size_t pieces,
			struct tape_curve *c)
{
	size_t first[TAPE_CURVE_PIECES + 1];
	double unused;

	first[pieces] = q->m;
	for (size_t k = pieces; k-- > 0;)
		first[k] = k ? q->from[table_index(q, k, first[k + 1])] : 0;
	c->n = 0;
	for (size_t k = 0; k < pieces; k++) {
		struct tape_piece p = fit_piece(
		    &q->s[first[k]], first[k + 1] - first[k], !k, &unused);

		if (k)
			p.from_bytes = ceil(find_crossing(&c->piece[c->n - 1],
							  &p, &q->s[first[k]]));
		tape_curve_add(c, p.from_bytes, p.ns, p.rate);
	}
}

int tape_curve_fit(struct tape_timing *s, size_t n, struct tape_curve *c)
{
	struct search q = { .s = s };
	int rc = 0;

	if (!n)
		return TAPE_EFEW;
	q.m = reduce_to_medians(s, n, &q.noise);
	q.most = q.m / LEAST ? q.m / LEAST : 1;
	if (q.most > TAPE_CURVE_PIECES)
		q.most = TAPE_CURVE_PIECES;
	q.cost = malloc((q.m + 1) * (q.m + 1) * sizeof *q.cost);
	q.best = malloc(q.most * (q.m + 1) * sizeof *q.best);
	q.from = calloc(q.most * (q.m + 1), sizeof *q.from);
	if (q.cost && q.best && q.from)
		build_curve(&q, search_all(&q), c);
	else
		rc = TAPE_ENOMEM;
	free(q.cost);
	free(q.best);
	free(q.from);
	return rc;
}
