/*
 * Lines that meet bounds; see bounds.h and doc/clocks.md, "The fit".
 *
 * For a slope b the intercepts that meet all bounds are [L(b), U(b)] with
 *
 *	L(b) = max (y_i - b x_i) over the lower bounds, convex in b
 *	U(b) = min (y_i - b x_i) over the upper ones, concave in b
 *
 * Only points of the convex hulls are ever the maximum or minimum. At the slope
 * between two neighbours of a hull the maximum moves from one to the other. The
 * gap U - L is concave, so the slopes with a gap >= 0 are one interval. A sweep
 * over the slopes of both hulls in order finds the ends of the interval.
 */
#include <math.h>
#include <stdlib.h>

#include "bounds.h"
#include "error.h"
#include "sort.h"

/* The points of one hull; sweeping slopes upwards walks from last to first. */
struct chain {
	const struct tape_bound *p;
	size_t n, at; /* the point that is the extreme at the present slope */
	int step;     /* to the point that is the extreme next */
};

static int compare_x(const void *a, const void *b)
{
	const struct tape_bound *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->y < q->y ? -1 : p->y > q->y;
}

/* Positive if r lies to the left of the line from p to q. */
static double left_of(const struct tape_bound *p, const struct tape_bound *q,
		      const struct tape_bound *r)
{
	return (q->x - p->x) * (r->y - p->y) - (q->y - p->y) * (r->x - p->x);
}

/* Reduces p to its upper hull (sign -1) or lower hull (1). Returns its size. */
static size_t reduce_to_hull(struct tape_bound *p, size_t n, int sign)
{
	size_t k = 0;

	tape_sort(p, n, sizeof *p, compare_x);
	for (size_t i = 0; i < n; i++) {
		/* of points of one x only the outer one */
		if (k && p[k - 1].x == p[i].x) {
			if (sign > 0)
				continue;
			k--;
		}
		while (k >= 2 &&
		       sign * left_of(&p[k - 2], &p[k - 1], &p[i]) <= 0)
			k--;
		p[k++] = p[i];
	}
	return k;
}

/* The slope at which the next point becomes the extreme. */
static double next_hull_slope(const struct chain *c)
{
	const struct tape_bound *p = &c->p[c->at], *q;

	if (c->step > 0 ? c->at + 1 == c->n : c->at == 0)
		return INFINITY;
	q = p + c->step;
	return (q->y - p->y) / (q->x - p->x);
}

static double chain_intercept(const struct chain *c, double b)
{
	return c->p[c->at].y - b * c->p[c->at].x;
}

static double intercept_gap(const struct chain *lo, const struct chain *hi,
			    double b)
{
	return chain_intercept(hi, b) - chain_intercept(lo, b);
}

/* Steps the chain whose next slope comes first. */
static void advance_chain(struct chain *lo, struct chain *hi)
{
	struct chain *c = next_hull_slope(lo) <= next_hull_slope(hi) ? lo : hi;

	c->at = c->step > 0 ? c->at + 1 : c->at - 1;
}

/*
 * Sweeps to the first slope with a gap >= 0 and on to the last. first and last
 * are the points at which the gap begins and ends. The gap is greatest at a
 * slope of a hull, so only these slopes are tested. Returns 0 if the gap is
 * negative at all of them.
 */
static int sweep_slopes(struct chain *lo, struct chain *hi,
			struct chain first[2], struct chain last[2])
{
	double b;

	while ((b = fmin(next_hull_slope(lo), next_hull_slope(hi))) <
		   INFINITY &&
	       intercept_gap(lo, hi, b) < 0)
		advance_chain(lo, hi);
	if (b == INFINITY)
		return 0;
	first[0] = *lo;
	first[1] = *hi;
	while ((b = fmin(next_hull_slope(lo), next_hull_slope(hi))) <
		   INFINITY &&
	       intercept_gap(lo, hi, b) >= 0)
		advance_chain(lo, hi);
	last[0] = *lo;
	last[1] = *hi;
	return 1;
}

static void add_corner(struct tape_lines *l, double a, double b)
{
	l->corner[l->n].a = a;
	l->corner[l->n++].b = b;
}

/*
 * Leaves out every second point between first and last until the corners fit.
 * Returns the new last.
 */
static size_t thin_corners(struct tape_bound *p, size_t first, size_t last)
{
	while (last - first + 1 > TAPE_BOUNDS_CORNERS / 2 - 1) {
		size_t k = first + 1;

		for (size_t i = first + 2; i < last; i += 2)
			p[k++] = p[i];
		p[k] = p[last];
		last = k;
	}
	return last;
}

