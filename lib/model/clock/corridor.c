/* The widest corridor between bounds; doc/clocks-run.md, "Windows". */
#include <math.h>

#include "clock.h"
#include "corridor.h"

enum {
	LEAST = 3,     /* bounds a side that may make a window */
	RANK = 8,      /* the slack of this rank measures the noise */
	CURVED = 12,   /* bounds a side that may bend a curve */
	TELLING = 16   /* bounds a side that separate noise from a bend */
};

/* The largest drift of a free-running or steered clock, s/s. */
static const double max_drift = 2 * TAPE_CLOCK_MOST_DRIFT;
/* The largest change of its rate in a window, by temperature, s/s. */
static const double max_bend = 5e-6;

/* The bounds of one window: both sides, x scaled to [-1, 1]. */
struct window {
	struct tape_corridor_bound *u, *l;
	size_t n_u, n_l;
	struct tape_corridor_bound *hull_u, *hull_l;
	double half;
};

/* Lower hull of upper bounds, upper hull of lower ones, less c x x. */
static size_t build_hull(const struct tape_corridor_bound *p, size_t n,
			 double c, double sign, struct tape_corridor_bound *h)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		double x = p[i].x, v = p[i].v - c * x * x;

		if (k >= 1 && h[k - 1].x == x &&
		    sign * (v - h[k - 1].v) <= 0)
			k--;
		if (k >= 1 && h[k - 1].x == x)
			continue;
		while (k >= 2 &&
		       sign * ((h[k - 1].x - h[k - 2].x) * (v - h[k - 2].v) -
			       (h[k - 1].v - h[k - 2].v) * (x - h[k - 2].x)) <=
			       0)
			k--;
		h[k].x = x;
		h[k++].v = v;
	}
	return k;
}

static double hull_slope(const struct tape_corridor_bound *p)
{
	return (p[1].v - p[0].v) / (p[1].x - p[0].x);
}

/*
 * The widest corridor of given curvature. The height min(u - b x) - max(l - b
 * x) is concave in b; as b grows its support on the upper side moves to later
 * bounds, that on the lower side to earlier ones, and they meet at the best b.
 */
static double widest_straight(const struct window *w, double c, double *a,
			      double *b)
{
	size_t k = build_hull(w->u, w->n_u, c, 1, w->hull_u), i = 0;
	size_t j = build_hull(w->l, w->n_l, c, -1, w->hull_l) - 1;
	const struct tape_corridor_bound *u = w->hull_u, *l = w->hull_l;
	double cap = max_drift * w->half, top, bottom;

	*b = -cap;
	while (i + 1 < k && hull_slope(&u[i]) <= -cap)
		i++;
	while (j > 0 && hull_slope(&l[j - 1]) <= -cap)
		j--;
	while (l[j].x > u[i].x) {
		double next_u = i + 1 < k ? hull_slope(&u[i]) : INFINITY;
		double next_l = j > 0 ? hull_slope(&l[j - 1]) : INFINITY;

		if (fmin(next_u, next_l) > cap) {
			*b = cap;
			break;
		}
		*b = fmin(next_u, next_l);
		if (next_u <= next_l)
			i++;
		else
			j--;
	}
	top = u[i].v - *b * u[i].x;
	bottom = l[j].v - *b * l[j].x;
	*a = (top + bottom) / 2;
	return top - bottom;
}

/* The best curvature: the height is concave in it, too. Golden section. */
static void fit_curvature(const struct window *w, double unit,
			  struct tape_corridor *s)
{
	const double g = 0.6180339887498949;
	double cap = max_bend * w->half / 4, step = fmin(unit, cap), a, b;
	double lo, hi, x1, x2, f1, f2, best = s->gap;

	f1 = widest_straight(w, step, &a, &b);
	f2 = widest_straight(w, -step, &a, &b);
	if (f1 > best || f2 > best) {
		double sign = f1 > f2 ? 1 : -1, f;

		best = fmax(f1, f2);
		while (step < cap &&
		       (f = widest_straight(w, sign * fmin(2 * step, cap), &a,
					    &b)) > best) {
			best = f;
			step *= 2;
		}
		lo = sign > 0 ? 0 : -fmin(2 * step, cap);
		hi = sign > 0 ? fmin(2 * step, cap) : 0;
	} else {
		lo = -step;
		hi = step;
	}
	x1 = hi - g * (hi - lo);
	x2 = lo + g * (hi - lo);
	f1 = widest_straight(w, x1, &a, &b);
	f2 = widest_straight(w, x2, &a, &b);
	while (hi - lo > unit / 64) {
		if (f1 > f2) {
			hi = x2, x2 = x1, f2 = f1;
			x1 = hi - g * (hi - lo);
			f1 = widest_straight(w, x1, &a, &b);
		} else {
			lo = x1, x1 = x2, f1 = f2;
			x2 = lo + g * (hi - lo);
			f2 = widest_straight(w, x2, &a, &b);
		}
	}
	s->c = (lo + hi) / 2;
	s->gap = widest_straight(w, s->c, &s->a, &s->b);
}

/*
 * The slack of rank RANK beyond the corridor's edge. For any distribution of
 * the delays it is some multiple of the difference between the extreme of n
 * random delays and their minimum.
 */
