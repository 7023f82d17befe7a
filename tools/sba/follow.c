/* Clocks that follow messages, by turns (Gauss and Seidel); see follow.h. */
#include <math.h>
#include <stdlib.h>

#include "follow.h"
#include "message.h"

enum { SWEEPS = 4 };

/* A date that is too early by less is so by rounding, ns. */
static const double rounding = 1;

struct follow {
	struct clocks *k;
	const struct bounds_way *way;
	size_t n_ways;
	unsigned char *known;    /* by clock: it may bound others */
	struct tape_clock_bound *upper, *lower; /* by the others' tracks */
	struct tape_clock_bound *sure_upper, *sure_lower; /* by intervals */
	size_t n_upper, n_lower, n_sure_upper, n_sure_lower;
	int exact;               /* all of them by the reference */
};

static void *room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	return p;
}

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

/* Of all ways between known clocks; marks the clocks unless that is NULL. */
static uint64_t violations(const struct follow *f, unsigned char *marked)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];
		uint64_t here = 0;

		if (f->k->c[w->from].status == CLOCK_UNPLACED ||
		    f->k->c[w->to].status == CLOCK_UNPLACED)
			continue;
		for (size_t j = 0; j < w->n; j++)
			here += violates(f->k, w, &w->kept[j]) != 0;
		if (here && marked)
			marked[w->from] = marked[w->to] = 1;
		n += here;
	}
	return n;
}

/* ---- one clock ---- */

/* The messages of one way as bounds of clock j's offset. */
static void gather_way(struct follow *f, const struct bounds_way *w, uint32_t j)
{
	int upper = w->to == j;
	const struct clock *other = &f->k->c[upper ? w->from : w->to];

	f->exact &= other->status == CLOCK_REFERENCE;
	for (size_t i = 0; i < w->n; i++) {
		const struct bounds_message *m = &w->kept[i];
		double theirs = upper ? m->sent : m->received;
		double ours = upper ? m->received + rounding
				    : m->sent - rounding;
		double lo, hi, x, more;
		struct tape_clock_bound b;

		/* sent by the other at x: then j showed no more than it did
		 * when it received; and the other way round */
		x = clock_instant(&other->track, theirs, &lo, &hi);
		b = (struct tape_clock_bound){ x, ours - x };
		more = upper ? -lo : -hi;
		if (upper)
			f->upper[f->n_upper++] = b;
		else
			f->lower[f->n_lower++] = b;
		if (!isfinite(more))
			continue;
		b.offset_ns += more;
		if (upper)
			f->sure_upper[f->n_sure_upper++] = b;
		else
			f->sure_lower[f->n_sure_lower++] = b;
	}
}

static void gather(struct follow *f, uint32_t j)
{
	f->n_upper = f->n_lower = f->n_sure_upper = f->n_sure_lower = 0;
	f->exact = 1;
	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];

		if ((w->to == j && f->known[w->from]) ||
		    (w->from == j && f->known[w->to]))
			gather_way(f, w, j);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The estimate t, kept within the interval of sure, which becomes its own. */
static void join(struct tape_clock_track *t,
		 const struct tape_clock_track *sure)
{
	size_t n = t->n + sure->n, used = 0;
	struct tape_clock_knot *k = room(n, sizeof *k);
	double *x = room(n, sizeof *x);

	for (size_t i = 0; i < t->n; i++)
		x[i] = t->knot[i].ref_ns;
	for (size_t i = 0; i < sure->n; i++)
		x[t->n + i] = sure->knot[i].ref_ns;
	qsort(x, n, sizeof *x, ascending);
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
}

static void unbounded(struct tape_clock_track *t)
{
	for (size_t i = 0; i < t->n; i++) {
		t->knot[i].lo_ns = -INFINITY;
		t->knot[i].hi_ns = INFINITY;
	}
}

static void must(int rc)
{
	if (rc && rc != TAPE_EFEW)
		tape_die(TAPE_FAILED, "%s", tape_error_text(rc));
}

