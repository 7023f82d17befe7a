/* Neighbours, and lists of ranks; see neighbours.h. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>

#include "define.h"
#include "neighbours.h"
#include "own_stack.h"
#include "message.h"
#include "world.h"

struct list {
	const char *what;
	const int *ranks;
	int n, rc;
	uint32_t index;
};

TAPE_ON_OWN_STACK
static void write_list(void *list)
{
	struct list *l = list;
	char text[4096];

	for (int i = 0; i < l->n && !l->rc;) {
		size_t used = 0;

		for (; i < l->n && used < sizeof text - 16; i++)
			used += (size_t)snprintf(text + used,
						 sizeof text - used, " %d",
						 l->ranks[i]);
		l->rc = tape_define("%s %u%s\n", l->what, l->index, text);
	}
}
TAPE_ON_OWN_STACK_END

int tape_define_ranks(const char *what, uint32_t index, const int *ranks,
		      int n)
{
	struct list l = { what, ranks, n, 0, index };

	tape_run_on_own_stack(write_list, &l);
	return l.rc;
}

void tape_neighbours_count(MPI_Comm comm, int rank, int32_t *in, int32_t *out)
{
	int kind = MPI_UNDEFINED, n = 0, weighted;

	PMPI_Topo_test(comm, &kind);
	if (kind == MPI_CART) {
		PMPI_Cartdim_get(comm, &n);
		*in = *out = 2 * n;
	} else if (kind == MPI_GRAPH) {
		PMPI_Graph_neighbors_count(comm, rank, &n);
		*in = *out = n;
	} else if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, in, out,
						&weighted);
	}
}

static void cart_sources(MPI_Comm comm, int *sources, int n)
{
	for (int i = 0; i < n / 2; i++)
		PMPI_Cart_shift(comm, i, 1, &sources[2 * i],
				&sources[2 * i + 1]);
}

static void graph_sources(MPI_Comm comm, int32_t in, int32_t out,
			  int *sources)
{
	int *sinks = malloc(((size_t)in + 2 * (size_t)out + 1) *
			    sizeof *sinks);
	int *weights = sinks ? sinks + out : NULL;

	if (sinks)
		PMPI_Dist_graph_neighbors(comm, in, sources, weights, out,
					  sinks, weights + in);
	free(sinks);
}

void tape_neighbours_define(MPI_Comm comm, uint32_t index, int32_t in,
			    int32_t out)
{
	int *sources, kind = MPI_UNDEFINED, rank = 0, n = 0;

	if (in <= 0 || !(sources = calloc((size_t)in, sizeof *sources)))
		return;
	PMPI_Topo_test(comm, &kind);
	if (kind == MPI_CART)
		cart_sources(comm, sources, in);
	else if (kind == MPI_GRAPH && !PMPI_Comm_rank(comm, &rank))
		PMPI_Graph_neighbors(comm, rank, in, sources);
	else if (kind == MPI_DIST_GRAPH)
		graph_sources(comm, in, out, sources);
	/* there is nobody beyond the edge of a grid */
	for (int i = 0; i < in; i++)
		if (sources[i] >= 0)
			sources[n++] = sources[i];
	tape_define_ranks("sources", index, sources, n);
	free(sources);
}

/* ---- groups ---- */

static uint64_t *groups; /* hashes of their members */
static uint32_t n_groups;

uint32_t tape_comm_group(MPI_Group group)
{
	int n = 0, *mine, *world;
	uint32_t index = 0;
	uint64_t h, *grown;
	MPI_Group all;

	PMPI_Group_size(group, &n);
	if (n <= 0 || !(mine = malloc((size_t)n * 2 * sizeof *mine)))
		return 0;
	world = mine + n;
	for (int i = 0; i < n; i++)
		mine[i] = i;
	PMPI_Comm_group(tape_world, &all);
	PMPI_Group_translate_ranks(group, n, mine, all, world);
	PMPI_Group_free(&all);
	h = XXH3_64bits(world, (size_t)n * sizeof *world);
	tape_lock();
	for (uint32_t i = 0; i < n_groups && !index; i++)
		if (groups[i] == h)
			index = i + 1;
	if (!index &&
	    (grown = realloc(groups, (n_groups + 1) * sizeof *grown))) {
		groups = grown;
		if (!tape_define_ranks("group", n_groups + 1, world, n)) {
			groups[n_groups] = h;
			index = ++n_groups;
		}
	}
	tape_unlock();
	free(mine);
	return index;
}
