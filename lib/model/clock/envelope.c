/*
 * The guaranteed interval of a track; see envelope.h. Derived in
 * doc/clocks-run.md, "Assumptions of the guarantee".
 */
#include <math.h>
#include <stdlib.h>

#include "envelope.h"
#include "error.h"

enum {
	VICINITY = 32, /* bounds on each side whose slopes are compared */
	OUTERMOST = 8, /* bounds at an end that count as one */
	NEAREST = 3    /* bounds a side that limit a clock in a zone */
};

/* The passes that discard all earlier bounds at an event. */
enum pass { FROM_LEFT = 1, FROM_RIGHT = 2 };

/* A knot or a bound: the track e, and its bounds hi and lo relative to e. */
struct event {
	double x, e, hi, lo;
	size_t piece; /* to the right of it */
};

struct envelope {
	struct tape_clock_track *t;
	const unsigned char *zone;
	struct event *ev;
	size_t n;
	const struct tape_envelope_rate *rate;
	double least, most;  /* rates of the whole run */
	double *wander;      /* of each piece */
	unsigned char *anew; /* by event, bits of an enum pass */
	double far;          /* the largest wander, */
	size_t first, last;  /* before and after all bounds, these events */
	int free;            /* the rates are those of the clock, not of the
			      * track, and the clock may be set any time */
	double *hi, *lo;     /* the widest within each piece */
	double *left, *right; /* bound by the events left, right of each */
};

static double track_slope(const struct tape_clock_track *t, size_t i)
{
	const struct tape_clock_knot *k = &t->knot[i];

	return (k[1].offset_ns - k[0].offset_ns) / (k[1].ref_ns - k[0].ref_ns);
}

static void merge_events(struct envelope *v,
			 const struct tape_corridor_bounds *s)
{
	const struct tape_clock_knot *k = v->t->knot;
	size_t p = 0, i = 0, last = v->t->n - 1;

	for (size_t j = 0; j <= last || i < s->n;) {
		struct event e = { .hi = INFINITY, .lo = -INFINITY };

		if (j <= last && (i == s->n || k[j].ref_ns <= s->b[i].x)) {
			e.x = k[j].ref_ns;
			p = j < last ? j : last - 1;
			j++;
		} else {
			e.x = s->b[i].x;
		}
		e.piece = p;
		e.e =
		    k[p].offset_ns + track_slope(v->t, p) * (e.x - k[p].ref_ns);
		if (i < s->n && e.x == s->b[i].x) {
			if (!i)
				v->first = v->n;
			v->last = v->n;
			if (s->b[i].upper)
				e.hi = s->b[i].v - e.e;
			else
				e.lo = s->b[i].v - e.e;
			i++;
		}
		v->ev[v->n++] = e;
	}
}

/*
 * The error of the rate of each piece: the wander, or twice the difference of
 * slopes nearby. Slopes in a zone, or on the other side of one, are not used.
 */
static void find_wander(struct envelope *v)
{
	size_t n = v->t->n - 1;

	for (size_t i = 0, p = 0; p < n; p++) {
		double least = track_slope(v->t, p), most = least;
		size_t from, to, end;

		while (i < v->n && v->ev[i].piece < p)
			i++;
		for (end = i; end < v->n && v->ev[end].piece == p;)
			end++;
		from = v->ev[i > VICINITY ? i - VICINITY : 0].piece;
		to = v->ev[end + VICINITY < v->n ? end + VICINITY : v->n - 1]
			     .piece;
		for (size_t q = p; q <= to && !v->zone[q]; q++) {
			least = fmin(least, track_slope(v->t, q));
			most = fmax(most, track_slope(v->t, q));
		}
		for (size_t q = p + 1; q-- > from && !v->zone[q];) {
			least = fmin(least, track_slope(v->t, q));
			most = fmax(most, track_slope(v->t, q));
		}
		/* slopes between knots that were mended are no rates */
		v->wander[p] = fmax(v->rate[p].wrong, 2 * (most - least));
		v->wander[p] =
		    fmin(v->wander[p],
			 TAPE_ENVELOPE_STEEPEST + fabs(track_slope(v->t, p)));
		v->least = fmin(v->least, v->rate[p].least);
		v->most = fmax(v->most, v->rate[p].most);
		if (!v->zone[p])
			v->far = fmax(v->far, v->wander[p]);
	}
}