static double low_slack(const struct tape_corridor_bound *p, size_t n,
			double sign, const struct tape_corridor *s)
{
	double least[RANK];
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		double x = p[i].x, v = sign * (p[i].v - s->a - s->b * x -
					       s->c * x * x) - s->gap / 2;
		size_t j;

		if (k == RANK && v >= least[RANK - 1])
			continue;
		if (k < RANK)
			k++;
		for (j = k - 1; j > 0 && least[j - 1] > v; j--)
			least[j] = least[j - 1];
		least[j] = v;
	}
	return least[k - 1];
}

/* Returns 1 if the sides overlap enough to determine a slope (curved: also a
 * curvature). */
static int are_interlocked(const struct window *w, int curved)
{
	size_t part[2][3] = { { 0 } };
	const struct tape_corridor_bound *side[2] = { w->u, w->l };
	size_t n[2] = { w->n_u, w->n_l }, least = curved ? CURVED : LEAST;

	if (n[0] < least || n[1] < least)
		return 0;
	if (!curved)
		return fmin(side[0][n[0] - 1].x, side[1][n[1] - 1].x) -
			       fmax(side[0][0].x, side[1][0].x) >
		       0.5;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < n[k]; i++) {
			double x = side[k][i].x;

			part[k][x < -1. / 3 ? 0 : x > 1. / 3 ? 2 : 1]++;
		}
	for (int k = 0; k < 3; k++)
		if (part[0][k] < 2 || part[1][k] < 2)
			return 0;
	return 1;
}

static int fit_window(const struct tape_corridor_bounds *s, size_t first,
		      size_t end, int curved, struct tape_corridor *out)
{
	struct window w = { .n_u = 0 };
	struct tape_corridor o = { .first = first, .end = end };
	size_t n = end - first;

	if (n < 2 * LEAST)
		return 0;
	o.from = s->b[first].x;
	o.to = s->b[end - 1].x;
	o.mid = (o.from + o.to) / 2;
	o.half = (o.to - o.from) / 2;
	if (!(o.half > 0))
		return 0;
	for (size_t i = first; i < end; i++)
		w.n_u += s->b[i].upper != 0;
	w.n_l = n - w.n_u;
	w.half = o.half;
	w.u = s->room;
	w.l = w.u + w.n_u;
	w.hull_u = w.l + w.n_l;
	w.hull_l = w.hull_u + w.n_u;
	for (size_t i = first, u = 0, l = 0; i < end; i++) {
		struct tape_corridor_bound b = s->b[i];

		b.x = (b.x - o.mid) / o.half;
		*(b.upper ? &w.u[u++] : &w.l[l++]) = b;
	}
	if (!are_interlocked(&w, 0))
		return 0;
	o.gap = widest_straight(&w, 0, &o.a, &o.b);
	o.noise = low_slack(w.u, w.n_u, 1, &o) + low_slack(w.l, w.n_l, -1, &o);
	if (curved && are_interlocked(&w, 1) && o.noise > 0) {
		fit_curvature(&w, o.noise / 2, &o);
		o.noise = low_slack(w.u, w.n_u, 1, &o) +
			  low_slack(w.l, w.n_l, -1, &o);
	}
	o.floor = w.n_u < TELLING || w.n_l < TELLING ? -INFINITY
						       : o.gap - o.noise;
	*out = o;
	return 1;
}

int tape_corridor_fit(const struct tape_corridor_bounds *s, size_t first,
		      size_t end, struct tape_corridor *w)
{
	return fit_window(s, first, end, 1, w);
}

int tape_corridor_line(const struct tape_corridor_bounds *s, size_t first,
		       size_t end, struct tape_corridor *w)
{
	return fit_window(s, first, end, 0, w);
}

void tape_corridor_grow(const struct tape_corridor_bounds *s, double least,
			struct tape_corridor *w)
{
	size_t good = w->end, bad = s->n + 1, step = (good - w->first) / 2;

	while (good + 1 < bad) {
		size_t end = bad - good <= step ? good + (bad - good) / 2
						: good + step;
		struct tape_corridor g;
		int told = tape_corridor_fit(s, w->first, end, &g);

		if (told && g.gap < least) {
			bad = end;
			step = (bad - good) / 2;
			continue;
		}
		/* only bounds of one side follow: continue */
		good = end;
		step *= 2;
		if (told)
			*w = g;
	}
}

size_t tape_corridor_seed(const struct tape_corridor_bounds *s, size_t first,
			  size_t end, struct tape_corridor *w)
{
	size_t u = 0, i, step;

	for (i = first; i < end && (u < LEAST || i - first - u < LEAST); i++)
		u += s->b[i].upper != 0;
	/* the sides may be far apart in time: bursts of one direction */
	for (step = 1; i <= end; step = (i - first + 3) / 4) {
		if (tape_corridor_fit(s, first, i, w))
			return i;
		if (i == end)
			break;
		i = end - i < step ? end : i + step;
	}
	return 0;
}

double tape_corridor_at(const struct tape_corridor *w, double x)
{
	double z = (x - w->mid) / w->half, edge = z > 1 ? 1 : z < -1 ? -1 : z;

	/* beyond its ends as a straight line */
	return w->a + w->b * z + w->c * edge * (2 * z - edge);
}