/* Adds the line through two neighbours of a hull as a corner. */
static void add_line_corner(struct tape_lines *l, const struct tape_bound *p,
			    const struct tape_bound *q)
{
	double b = (q->y - p->y) / (q->x - p->x);

	add_corner(l, p->y - b * p->x, b);
}

int tape_bounds_lines(struct tape_bound *lower, size_t n_lower,
		      struct tape_bound *upper, size_t n_upper,
		      struct tape_lines *l)
{
	struct chain lo, hi, first[2], last[2];
	size_t end;

	if (!n_lower || !n_upper)
		return TAPE_ESPREAD;
	n_lower = reduce_to_hull(lower, n_lower, -1);
	n_upper = reduce_to_hull(upper, n_upper, 1);
	if (lower[n_lower - 1].x <= upper[0].x ||
	    upper[n_upper - 1].x <= lower[0].x)
		return TAPE_ESPREAD;
	/* the slower a line rises, the later it is held up, and the earlier
	 * down */
	lo = (struct chain){ lower, n_lower, n_lower - 1, -1 };
	hi = (struct chain){ upper, n_upper, 0, 1 };
	l->n = 0;
	if (!sweep_slopes(&lo, &hi, first, last))
		return 0;
	add_line_corner(l, &lower[first[0].at], &upper[first[1].at]);
	end = thin_corners(lower, last[0].at, first[0].at);
	for (size_t i = end; i > last[0].at; i--)
		add_line_corner(l, &lower[i - 1], &lower[i]);
	add_line_corner(l, &lower[last[0].at], &upper[last[1].at]);
	end = thin_corners(upper, first[1].at, last[1].at);
	for (size_t i = end; i > first[1].at; i--)
		add_line_corner(l, &upper[i - 1], &upper[i]);
	return 0;
}

/* Clips the polygon to slopes with sign b >= sign limit. */
static void clip_slopes(struct tape_lines *l, double sign, double limit)
{
	struct tape_lines all = *l;

	l->n = 0;
	for (size_t i = 0; i < all.n; i++) {
		const struct tape_line *p = &all.corner[i];
		const struct tape_line *q = &all.corner[(i + 1) % all.n];
		int in = sign * (p->b - limit) >= 0;

		if (in)
			add_corner(l, p->a, p->b);
		if (in != (sign * (q->b - limit) >= 0))
			add_corner(l, p->a + (q->a - p->a) * (limit - p->b) /
					      (q->b - p->b), limit);
	}
}

void tape_bounds_slopes(struct tape_lines *l, double least, double most)
{
	struct tape_lines all = *l;

	clip_slopes(l, 1, least);
	clip_slopes(l, -1, most);
	if (!l->n)
		*l = all;
}

void tape_bounds_at(const struct tape_lines *l, double x, double *least,
		    double *most)
{
	*least = l->n ? INFINITY : -INFINITY;
	*most = -*least;
	for (size_t i = 0; i < l->n; i++) {
		double y = l->corner[i].a + l->corner[i].b * x;

		*least = fmin(*least, y);
		*most = fmax(*most, y);
	}
}

/* A line by its heights at x1 and x2: distances are then Euclidean. */
struct heights {
	double u, v;
};

static struct heights line_heights(struct tape_line l, double x1, double x2)
{
	return (struct heights){ l.a + l.b * x1, l.a + l.b * x2 };
}

/* The point of the edge from p to q that is nearest to h. */
static struct heights nearest_on_edge(struct heights p, struct heights q,
				      struct heights h)
{
	double du = q.u - p.u, dv = q.v - p.v, len = du * du + dv * dv;
	double t = len > 0 ? ((h.u - p.u) * du + (h.v - p.v) * dv) / len : 0;

	t = fmin(fmax(t, 0), 1);
	return (struct heights){ p.u + t * du, p.v + t * dv };
}

struct tape_line tape_bounds_nearest(const struct tape_lines *lines,
				     struct tape_line l, double x1, double x2)
{
	struct heights h = line_heights(l, x1, x2), best = h;
	double nearest = INFINITY;
	size_t left = 0, right = 0;

	for (size_t i = 0; i < lines->n; i++) {
		struct heights p = line_heights(lines->corner[i], x1, x2);
		struct heights q =
		    line_heights(lines->corner[(i + 1) % lines->n], x1, x2);
		struct heights e = nearest_on_edge(p, q, h);
		double d = hypot(e.u - h.u, e.v - h.v);
		double side = (q.u - p.u) * (h.v - p.v) -
			      (q.v - p.v) * (h.u - p.u);

		left += side > 0;
		right += side < 0;
		if (d < nearest) {
			nearest = d;
			best = e;
		}
	}
	/* on the same side of all edges: within */
	if (!left || !right)
		return l;
	l.b = (best.v - best.u) / (x2 - x1);
	l.a = best.u - l.b * x1;
	return l;
}
