/* The track of a clock by bounds; doc/clocks-run.md derives it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "growing_array.h"
#include "lower_bound.h"
#include "envelope.h"
#include "error.h"
#include "undetected_rate.h"
#include "corridor.h"
#include "clock_track_fit.h"
#include "sort.h"

enum {
	MOST = 8192,    /* bounds of a side that are used */
	KNOTS = 4096,
	EVEN_KNOTS = 256, /* of a linear clock, for its interval */
	PER_WINDOW = 16,
	BLOCK = 40,     /* bounds of a stretch that estimates the delays */
	LOOSE = 3       /* height of a loose corridor, times of a round */
};

/* The largest sudden change of a quartz's rate, s/s. */
static const double quartz_change = 50e-6;
/* The largest change of an oscillator's rate, and slew of NTP, s/s. */
static const double max_slew = 500e-6;
/* Noise may hide a curve of its height. The slope at the ends of Chebyshev's
 * third polynomial, in units of noise by half the length of the window. */
static const double hidden_slope = 4.5;
/* In this time (ns) no clock drifts by the delay of a message. */
static const double close_ns = 1e5;

struct tracker {
	struct tape_corridor_bounds s;
	double from, to;
	double a, b; /* a line that is subtracted: a + b (x - from) */
	int even;     /* one straight window */
	int loose;    /* a non-linear clock with loose bounds */
	double trip;  /* time of the fastest round; 0: unknown */
	double delay; /* least delays of both directions; 0: unknown */
	double least; /* the same where the network was fast */
	struct tape_corridor *w;
	double *w_error; /* by window: largest error of its rate */
	size_t n_w, cap_w;
	struct tape_clock_knot *k; /* KNOTS of them */
	size_t n_k;
	unsigned char *zone; /* of each piece: not free-running */
	struct tape_envelope_rate *rate; /* of each piece */
};

/* ---- the bounds ---- */

static int compare_bound_time(const void *a, const void *b)
{
	const struct tape_clock_bound *p = a, *q = b;

	return p->ref_ns < q->ref_ns ? -1 : p->ref_ns > q->ref_ns;
}

/*
 * Sorts the bounds of one side and keeps the tightest of each group: of bounds
 * in a row, or of bounds so close that no clock changed between them. Returns
 * the number of bounds in out.
 */
static size_t select_bounds(const struct tracker *f, struct tape_clock_bound *p,
			    size_t n, int upper,
			    struct tape_corridor_bound *out)
{
	size_t group = (n + MOST - 1) / MOST, k = 0;
	double since = -INFINITY;

	tape_sort(p, n, sizeof *p, compare_bound_time);
	for (size_t i = 0; i < n; i++) {
		struct tape_corridor_bound b = { .x = p[i].ref_ns,
					      .upper = upper };

		b.v = p[i].offset_ns - f->a - f->b * (b.x - f->from);
		if (i % group == 0 && b.x - since >= close_ns) {
			since = b.x;
			out[k++] = b;
		} else if (upper ? b.v < out[k - 1].v : b.v > out[k - 1].v)
			out[k - 1] = b;
	}
	return k;
}

static int collect_bounds(struct tracker *f, struct tape_clock_bound *upper,
			  size_t n_u, struct tape_clock_bound *lower,
			  size_t n_l)
{
	struct tape_corridor_bound *u = malloc(4 * MOST * sizeof *u);
	struct tape_corridor_bound *l = u + MOST, *all;
	size_t i = 0, j = 0;

	f->s.room = malloc(4 * MOST * sizeof *f->s.room);
	f->s.b = u;
	if (!u || !f->s.room)
		return TAPE_ENOMEM;
	n_u = select_bounds(f, upper, n_u, 1, u);
	n_l = select_bounds(f, lower, n_l, 0, l);
	all = f->s.room;
	while (i < n_u || j < n_l)
		all[f->s.n++] = j == n_l || (i < n_u && u[i].x <= l[j].x)
					? u[i++]
					: l[j++];
	memcpy(f->s.b, all, f->s.n * sizeof *all);
	return 0;
}

/*
 * Estimates the least delays of both directions together, from below: the
 * height of the corridor over short stretches, where the clock kept its rate.
 */
