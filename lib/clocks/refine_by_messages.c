/* Refines clocks by messages, clock by clock (Gauss-Seidel iteration). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock_track_fit.h"
#include "causal.h"
#include "linear_bounds.h"
#include "refine_by_messages.h"
#include "merge_tracks.h"
#include "tool.h"
#include "range.h"
#include "linearity_test.h"

enum {
	SWEEPS = 4,
	TELLING = 8 /* messages in each direction that determine a rate */
};

/* On a loaded network the error of a line exceeds its 95% interval. */
#define DEVIATIONS 6

/* Violations up to this are rounding, ns. */
static const double rounding = 1;

struct refinement {
	struct clocks *k;
	const struct bounds_pair *way;
	size_t n_ways;
	double wander;           /* of non-linear clocks */
	unsigned char *known;    /* by clock: it may bound others */
	unsigned char *nonlinear; /* by clock: no straight line is possible */
	struct tape_clock_track *line; /* by clock: its line, if any */
	uint64_t *when;          /* by pair: 64ths of the run with messages */
	struct tape_clock_bound *upper, *lower; /* by tracks of others */
	struct tape_clock_bound *sure_upper, *sure_lower; /* by intervals */
	size_t n_upper, n_lower, n_sure_upper, n_sure_lower;
	size_t n_messages[2]; /* among these, from and to the clock */
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

static int is_violated(const struct clocks *k, const struct bounds_pair *w,
		       const struct bounds_message *m)
{
	return clock_instant(&k->c[w->to].track, m->received, NULL, NULL) <
	       clock_instant(&k->c[w->from].track, m->sent, NULL, NULL) -
		       rounding;
}

static uint64_t pair_violations(const struct refinement *f,
				const struct bounds_pair *w)
{
	uint64_t n = 0;

	if (!f->known[w->from] || !f->known[w->to])
		return 0;
	for (size_t i = 0; i < w->n; i++)
		n += is_violated(f->k, w, &w->kept[i]) != 0;
	return n;
}

/* Violations between known clocks; marks the clocks unless marked is NULL. */
static uint64_t count_violations(const struct refinement *f,
				 unsigned char *marked)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_pair *w = &f->way[i];
		uint64_t here = pair_violations(f, w);

		if (here && marked)
			marked[w->from] = marked[w->to] = 1;
		n += here;
	}
	return n;
}

static uint64_t clock_violations(const struct refinement *f, uint32_t j)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_ways; i++)
		if (f->way[i].from == j || f->way[i].to == j)
			n += pair_violations(f, &f->way[i]);
	return n;
}

/* ---- one clock ---- */

static void add_bound(struct tape_clock_bound *b, size_t *n, double x,
		      double shown)
{
	b[(*n)++] = (struct tape_clock_bound){ x, shown - x };
}

/*
 * Adds the messages of one directed pair as bounds of clock j's offset. If the
 * other clock sent at x, j showed at x at most its reading at the receive. This
 * also holds at the first instant at which the other may have sent. In the
 * other direction the last possible instant of the receive holds.
 */
static void collect_pair_bounds(struct refinement *f,
				const struct bounds_pair *w, uint32_t j,
				int rounds)
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

		if (m->is_round && !rounds)
			continue;
		f->n_messages[upper] += !m->is_round;
		if (upper)
			add_bound(f->upper, &f->n_upper, x, ours);
		else
			add_bound(f->lower, &f->n_lower, x, ours);
		if (t->n && range_unbounded(t, x, upper))
			continue;
		if (t->n)
			range_find(&r, theirs, &first, &last);
		if (upper)
			add_bound(f->sure_upper, &f->n_sure_upper, first, ours);
		else
			add_bound(f->sure_lower, &f->n_sure_lower, last, ours);
	}
	if (t->n)
		range_close(&r);
}

/* All bounds of clock j; rounds 0: only by messages of the program. */
static void collect_clock_bounds(struct refinement *f, uint32_t j, int rounds)
{
	f->n_upper = f->n_lower = f->n_sure_upper = f->n_sure_lower = 0;
	f->n_messages[0] = f->n_messages[1] = 0;
	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_pair *w = &f->way[i];

		if ((w->to == j && f->known[w->from]) ||
		    (w->from == j && f->known[w->to]))
			collect_pair_bounds(f, w, j, rounds);
	}
}

