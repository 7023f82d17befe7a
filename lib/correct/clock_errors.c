/* What is known of the clocks of a trace; see engine.h and engine_parts.h. */
#include <math.h>
#include <stdlib.h>

#include "engine_parts.h"
#include "tool.h"

static const struct tape_domain_info *clock_of(const struct tape_trace *t,
					       size_t flow)
{
	int rank = tape_trace_flow(t, flow)->rank;

	return tape_trace_domain(t, tape_trace_rank(t, rank)->domain);
}

static enum clocks one_clock(const struct tape_domain_info *d)
{
	size_t open = 0, apart = 0;

	for (size_t i = 0; i < d->n_pieces; i++) {
		int below = d->pieces[i].lo_ns != INT64_MIN;
		int above = d->pieces[i].hi_ns != INT64_MAX;

		open += !below || !above;
		apart += !below && !above;
	}
	return apart == d->n_pieces ? CLOCKS_APART
	       : open		    ? CLOCKS_LOOSE
				    : CLOCKS_BOUNDED;
}

enum clocks clocks_known(const struct tape_trace *t, int *several, int *rank)
{
	enum clocks known = CLOCKS_BOUNDED, k;

	*several = 0;
	*rank = -1;
	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		const struct tape_domain_info *d = clock_of(t, i);

		*several |= d != clock_of(t, 0);
		k = one_clock(d);
		if (k <= known)
			continue;
		known = k;
		*rank = tape_trace_flow(t, i)->rank;
	}
	if (*several)
		return known;
	/* nothing is compared with it */
	*rank = -1;
	return CLOCKS_BOUNDED;
}

/*
 * By how much two clocks may differ: the most by which one of them may be ahead
 * and another one of them behind. That other one is the one farthest behind or,
 * where this is the same clock, the next.
 */
static double most_apart(const struct clock_error *c, size_t n)
{
	size_t last = 0, next = n;
	double most = 0;

	for (size_t i = 1; i < n; i++)
		if (c[i].lo < c[last].lo)
			last = i;
	for (size_t i = 0; i < n; i++)
		if (c[i].domain != c[last].domain &&
		    (next == n || c[i].lo < c[next].lo))
			next = i;
	for (size_t i = 0; i < n && next < n; i++)
		most =
		    fmax(most,
			 c[i].hi -
			     c[c[i].domain == c[last].domain ? next : last].lo);
	return most;
}

/* The widest interval of each clock holds at any date. */
void engine_read_clocks(struct engine *g)
{
	size_t n = tape_trace_ranks(g->t);
	int unused;

	clocks_known(g->t, &g->clocks, &unused);
	g->slack = 1; /* is to be looked at */
	g->clock = tape_must(calloc(n, sizeof *g->clock));
	for (size_t r = 0; r < n; r++) {
		const struct tape_domain_info *d = tape_trace_domain(
		    g->t, tape_trace_rank(g->t, (int)r)->domain);
		struct clock_error *c = &g->clock[r];

		c->domain = d ? d->index : 0;
		for (size_t i = 0; d && i < d->n_pieces; i++) {
			c->lo = fmin(c->lo, (double)d->pieces[i].lo_ns);
			c->hi = fmax(c->hi, (double)d->pieces[i].hi_ns);
		}
	}
	g->slack = g->clocks ? most_apart(g->clock, n) : 0;
}

double engine_clock_slack(const struct engine *g, int a, int b)
{
	const struct clock_error *x, *y;

	if (g->slack <= 0 || a < 0 || b < 0)
		return g->slack;
	x = &g->clock[a];
	y = &g->clock[b];
	if (x->domain == y->domain)
		return 0;
	return tape_max(x->hi - y->lo, y->hi - x->lo);
}

double engine_own_clock_slack(const struct engine *g, int rank)
{
	return g->clocks ? g->clock[rank].hi - g->clock[rank].lo : 0;
}

struct tape_delay engine_add_clock_error(const struct engine *g,
					 const struct flow *f, uint64_t tick,
					 const struct tape_delay *p)
{
	int64_t lo, hi;

	if (!g->clocks)
		return *p;
	tape_trace_interval(g->t, g->clock[f->rank].domain, tick, &lo, &hi);
	return (struct tape_delay){p->p, p->lo - (double)hi,
				   p->hi - (double)lo};
}