static int estimate_delays(struct tracker *f)
{
	size_t n = f->s.n / BLOCK + 1, k = 0;
	double *v = malloc(n * sizeof *v), wide = 0, all = 0;
	struct tape_corridor w;

	if (!v)
		return TAPE_ENOMEM;
	for (size_t i = 0; i + BLOCK <= f->s.n; i += BLOCK) {
		int told = tape_corridor_fit(&f->s, i, i + BLOCK, &w);
		double time = f->s.b[i + BLOCK - 1].x - f->s.b[i].x;

		all += time;
		if (!told || w.gap > LOOSE * f->trip)
			wide += time;
		if (told && isfinite(w.floor))
			v[k++] = w.floor;
	}
	f->loose = f->trip > 0 && 2 * wide >= all;
	if (k) {
		gsl_sort(v, 1, k);
		f->delay = fmax(
			0, gsl_stats_quantile_from_sorted_data(v, 1, k, 0.9));
		f->least = fmax(
			0, gsl_stats_quantile_from_sorted_data(v, 1, k, 0.6));
	}
	free(v);
	return 0;
}

/* ---- windows ---- */

static int append_window(struct tracker *f, const struct tape_corridor *w)
{
	struct tape_corridor *p =
	    tape_grow_array(f->w, &f->cap_w, f->n_w + 1, sizeof *p);

	if (!p)
		return TAPE_ENOMEM;
	f->w = p;
	f->w[f->n_w++] = *w;
	return 0;
}

/* Finds a window that begins within the last one and ends well after it. */
static int find_next_window(const struct tracker *f, struct tape_corridor *w)
{
	const struct tape_corridor *o = &f->w[f->n_w - 1];
	size_t first = o->first + (o->end - o->first + 2) / 3, furthest;
	struct tape_corridor n;

	for (furthest = o->end; first < o->end;
	     first += (o->end - first + 1) / 2) {
		if (!tape_corridor_fit(&f->s, first, o->end, &n))
			break;
		tape_corridor_grow(&f->s, f->least, &n);
		if (n.end <= furthest)
			continue;
		*w = n;
		furthest = n.end;
		if (n.end == f->s.n || n.end - o->end > (o->end - first) / 8)
			break;
	}
	return furthest > o->end;
}

/* Merges w into the last window if one curve fits both: 1, else 0. */
static int merge_window(struct tracker *f, const struct tape_corridor *w)
{
	struct tape_corridor *o = &f->w[f->n_w - 1], g;

	if (!tape_corridor_fit(&f->s, o->first, w->end, &g) ||
	    g.gap < f->least)
		return 0;
	tape_corridor_grow(&f->s, f->least, &g);
	*o = g;
	return 1;
}

/*
 * Finds the windows from left to right, each as long as one curve fits. They
 * overlap, except where the clock was steered or set.
 */
static int find_windows(struct tracker *f)
{
	size_t i = 0, end;

	while (i < f->s.n) {
		struct tape_corridor w;
		int rc;

		if (f->n_w && f->w[f->n_w - 1].end > i &&
		    find_next_window(f, &w)) {
			rc = merge_window(f, &w) ? 0 : append_window(f, &w);
			i = f->w[f->n_w - 1].first;
		} else {
			if (f->n_w && f->w[f->n_w - 1].end > i)
				i = f->w[f->n_w - 1].end;
			end = tape_corridor_seed(&f->s, i, f->s.n, &w);
			if (!end)
				break;
			if (w.gap < f->least) {
				/* something happened within the seed */
				i += 1 + (end - i) / 16;
				continue;
			}
			tape_corridor_grow(&f->s, f->least, &w);
			rc = append_window(f, &w);
		}
		if (rc)
			return rc;
		if (f->w[f->n_w - 1].end == f->s.n)
			break;
	}
	return 0;
}

/* ---- knots ---- */

