/*
 * The table of communicators; see communicators.h. Used when one is made or
 * first met.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicators.h"
#include "define.h"
#include "flows.h"
#include "own_stack.h"
#include "say.h"
#include "world.h"

struct known {
	uintptr_t handle; /* 0: freed, or not bound yet */
	uint64_t id, members;
	uint32_t index;
	int32_t rank, size; /* size: of the group that peers are numbered in */
	int32_t local;
	int32_t in, out; /* neighbours */
	uint32_t inter, side; /* which of the two groups it is in */
};

static struct known *comms;
static uint32_t n_comms, room;

/* What communicators were made of, and how many there are of the same. */
struct origin {
	uint64_t parent; /* its identity, 0 where the members do not share it */
	uint64_t members;
	uint32_t order; /* enum tape_comm_order */
	int32_t tag;
};

static struct made {
	struct origin of;
	uint64_t count;
} *made;
static uint32_t n_made;

static const struct known *find_known(uintptr_t handle)
{
	for (uint32_t i = n_comms; handle && i-- > 0;)
		if (comms[i].handle == handle)
			return &comms[i];
	return NULL;
}

static uint64_t group_hash(MPI_Group group, int n)
{
	static const uint64_t alone = 1;
	int *mine = malloc(((size_t)n + 1) * 2 * sizeof *mine);
	int *world = mine ? mine + n + 1 : NULL;
	MPI_Group all;
	uint64_t h = alone;

	if (!mine)
		return h;
	for (int i = 0; i < n; i++)
		mine[i] = i;
	if (PMPI_Comm_group(tape_world, &all) == MPI_SUCCESS) {
		PMPI_Group_translate_ranks(group, n, mine, all, world);
		PMPI_Group_free(&all);
		h = XXH3_64bits(world, (size_t)n * sizeof *world);
	}
	free(mine);
	return h;
}

struct list {
	const char *what;
	const int *ranks;
	int n, rc;
	uint32_t index;
};

TAPE_APART_ONLY
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
TAPE_APART_END

/* A list of ranks; several lines of the same number are one. */
static int define_list(const char *what, uint32_t index, const int *ranks,
		       int n)
{
	struct list l = { what, ranks, n, 0, index };

	tape_apart(write_list, &l);
	return l.rc;
}

/* How many neighbours it has, each way. */
static void inspect_topology(MPI_Comm comm, struct known *k)
{
	int kind = MPI_UNDEFINED, n = 0, weighted;

	PMPI_Topo_test(comm, &kind);
	if (kind == MPI_CART) {
		PMPI_Cartdim_get(comm, &n);
		k->in = k->out = 2 * n;
	} else if (kind == MPI_GRAPH) {
		PMPI_Graph_neighbors_count(comm, k->rank, &n);
		k->in = k->out = n;
	} else if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, &k->in, &k->out,
						&weighted);
	}
}

static void cart_sources(MPI_Comm comm, int *sources, int n)
{
	for (int i = 0; i < n / 2; i++)
		PMPI_Cart_shift(comm, i, 1, &sources[2 * i],
				&sources[2 * i + 1]);
}

static void graph_sources(MPI_Comm comm, const struct known *k, int *sources)
{
	int *sinks = malloc(((size_t)k->in + 2 * (size_t)k->out + 1) *
			    sizeof *sinks);
	int *weights = sinks ? sinks + k->out : NULL;

	if (sinks)
		PMPI_Dist_graph_neighbors(comm, k->in, sources, weights,
					  k->out, sinks, weights + k->in);
	free(sinks);
}

/* Whom its neighbourhood collectives receive from, as ranks in it. */
static void define_sources(MPI_Comm comm, const struct known *k)
{
	int *sources, kind = MPI_UNDEFINED, n = 0;

	if (k->in <= 0 || !(sources = calloc((size_t)k->in, sizeof *sources)))
		return;
	PMPI_Topo_test(comm, &kind);
	if (kind == MPI_CART)
		cart_sources(comm, sources, k->in);
	else if (kind == MPI_GRAPH)
		PMPI_Graph_neighbors(comm, k->rank, k->in, sources);
	else if (kind == MPI_DIST_GRAPH)
		graph_sources(comm, k, sources);
	/* there is nobody beyond the edge of a grid */
	for (int i = 0; i < k->in; i++)
		if (sources[i] >= 0)
			sources[n++] = sources[i];
	define_list("sources", k->index, sources, n);
	free(sources);
}

