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

/*
 * Costs of a place's events: with what skipping one took there, or, where no
 * block tells, half of what it takes by itself. NULL: none.
 */
struct seen {
	struct tape_in_situ *known, *assumed;
};

/* What a rank's flows say of its places. */
struct sums {
	const struct tape_rank_info *r;
	struct seen *region, *site;           /* by number */
	uint64_t *of_region, *of_site;        /* events */
	uint64_t *gone_region, *gone_site;    /* skipped */
	struct tape_in_situ skip;             /* what skipping a mark took */
	double tick_ns;
};

/* The blocks of a group, as far as they have been read: ticks and events. */
struct group {
	uint64_t number;
	struct tape_in_situ_group sums;
	int whole; /* not of more places than there is room for */
	int n;
	struct part {
		uint32_t region, site;
		double events;
	} part[PLACES];
};

static void *allocate_array(size_t n, size_t size)
{
	return tape_must(calloc(n + 1, size));
}

/* ---- groups ---- */

/* Ticks of one event of that place, by calibration. */
static double constant_ticks(const struct tape_rank_info *r, uint32_t site)
{
	enum tape_class c = site ? TAPE_CLASS_LOCAL : TAPE_CLASS_ENTER;

	return r->alpha_before[c] + r->alpha_after[c];
}

/*
 * Ticks that skipping one event adds to the program. The processor overlaps
 * it with the program's own work, so the cost is between 0 and the
 * calibrated cost of skipping alone: half of that is returned.
 */
static double assumed_skip_ticks(const struct tape_trace *t,
				 const struct sums *s, uint32_t site)
{
	double ticks, less, more;

	tape_trace_skipping(t, s->r->rank, site != 0, &ticks, &less, &more);
	return ticks / 2;
}

static void add_sample(struct tape_in_situ **of, double cost)
{
	if (!*of)
		*of = allocate_array(1, sizeof **of);
	tape_in_situ_add(*of, cost);
}

/*
 * The group is complete: what its events cost. Where they are of several places
 * and kinds, each costs as much more or less than its constant as all of them
 * together.
 */
static void end_group(const struct tape_trace *t, struct sums *s,
		      const struct group *g)
{
	const struct tape_in_situ_group *b = &g->sums;
	int known = b->n_repeated > 0 && b->steps > b->n_repeated;
	double expected = 0, skip = 0, cost;

	if (!g->whole || !(b->n_kept > 0) || !(b->n_skipped > 0))
		return;
	for (int i = 0; i < g->n; i++) {
		double share = g->part[i].events / b->n_skipped;

		expected += share * constant_ticks(s->r, g->part[i].site);
		skip += share * assumed_skip_ticks(t, s, g->part[i].site);
	}
	if (known) {
		skip = tape_in_situ_skip(b);
		tape_in_situ_add(&s->skip, skip);
	}
	cost = tape_in_situ_cost(b, skip);
	for (int i = 0; i < g->n; i++) {
		const struct part *x = &g->part[i];
		struct seen *of = x->region ? &s->region[x->region]
					    : &s->site[x->site];
		double own = expected > 0 ? cost / expected *
						constant_ticks(s->r, x->site)
					  : cost;

		if (x->events * SHARE >= b->n_skipped)
			add_sample(known ? &of->known : &of->assumed, own);
	}
}

static void begin_group(struct group *g, uint64_t number)
{
	*g = (struct group){ .number = number, .whole = 1 };
}

/* So many events of one place were skipped. */
static void add_part(struct sums *s, struct group *g,
		     const struct tape_block *b)
{
	*(b->region ? &s->gone_region[b->region] : &s->gone_site[b->site]) +=
		b->events;
	if (!b->ticks || b->kind != TAPE_BLOCK_SKIPPED)
		return;
	g->whole &= g->n < PLACES;
	if (g->n < PLACES)
		g->part[g->n++] = (struct part){ b->region, b->site,
						 (double)b->events };
}

static void add_block(const struct tape_trace *t, struct sums *s,
		      struct group *g, const struct tape_event *e)
{
	const struct tape_block *b = &e->u.block;
	struct tape_in_situ_group *sums = &g->sums;
	double ticks = (double)b->ticks, events = (double)b->events;

	if (b->group != g->number) {
		end_group(t, s, g);
		begin_group(g, b->group);
	}
	if (b->ticks)
		s->tick_ns = (double)e->inside_ns / ticks;
	if (b->kind == TAPE_BLOCK_SKIPPED || b->kind == TAPE_BLOCK_REPEATED)
		add_part(s, g, b);
	if (!b->ticks) /* something came between */
		return;
	switch ((enum tape_block_kind)b->kind) {
	case TAPE_BLOCK_KEPT:
		sums->kept = ticks;
		sums->n_kept = events;
		break;
	case TAPE_BLOCK_SKIPPED:
		sums->skipped += ticks;
		sums->n_skipped += events;
		break;
	case TAPE_BLOCK_REPEATED:
		sums->n_repeated += events;
		sums->repeated += ticks;
		sums->steps += events;
		break;
	case TAPE_BLOCK_REPEATS:
		sums->repeated += ticks;
		sums->steps += events;
		break;
	}
}

/* ---- the trace ---- */