/* The mean of all windows at x, weighted by size and by how central x is. */
static double blend_windows(const struct tracker *f, size_t near, double x)
{
	double sum = 0, weight = 0;
	size_t lo = near, hi = near;

	while (lo > 0 && f->w[lo - 1].to >= x)
		lo--;
	while (hi + 1 < f->n_w && f->w[hi + 1].from <= x)
		hi++;
	for (size_t i = lo; i <= hi; i++) {
		const struct tape_corridor *w = &f->w[i];
		double z = (x - w->mid) / w->half;
		double p = (double)(w->end - w->first);

		if (fabs(z) < 1)
			p *= (1 - z * z) * (1 - z * z) + 1e-6;
		else
			p *= 1e-6;
		sum += p * tape_corridor_at(w, x);
		weight += p;
	}
	return sum / weight;
}

static void append_knot(struct tracker *f, double x, double y)
{
	struct tape_clock_knot *k = f->k;

	/* at least a microsecond apart, in order */
	if (f->n_k == KNOTS || x < f->from || x > f->to ||
	    (f->n_k && x < k[f->n_k - 1].ref_ns + 1e3))
		return;
	k[f->n_k++] = (struct tape_clock_knot){ .ref_ns = x, .offset_ns = y };
}

/*
 * The time of a window's first or last bound that is near its curve. A bound
 * far from the curve does not show where the clock left the window.
 */
static double find_close_bound(const struct tracker *f,
			       const struct tape_corridor *w, int last)
{
	for (size_t k = 0; k < w->end - w->first; k++) {
		const struct tape_corridor_bound *b =
			&f->s.b[last ? w->end - 1 - k : w->first + k];

		if (fabs(b->v - tape_corridor_at(w, b->x)) <= 1.5 * w->gap)
			return b->x;
	}
	return last ? w->to : w->from;
}

/*
 * Between two separate windows the track leaves l at its last close bound and
 * joins r at its first one. If the curves cross near there, the corner is
 * there.
 */
static void add_gap_knots(struct tracker *f, const struct tape_corridor *l,
			  const struct tape_corridor *r)
{
	double a = find_close_bound(f, l, 1), b = find_close_bound(f, r, 0), x;
	double la = tape_corridor_at(l, a), lb = tape_corridor_at(l, b);
	double ra = tape_corridor_at(r, a), rb = tape_corridor_at(r, b);
	double spare = (double)(l->end - l->first), d;
	double near = fmax(f->delay, fabs(rb - la) / 4);

	x = a + (b - a) * (la - ra) / ((la - ra) - (lb - rb));
	d = 4 * (l->to - l->from) / spare;
	if (x > a - d && x < b + d) {
		append_knot(f, x, tape_corridor_at(l, x));
		return;
	}
	append_knot(f, a, la);
	/* bounds near the line between them distinguish a slew from a step */
	for (size_t i = l->first; i < r->end && f->s.b[i].x < b; i++) {
		double at = f->s.b[i].x;
		double y = la + (rb - la) * (at - a) / (b - a);
		double v = f->s.b[i].v;

		if (at > a && fabs(v - y) <= near &&
		    fabs(v - tape_corridor_at(l, at)) > 1.5 * l->gap &&
		    fabs(v - tape_corridor_at(r, at)) > 1.5 * r->gap)
			append_knot(f, at, y);
	}
	append_knot(f, b, rb);
}

/* Knots along the windows; wide: factor of the distance between knots. */
static void place_knots(struct tracker *f, double wide)
{
	double even = (f->to - f->from) / EVEN_KNOTS;

	f->n_k = 0;
	for (size_t i = 0; i < f->n_w; i++) {
		const struct tape_corridor *w = &f->w[i];
		int last = i + 1 == f->n_w, apart = !last && w[1].from > w->to;
		double from = i ? w->from : f->from;
		double to = last    ? f->to
			    : apart ? find_close_bound(f, w, 1)
				    : w[1].from;
		double step = fmin((w->to - w->from) / PER_WINDOW, even) * wide;

		for (double x = from; x < to - step / 4; x += step)
			append_knot(f, x, blend_windows(f, i, x));
		if (apart)
			add_gap_knots(f, w, w + 1);
		if (last)
			append_knot(f, to, blend_windows(f, i, to));
	}
}

/*
 * Adds a knot between a and b where a bound is violated most, recursively.
 * margin: distance from the bounds, ns. New knots are appended to f->k, which
 * the caller sorts.
 */