/* Members, size and rank of a communicator. Local operations only. */
static void inspect(MPI_Comm comm, struct known *k)
{
	MPI_Group group;
	uint64_t other;
	int inter = 0, n = 0;

	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_rank(comm, &k->rank);
	PMPI_Comm_size(comm, &n);
	k->size = k->local = n;
	k->inter = inter != 0;
	k->members = 0;
	if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
		k->members = group_hash(group, n);
		PMPI_Group_free(&group);
	}
	if (!inter)
		inspect_topology(comm, k);
	if (!inter || PMPI_Comm_remote_group(comm, &group) != MPI_SUCCESS)
		return;
	/* both sides have to come to the same: the order must not matter */
	PMPI_Group_size(group, &n);
	other = group_hash(group, n);
	k->side = k->members > other;
	k->members += other;
	k->size = n;
	PMPI_Group_free(&group);
}

static uint64_t count_made(const struct origin *of)
{
	struct made *m;

	for (uint32_t i = n_made; i-- > 0;)
		if (!memcmp(&made[i].of, of, sizeof *of))
			return ++made[i].count;
	m = realloc(made, (n_made + 1) * sizeof *made);
	if (!m)
		return 0;
	made = m;
	made[n_made++] = (struct made){ *of, 0 };
	return 0;
}

static uint64_t next_identity(const struct origin *of)
{
	struct made key = { *of, count_made(of) };

	return XXH3_64bits(&key, sizeof key) | 1ull << 63;
}

/* Adds k under the next number and defines it. Returns the number or 0. */
static uint32_t add_known(struct known *k, const char *name)
{
	char word[3 * MPI_MAX_OBJECT_NAME + 2], inter[64] = "";

	if (n_comms == room) {
		uint32_t more = room ? 2 * room : 16;
		struct known *c = realloc(comms, more * sizeof *c);

		if (!c)
			return 0;
		comms = c;
		room = more;
	}
	k->index = n_comms + 1;
	if (k->inter)
		snprintf(inter, sizeof inter, "inter %u %u %d\n", k->index,
			 k->side, k->local);
	if (tape_define("comm %u %llx %d %d %s\n%s", k->index,
			(unsigned long long)k->id, k->size, k->rank,
			tape_escape(word, sizeof word, name), inter))
		return k->index = 0;
	comms[n_comms++] = *k;
	return k->index;
}

/* id 0: it follows from the origin, to which the members are added. */
static uint32_t define(MPI_Comm comm, uint64_t id, struct origin of)
{
	char name[MPI_MAX_OBJECT_NAME + 1] = "";
	struct known k = { .handle = (uintptr_t)comm, .id = id };
	int n;

	inspect(comm, &k);
	of.members = k.members;
	if (!id)
		k.id = next_identity(&of);
	PMPI_Comm_get_name(comm, name, &n);
	add_known(&k, name);
	if (k.index)
		define_sources(comm, &k);
	return k.index;
}

int tape_comm_start(void)
{
	const struct origin none = { 0 };
	int ok = define(tape_world, 1, none) == 1;

	/* which it stands for, as the program names it */
	if (ok && tape_world_is_there())
		comms[0].handle = (uintptr_t)MPI_COMM_WORLD;
	return ok && define(tape_self, 2 + (uint64_t)tape_process.rank,
			    none) == 2 ? 0 : -1;
}

/* One that nobody saw being made is defined now. */
static const struct known *find_or_define(MPI_Comm comm)
{
	const struct origin found = { .order = TAPE_ORDER_FOUND };
	const struct known *k = find_known((uintptr_t)comm);

	if (k || comm == MPI_COMM_NULL)
		return k;
	define(comm, 0, found);
	return find_known((uintptr_t)comm);
}

