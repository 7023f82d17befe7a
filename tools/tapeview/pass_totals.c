/* Tables of a pass: call sites, regions, the matrix; see pass.h. */
#include <stdlib.h>

#include "analysis.h"
#include "call_parts.h"
#include "details.h"
#include "growing_array.h"
#include "pass.h"
#include "tool.h"

/* ---- call sites ---- */

void pass_add_event(struct view_pass *g, const struct tape_event *e,
		    size_t flow)
{
	const struct tape_trace *t = g->b->t;
	struct view_names *k = g->v->names;
	struct view_place *p;

	g->v->flow[flow].tracing_ns += tape_analysis_tracing_ns(e);
	if (tape_not_recorded_matters(e))
		tape_not_recorded_event(g->v->missing, e);
	if (e->call) {
		p = &k->places[view_place_of(k, t, e->rank, e->site)];
		p->events++;
		p->calls += tape_calls_ended(e);
		p->bytes += view_bytes_of(e);
		p->ns += e->inside_ns;
		if (e->inside_ns > p->most_ns)
			p->most_ns = e->inside_ns;
	}
	if (e->also_polls)
		k->places[view_place_of(k, t, e->rank, e->also_site)].calls +=
		    e->also_polls;
	if (e->class_ != TAPE_CLASS_BLOCK)
		return;
	if (e->u.block.site)
		k->places[view_place_of(k, t, e->rank, e->u.block.site)]
		    .calls += e->u.block.calls;
	if (e->u.block.region)
		k->regions[view_region_of(k, t, e->rank, e->u.block.region)]
		    .entries += e->u.block.calls;
}

/* ---- messages ---- */

void pass_add_message(struct view_pass *g, const struct tape_message *m)
{
	struct view_cell *c;

	if (!g->first)
		return;
	g->v->messages++;
	g->v->bytes += m->bytes;
	if (m->from < 0 || m->to < 0)
		return;
	c = &g->v->cells[(size_t)m->from / g->v->ranks_of_cell * g->v->n_cells +
			 (size_t)m->to / g->v->ranks_of_cell];
	c->messages++;
	c->bytes += m->bytes;
}

/* ---- regions ---- */

/* Ends the innermost open region of the flow. */
static void leave_region(struct view_pass *g, size_t flow, int64_t at)
{
	struct open_regions *s = &g->stack[flow];
	struct open_region r = s->r[--s->n];
	int64_t ns = at - r.start_ns;
	struct view_region *total = &g->v->names->regions[r.name];
	int again = 0;

	pass_add_region(g, flow, &r, (uint32_t)s->n, at, s->over++);
	if (s->n)
		s->r[s->n - 1].inner_ns += ns;
	if (!g->first)
		return;
	for (size_t i = 0; i < s->n; i++)
		again |= s->r[i].name == r.name;
	total->exclusive_ns += ns - r.inner_ns;
	if (!again)
		total->inclusive_ns += ns;
	if (ns > total->most_ns)
		total->most_ns = ns;
}

/* Adds a block of skipped entries as one region of their total length. */
static void add_skipped_regions(struct view_pass *g, const struct tape_event *e,
				size_t flow, int64_t start, int64_t end)
{
	struct open_regions *s = &g->stack[flow];
	struct open_region r = {
	    view_region_of(g->v->names, g->b->t, e->rank, e->u.block.region),
	    start, 0};

	if (end > start)
		pass_add_region(g, flow, &r, (uint32_t)s->n, end, s->over++);
}

void pass_add_mark(struct view_pass *g, const struct tape_event *e, size_t flow,
		   int64_t start, int64_t at)
{
	struct open_regions *s = &g->stack[flow];
	uint32_t name;
	size_t i;

	if (view_is_skipped(e) && e->u.block.region)
		add_skipped_regions(g, e, flow, start, at);
	if (e->class_ != TAPE_CLASS_ENTER && e->class_ != TAPE_CLASS_LEAVE)
		return;
	name = view_region_of(g->v->names, g->b->t, e->rank, e->region);
	if (e->class_ == TAPE_CLASS_ENTER) {
		s->r = tape_must(
		    tape_grow_array(s->r, &s->room, s->n + 1, sizeof *s->r));
		s->r[s->n++] = (struct open_region){name, at, 0};
		if (g->first)
			g->v->names->regions[name].entries++;
		return;
	}
	for (i = s->n; i > 0 && s->r[i - 1].name != name; i--)
		;
	/* the region was entered while recording was off */
	if (!i)
		return;
	while (s->n >= i)
		leave_region(g, flow, at);
}

void pass_end_regions(struct view_pass *g)
{
	for (size_t f = 0; f < g->v->flows; f++)
		while (g->stack[f].n)
			leave_region(g, f, g->b->flow[f].last_ns);
}