static void add_violated_knots(struct tracker *f, struct tape_clock_knot a,
			       struct tape_clock_knot b, size_t i, size_t end,
			       double margin, int depth)
{
	double worst = 1e-3, v = 0;
	size_t at = end;
	struct tape_clock_knot k = { .ref_ns = 0 };

	for (size_t j = i; j < end; j++) {
		const struct tape_corridor_bound *p = &f->s.b[j];
		double y = a.offset_ns + (b.offset_ns - a.offset_ns) *
						 (p->x - a.ref_ns) /
						 (b.ref_ns - a.ref_ns);
		double limit = p->upper ? p->v - margin : p->v + margin;
		double off = p->upper ? y - limit : limit - y;

		/* of a loose one only what refutes the track moves it */
		off -= f->loose ? margin : 0;
		if (off > worst && p->x > a.ref_ns + 1e3 &&
		    p->x < b.ref_ns - 1e3) {
			worst = off;
			at = j;
			v = limit;
		}
	}
	if (at == end || f->n_k == KNOTS || !depth)
		return;
	k.ref_ns = f->s.b[at].x;
	k.offset_ns = v;
	f->k[f->n_k++] = k;
	add_violated_knots(f, a, k, i, at, margin, depth - 1);
	add_violated_knots(f, k, b, at + 1, end, margin, depth - 1);
}

static int compare_knots(const void *a, const void *b)
{
	const struct tape_clock_knot *p = a, *q = b;

	return p->ref_ns < q->ref_ns ? -1 : p->ref_ns > q->ref_ns;
}

/*
 * Adds knots near the ends of a linear clock, where the interval changes most:
 * at every power of two of the number of bounds.
 */
static void add_end_knots(struct tracker *f)
{
	size_t n = f->n_k, used = 0;

	for (size_t i = 0; i < f->s.n / 2 && n + 2 < KNOTS; i = i ? 2 * i : 4)
		for (int last = 0; last < 2; last++) {
			double x = f->s.b[last ? f->s.n - 1 - i : i].x;

			f->k[n++] = (struct tape_clock_knot){
				.ref_ns = x,
				.offset_ns = tape_corridor_at(&f->w[0], x) };
		}
	tape_sort(f->k, n, sizeof *f->k, compare_knots);
	for (size_t i = 0; i < n; i++)
		if (!used || f->k[i].ref_ns >= f->k[used - 1].ref_ns + 1e3)
			f->k[used++] = f->k[i];
	f->n_k = used;
}

/* Returns 1 if one window contains the piece from a to b. The first and last
 * window extend to the ends of the run. */
static int in_window(const struct tracker *f, size_t *near, double a, double b)
{
	while (*near + 1 < f->n_w && f->w[*near].to < b)
		++*near;
	return f->n_w && (!*near || f->w[*near].from <= a) &&
	       (*near + 1 == f->n_w || f->w[*near].to >= b);
}

static void repair_violations(struct tracker *f)
{
	size_t n = f->n_k, i = 0, near = 0;

	for (size_t p = 0; p + 1 < n; p++) {
		struct tape_clock_knot a = f->k[p], b = f->k[p + 1];
		int in = in_window(f, &near, a.ref_ns, b.ref_ns);
		double margin = f->loose ? f->trip / 2 : 0.4 * f->delay;
		size_t first = i;

		while (i < f->s.n && f->s.b[i].x <= a.ref_ns)
			first = ++i;
		while (i < f->s.n && f->s.b[i].x < b.ref_ns)
			i++;
		add_violated_knots(f, a, b, first, i, in ? 0 : margin, 60);
	}
	tape_sort(f->k, f->n_k, sizeof *f->k, compare_knots);
}

/* ---- where it was steered ---- */

static double slope_at(const struct tracker *f, size_t i)
{
	return (f->k[i + 1].offset_ns - f->k[i].offset_ns) /
	       (f->k[i + 1].ref_ns - f->k[i].ref_ns);
}

/*
 * The edge of a zone to the left or right of knot k: after two bounds of each
 * side near the track, and at least reach (ns) away.
 */
