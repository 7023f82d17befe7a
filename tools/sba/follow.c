/* Clocks that follow messages, by turns (Gauss and Seidel); see follow.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "causal.h"
#include "even.h"
#include "follow.h"
#include "message.h"
#include "range.h"

enum { SWEEPS = 4 };

/* A line is worse than its 95% interval says where the network was loaded. */
#define DEVIATIONS 6

/* A date that is too early by less is so by rounding, ns. */
static const double rounding = 1;

struct follow {
	struct clocks *k;
	const struct bounds_way *way;
	size_t n_ways;
	unsigned char *known;    /* by clock: it may bound others */
	uint64_t *when;          /* by way: 64ths of the run that it is in */
	struct tape_clock_bound *upper, *lower; /* by the others' tracks */
	struct tape_clock_bound *sure_upper, *sure_lower; /* by intervals */
	size_t n_upper, n_lower, n_sure_upper, n_sure_lower;
};

/* ---- rounds ---- */

static void add_rounds(const struct clocks *k, struct bounds *b)
{
	for (size_t i = 0; i < k->n_pairs; i++) {
		const struct clock_pair *p = &k->pair[i];

		for (size_t j = 0; j < p->n; j++) {
			struct tape_clock_round r =
				clocks_round(k, p, j, p->a, p->b);

			bounds_round(b, p->a, r.s_ref, p->b, r.r_j);
			bounds_round(b, p->b, r.s_j, p->a, r.r_ref);
		}
	}
}

/* ---- violations ---- */

static int violates(const struct clocks *k, const struct bounds_way *w,
		    const struct bounds_message *m)
{
	return clock_instant(&k->c[w->to].track, m->received, NULL, NULL) <
	       clock_instant(&k->c[w->from].track, m->sent, NULL, NULL) -
		       rounding;
}

static uint64_t violations_on(const struct follow *f,
			      const struct bounds_way *w)
{
	uint64_t n = 0;

	if (!f->known[w->from] || !f->known[w->to])
		return 0;
	for (size_t i = 0; i < w->n; i++)
		n += violates(f->k, w, &w->kept[i]) != 0;
	return n;
}

/* Of all ways between known clocks; marks the clocks unless that is NULL. */
static uint64_t violations(const struct follow *f, unsigned char *marked)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];
		uint64_t here = violations_on(f, w);

		if (here && marked)
			marked[w->from] = marked[w->to] = 1;
		n += here;
	}
	return n;
}

static uint64_t violations_of(const struct follow *f, uint32_t j)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_ways; i++)
		if (f->way[i].from == j || f->way[i].to == j)
			n += violations_on(f, &f->way[i]);
	return n;
}

/* ---- one clock ---- */

static void put(struct tape_clock_bound *b, size_t *n, double x, double shown)
{
	b[(*n)++] = (struct tape_clock_bound){ x, shown - x };
}

/*
 * The messages of one way as bounds of clock j's offset. Sent by the other at
 * x, then j showed no more than it did when it received: not then, and not at
 * the first instant at which the other may have sent it. The other way round
 * it is the last instant that is sure.
 */
static void gather_way(struct follow *f, const struct bounds_way *w, uint32_t j)
{
	int upper = w->to == j;
	const struct tape_clock_track *t =
		&f->k->c[upper ? w->from : w->to].track;
	struct range r;

	if (t->n)
		range_open(&r, t);
	for (size_t i = 0; i < w->n; i++) {
		const struct bounds_message *m = &w->kept[i];
		double theirs = upper ? m->sent : m->received;
		double ours = upper ? m->received + rounding
				    : m->sent - rounding;
		double x = clock_instant(t, theirs, NULL, NULL);
		double first = x, last = x;

		if (upper)
			put(f->upper, &f->n_upper, x, ours);
		else
			put(f->lower, &f->n_lower, x, ours);
		if (t->n && range_unbounded(t, x, upper))
			continue;
		if (t->n)
			range_of(&r, theirs, &first, &last);
		if (upper)
			put(f->sure_upper, &f->n_sure_upper, first, ours);
		else
			put(f->sure_lower, &f->n_sure_lower, last, ours);
	}
	if (t->n)
		range_close(&r);
}

