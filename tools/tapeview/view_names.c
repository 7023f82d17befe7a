/* Numbers over all ranks; see view_names.h. */
#include <stdlib.h>
#include <string.h>

#include "view_names.h"
#include "growing_array.h"
#include "place.h"
#include "sort.h"
#include "column.h"
#include "tool.h"

/* A definition of a rank. Equal definitions get the same number. */
struct definition {
	const void *what;
	int rank;
	uint32_t at;
};

typedef int order(const void *a, const void *b);

static int order_by_call_site(const void *a, const void *b)
{
	const struct definition *x = a, *y = b;

	return tape_place_order(x->what, y->what);
}

static int order_by_region_name(const void *a, const void *b)
{
	const struct definition *x = a, *y = b;

	return strcmp(x->what, y->what);
}

static int order_by_comm_id(const void *a, const void *b)
{
	const struct tape_comm_info *x = ((const struct definition *)a)->what;
	const struct tape_comm_info *y = ((const struct definition *)b)->what;

	return x->id < y->id ? -1 : x->id > y->id;
}

struct list {
	struct definition *d;
	size_t n, room;
};

static void add_definition(struct list *l, const void *what, int rank,
			   size_t at)
{
	l->d =
	    tape_must(tape_grow_array(l->d, &l->room, l->n + 1, sizeof *l->d));
	l->d[l->n++] = (struct definition){what, rank, (uint32_t)at};
}

/*
 * Sorts l and sets the number of each definition in map. Moves the first
 * definition of each number to the front of l. Returns the highest number.
 */
static size_t number_definitions(struct list *l, order *o, uint32_t **map)
{
	size_t n = 0;

	if (l->n)
		tape_sort(l->d, l->n, sizeof *l->d, o);
	for (size_t i = 0; i < l->n; i++) {
		struct definition d = l->d[i];

		if (!n || o(&l->d[n - 1], &d))
			l->d[n++] = d;
		map[d.rank][d.at] = (uint32_t)n;
	}
	return n;
}

static void collect_call_sites(struct view_names *v, const struct tape_trace *t)
{
	struct list l = {0};
	size_t n;

	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		const struct tape_rank_info *k = tape_trace_rank(t, (int)r);

		v->place_of[r] = view_alloc(k->n_sites, sizeof **v->place_of);
		for (size_t i = 1; i < k->n_sites; i++)
			if (k->sites[i].call)
				add_definition(&l, &k->sites[i], (int)r, i);
	}
	n = number_definitions(&l, order_by_call_site, v->place_of);
	v->n_places = n + 1;
	v->places = view_alloc(v->n_places, sizeof *v->places);
	for (size_t i = 0; i < n; i++) {
		v->places[i + 1].site = l.d[i].what;
		v->places[i + 1].rank = l.d[i].rank;
	}
	free(l.d);
}

static void collect_regions(struct view_names *v, const struct tape_trace *t)
{
	struct list l = {0};
	size_t n;

	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		const struct tape_rank_info *k = tape_trace_rank(t, (int)r);

		v->region_of[r] =
		    view_alloc(k->n_regions, sizeof **v->region_of);
		for (size_t i = 1; i < k->n_regions; i++)
			if (k->regions[i])
				add_definition(&l, k->regions[i], (int)r, i);
	}
	n = number_definitions(&l, order_by_region_name, v->region_of);
	v->n_regions = n + 1;
	v->regions = view_alloc(v->n_regions, sizeof *v->regions);
	for (size_t i = 0; i < n; i++)
		v->regions[i + 1].name = l.d[i].what;
	free(l.d);
}

static void collect_comms(struct view_names *v, const struct tape_trace *t)
{
	struct list l = {0};
	size_t n;

	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		const struct tape_rank_info *k = tape_trace_rank(t, (int)r);

		v->comm_of[r] = view_alloc(k->n_comms, sizeof **v->comm_of);
		for (size_t i = 1; i < k->n_comms; i++)
			if (k->comms[i].index)
				add_definition(&l, &k->comms[i], (int)r, i);
	}
	n = number_definitions(&l, order_by_comm_id, v->comm_of);
	v->n_comms = n + 1;
	v->comms = view_alloc(v->n_comms, sizeof *v->comms);
	for (size_t i = 0; i < n; i++) {
		const struct tape_comm_info *c = l.d[i].what;

		v->comms[i + 1] = (struct view_comm){c->id, c->name, c->size};
	}
	free(l.d);
}

struct view_names *view_names_new(const struct tape_trace *t)
{
	struct view_names *v = view_alloc(1, sizeof *v);
	size_t ranks = tape_trace_ranks(t);

	v->place_of = view_alloc(ranks, sizeof *v->place_of);
	v->region_of = view_alloc(ranks, sizeof *v->region_of);
	v->comm_of = view_alloc(ranks, sizeof *v->comm_of);
	collect_call_sites(v, t);
	collect_regions(v, t);
	collect_comms(v, t);
	return v;
}

uint32_t view_place_of(const struct view_names *n, const struct tape_trace *t,
		       int rank, uint32_t site)
{
	return site < tape_trace_rank(t, rank)->n_sites
		   ? n->place_of[rank][site]
		   : 0;
}

uint32_t view_region_of(const struct view_names *n, const struct tape_trace *t,
			int rank, uint32_t region)
{
	return region < tape_trace_rank(t, rank)->n_regions
		   ? n->region_of[rank][region]
		   : 0;
}

uint32_t view_comm_of(const struct view_names *n, const struct tape_trace *t,
		      int rank, uint32_t comm)
{
	return comm < tape_trace_rank(t, rank)->n_comms ? n->comm_of[rank][comm]
							: 0;
}

void view_names_free(struct view_names *n, const struct tape_trace *t)
{
	if (!n)
		return;
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		free(n->place_of[r]);
		free(n->region_of[r]);
		free(n->comm_of[r]);
	}
	free(n->place_of);
	free(n->region_of);
	free(n->comm_of);
	free(n->places);
	free(n->regions);
	free(n->comms);
	free(n);
}