static double zone_edge(const struct tracker *f, size_t k, double reach,
			int way)
{
	const struct tape_corridor_bounds *s = &f->s;
	double x = f->k[k].ref_ns;
	size_t i, seen[2] = {0};

	TAPE_LOWER_BOUND(i, s->n, way > 0 ? s->b[i].x <= x : s->b[i].x < x);
	for (; way > 0 ? i < s->n : i > 0; way > 0 ? i++ : i--) {
		const struct tape_corridor_bound *b =
			&s->b[way > 0 ? i : i - 1];
		double e;

		while (k + 2 < f->n_k && f->k[k + 1].ref_ns < b->x)
			k++;
		while (k > 0 && f->k[k].ref_ns > b->x)
			k--;
		e = f->k[k].offset_ns +
		    slope_at(f, k) * (b->x - f->k[k].ref_ns);
		if (seen[0] >= 2 && seen[1] >= 2 && fabs(b->x - x) > reach)
			return b->x;
		seen[b->upper != 0] += fabs(b->v - e) < 2 * f->delay + 1e3;
	}
	return way > 0 ? f->to : f->from;
}

/* Marks the pieces in which the clock was not free-running. */
static void mark_steered(struct tracker *f)
{
	size_t near = 0;

	memset(f->zone, 0, KNOTS);
	for (size_t p = 0; p + 1 < f->n_k && !f->even && !f->loose; p++) {
		double jump = p ? fabs(slope_at(f, p) - slope_at(f, p - 1)) : 0;
		double a = f->k[p].ref_ns, b = f->k[p + 1].ref_ns, reach;
		size_t k = p;

		if (jump > quartz_change) {
			reach = 2 * f->delay / jump;
			a = zone_edge(f, k, reach, -1);
			b = zone_edge(f, k, reach, 1);
		} else if (in_window(f, &near, a, b) || a < f->s.b[0].x ||
			   b > f->s.b[f->s.n - 1].x) {
			continue;
		} else {
			a = zone_edge(f, p, 0, -1);
			b = zone_edge(f, p + 1, 0, 1);
		}
		while (k > 0 && f->k[k].ref_ns > a)
			k--;
		for (; k + 1 < f->n_k && f->k[k].ref_ns < b; k++)
			f->zone[k] = 1;
	}
}

/*
 * The height of a curve that a window may hide: the noise, or, for a non-linear
 * clock, the amount by which the window narrows the corridor.
 */
static double hidden_height(const struct tracker *f,
			    const struct tape_corridor *w)
{
	return fmax(w->noise, f->even ? 0 : f->delay - w->gap);
}

/* Widens r to the rates that window w allows. */
static void widen_rates(const struct tracker *f, const struct tape_corridor *w,
			struct tape_envelope_rate *r)
{
	const double cap = TAPE_ENVELOPE_STEEPEST;
	double rate = w->b / w->half, off = 2 * fabs(w->c) / w->half;

	off += hidden_height(f, w) / w->half;
	r->least = fmin(r->least, fmax(fmin(rate - off, cap), -cap));
	r->most = fmax(r->most, fmin(fmax(rate + off, -cap), cap));
}

/*
 * Finds by how much the rate may differ from each window's curve: by a wave
 * that its bounds allow, or by a curve that noise may hide.
 */
static int find_rate_errors(struct tracker *f)
{
	f->w_error = malloc((f->n_w + 1) * sizeof *f->w_error);
	if (!f->w_error)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < f->n_w; i++) {
		const struct tape_corridor *w = &f->w[i];
		double noise = hidden_slope * hidden_height(f, w) / w->half;
		int rc = tape_undetected_rate(&f->s, w, max_slew,
					      &f->w_error[i]);

		if (rc)
			return rc;
		f->w_error[i] = fmin(fmax(f->w_error[i], noise), max_slew);
	}
	return 0;
}

/*
 * The range of rates of each piece: that of all windows that touch it and of
 * their neighbours. Its error is the least of these windows.
 */