static void gather(struct follow *f, uint32_t j)
{
	f->n_upper = f->n_lower = f->n_sure_upper = f->n_sure_lower = 0;
	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];

		if ((w->to == j && f->known[w->from]) ||
		    (w->from == j && f->known[w->to]))
			gather_way(f, w, j);
	}
}

/*
 * No clock goes back: an estimate that does has too many dates for a reading.
 * What may be true does not change.
 */
static void forwards(struct tape_clock_track *t)
{
	for (size_t i = 1; i < t->n; i++) {
		struct tape_clock_knot *k = &t->knot[i];
		double dx = k->ref_ns - k[-1].ref_ns;
		double least = k[-1].offset_ns - dx, up = least - k->offset_ns;

		if (up <= 0)
			continue;
		up += 1e-6 * dx;
		k->offset_ns += up;
		k->lo_ns -= up;
		k->hi_ns = fmax(0, k->hi_ns - up);
	}
}

/* The estimate t, kept within the interval of sure, which becomes its own. */
static void join(struct tape_clock_track *t,
		 const struct tape_clock_track *sure)
{
	size_t n = t->n + sure->n, used = 0;
	struct tape_clock_knot *k = clocks_room(n, sizeof *k);
	double *x = clocks_room(n, sizeof *x);

	for (size_t i = 0; i < t->n; i++)
		x[i] = t->knot[i].ref_ns;
	for (size_t i = 0; i < sure->n; i++)
		x[t->n + i] = sure->knot[i].ref_ns;
	gsl_sort(x, 1, n);
	for (size_t i = 0; i < n; i++) {
		struct tape_clock_knot p = tape_clock_at(t, x[i]);
		struct tape_clock_knot q = tape_clock_at(sure, x[i]);

		if (used && x[i] - k[used - 1].ref_ns < 1)
			continue;
		p.ref_ns = x[i];
		p.offset_ns = fmin(fmax(p.offset_ns, q.offset_ns + q.lo_ns),
				   q.offset_ns + q.hi_ns);
		p.lo_ns = q.offset_ns + q.lo_ns - p.offset_ns;
		p.hi_ns = q.offset_ns + q.hi_ns - p.offset_ns;
		k[used++] = p;
	}
	free(x);
	free(t->knot);
	t->knot = k;
	t->n = used;
	forwards(t);
}

/* The line t, whose interval is no wider than that of sure from now on. */
static void meet(struct tape_clock_track *t,
		 const struct tape_clock_track *sure)
{
	struct tape_clock_track line = *t;
	struct tape_clock_knot *old = t->knot;

	t->knot = clocks_room(t->n, sizeof *t->knot);
	memcpy(t->knot, old, t->n * sizeof *old);
	join(t, sure);
	for (size_t i = 0; i < t->n; i++) {
		struct tape_clock_knot *k = &t->knot[i];
		struct tape_clock_knot q = tape_clock_at(&line, k->ref_ns);
		double off = k->offset_ns - q.offset_ns;

		k->lo_ns = fmin(fmax(k->lo_ns, q.lo_ns - off), 0);
		k->hi_ns = fmax(fmin(k->hi_ns, q.hi_ns - off), 0);
	}
	free(old);
}

static void must(int rc)
{
	if (rc && rc != TAPE_EFEW)
		tape_die(TAPE_FAILED, "%s", tape_error_text(rc));
}

/*
 * Clock j as what bounds it says, the intervals of the other clocks taken into
 * account: with these no two bounds contradict each other. 1, or 0 where there
 * are none on one of the sides.
 */
static int bounded(struct follow *f, uint32_t j, struct tape_clock_track *t)
{
	const struct tape_clock_track *first = &f->k->c[j].track;
	const struct clocks *k = f->k;
	int rc;

	gather(f, j);
	rc = tape_clock_follow(f->sure_upper, f->n_sure_upper, f->sure_lower,
			       f->n_sure_lower, first->n ? first : NULL,
			       k->wander, k->from_ns, k->to_ns, t);
	must(rc);
	if (rc)
		return 0;
	forwards(t);
	even_widen(t, f->sure_upper, f->n_sure_upper, f->sure_lower,
		   f->n_sure_lower);
	return 1;
}