/* Lets clock j follow what bounds it, if that is both ways; 1 if so. */
static int follow(struct follow *f, uint32_t j)
{
	struct clock *c = &f->k->c[j];
	struct tape_clock_track t = { 0 }, sure = { 0 };
	const struct tape_clock_track *first = c->track.n ? &c->track : NULL;
	const struct clocks *k = f->k;
	int rc;

	gather(f, j);
	rc = tape_clock_follow(f->upper, f->n_upper, f->lower, f->n_lower,
			       first, k->wander, k->from_ns, k->to_ns, &t);
	must(rc);
	if (rc)
		return 0;
	if (!f->exact) {
		rc = tape_clock_follow(f->sure_upper, f->n_sure_upper,
				       f->sure_lower, f->n_sure_lower, first,
				       k->wander, k->from_ns, k->to_ns, &sure);
		must(rc);
		if (rc)
			unbounded(&t);
		else
			join(&t, &sure);
		tape_clock_track_free(&sure);
	}
	tape_clock_track_free(&c->track);
	c->track = t;
	c->status = CLOCK_PLACED;
	c->source |= CLOCK_MESSAGES;
	return 1;
}

/* ---- all of them ---- */

/* The clock with most messages, both ways, from and to known ones. */
static uint32_t next_clock(const struct follow *f, const unsigned char *done,
			   uint64_t (*count)[2])
{
	uint64_t most = 0;
	uint32_t best = 0;

	for (size_t i = 0; i < f->k->n; i++)
		count[i][0] = count[i][1] = 0;
	for (size_t i = 0; i < f->n_ways; i++) {
		const struct bounds_way *w = &f->way[i];

		if (f->known[w->from])
			count[w->to][0] += w->n;
		if (f->known[w->to])
			count[w->from][1] += w->n;
	}
	for (size_t i = 1; i < f->k->n; i++) {
		uint64_t n = count[i][0] < count[i][1] ? count[i][0]
						       : count[i][1];

		if (!done[i] && n > most) {
			most = n;
			best = (uint32_t)i;
		}
	}
	return best;
}

/* From the reference outwards: each clock by those that are known already. */
static void first_sweep(struct follow *f)
{
	unsigned char *done = room(f->k->n, 1);
	uint64_t(*count)[2] = room(f->k->n, sizeof *count);
	uint32_t j;

	f->known[0] = 1;
	while ((j = next_clock(f, done, count))) {
		done[j] = 1;
		f->known[j] = (unsigned char)follow(f, j);
	}
	for (size_t i = 0; i < f->k->n; i++)
		f->known[i] = f->k->c[i].status != CLOCK_UNPLACED;
	free(count);
	free(done);
}

/* Again those that have messages violated: 1 if there were any. */
static int next_sweep(struct follow *f)
{
	unsigned char *marked = room(f->k->n, 1);
	int any = violations(f, marked) > 0;

	for (size_t i = 1; i < f->k->n; i++)
		if (marked[i])
			follow(f, (uint32_t)i);
	free(marked);
	return any;
}

void follow_messages(struct clocks *k, struct bounds *b,
		     struct follow_result *r)
{
	struct follow f = { .k = k };
	size_t n = 0;

	add_rounds(k, b);
	f.way = bounds_ways(b, &f.n_ways);
	for (size_t i = 0; i < f.n_ways; i++)
		n += f.way[i].n;
	f.known = room(k->n, 1);
	f.upper = room(4 * n, sizeof *f.upper);
	f.lower = f.upper + n;
	f.sure_upper = f.lower + n;
	f.sure_lower = f.sure_upper + n;
	*r = (struct follow_result){ .kept = n };
	r->violated = violations(&f, NULL);
	first_sweep(&f);
	for (r->sweeps = 1; r->sweeps < SWEEPS && next_sweep(&f);)
		r->sweeps++;
	r->left = violations(&f, NULL);
	free(f.upper);
	free(f.known);
}