static void find_piece_rates(struct tracker *f, double wander)
{
	size_t i = 0;

	for (size_t p = 0; p + 1 < f->n_k; p++) {
		double a = f->k[p].ref_ns, b = f->k[p + 1].ref_ns;
		double least = INFINITY;
		struct tape_envelope_rate *r = &f->rate[p];

		r->least = INFINITY;
		r->most = -INFINITY;
		while (i + 1 < f->n_w && f->w[i].to <= a)
			i++;
		if (i)
			widen_rates(f, &f->w[i - 1], r);
		for (size_t j = i; j < f->n_w; j++) {
			const struct tape_corridor *w = &f->w[j];

			widen_rates(f, w, r);
			if (j > i && w->from >= b)
				break;
			least = fmin(least, f->w_error[j]);
		}
		r->wrong = isfinite(least) ? fmax(wander, least) : wander;
		if (f->loose) {
			r->least = -max_slew;
			r->most = max_slew;
		} else if (!f->n_w) {
			r->least = -TAPE_ENVELOPE_STEEPEST;
			r->most = TAPE_ENVELOPE_STEEPEST;
		}
		r->least -= wander;
		r->most += wander;
	}
}

/* ---- all of it ---- */

/*
 * Makes one straight window if a line meets all bounds: *even is then 1; -1 if
 * the bounds are too few to decide. A wide corridor shows a slow network and
 * nothing about the clock.
 */
static int fit_one_line(struct tracker *f, int *even)
{
	struct tape_corridor all;

	*even = -1;
	if (!tape_corridor_line(&f->s, 0, f->s.n, &all))
		return 0;
	*even = all.gap >= 0;
	return !*even ? 0 : append_window(f, &all);
}

static int make_track(struct tracker *f, struct tape_clock_track *t)
{
	double wide = 1;
	int rc;

	f->k = malloc(KNOTS * sizeof *f->k);
	f->zone = malloc(KNOTS);
	f->rate = malloc(KNOTS * sizeof *f->rate);
	if (!f->k || !f->zone || !f->rate)
		return TAPE_ENOMEM;
	rc = estimate_delays(f);
	if (!rc && t->even)
		rc = fit_one_line(f, &t->even);
	f->even = t->even > 0;
	f->loose &= !f->even;
	if (!rc && !f->even && !f->loose)
		rc = find_windows(f);
	if (rc)
		return rc;
	do
		place_knots(f, wide);
	while (f->n_k > KNOTS / 2 && (wide *= 2) != 0);
	if (!f->n_w) {
		append_knot(f, f->from, 0);
		append_knot(f, f->to, 0);
	}
	if (f->even)
		add_end_knots(f);
	repair_violations(f);
	mark_steered(f);
	t->n = f->n_k;
	t->knot = f->k;
	rc = find_rate_errors(f);
	if (rc)
		return rc;
	find_piece_rates(f, t->wander);
	rc = tape_envelope(t, f->loose, f->zone, f->rate, &f->s);
	for (size_t i = 0; i < t->n; i++)
		f->k[i].offset_ns += f->a + f->b * (f->k[i].ref_ns - f->from);
	return rc;
}

int tape_clock_track_fit(struct tape_clock_bound *upper, size_t n_upper,
			 struct tape_clock_bound *lower, size_t n_lower,
			 const struct tape_clock_track *first, double trip_ns,
			 double wander, int even, double from_ns, double to_ns,
			 struct tape_clock_track *out)
{
	struct tracker f = { .from = from_ns, .to = to_ns, .trip = trip_ns };
	struct tape_clock_track t = { .wander = wander, .even = even };
	int rc;

	if (!n_upper || !n_lower)
		return TAPE_EFEW;
	if (!(to_ns > from_ns))
		return TAPE_ERANGE;
	if (first) {
		f.a = tape_clock_track_at(first, from_ns).offset_ns;
		f.b = (tape_clock_track_at(first, to_ns).offset_ns - f.a) /
		      (to_ns - from_ns);
	}
	rc = collect_bounds(&f, upper, n_upper, lower, n_lower);
	if (!rc)
		rc = make_track(&f, &t);
	free(f.s.b);
	free(f.s.room);
	free(f.w);
	free(f.w_error);
	free(f.zone);
	free(f.rate);
	if (rc)
		free(f.k);
	else
		*out = t;
	return rc;
}