/*
 * Is the line of clock j, of samples at one end only, worth more than the track
 * t? So it is in a short run: no message contradicts it, and what chance leaves
 * open of it is less than what messages do.
 */
static int is_better(const struct follow *f, uint32_t j,
		     const struct tape_clock_track *t)
{
	const struct clock *c = &f->k->c[j];
	const struct tape_clock_fit *fit = &c->fit;

	if (c->status != CLOCK_PLACED || !c->fitted || !fit->bounded ||
	    violations_of(f, j))
		return 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tape_clock_knot *k = &t->knot[i];
		double chance = fit->offset_ci_ns +
				fit->drift_ci * fabs(k->ref_ns);

		if (!(DEVIATIONS * chance < k->hi_ns - k->lo_ns))
			return 0;
	}
	return 1;
}

/* Clock j by its bounds from now on: 1, or 0 where it has too few. */
static int follow(struct follow *f, uint32_t j)
{
	struct clock *c = &f->k->c[j];
	struct tape_clock_track t;

	if (!bounded(f, j, &t))
		return 0;
	f->known[j] = 1;
	if (is_better(f, j, &t)) {
		meet(&c->track, &t);
		tape_clock_track_free(&t);
		t = c->track;
	} else {
		tape_clock_track_free(&c->track);
	}
	c->track = t;
	c->status = CLOCK_PLACED;
	c->source |= CLOCK_MESSAGES;
	return 1;
}

/* Keeps the straight line of clock j, and narrows its interval. */
static void narrow(struct follow *f, uint32_t j)
{
	struct tape_clock_track t;

	if (!bounded(f, j, &t))
		return;
	meet(&f->k->c[j].track, &t);
	tape_clock_track_free(&t);
}

/*
 * Moves clock j within its interval towards what the estimates of the others
 * say, if fewer messages of its own are violated then.
 */
static void move(struct follow *f, uint32_t j)
{
	struct clock *c = &f->k->c[j];
	struct tape_clock_track t = { 0 }, old = c->track;
	const struct clocks *k = f->k;
	uint64_t before = violations_of(f, j);
	int rc;

	gather(f, j);
	rc = tape_clock_follow(f->upper, f->n_upper, f->lower, f->n_lower, &old,
			       k->wander, k->from_ns, k->to_ns, &t);
	must(rc);
	if (rc)
		return;
	join(&t, &old);
	c->track = t;
	if (violations_of(f, j) < before) {
		tape_clock_track_free(&old);
		c->source |= CLOCK_MESSAGES;
	} else {
		c->track = old;
		tape_clock_track_free(&t);
	}
}

/* ---- all of them ---- */

static void find_when(struct follow *f)
{
	const struct clocks *k = f->k;

	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];

		for (size_t j = 0; j < w->n; j++) {
			double x = clock_instant(&k->c[w->to].track,
						 w->kept[j].received, NULL,
						 NULL);
			double part = (x - k->from_ns) /
				      (k->to_ns - k->from_ns);

			f->when[i] |= (uint64_t)1
				      << (int)(63 * fmin(fmax(part, 0), 1));
		}
	}
}

static int ones(uint64_t v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/*
 * The clock with messages both ways, from and to known ones, through most of
 * the run: in between a crooked clock may do anything. Rounds are many, but at
 * the ends. both: room for two sets by clock.
 */
static uint32_t next_clock(const struct follow *f, const unsigned char *done,
			   uint64_t (*both)[2])
{
	int most = 0;
	uint32_t best = 0;

	for (size_t i = 0; i < f->k->n; i++)
		both[i][0] = both[i][1] = 0;
	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];

		if (f->known[w->from])
			both[w->to][0] |= f->when[i];
		if (f->known[w->to])
			both[w->from][1] |= f->when[i];
	}
	for (size_t i = 1; i < f->k->n; i++) {
		int n = ones(both[i][0]) < ones(both[i][1]) ? ones(both[i][0])
							    : ones(both[i][1]);

		if (!done[i] && n > most) {
			most = n;
			best = (uint32_t)i;
		}
	}
	return best;
}