static void die_on_error(int rc)
{
	if (rc && rc != TAPE_EFEW)
		tape_die(TAPE_FAILED, "%s", tape_error_text(rc));
}

/* Returns 1 if the clock was not sampled at both ends of the run. */
static int lacks_end_samples(const struct clock *c)
{
	unsigned ends = CLOCK_BEFORE | CLOCK_AFTER;

	return !(c->source & CLOCK_FILE) && (c->source & ends) != ends;
}

/* The least round-trip time of its rounds; 0: no rounds. */
static double min_round_trip(const struct clock *c)
{
	return c->fitted ? fmax(c->fit.least_trip_ns, 0) : 0;
}

/*
 * Fits a track of clock j to its bounds by the intervals of the other clocks,
 * which do not contradict each other. A linear clock has the wander of lines.
 * Returns 1, or 0 without bounds on one of the sides.
 */
static int track_from_bounds(struct refinement *f, uint32_t j,
			     struct tape_clock_track *t)
{
	const struct clock *c = &f->k->c[j];
	int even = !f->nonlinear[j];

	collect_clock_bounds(f, j, 1);
	for (;;) {
		double wander =
		    !even || lacks_end_samples(c) ? f->wander : f->k->wander;
		int rc = tape_clock_track_fit(f->sure_upper, f->n_sure_upper,
					      f->sure_lower, f->n_sure_lower,
					      c->track.n ? &c->track : NULL,
					      min_round_trip(c), wander, even,
					      f->k->from_ns, f->k->to_ns, t);

		die_on_error(rc);
		if (rc)
			return 0;
		if (t->even || !even)
			break;
		/* no line meets all bounds */
		tape_clock_track_free(t);
		f->nonlinear[j] = 1;
		even = 0;
	}
	tracks_make_monotonic(t);
	linear_bounds_widen(t, f->sure_upper, f->n_sure_upper, f->sure_lower,
			    f->n_sure_lower);
	return 1;
}

/*
 * Intersects the interval of t with that of clock j without its rounds: more
 * samples then never widen t.
 */
static void narrow_by_messages(struct refinement *f, uint32_t j,
			       struct tape_clock_track *t)
{
	const struct clock *c = &f->k->c[j];
	struct tape_clock_track by;
	int rc;

	collect_clock_bounds(f, j, 0);
	if (f->n_messages[0] < TELLING || f->n_messages[1] < TELLING)
		return;
	rc = tape_clock_track_fit(f->sure_upper, f->n_sure_upper, f->sure_lower,
				  f->n_sure_lower,
				  c->track.n ? &c->track : NULL, 0, f->wander,
				  0, f->k->from_ns, f->k->to_ns, &by);
	die_on_error(rc);
	if (rc)
		return;
	linear_bounds_widen(&by, f->sure_upper, f->n_sure_upper, f->sure_lower,
			    f->n_sure_lower);
	tracks_intersect(t, &by);
	tape_clock_track_free(&by);
}

/*
 * Returns 1 if the line of a clock with rounds at one end only is more accurate
 * than track t: its random error is less than the interval by messages, as in a
 * short run.
 */
static int is_line_better(const struct clock *c,
			  const struct tape_clock_track *t)
{
	const struct tape_clock_fit *fit = &c->fit;

	for (size_t i = 0; i < t->n; i++) {
		const struct tape_clock_knot *k = &t->knot[i];
		double chance = fit->offset_ci_ns +
				fit->drift_ci * fabs(k->ref_ns);

		if (!(DEVIATIONS * chance < k->hi_ns - k->lo_ns))
			return 0;
	}
	return 1;
}

/*
 * Returns 1 if clock j keeps its line: an uncontradicted line through rounds at
 * both ends is better than any estimate from messages.
 */
static int keeps_line(const struct refinement *f, uint32_t j,
		      const struct tape_clock_track *t)
{
	const struct clock *c = &f->k->c[j];

	return f->line[j].n && !f->nonlinear[j] && t->even &&
	       tracks_is_within(&f->line[j], t) &&
	       (!lacks_end_samples(c) || (c->source & CLOCK_FILE) ||
		(c->fitted && is_line_better(c, t)));
}