const struct tape_comm_cache *tape_comm_find(struct tape_flow *f,
					     uintptr_t handle, int defining,
					     uint64_t *extra)
{
	struct tape_comm_cache *c = tape_comm_place(f, handle);
	uint64_t t0 = tape_tick();
	const struct known *k;
	struct known zero = { .handle = handle };

	if (tape_flow_left(f)) {
		*c = (struct tape_comm_cache){ 0 };
		return c;
	}
	tape_lock();
	k = defining ? find_or_define((MPI_Comm)handle) : find_known(handle);
	if (!k && !defining) {
		c = NULL;
		goto out;
	}
	if (!k)
		k = &zero;
	c->handle = k->handle;
	c->index = k->index;
	c->rank = k->rank;
	c->size = k->size;
	c->local = k->local;
	c->in = k->in;
	c->out = k->out;
	c->inter = k->inter;
	c->handlers = 0;
out:
	tape_unlock();
	*extra += tape_tick() - t0;
	return c;
}

/* Caches must not answer for a handle that now means something else. */
static void forget_cached(uintptr_t handle)
{
	for (struct tape_flow *f = tape_process.flows; f; f = f->next)
		for (uint32_t i = 0; i < TAPE_COMM_CACHE; i++)
			if (f->comms[i].handle == handle)
				f->comms[i].handle = 0;
}

static void unbind(uintptr_t handle)
{
	for (uint32_t i = 0; i < n_comms; i++)
		if (comms[i].handle == handle)
			comms[i].handle = 0;
	forget_cached(handle);
}

static enum tape_comm_order order_of(unsigned traits)
{
	return traits & TAPE_TRAIT_BY_GROUP ? TAPE_ORDER_GROUP
	       : traits & TAPE_TRAIT_BY_TAG ? TAPE_ORDER_TAG
	       : traits & TAPE_TRAIT_BY_PORT ? TAPE_ORDER_PORT
					     : TAPE_ORDER_PARENT;
}

uint32_t tape_comm_created(unsigned traits, MPI_Comm parent, int tag,
			   MPI_Comm comm)
{
	struct origin of = { .order = order_of(traits), .tag = tag };
	const struct known *p;
	uint32_t index;

	if (comm == MPI_COMM_NULL || tape_process.state != TAPE_RUNNING)
		return 0;
	tape_lock();
	p = find_or_define(parent);
	if (p && (of.order == TAPE_ORDER_PARENT ||
		  of.order == TAPE_ORDER_GROUP))
		of.parent = p->id;
	unbind((uintptr_t)comm);
	index = define(comm, 0, of);
	tape_unlock();
	return index;
}

uint32_t tape_comm_reserve(MPI_Comm parent, const char *what, const char *name)
{
	char both[MPI_MAX_OBJECT_NAME];
	const struct known *p;
	struct known k;
	uint32_t index = 0;

	if (tape_process.state != TAPE_RUNNING)
		return 0;
	tape_lock();
	if ((p = find_or_define(parent))) {
		const struct origin of = { p->id, p->members,
					   TAPE_ORDER_PARENT, 0 };

		k = *p;
		k.handle = 0;
		k.id = next_identity(&of);
		snprintf(both, sizeof both, "%s%s%s", what, name ? " " : "",
			 name ? name : "");
		index = add_known(&k, both);
		if (index && !*what)
			define_sources(parent, &k);
	}
	tape_unlock();
	return index;
}

void tape_comm_bind(uint32_t index, uintptr_t handle)
{
	tape_lock();
	if (index && index <= n_comms) {
		unbind(handle);
		comms[index - 1].handle = handle;
	}
	tape_unlock();
}

uint32_t tape_comm_freeing(uintptr_t handle)
{
	const struct known *k;
	uint32_t index;

	tape_lock();
	k = find_known(handle);
	index = k ? k->index : 0;
	tape_unlock();
	return index;
}

void tape_comm_freed(uint32_t index, uintptr_t handle)
{
	tape_lock();
	if (index && index <= n_comms && comms[index - 1].handle == handle)
		unbind(handle);
	tape_unlock();
}

void tape_comm_named(uintptr_t handle, const char *name)
{
	char word[3 * MPI_MAX_OBJECT_NAME + 2];
	const struct known *k;

	tape_lock();
	if (tape_process.state == TAPE_RUNNING && (k = find_known(handle)))
		tape_define("name %u %s\n", k->index,
			    tape_escape(word, sizeof word, name));
	tape_unlock();
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
		if (!define_list("group", n_groups + 1, world, n)) {
			groups[n_groups] = h;
			index = ++n_groups;
		}
	}
	tape_unlock();
	free(mine);
	return index;
}