/* Has it no straight line from end to end, of which all is bounded? */
static int is_short(const struct clock *c)
{
	unsigned ends = CLOCK_BEFORE | CLOCK_AFTER;

	for (size_t i = 0; i < c->track.n; i++)
		if (!isfinite(c->track.knot[i].hi_ns) ||
		    !isfinite(c->track.knot[i].lo_ns))
			return 1;
	return c->status == CLOCK_UNPLACED ||
	       (!(c->source & CLOCK_FILE) &&
		((c->source & ends) != ends || !c->fit.bounded));
}

/* Does the message arrive early even at the far ends of both intervals? */
static int refutes(const struct clocks *k, const struct bounds_way *w,
		   const struct bounds_message *m)
{
	double lo[2], hi[2];
	double to = clock_instant(&k->c[w->to].track, m->received, &lo[0],
				  &hi[0]);
	double from = clock_instant(&k->c[w->from].track, m->sent, &lo[1],
				    &hi[1]);

	return to + hi[0] < from + lo[1] - rounding;
}

/* Marks the clocks that are not known well by a straight line. */
static void find_crooked(const struct follow *f, unsigned char *crooked)
{
	const struct clocks *k = f->k;

	for (size_t i = 1; i < k->n; i++)
		crooked[i] = (unsigned char)is_short(&k->c[i]);
	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];

		for (size_t j = 0; j < w->n && f->known[w->from] &&
				   f->known[w->to]; j++)
			if (refutes(k, w, &w->kept[j]))
				crooked[w->from] = crooked[w->to] = 1;
	}
	crooked[0] = 0;
}

/*
 * From the reference outwards, each by those that are known already: clocks
 * that messages contradict, or that have no line worth the name, follow. The
 * others keep their lines, which no estimate from messages is better than.
 */
static void first_sweep(struct follow *f, const unsigned char *crooked)
{
	unsigned char *done = clocks_room(f->k->n, 1);
	uint64_t(*both)[2] = clocks_room(f->k->n, sizeof *both);
	uint32_t j;

	done[0] = 1;
	for (size_t i = 0; i < f->k->n; i++)
		f->known[i] = !crooked[i];
	while ((j = next_clock(f, done, both))) {
		done[j] = 1;
		if (!crooked[j]) {
			narrow(f, j);
		} else if (follow(f, j)) {
			move(f, j);
		}
	}
	free(both);
	free(done);
}

/* Moves those that still have messages violated: 1 if there were any. */
static int next_sweep(struct follow *f)
{
	unsigned char *marked = clocks_room(f->k->n, 1);
	int any = violations(f, marked) > 0;

	for (size_t i = 1; i < f->k->n; i++)
		if (marked[i])
			move(f, (uint32_t)i);
	free(marked);
	return any;
}

static void know_placed(struct follow *f)
{
	for (size_t i = 0; i < f->k->n; i++)
		f->known[i] = f->k->c[i].status != CLOCK_UNPLACED;
}

void follow_messages(struct clocks *k, struct bounds *b, double wander,
		     struct follow_result *r)
{
	struct follow f = { .k = k };
	unsigned char *crooked = clocks_room(k->n, 1);
	size_t n = 0;

	add_rounds(k, b);
	f.way = bounds_ways(b, &f.n_ways);
	for (size_t i = 0; i < f.n_ways; i++)
		n += f.way[i].n;
	f.known = clocks_room(k->n, 1);
	f.when = clocks_room(f.n_ways, sizeof *f.when);
	find_when(&f);
	f.upper = clocks_room(4 * n, sizeof *f.upper);
	f.lower = f.upper + n;
	f.sure_upper = f.lower + n;
	f.sure_lower = f.sure_upper + n;
	know_placed(&f);
	*r = (struct follow_result){ .kept = n,
				     .violated = violations(&f, NULL) };
	find_crooked(&f, crooked);
	k->wander = wander;
	clocks_compose(k);
	first_sweep(&f, crooked);
	know_placed(&f);
	for (r->sweeps = 1; r->sweeps < SWEEPS && next_sweep(&f);)
		r->sweeps++;
	causal_order(k, f.way, f.n_ways, f.known);
	r->left = violations(&f, NULL);
	free(crooked);
	free(f.upper);
	free(f.known);
	free(f.when);
}