static void read_flow(struct tape_trace *t, size_t i, struct sums *ranks)
{
	struct sums *s = &ranks[tape_trace_flow(t, i)->rank];
	const struct tape_event *e;
	struct tape_flow *f;
	struct group g;

	begin_group(&g, 0);
	if (tape_flow_open(t, i, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while (tape_flow_next(f, &e) == 1)
		if (e->class_ == TAPE_CLASS_BLOCK)
			add_block(t, s, &g, e);
		else if (e->region)
			s->of_region[e->region]++;
		else if (e->class_ == TAPE_CLASS_LOCAL)
			s->of_site[e->site]++;
	end_group(t, s, &g);
	tape_flow_close(f);
}

/* ---- what they come to ---- */

/*
 * known: so is what skipping takes. No block shows what calling the tracer does
 * to the program around it, so that the interval is never less than that of the
 * constant.
 */
static void set_cost(struct tape_trace *t, struct in_situ_place *p,
		     const struct tape_rank_info *r, double tick_ns, int known)
{
	double cost = fmin(fmax(p->fit.cost, 0) / tick_ns, MOST);
	double skip = 0, less, more = 0;
	double error = 3 * p->fit.error / tick_ns;
	unsigned class_ = p->site ? TAPE_CLASS_LOCAL : TAPE_CLASS_ENTER;
	double least =
	    constant_ticks(r, p->site) - (double)r->alpha_less[class_];
	double most =
	    constant_ticks(r, p->site) + (double)r->alpha_more[class_];
	struct tape_cost_there c = { .known = 1 };

	if (!known)
		tape_trace_skipping(t, p->rank, p->site != 0, &skip, &less,
				    &more);
	c.less = (float)fmin(fmax(error + skip / 2, cost - least), cost);
	c.more = (float)fmin(fmax(error + skip / 2 + more, most - cost), MOST);
	c.before = (float)(p->site ? fmin(cost,
					  r->alpha_before[TAPE_CLASS_LOCAL])
				   : cost / 2);
	c.after = (float)(cost - c.before);
	if (tape_trace_cost_there(t, p->rank, p->region, p->site, &c))
		tape_die_no_memory();
}

static void end_place(struct tape_trace *t, const struct sums *s,
		      struct seen *of, struct in_situ_place *p)
{
	double tick_ns = s->tick_ns;
	int known = of->known && tape_in_situ_fit(of->known, &p->fit);

	p->rank = s->r->rank;
	p->constant_ns = constant_ticks(s->r, p->site) * tick_ns;
	if (!(tick_ns > 0) ||
	    (!known &&
	     !(of->assumed && tape_in_situ_fit(of->assumed, &p->fit))))
		return;
	p->fit.cost *= tick_ns;
	p->fit.error *= tick_ns;
	p->used = fabs(p->fit.cost - p->constant_ns) > 2 * p->fit.error;
	if (p->used)
		set_cost(t, p, s->r, tick_ns, known);
}

/* Those of one kind; returns the sum of their errors over all events, ns. */
static double end_kind(struct tape_trace *t, const struct sums *s, int sites,
		       struct in_situ *all)
{
	size_t n = sites ? s->r->n_sites : s->r->n_regions;
	struct seen *of = sites ? s->site : s->region;
	const uint64_t *gone = sites ? s->gone_site : s->gone_region;
	const uint64_t *events = sites ? s->of_site : s->of_region;
	double errors = 0;

	for (size_t i = 0; i < n; i++) {
		struct in_situ_place *p;

		if (!gone[i])
			continue;
		all->place = tape_must(
		    realloc(all->place, (all->n + 1) * sizeof *all->place));
		p = &all->place[all->n++];
		*p = (struct in_situ_place){
			.region = sites ? 0 : (uint32_t)i,
			.site = sites ? (uint32_t)i : 0,
			.events = events[i],
			.skipped = gone[i],
		};
		end_place(t, s, &of[i], p);
		if (p->used)
			errors += 3 * p->fit.error * (double)p->events;
	}
	return errors;
}

static void begin_rank(struct sums *s, const struct tape_rank_info *r)
{
	s->r = r;
	s->region = allocate_array(r->n_regions, sizeof *s->region);
	s->site = allocate_array(r->n_sites, sizeof *s->site);
	s->of_region = allocate_array(r->n_regions, sizeof *s->of_region);
	s->of_site = allocate_array(r->n_sites, sizeof *s->of_site);
	s->gone_region = allocate_array(r->n_regions, sizeof *s->gone_region);
	s->gone_site = allocate_array(r->n_sites, sizeof *s->gone_site);
}

static void free_seen(struct seen *of)
{
	free(of->known);
	free(of->assumed);
}

static void free_rank(struct sums *s)
{
	for (size_t i = 0; i < s->r->n_regions; i++)
		free_seen(&s->region[i]);
	for (size_t i = 0; i < s->r->n_sites; i++)
		free_seen(&s->site[i]);
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
	struct tape_in_situ_fit skip;
	struct sums *ranks;

	*all = (struct in_situ){ 0 };
	if (!said || strcmp(said, "in-situ"))
		return;
	ranks = allocate_array(n, sizeof *ranks);
	for (size_t i = 0; i < n; i++)
		begin_rank(&ranks[i], tape_trace_rank(t, (int)i));
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		read_flow(t, i, ranks);
	for (size_t i = 0; i < n; i++) {
		double errors = end_kind(t, &ranks[i], 0, all) +
				end_kind(t, &ranks[i], 1, all);

		all->most_ns = fmax(all->most_ns, errors);
		if (tape_in_situ_fit(&ranks[i].skip, &skip))
			tape_trace_skip_there(t, (int)i, fmax(skip.cost, 0),
					      3 * skip.error);
		free_rank(&ranks[i]);
	}
	free(ranks);
}

void in_situ_free(struct in_situ *all)
{
	free(all->place);
}