/* The bound of one side of an event, mirrored to an upper bound. */
static double event_bound(const struct event *e, double sign)
{
	return sign > 0 ? e->hi : -e->lo;
}

/*
 * Bounds the first event (way 1) or the last one (-1) by all bounds up to the
 * first zone, or by the nearest bound of each side. The clock is assumed to
 * have had only rates of this run.
 */
static void bound_end(struct envelope *v, int way)
{
	size_t from = way > 0 ? 0 : v->n - 1;
	double least = way > 0 ? v->least : v->most;
	double most = way > 0 ? v->most : v->least;
	struct event e = v->ev[from];
	int broken = 0;

	for (size_t k = 0; k < v->n; k++) {
		const struct event *o = &v->ev[way > 0 ? k : from - k];
		double dx = o->x - e.x, y = o->e - e.e;

		if (!broken || !isfinite(e.hi))
			e.hi = fmin(e.hi, o->hi + y - least * dx);
		if (!broken || !isfinite(e.lo))
			e.lo = fmax(e.lo, o->lo + y - most * dx);
		if (way > 0 || o > v->ev)
			broken |= v->zone[o[way > 0 ? 0 : -1].piece];
		if (broken && isfinite(e.hi) && isfinite(e.lo))
			break;
	}
	v->ev[from] = e;
}

/*
 * By how much a bound of one side widens from event i to the next (way 1), or
 * back: the time that the clock may gain or lose relative to the track.
 */
static double bound_widening(const struct envelope *v, size_t i, double sign,
			     int way)
{
	size_t p = v->ev[i].piece;
	double rate = v->wander[p], dx = v->ev[i + 1].x - v->ev[i].x;

	if (v->zone[p])
		return INFINITY;
	if (v->free)
		return dx * (sign * way > 0
				 ? v->rate[p].most - track_slope(v->t, p)
				 : track_slope(v->t, p) - v->rate[p].least);
	if (i < v->first || i >= v->last)
		rate = v->far;
	return rate * dx;
}

/*
 * Finds where a clock that may be set at any time was set: its earlier bounds
 * and possible rates contradict the next bound. Earlier bounds are then
 * discarded.
 */
static void find_resets(struct envelope *v, int way)
{
	double hi = INFINITY, lo = INFINITY;

	for (size_t k = 0; k < v->n; k++) {
		size_t i = way > 0 ? k : v->n - 1 - k;
		size_t piece = way > 0 ? i - 1 : i;
		const struct event *e = &v->ev[i];

		if (k) {
			hi += bound_widening(v, piece, 1, way);
			lo += bound_widening(v, piece, -1, way);
		}
		/* ns that rounding may make are no contradiction */
		if (fmin(hi, e->hi) + fmin(lo, -e->lo) < -2) {
			v->anew[i] |= way > 0 ? FROM_LEFT : FROM_RIGHT;
			hi = lo = INFINITY;
		}
		hi = fmin(hi, e->hi);
		lo = fmin(lo, -e->lo);
	}
}

/*
 * The tightest of the first (way 1) or last bounds of one side. For a linear
 * clock it also holds before the first, or after the last, event; else
 * INFINITY.
 */
static double outermost_bound(const struct envelope *v, double sign, int way)
{
	double least = INFINITY;
	int n = 0;

	for (size_t k = 0; v->t->even > 0 && n < OUTERMOST && k < v->n; k++) {
		double b =
		    event_bound(&v->ev[way > 0 ? k : v->n - 1 - k], sign);

		n += isfinite(b);
		least = fmin(least, b);
	}
	return least;
}

/*
 * Cones: a bound at t_i holds at t, wider by wander |t - t_i|. Cones from the
 * left go into left[], from the right into right[]. No cone crosses the edge of
 * a zone.
 */
static void spread_cones(struct envelope *v, double sign)
{
	double now = outermost_bound(v, sign, 1);

	for (size_t i = 0; i < v->n; i++) {
		if (i)
			now += bound_widening(v, i - 1, sign, 1);
		if (v->anew[i] & FROM_LEFT)
			now = INFINITY;
		now = fmin(now, event_bound(&v->ev[i], sign));
		v->left[i] = now;
	}
	now = outermost_bound(v, sign, -1);
	for (size_t i = v->n; i-- > 0;) {
		if (i + 1 < v->n)
			now += bound_widening(v, i, sign, -1);
		if (v->anew[i] & FROM_RIGHT)
			now = INFINITY;
		now = fmin(now, event_bound(&v->ev[i], sign));
		v->right[i] = now;
	}
}