/*
 * Returns 1 if the interval of the line of clock j, which no bound contradicts,
 * also holds for the clock: messages do not replace the drift of a file, and
 * few messages determine no rate.
 */
static int trusts_line(const struct refinement *f, uint32_t j,
		       const struct tape_clock_track *t)
{
	return f->line[j].n && !f->nonlinear[j] &&
	       (f->k->c[j].source & CLOCK_FILE || t->even < 0 ||
		f->n_messages[0] < TELLING || f->n_messages[1] < TELLING);
}

/*
 * Replaces the track of clock j by that of its bounds and its present interval.
 * Returns 1, or 0 if there are too few bounds.
 */
static int refine_clock(struct refinement *f, uint32_t j)
{
	struct clock *c = &f->k->c[j];
	struct tape_clock_track t;

	if (!track_from_bounds(f, j, &t))
		return 0;
	narrow_by_messages(f, j, &t);
	if (f->known[j])
		tracks_intersect(&t, &c->track);
	if (trusts_line(f, j, &t))
		tracks_intersect(&t, &f->line[j]);
	c->source |= CLOCK_MESSAGES;
	if (keeps_line(f, j, &t)) {
		struct tape_clock_track line = tracks_copy(&f->line[j]);

		tracks_limit_estimate(&line, &t);
		tape_clock_track_free(&t);
		t = line;
		c->source &= ~(unsigned)CLOCK_MESSAGES;
	}
	f->known[j] = 1;
	tape_clock_track_free(&c->track);
	c->track = t;
	c->status = CLOCK_PLACED;
	return 1;
}

/*
 * Moves clock j within its interval towards the estimates of the other clocks,
 * if that reduces its violations.
 */
static void move_clock(struct refinement *f, uint32_t j)
{
	struct clock *c = &f->k->c[j];
	struct tape_clock_track t = { 0 }, old = c->track;
	const struct clocks *k = f->k;
	uint64_t before = clock_violations(f, j);
	int rc;

	collect_clock_bounds(f, j, 1);
	rc = tape_clock_track_fit(f->upper, f->n_upper, f->lower, f->n_lower,
				  &old, min_round_trip(c), f->wander, 0,
				  k->from_ns, k->to_ns, &t);
	die_on_error(rc);
	if (rc)
		return;
	tracks_limit_estimate(&t, &old);
	c->track = t;
	if (clock_violations(f, j) < before) {
		tape_clock_track_free(&old);
		c->source |= CLOCK_MESSAGES;
	} else {
		c->track = old;
		tape_clock_track_free(&t);
	}
}

/* ---- all of them ---- */

