/* Quantile regression of a line; see quantile.h for the sources. */
#include <math.h>
#include <stdlib.h>

#include "quantile.h"
#include "sort.h"

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double tape_quantile(double *v, size_t n, double q)
{
	double at;
	size_t i;

	if (!n)
		return NAN;
	tape_sort(v, n, sizeof *v, compare_values);
	at = q * (double)(n - 1);
	i = (size_t)at;
	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[i];
}

static int compare_keys(const void *a, const void *b)
{
	const struct tape_quantile_point *p = a, *r = b;

	return (p->key > r->key) - (p->key < r->key);
}

/* Sorts by key; returns the first point where the sum of mass reaches mass. */
static const struct tape_quantile_point *
at_mass(struct tape_quantile_point *p, size_t n, double mass)
{
	double sum = 0;
	size_t i;

	tape_sort(p, n, sizeof *p, compare_keys);
	for (i = 0; i < n - 1; i++) {
		sum += p[i].mass;
		/* up to rounding of the sum */
		if (sum >= mass * (1 - 1e-12))
			break;
	}
	return &p[i];
}

double tape_quantile_height(struct tape_quantile_point *p, size_t n, double q,
			    double rate)
{
	double all = 0;

	for (size_t i = 0; i < n; i++) {
		p[i].key = p[i].y - rate * p[i].x;
		p[i].mass = p[i].weight;
		all += p[i].weight;
	}
	return at_mass(p, n, q * all)->key;
}

struct line {
	double a, b, loss;
};

double tape_quantile_loss(const struct tape_quantile_point *p, size_t n,
			  double q, double a, double b, double most)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double e = fmin(p[i].y - a - b * p[i].x, most);

		sum += p[i].weight * (e > 0 ? q * e : (q - 1) * e);
	}
	return sum;
}

/*
 * The best line through (x, y). As it turns from falling to rising, the loss
 * falls by q |dx| for points to the right and (1 - q) |dx| to the left, until
 * it meets them; from then on it rises by the rest of |dx|.
 */
static struct line best_line_through(struct tape_quantile_point *p, size_t n,
				     double q, double x, double y)
{
	double falls = 0;
	size_t apart = 0;
	struct line l;

	for (size_t i = 0; i < n; i++) {
		double dx = p[i].x - x;

		p[i].mass = p[i].weight * fabs(dx);
		p[i].key = dx != 0 ? (p[i].y - y) / dx : INFINITY;
		falls += p[i].mass * (dx > 0 ? q : 1 - q);
		apart += dx != 0;
	}
	l.b = apart ? at_mass(p, n, falls)->key : 0;
	l.a = y - l.b * x;
	l.loss = tape_quantile_loss(p, n, q, l.a, l.b, INFINITY);
	return l;
}

/*
 * Improves l by turning it around one of its points; returns 0 if l is the best
 * line. With more than two points on l, some of them may give no improvement.
 */
static int improve_line(struct tape_quantile_point *p, size_t n, double q,
			struct line *l)
{
	enum { CORNERS = 64 };
	double x[CORNERS], y[CORNERS];
	size_t on = 0;

	for (size_t i = 0; i < n && on < CORNERS; i++) {
		double at = l->a + l->b * p[i].x;
		int known = 0;

		if (fabs(p[i].y - at) > 1e-9 * (fabs(p[i].y) + fabs(l->a)))
			continue;
		for (size_t k = 0; k < on; k++)
			known |= x[k] == p[i].x;
		if (known)
			continue;
		x[on] = p[i].x;
		y[on++] = p[i].y;
	}
	for (size_t k = 0; l->loss > 0 && k < on; k++) {
		struct line other = best_line_through(p, n, q, x[k], y[k]);

		if (other.loss < l->loss * (1 - 1e-12)) {
			*l = other;
			return 1;
		}
	}
	return 0;
}

void tape_quantile_line(struct tape_quantile_point *p, size_t n, double q,
			double *a, double *b)
{
	struct line l = { 0 };
	double low = p->x, high = p->x;

	for (size_t i = 1; i < n; i++) {
		low = fmin(low, p[i].x);
		high = fmax(high, p[i].x);
	}
	l.a = tape_quantile_height(p, n, q, 0);
	l.loss = tape_quantile_loss(p, n, q, l.a, 0, INFINITY);
	while (low < high && improve_line(p, n, q, &l))
		;
	*a = l.a;
	*b = l.b;
}
