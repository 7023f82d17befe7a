/* What events cost where they stand; see in_situ.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "in_situ.h"
#include "tool.h"

/* Places of one block; one of more is of no use to anybody. */
enum { PLACES = 64 };

/* Events of a place in a block: of so many, one. */
enum { SHARE = 8 };

/* No event takes that many ticks; what a broken trace says may be anything. */
#define MOST 1e9

/* What a rank's flows say of its places. */
struct sums {
	const struct tape_rank_info *r;
	struct tape_in_situ **region, **site; /* by number; NULL: none */
	uint64_t *of_region, *of_site;        /* events */
	uint64_t *gone_region, *gone_site;    /* skipped */
	double tick_ns;
};

/* The blocks of a pair, as far as they have been read. */
struct pair {
	uint64_t number;
	double kept, n_kept, skipped, n_skipped; /* ticks, events */
	int whole; /* what was skipped is timed */
	int n;
	struct part {
		uint32_t region, site;
		double events;
	} part[PLACES];
};

static void *room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	return p;
}

/* ---- pairs ---- */

/* Ticks of one event of that place, by calibration. */
static double constant(const struct tape_rank_info *r, uint32_t site)
{
	enum tape_class c = site ? TAPE_CLASS_LOCAL : TAPE_CLASS_ENTER;

	return r->alpha_before[c] + r->alpha_after[c];
}

/*
 * What skipping takes beside the program's own work: something between nothing
 * and what it takes by itself. Half of that (perturbation.md has figures).
 */
static double skipping(const struct tape_trace *t, const struct sums *s,
		       uint32_t site)
{
	double ticks, less, more;

	tape_trace_skipping(t, s->r->rank, site != 0, &ticks, &less, &more);
	return ticks / 2;
}

static void sample(struct tape_in_situ **of, double cost)
{
	if (!*of)
		*of = room(1, sizeof **of);
	tape_in_situ_add(*of, cost);
}

/*
 * The pair is complete: what its events cost. Where they are of several places
 * and kinds, each costs as much more or less than its constant as all of them
 * together.
 */
static void end_pair(const struct tape_trace *t, struct sums *s,
		     const struct pair *p)
{
	struct tape_in_situ_pair both = { p->kept, p->skipped, p->n_kept,
					  p->n_skipped, 0 };
	double expected = 0, cost;

	if (!p->whole || !(p->n_kept > 0) || !(p->n_skipped > 0))
		return;
	for (int i = 0; i < p->n; i++) {
		double share = p->part[i].events / p->n_skipped;

		expected += share * constant(s->r, p->part[i].site);
		both.skip += share * skipping(t, s, p->part[i].site);
	}
	cost = tape_in_situ_cost(&both);
	for (int i = 0; i < p->n; i++) {
		const struct part *x = &p->part[i];
		double own = expected > 0 ? cost / expected *
						    constant(s->r, x->site)
					  : cost;

		if (x->events * SHARE >= p->n_skipped)
			sample(x->region ? &s->region[x->region]
					 : &s->site[x->site], own);
	}
}

static void begin_pair(struct pair *p, uint64_t number)
{
	*p = (struct pair){ .number = number, .whole = 1 };
}

static void add_block(const struct tape_trace *t, struct sums *s,
		      struct pair *p, const struct tape_event *e)
{
	const struct tape_block *b = &e->u.block;

	if (b->pair != p->number) {
		end_pair(t, s, p);
		begin_pair(p, b->pair);
	}
	if (b->ticks)
		s->tick_ns = (double)e->inside_ns / (double)b->ticks;
	if (b->kept) {
		p->kept = (double)b->ticks;
		p->n_kept = (double)b->events;
		return;
	}
	*(b->region ? &s->gone_region[b->region] : &s->gone_site[b->site]) +=
		b->events;
	if (!b->ticks) /* something came between */
		return;
	p->skipped += (double)b->ticks;
	p->n_skipped += (double)b->events;
	p->whole &= p->n < PLACES;
	if (p->n < PLACES)
		p->part[p->n++] = (struct part){ b->region, b->site,
						 (double)b->events };
}

/* ---- the trace ---- */