/*
 * Widens most[] to the cones in each piece. The wider of both sides counts: the
 * clock may have been set once by less than messages show, and then only the
 * bounds of one side hold.
 */
static void add_widest(const struct envelope *v, double sign, double *most)
{
	for (size_t i = 0; i + 1 < v->n; i++) {
		size_t p = v->ev[i].piece;
		double l = v->left[i], r = v->right[i + 1];

		if (v->zone[p])
			continue;
		/* the widest at one of the ends */
		l += fmax(0, bound_widening(v, i, sign, 1));
		r += fmax(0, bound_widening(v, i, sign, -1));
		most[p] = fmax(most[p], isfinite(l) && isfinite(r) ? fmax(l, r)
							       : fmin(l, r));
	}
}

/* A zone: events from first to last. */
struct zone {
	size_t first, last;
	double hi[2], lo[2]; /* the cones at both ends */
	int way;             /* 1: it rises, -1: it falls, 0: unknown */
};

/*
 * In a zone the clock is assumed to move one way only: to gain at least as much
 * as when free-running (rising), or at most as much. So an upper bound holds
 * for all earlier times when rising, for all later times when falling. sign -1
 * works on mirrored lower bounds: the mirror image of a rise is a fall.
 */
static void bound_monotone(struct envelope *v, const struct zone *z,
			   double sign, int rising, double *most)
{
	int back = sign > 0 ? rising : !rising;
	double now = INFINITY;

	for (size_t k = 0; k <= z->last - z->first; k++) {
		size_t i = back ? z->last - k : z->first + k;
		size_t p = v->ev[back ? i : i - (k > 0)].piece;
		const struct event *e = &v->ev[i];
		double here = event_bound(e, sign);

		if (k) {
			const struct event *o = &v->ev[back ? i + 1 : i - 1];
			double from = sign * o->e, to = sign * e->e;
			double rate = sign * (rising ? v->rate[p].least
						     : v->rate[p].most);

			most[p] = fmax(most[p], now - from);
			now += rate * (e->x - o->x);
			most[p] = fmax(most[p], now - to);
		}
		if (i == z->first)
			here = fmin(here, v->left[i]);
		if (i == z->last)
			here = fmin(here, v->right[i]);
		now = fmin(now, here + sign * e->e);
	}
}

/* The bound at event i of a zone: its own and, at the ends, the cones. */
static double zone_bound(const struct envelope *v, const struct zone *z,
			 size_t i, double sign)
{
	double b = event_bound(&v->ev[i], sign);
	int side = sign < 0;

	if (i == z->first)
		b = fmin(b, side ? z->lo[0] : z->hi[0]);
	if (i == z->last)
		b = fmin(b, side ? z->lo[1] : z->hi[1]);
	return b + sign * v->ev[i].e;
}

/*
 * Returns 1 if the bounds in a zone allow that the clock rose all the time
 * (sign -1: fell). Contradictions within rounding do not count.
 */
static int can_be_monotone(const struct envelope *v, const struct zone *z,
			   double sign)
{
	double least = -INFINITY;

	for (size_t i = z->first; i <= z->last; i++) {
		const struct event *e = &v->ev[i];

		if (i > z->first) {
			const struct tape_envelope_rate *r =
				&v->rate[e[-1].piece];

			least += (sign > 0 ? r->least : -r->most) *
				 (e->x - e[-1].x);
		}
		if (least > zone_bound(v, z, i, sign) + 2)
			return 0;
		least = fmax(least, -zone_bound(v, z, i, -sign));
	}
	return 1;
}

/* The least of the nearest bounds from event i on, to the left or right. */
static double nearest_bound(const struct envelope *v, const struct zone *z,
			    size_t i, int way, double sign)
{
	double least = INFINITY;
	int n = 0;

	for (;; i += way > 0 ? 1 : (size_t)-1) {
		double b = zone_bound(v, z, i, sign);

		n += isfinite(b);
		least = fmin(least, b);
		if (n == NEAREST || i == (way > 0 ? z->last : z->first))
			return least;
	}
}

/*
 * Bounds a zone in which the clock went back and forth by the nearest bounds
 * before and after each piece.
 */