static void find_active_times(struct refinement *f)
{
	const struct clocks *k = f->k;

	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_pair *w = &f->way[i];

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

static int count_bits(uint64_t v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/*
 * The next clock: with messages in both directions, from and to known clocks,
 * in most parts of the run. Rounds are many, but only at the ends. both:
 * scratch, two sets for each clock.
 */
static uint32_t next_clock(const struct refinement *f,
			   const unsigned char *done, uint64_t (*both)[2])
{
	int most = 0;
	uint32_t best = 0;

	for (size_t i = 0; i < f->k->n; i++)
		both[i][0] = both[i][1] = 0;
	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_pair *w = &f->way[i];

		if (f->known[w->from])
			both[w->to][0] |= f->when[i];
		if (f->known[w->to])
			both[w->from][1] |= f->when[i];
	}
	for (size_t i = 1; i < f->k->n; i++) {
		int n = count_bits(both[i][0]) < count_bits(both[i][1])
			    ? count_bits(both[i][0])
			    : count_bits(both[i][1]);

		if (!done[i] && n > most) {
			most = n;
			best = (uint32_t)i;
		}
	}
	return best;
}

/* Returns 1 unless the clock has a bounded straight line from end to end. */
static int has_no_line(const struct clock *c)
{
	for (size_t i = 0; i < c->track.n; i++)
		if (!isfinite(c->track.knot[i].hi_ns) ||
		    !isfinite(c->track.knot[i].lo_ns))
			return 1;
	return c->status == CLOCK_UNPLACED ||
	       (!(c->source & CLOCK_FILE) && !c->fit.bounded);
}

/*
 * Refines the clocks from the reference outwards, each by the known ones, then
 * all of them again by all others: a clock may have been sampled by a later
 * one.
 */
static void first_sweep(struct refinement *f)
{
	unsigned char *done = clocks_alloc(f->k->n, 1);
	uint64_t(*both)[2] = clocks_alloc(f->k->n, sizeof *both);
	uint32_t j, *order = clocks_alloc(f->k->n, sizeof *order);
	size_t n = 0;

	done[0] = f->known[0] = 1;
	while ((j = next_clock(f, done, both))) {
		done[j] = 1;
		order[n] = j;
		n += (size_t)refine_clock(f, j);
	}
	for (size_t i = 0; n > 1 && i < n; i++)
		refine_clock(f, order[i]);
	for (size_t i = 0; i < n; i++)
		if (f->k->c[order[i]].source & CLOCK_MESSAGES)
			move_clock(f, order[i]);
	free(order);
	free(both);
	free(done);
}

/* Moves the clocks with violations; returns 1 if there were any. */
static int next_sweep(struct refinement *f)
{
	unsigned char *marked = clocks_alloc(f->k->n, 1);
	int any = count_violations(f, marked) > 0;

	for (size_t i = 1; i < f->k->n; i++)
		if (marked[i])
			move_clock(f, (uint32_t)i);
	free(marked);
	return any;
}

static void mark_placed(struct refinement *f)
{
	for (size_t i = 0; i < f->k->n; i++)
		f->known[i] = f->k->c[i].status != CLOCK_UNPLACED;
}

/* Copies of the lines of all placed clocks. */
static struct tape_clock_track *copy_lines(const struct clocks *k)
{
	struct tape_clock_track *line = clocks_alloc(k->n, sizeof *line);

	for (size_t i = 1; i < k->n; i++)
		if (k->c[i].status == CLOCK_PLACED)
			line[i] = tracks_copy(&k->c[i].track);
	return line;
}

/* Counts the messages of the program that bound each clock. */
static void add_message_counts(const struct refinement *f)
{
	for (size_t i = 0; i < f->n_ways; i++) {
		f->k->c[f->way[i].from].messages += f->way[i].messages;
		f->k->c[f->way[i].to].messages += f->way[i].messages;
	}
}

static void free_refinement(struct refinement *f)
{
	for (size_t i = 0; i < f->k->n; i++)
		tape_clock_track_free(&f->line[i]);
	free(f->line);
	free(f->nonlinear);
	free(f->upper);
	free(f->known);
	free(f->when);
}

void refine_by_messages(struct clocks *k, struct bounds *b, double wander,
			struct refine_result *r)
{
	struct refinement f = {.k = k, .wander = wander};
	size_t n = 0;

	add_rounds(k, b);
	f.way = bounds_pairs(b, &f.n_ways);
	for (size_t i = 0; i < f.n_ways; i++)
		n += f.way[i].n;
	f.known = clocks_alloc(k->n, 1);
	f.nonlinear = clocks_alloc(k->n, 1);
	f.when = clocks_alloc(f.n_ways, sizeof *f.when);
	find_active_times(&f);
	f.upper = clocks_alloc(4 * n, sizeof *f.upper);
	f.lower = f.upper + n;
	f.sure_upper = f.lower + n;
	f.sure_lower = f.sure_upper + n;
	f.line = copy_lines(k);
	add_message_counts(&f);
	mark_placed(&f);
	*r = (struct refine_result){
	    .n_used = n, .n_violated_before = count_violations(&f, NULL)};
	linearity_test(k, f.way, f.n_ways, f.nonlinear);
	for (size_t i = 1; i < k->n; i++) {
		f.nonlinear[i] |= (unsigned char)has_no_line(&k->c[i]);
	}
	memset(f.known, 0, k->n);
	first_sweep(&f);
	mark_placed(&f);
	for (r->sweeps = 1; r->sweeps < SWEEPS && next_sweep(&f);)
		r->sweeps++;
	causal_order(k, f.way, f.n_ways, f.known);
	r->n_violated_after = count_violations(&f, NULL);
	for (size_t i = 1; i < k->n; i++)
		r->n_nonlinear += f.nonlinear[i];
	free_refinement(&f);
}
