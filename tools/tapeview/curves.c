/* Counters over time; see curves.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curves.h"
#include "growing_array.h"
#include "tool.h"

/* Bins of one curve. */
enum { FINE = 1024 };

static uint32_t find_counter_curve(struct view_curves *c,
				   const struct tape_counter_info *k,
				   size_t *room)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->curve[i].info->name, k->name))
			return i;
	c->curve = tape_must(
	    tape_grow_array(c->curve, room, c->n + 1, sizeof *c->curve));
	c->curve[c->n] = (struct view_curve){ k, 0 };
	return (uint32_t)c->n++;
}

void view_curves_open(struct view_curves *c, const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t), room = 0;

	*c = (struct view_curves){ 0 };
	c->of_rank = view_alloc(ranks, sizeof *c->of_rank);
	for (size_t r = 0; r < ranks; r++) {
		const struct tape_rank_info *k = tape_trace_rank(t, (int)r);

		for (uint32_t i = 0; i < k->n_counters; i++)
			c->of_rank[r][i] =
			    find_counter_curve(c, &k->counters[i], &room);
	}
	c->read_ns = view_alloc(tape_trace_flows(t), sizeof *c->read_ns);
	if (c->n)
		view_bins_open(&c->bins, tape_trace_flows(t), c->n, FINE);
}

void view_curves_free(struct view_curves *c)
{
	free(c->curve);
	free(c->of_rank);
	free(c->read_ns);
	view_bins_free(&c->bins);
}

void view_curves_add(struct view_curves *c, const struct tape_event *e,
		     size_t flow, int64_t start_ns, int64_t end_ns)
{
	for (uint32_t i = 0; i < e->n_counts; i++) {
		size_t k = c->of_rank[e->rank][i];

		view_bins_spread(&c->bins, flow, k, c->read_ns[flow], start_ns,
				 (double)e->counts[i].before);
		view_bins_spread(&c->bins, flow, k, start_ns, end_ns,
				 (double)e->counts[i].inside);
	}
	if (e->n_counts)
		c->read_ns[flow] = end_ns;
}

void view_curves_write(struct view_curves *c, size_t used,
		       struct view_column *s)
{
	const struct view_bins *b = &c->bins;
	double width = ldexp(1, (int)b->shift);

	for (size_t k = 0; k < c->n; k++) {
		double most = 0;

		for (size_t f = 0; f < b->flows; f++)
			for (size_t i = 0; i < used; i++)
				most = fmax(most, view_bins_at(b, f, k, i));
		c->curve[k].most = most / width;
		view_column_reserve(s, b->flows * used);
		for (size_t f = 0; f < b->flows; f++)
			for (size_t i = 0; i < used; i++)
				s->p[s->n++] = (unsigned char)(most > 0
					? 255 * fmax(view_bins_at(b, f, k, i),
						     0) / most
					: 0);
	}
}
