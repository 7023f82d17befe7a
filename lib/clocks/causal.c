/*
 * Causal order of timestamps; see causal.h.
 *
 * An early receive moves forward to its send. Later events of the same clock
 * move by less and less, and so on along the messages: the controlled logical
 * clock (Rabenseifner 1997). A first pass from the last message to the first
 * keeps the result within the intervals: it limits each event by the events
 * that must follow it.
 */
#include <math.h>
#include <stdlib.h>

#include "lower_bound.h"
#include "causal.h"
#include "sort.h"
#include "tool.h"
#include "range.h"

/* The least distance of two events, ns: timestamps are rounded to ns later. */
static const double apart = 2;
/* The part of the elapsed time by which a shift decreases. */
static const double decline = 0.5;

/* The send or the receive of a message. */
struct node {
	double reading, est, date;
	double first, last;    /* limits by the interval */
	size_t partner;
	uint32_t clock;
	int received;
	int circular;	       /* part of a cycle: not ordered */
};

struct order {
	struct clocks *k;
	struct node *node;  /* by clock, then by reading */
	size_t n;
	size_t *turn;       /* numbers of nodes in causal order */
	size_t n_turn;
};

static int compare_readings(const void *a, const void *b)
{
	const struct node *p = a, *q = b;

	if (p->clock != q->clock)
		return p->clock < q->clock ? -1 : 1;
	if (p->reading != q->reading)
		return p->reading < q->reading ? -1 : 1;
	return q->received - p->received;
}

/* Replaces the message's number in partner by the number of the other node. */
static void pair_nodes(struct order *o)
{
	size_t *seen = clocks_alloc(o->n / 2, sizeof *seen);

	for (size_t i = 0; i < o->n; i++) {
		struct node *p = &o->node[i];
		size_t m = p->partner;

		if (!seen[m]) {
			seen[m] = i + 1;
		} else {
			p->partner = seen[m] - 1;
			o->node[p->partner].partner = i;
		}
	}
	free(seen);
}

static void collect_nodes(struct order *o, const struct bounds_pair *way,
			  size_t n_ways, const unsigned char *known)
{
	size_t n = 0;

	for (size_t i = 0; i < n_ways; i++)
		n += 2 * way[i].n;
	o->node = clocks_alloc(n, sizeof *o->node);
	o->turn = clocks_alloc(n, sizeof *o->turn);
	for (size_t i = 0; i < n_ways; i++) {
		const struct bounds_pair *w = &way[i];

		if (!known[w->from] || !known[w->to])
			continue;
		for (size_t j = 0; j < w->n; j++) {
			struct node s = { .reading = w->kept[j].sent,
					  .clock = w->from,
					  .partner = o->n / 2 };
			struct node r = { .reading = w->kept[j].received,
					  .clock = w->to,
					  .partner = o->n / 2,
					  .received = 1 };

			o->node[o->n++] = s;
			o->node[o->n++] = r;
		}
	}
	tape_sort(o->node, o->n, sizeof *o->node, compare_readings);
	pair_nodes(o);
}

/* The end of the nodes of the same clock from i on. */
static size_t clock_end(const struct order *o, size_t i)
{
	size_t end = i;

	while (end < o->n && o->node[end].clock == o->node[i].clock)
		end++;
	return end;
}

static void estimate_nodes(struct order *o)
{
	for (size_t i = 0, end; i < o->n; i = end) {
		const struct tape_clock_track *t =
			&o->k->c[o->node[i].clock].track;
		struct range r;

		end = clock_end(o, i);
		if (t->n)
			range_open(&r, t);
		for (size_t j = i; j < end; j++) {
			struct node *p = &o->node[j];

			p->est = clock_instant(t, p->reading, NULL, NULL);
			p->first = p->last = p->est;
			if (t->n)
				range_find(&r, p->reading, &p->first, &p->last);
			p->first = fmin(p->first, p->est);
			p->last = fmax(p->last, p->est);
		}
		if (t->n)
			range_close(&r);
	}
}

static int has_next(const struct order *o, size_t i)
{
	return i + 1 < o->n && o->node[i + 1].clock == o->node[i].clock;
}