static void bound_any_motion(struct envelope *v, const struct zone *z,
			     double sign, double *most)
{
	for (size_t i = z->first; i < z->last; i++) {
		const struct event *e = &v->ev[i];
		double b = fmax(nearest_bound(v, z, i, -1, sign),
				nearest_bound(v, z, i + 1, 1, sign));

		most[e->piece] = fmax(most[e->piece],
				      b - fmin(sign * e[0].e, sign * e[1].e));
	}
}

/* The direction in a zone by the bounds at its ends: 1 rose, -1 fell, 0. */
static int zone_direction(const struct envelope *v, const struct zone *z)
{
	const struct event *a = &v->ev[z->first], *b = &v->ev[z->last];
	double least = 0, most = 0;

	for (const struct event *e = a; e < b; e++) {
		least += v->rate[e->piece].least * (e[1].x - e->x);
		most += v->rate[e->piece].most * (e[1].x - e->x);
	}
	if (b->e - z->lo[1] - (a->e + z->hi[0]) > most)
		return 1;
	if (b->e + z->hi[1] - (a->e - z->lo[0]) < least)
		return -1;
	return 0;
}

static void bound_zones(struct envelope *v, double sign, double *most,
			const struct zone *z, size_t n)
{
	spread_cones(v, sign);
	add_widest(v, sign, most);
	for (size_t i = 0; i < n; i++) {
		if (z[i].way >= 0)
			bound_monotone(v, &z[i], sign, 1, most);
		if (z[i].way <= 0)
			bound_monotone(v, &z[i], sign, 0, most);
		if (!(z[i].way >= 0 && can_be_monotone(v, &z[i], 1)) &&
		    !(z[i].way <= 0 && can_be_monotone(v, &z[i], -1)))
			bound_any_motion(v, &z[i], sign, most);
	}
}

static size_t find_zones(const struct envelope *v, struct zone *z)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < v->n; i++) {
		if (!v->zone[v->ev[i].piece])
			continue;
		z[n].first = i;
		while (i + 1 < v->n && v->zone[v->ev[i].piece])
			i++;
		z[n++].last = i;
	}
	return n;
}

/* Sets the intervals at knots so that interpolation covers each piece. */
static void set_knot_intervals(struct envelope *v)
{
	size_t n = v->t->n;

	for (size_t i = 0; i < n; i++) {
		struct tape_clock_knot *k = &v->t->knot[i];
		size_t p = i ? i - 1 : 0, q = i + 1 < n ? i : n - 2;

		k->hi_ns = fmax(0, fmax(v->hi[p], v->hi[q]));
		k->lo_ns = -fmax(0, fmax(v->lo[p], v->lo[q]));
	}
}

static void find_interval(struct envelope *v, struct zone *z)
{
	size_t n = find_zones(v, z);

	spread_cones(v, 1);
	for (size_t i = 0; i < n; i++) {
		z[i].hi[0] = v->left[z[i].first];
		z[i].hi[1] = v->right[z[i].last];
	}
	spread_cones(v, -1);
	for (size_t i = 0; i < n; i++) {
		z[i].lo[0] = v->left[z[i].first];
		z[i].lo[1] = v->right[z[i].last];
		z[i].way = zone_direction(v, &z[i]);
	}
	bound_zones(v, -1, v->lo, z, n);
	bound_zones(v, 1, v->hi, z, n);
	set_knot_intervals(v);
}

int tape_envelope(struct tape_clock_track *t, int is_free,
		  const unsigned char *zone,
		  const struct tape_envelope_rate *rate,
		  const struct tape_corridor_bounds *s)
{
	size_t most = t->n + s->n;
	struct envelope v = { .t = t, .zone = zone, .rate = rate,
			      .free = is_free };
	struct zone *z = malloc(t->n * sizeof *z);
	int rc = TAPE_ENOMEM;
	double *room = calloc(2 * most + 3 * t->n, sizeof *room);

	v.ev = malloc(most * sizeof *v.ev);
	v.anew = calloc(most, 1);
	if (!z || !room || !v.ev || !v.anew)
		goto out;
	v.left = room;
	v.right = v.left + most;
	v.wander = v.right + most;
	v.hi = v.wander + t->n;
	v.lo = v.hi + t->n;
	merge_events(&v, s);
	find_wander(&v);
	if (v.free) {
		find_resets(&v, 1);
		find_resets(&v, -1);
	} else if (t->even <= 0) {
		bound_end(&v, 1);
		bound_end(&v, -1);
	}
	find_interval(&v, z);
	rc = 0;
out:
	free(room);
	free(z);
	free(v.anew);
	free(v.ev);
	return rc;
}