static void read_flow(struct tape_trace *t, size_t i, struct sums *ranks)
{
	struct sums *s = &ranks[tape_trace_flow(t, i)->rank];
	const struct tape_event *e;
	struct tape_flow *f;
	struct pair p;

	begin_pair(&p, 0);
	if (tape_flow_open(t, i, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while (tape_flow_next(f, &e) == 1)
		if (e->class_ == TAPE_CLASS_BLOCK)
			add_block(t, s, &p, e);
		else if (e->region)
			s->of_region[e->region]++;
		else if (e->class_ == TAPE_CLASS_LOCAL)
			s->of_site[e->site]++;
	end_pair(t, s, &p);
	tape_flow_close(f);
}

/* ---- what they come to ---- */

static void set_cost(struct tape_trace *t, struct in_situ_place *p,
		     const struct tape_rank_info *r, double tick_ns)
{
	double cost = fmin(fmax(p->fit.cost, 0) / tick_ns, MOST);
	double skip, less, more;
	double error = 3 * p->fit.error / tick_ns;
	struct tape_cost_there c = { .known = 1 };

	tape_trace_skipping(t, p->rank, p->site != 0, &skip, &less, &more);
	c.less = (float)fmin(error + skip / 2, cost);
	c.more = (float)fmin(error + skip / 2 + more, MOST);
	c.before = (float)(p->site ? fmin(cost,
					  r->alpha_before[TAPE_CLASS_LOCAL])
				   : cost / 2);
	c.after = (float)(cost - c.before);
	if (tape_trace_cost_there(t, p->rank, p->region, p->site, &c))
		tape_die(TAPE_FAILED, "out of memory");
}

static void end_place(struct tape_trace *t, const struct sums *s,
		      struct tape_in_situ *samples, struct in_situ_place *p)
{
	double tick_ns = s->tick_ns;

	p->rank = s->r->rank;
	p->constant_ns = constant(s->r, p->site) * tick_ns;
	if (!samples || !(tick_ns > 0) ||
	    !tape_in_situ_fit(samples, &p->fit))
		return;
	p->fit.cost *= tick_ns;
	p->fit.error *= tick_ns;
	p->used = fabs(p->fit.cost - p->constant_ns) > 2 * p->fit.error;
	if (p->used)
		set_cost(t, p, s->r, tick_ns);
}

/* Those of one kind; returns the sum of their errors over all events, ns. */
static double end_kind(struct tape_trace *t, const struct sums *s, int sites,
		       struct in_situ *all)
{
	size_t n = sites ? s->r->n_sites : s->r->n_regions;
	struct tape_in_situ **of = sites ? s->site : s->region;
	const uint64_t *gone = sites ? s->gone_site : s->gone_region;
	const uint64_t *events = sites ? s->of_site : s->of_region;
	double errors = 0;

	for (size_t i = 0; i < n; i++) {
		struct in_situ_place *p;

		if (!gone[i])
			continue;
		all->place = realloc(all->place,
				     (all->n + 1) * sizeof *all->place);
		if (!all->place)
			tape_die(TAPE_FAILED, "out of memory");
		p = &all->place[all->n++];
		*p = (struct in_situ_place){
			.region = sites ? 0 : (uint32_t)i,
			.site = sites ? (uint32_t)i : 0,
			.events = events[i],
			.skipped = gone[i],
		};
		end_place(t, s, of[i], p);
		if (p->used)
			errors += 3 * p->fit.error * (double)p->events;
	}
	return errors;
}

static void begin_rank(struct sums *s, const struct tape_rank_info *r)
{
	s->r = r;
	s->region = room(r->n_regions, sizeof *s->region);
	s->site = room(r->n_sites, sizeof *s->site);
	s->of_region = room(r->n_regions, sizeof *s->of_region);
	s->of_site = room(r->n_sites, sizeof *s->of_site);
	s->gone_region = room(r->n_regions, sizeof *s->gone_region);
	s->gone_site = room(r->n_sites, sizeof *s->gone_site);
}

static void free_rank(struct sums *s)
{
	for (size_t i = 0; i < s->r->n_regions; i++)
		free(s->region[i]);
	for (size_t i = 0; i < s->r->n_sites; i++)
		free(s->site[i]);
	free(s->region);
	free(s->site);
	free(s->of_region);
	free(s->of_site);
	free(s->gone_region);
	free(s->gone_site);
}

void in_situ_learn(struct tape_trace *t, struct in_situ *all)
{
	const char *said = tape_trace_meta(t, "alpha", 0);
	size_t n = tape_trace_ranks(t);
	struct sums *ranks;

	*all = (struct in_situ){ 0 };
	if (!said || strcmp(said, "in-situ"))
		return;
	ranks = room(n, sizeof *ranks);
	for (size_t i = 0; i < n; i++)
		begin_rank(&ranks[i], tape_trace_rank(t, (int)i));
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		read_flow(t, i, ranks);
	for (size_t i = 0; i < n; i++) {
		double errors = end_kind(t, &ranks[i], 0, all) +
				end_kind(t, &ranks[i], 1, all);

		all->most_ns = fmax(all->most_ns, errors);
		free_rank(&ranks[i]);
	}
	free(ranks);
}

void in_situ_free(struct in_situ *all)
{
	free(all->place);
}