static int compare_estimates(const void *a, const void *b)
{
	const struct node *p = *(struct node *const *)a;
	const struct node *q = *(struct node *const *)b;

	if (p->est != q->est)
		return p->est < q->est ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* All nodes by estimated time; nodes of a clock stay in order. */
static struct node **sort_by_estimate(const struct order *o)
{
	struct node **all = clocks_alloc(o->n, sizeof *all);

	for (size_t i = 0; i < o->n; i++)
		all[i] = &o->node[i];
	tape_sort(all, o->n, sizeof *all, compare_estimates);
	return all;
}

/*
 * Kahn's topological order. Messages in a cycle, which no clocks allow (a clock
 * was set back and repeats its readings), wait for each other. The first
 * receive of them is then excluded. The first of all waiting nodes is such a
 * receive, since only nodes of its own clock precede it.
 */
static void order_nodes(struct order *o)
{
	unsigned char *wait = clocks_alloc(o->n, 1);
	struct node **first = NULL;
	size_t at = 0, released = 0;

	for (size_t i = 0; i < o->n; i++) {
		wait[i] = (unsigned char)(o->node[i].received +
					  (i && has_next(o, i - 1)));
		if (!wait[i])
			o->turn[o->n_turn++] = i;
	}
	while (at < o->n) {
		size_t i;

		if (at == o->n_turn) {
			if (!first)
				first = sort_by_estimate(o);
			while (!wait[first[released] - o->node])
				released++;
			i = (size_t)(first[released] - o->node);
			o->node[i].circular = 1;
			o->node[o->node[i].partner].circular = 1;
			wait[i] = 0;
			o->turn[o->n_turn++] = i;
		}
		i = o->turn[at++];
		if (has_next(o, i) && !--wait[i + 1])
			o->turn[o->n_turn++] = i + 1;
		if (!o->node[i].received && !o->node[i].circular &&
		    !--wait[o->node[i].partner])
			o->turn[o->n_turn++] = o->node[i].partner;
	}
	free(first);
	free(wait);
}

/* Limits each node by the nodes that follow it. */
static void limit_backwards(struct order *o)
{
	for (size_t k = o->n_turn; k-- > 0;) {
		size_t i = o->turn[k];
		struct node *p = &o->node[i];
		double last = p->last;

		if (has_next(o, i))
			last = fmin(last, p[1].last -
					  fmin(apart, p[1].reading -
						      p->reading));
		if (!p->received && !p->circular)
			last = fmin(last, o->node[p->partner].last - apart);
		p->last = p->clock ? fmax(last, p->first) : p->est;
		p->date = fmin(p->est, p->last);
	}
}

/* Moves each node after the nodes that precede it. */
static void shift_forwards(struct order *o)
{
	for (size_t k = 0; k < o->n_turn; k++) {
		size_t i = o->turn[k];
		struct node *p = &o->node[i];
		double least = p->date;

		if (!p->clock)
			continue;
		if (i && has_next(o, i - 1)) {
			const struct node *b = p - 1;

			least = fmax(least, fmin(p->last, b->date +
				(1 - decline) * fmax(0, p->est - b->est)));
			least = fmax(least, b->date +
				fmin(apart, p->reading - b->reading));
		}
		if (p->received && !p->circular)
			least = fmax(least,
				     o->node[p->partner].date + apart);
		p->date = least;
	}
}

/* ---- tracks ---- */

/* A future knot; knots of nodes have priority over close ones. */
struct mark {
	struct tape_clock_knot k;
	int node;
};

static int compare_marks(const void *a, const void *b)
{
	const struct mark *p = a, *q = b;

	return p->k.ref_ns < q->k.ref_ns ? -1 : p->k.ref_ns > q->k.ref_ns;
}

static double mark_reading(const struct mark *m)
{
	return m->k.ref_ns + m->k.offset_ns;
}

static int is_after(const struct mark *a, const struct mark *b)
{
	return b->k.ref_ns - a->k.ref_ns >= 1 &&
	       mark_reading(b) - mark_reading(a) >= 1;
}

/* Sorts marks and keeps those at least 1 ns apart by both clocks; their number.
 */
static size_t drop_close_marks(struct mark *m, size_t n)
{
	size_t used = 0;

	tape_sort(m, n, sizeof *m, compare_marks);
	for (size_t i = 0; i < n; i++) {
		while (used && m[i].node && !m[used - 1].node &&
		       !is_after(&m[used - 1], &m[i]))
			used--;
		if (!used || is_after(&m[used - 1], &m[i]))
			m[used++] = m[i];
	}
	return used;
}

/* The shift at est, interpolated between nodes p to end. */
static double node_shift(const struct node *p, const struct node *end,
			 double est)
{
	size_t i;
	const struct node *a, *b;

	TAPE_LOWER_BOUND(i, (size_t)(end - p), p[i].est <= est);
	a = &p[i ? i - 1 : 0];
	b = p + i < end ? &p[i] : end - 1;
	if (!(b->est > a->est))
		return a->date - a->est;
	return a->date - a->est +
	       (b->date - b->est - a->date + a->est) * (est - a->est) /
		       (b->est - a->est);
}

static int is_moved(const struct node *p)
{
	return fabs(p->date - p->est) > 0.1;
}

/*
 * Returns 1 if the track must have a knot between nodes a and b: one of them
 * moved, or the slope differs from 1 (the rounding of readings matters).
 */
static int is_joint(const struct node *a, const struct node *b)
{
	return is_moved(a) || is_moved(b) ||
	       fabs((b->date - a->date) - (b->reading - a->reading)) >
		       0.01 * (b->reading - a->reading);
}

static struct tape_clock_track track_from_marks(const struct mark *m, size_t n,
						double wander)
{
	struct tape_clock_track t = {n, clocks_alloc(n, sizeof *t.knot), wander,
				     0};

	for (size_t i = 0; i < n; i++)
		t.knot[i] = m[i].k;
	return t;
}

/* Sets the interval at m from the old track. */
static void keep_interval(struct mark *m, const struct tape_clock_track *old)
{
	struct tape_clock_knot q = tape_clock_track_at(old, m->k.ref_ns);

	m->k.lo_ns = fmin(0, q.offset_ns + q.lo_ns - m->k.offset_ns);
	m->k.hi_ns = fmax(0, q.offset_ns + q.hi_ns - m->k.offset_ns);
}

/* The track of a clock through its nodes p to end. */
static void rebuild_track(struct clock *c, const struct node *p,
			  const struct node *end)
{
	struct tape_clock_track old = c->track, t;
	size_t n = 0;
	struct mark *m = clocks_alloc(2 * old.n + (size_t)(end - p), sizeof *m);

	for (size_t i = 0; i < old.n; i++) {
		double by = node_shift(p, end, old.knot[i].ref_ns);

		m[n].k = old.knot[i];
		m[n].k.ref_ns += by;
		m[n++].k.offset_ns -= by;
	}
	for (const struct node *q = p; q < end; q++)
		if ((q > p && is_joint(q - 1, q)) ||
		    (q + 1 < end && is_joint(q, q + 1))) {
			m[n].k.ref_ns = q->date;
			m[n].k.offset_ns = q->reading - q->date;
			m[n++].node = 1;
		}
	n = drop_close_marks(m, n);
	/* the interval keeps the knots of the old track */
	t = track_from_marks(m, n, 0);
	for (size_t i = 0; i < old.n; i++) {
		m[n].k = tape_clock_track_at(&t, old.knot[i].ref_ns);
		m[n].k.ref_ns = old.knot[i].ref_ns;
		m[n++].node = 0;
	}
	n = drop_close_marks(m, n);
	for (size_t i = 0; i < n; i++)
		keep_interval(&m[i], &old);
	c->track = track_from_marks(m, n, old.wander);
	c->source |= CLOCK_MESSAGES;
	tape_clock_track_free(&t);
	tape_clock_track_free(&old);
	free(m);
}

void causal_order(struct clocks *k, const struct bounds_pair *way,
		  size_t n_ways, const unsigned char *known)
{
	struct order o = { .k = k };

	collect_nodes(&o, way, n_ways, known);
	estimate_nodes(&o);
	order_nodes(&o);
	for (size_t i = 0; i < o.n; i++)
		o.node[i].date = o.node[i].est;
	limit_backwards(&o);
	shift_forwards(&o);
	for (size_t i = 0, end; i < o.n; i = end) {
		int moved = 0;

		end = clock_end(&o, i);
		for (size_t j = i; j + 1 < end; j++)
			moved |= is_joint(&o.node[j], &o.node[j + 1]);
		if (moved && o.node[i].clock)
			rebuild_track(&k->c[o.node[i].clock], &o.node[i],
				      o.node + end);
	}
	free(o.node);
	free(o.turn);
}
