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
#include "neighbours.h"
#include "message.h"
#include "world.h"

struct known {
	uintptr_t handle; /* 0: freed, or not bound yet */
	uint64_t id, members;
	uint32_t index;
	int32_t rank, size; /* size: of the group that peers are numbered in */
	int32_t local;
	int32_t in, out; /* neighbours */
	uint32_t inter, side; /* which of the two groups it is in */
	/* it was made from the intercommunicator of a spawn: its members are
	 * not all of one world */
	uint32_t spans;
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

/* What this process knows of its own job, and of the one that spawned it. */
static struct tape_spawned spawned;

void tape_comm_begin(const struct tape_spawned *s)
{
	spawned = *s;
}

static const struct known *find_known(uintptr_t handle)
{
	for (uint32_t i = n_comms; handle && i-- > 0;)
		if (comms[i].handle == handle)
			return &comms[i];
	return NULL;
}

static const uint64_t alone = 1; /* in place of a hash */

/*
 * By the ranks in the world of this job, which every other job that the program
 * spawned has, too: they begin with their own number.
 */
static uint64_t hash_group(MPI_Group group, int n)
{
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
		h = XXH3_64bits_withSeed(world, (size_t)n * sizeof *world,
					 spawned.id);
	}
	free(mine);
	return h;
}

/*
 * By the ranks in the communicator that theirs was made from, for members of
 * several worlds: both groups of an intercommunicator have numbers, those of
 * side 0 even ones.
 */
static uint64_t hash_within(MPI_Comm parent, const struct known *p,
			    MPI_Group group, int n)
{
	int *mine = malloc(((size_t)n + 1) * 3 * sizeof *mine);
	int *own = mine ? mine + n + 1 : NULL, *other = own ? own + n + 1 : own;
	MPI_Group all;
	uint64_t h = alone;

	if (!mine)
		return h;
	for (int i = 0; i < n; i++) {
		mine[i] = i;
		own[i] = other[i] = MPI_UNDEFINED;
	}
	if (PMPI_Comm_group(parent, &all) == MPI_SUCCESS) {
		PMPI_Group_translate_ranks(group, n, mine, all, own);
		PMPI_Group_free(&all);
	}
	if (p->inter && PMPI_Comm_remote_group(parent, &all) == MPI_SUCCESS) {
		PMPI_Group_translate_ranks(group, n, mine, all, other);
		PMPI_Group_free(&all);
	}
	for (int i = 0; i < n; i++)
		mine[i] = own[i] != MPI_UNDEFINED
			      ? 2 * own[i] + (int)p->side
			      : 2 * other[i] + !p->side;
	h = XXH3_64bits(mine, (size_t)n * sizeof *mine);
	free(mine);
	return h;
}

/* Of what a communicator is made, where its members are of several worlds. */
struct lineage {
	MPI_Comm parent;
	const struct known *p; /* NULL: they are of this one */
};

static uint64_t hash_members(const struct lineage *l, MPI_Group group, int n)
{
	return l->p ? hash_within(l->parent, l->p, group, n)
		    : hash_group(group, n);
}

/* Members, size and rank of a communicator. Local operations only. */
static void read_properties(MPI_Comm comm, struct known *k,
			    const struct lineage *l)
{
	MPI_Group group;
	uint64_t other;
	int inter = 0, n = 0;

	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_rank(comm, &k->rank);
	PMPI_Comm_size(comm, &n);
	k->size = k->local = n;
	k->inter = inter != 0;
	k->spans = l->p != NULL;
	k->members = 0;
	if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
		k->members = hash_members(l, group, n);
		PMPI_Group_free(&group);
	}
	if (!inter)
		tape_neighbours_count(comm, k->rank, &k->in, &k->out);
	if (!inter || PMPI_Comm_remote_group(comm, &group) != MPI_SUCCESS)
		return;
	/* both sides have to come to the same: the order must not matter */
	PMPI_Group_size(group, &n);
	other = hash_members(l, group, n);
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

static uint32_t define_known(MPI_Comm comm, struct known *k)
{
	char name[MPI_MAX_OBJECT_NAME + 1] = "";
	int n;

	PMPI_Comm_get_name(comm, name, &n);
	add_known(k, name);
	if (k->index)
		tape_neighbours_define(comm, k->index, k->in, k->out);
	return k->index;
}

/* id 0: it follows from the origin, to which the members are added. */
static uint32_t define_comm(MPI_Comm comm, uint64_t id, struct origin of,
			    const struct lineage *l)
{
	struct known k = { .handle = (uintptr_t)comm, .id = id };

	read_properties(comm, &k, l);
	of.members = k.members;
	if (!id)
		k.id = next_identity(&of);
	return define_known(comm, &k);
}

static const struct lineage this_world = { .p = NULL };

int tape_comm_start(void)
{
	const struct origin none = { 0 };
	int ok = define_comm(tape_world, 1, none, &this_world) == 1;

	/* which it stands for, as the program names it */
	if (ok && tape_world_is_open())
		comms[0].handle = (uintptr_t)MPI_COMM_WORLD;
	return ok && define_comm(tape_self, 2 + (uint64_t)tape_process.rank,
				 none, &this_world) == 2
		   ? 0
		   : -1;
}

/*
 * The intercommunicator of a spawn, whose identity both jobs know: those who
 * spawned are its side 0.
 */
static uint32_t define_spawned(MPI_Comm comm, uint64_t id, uint32_t side)
{
	struct known k = { .handle = (uintptr_t)comm, .id = id };

	read_properties(comm, &k, &this_world);
	k.spans = 1;
	k.members = 0;
	k.side = side;
	return define_known(comm, &k);
}

void tape_comm_parent(MPI_Comm parent)
{
	tape_lock();
	if (spawned.id && parent != MPI_COMM_NULL)
		define_spawned(parent, spawned.id, 1);
	tape_unlock();
}

/* Of the next spawn over p. */
static struct origin spawn_origin(const struct known *p)
{
	return (struct origin){ p->id, p->members, TAPE_ORDER_SPAWN, 0 };
}

static uint64_t spawn_identity(const struct origin *of, uint64_t count)
{
	struct made key = { *of, count };

	return XXH3_64bits_withSeed(&key, sizeof key, spawned.run) | 1ull << 63;
}

uint64_t tape_comm_spawning(MPI_Comm comm, int root)
{
	const struct known *p;
	struct origin of;
	uint64_t count = 0;

	tape_lock();
	p = find_known((uintptr_t)comm);
	if (p && spawned.run && p->rank == root) {
		of = spawn_origin(p);
		for (uint32_t i = 0; i < n_made; i++)
			if (!memcmp(&made[i].of, &of, sizeof of))
				count = made[i].count + 1;
	} else {
		p = NULL;
	}
	tape_unlock();
	return p ? spawn_identity(&of, count) : 0;
}

/* One that nobody saw being made is defined now. */
static const struct known *find_or_define(MPI_Comm comm)
{
	const struct origin found = { .order = TAPE_ORDER_FOUND };
	const struct known *k = find_known((uintptr_t)comm);

	if (k || comm == MPI_COMM_NULL)
		return k;
	define_comm(comm, 0, found, &this_world);
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

	if (tape_flow_is_forked_copy(f)) {
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

static void unbind_handle(uintptr_t handle)
{
	for (uint32_t i = 0; i < n_comms; i++)
		if (comms[i].handle == handle)
			comms[i].handle = 0;
	forget_cached(handle);
}

static enum tape_comm_order get_order(unsigned traits)
{
	return traits & TAPE_TRAIT_BY_GROUP ? TAPE_ORDER_GROUP
	       : traits & TAPE_TRAIT_BY_TAG ? TAPE_ORDER_TAG
	       : traits & TAPE_TRAIT_BY_PORT ? TAPE_ORDER_PORT
	       : traits & TAPE_TRAIT_SPAWNS  ? TAPE_ORDER_SPAWN
					     : TAPE_ORDER_PARENT;
}

uint32_t tape_comm_created(unsigned traits, MPI_Comm parent, int tag,
			   MPI_Comm comm)
{
	struct origin of = {.order = get_order(traits), .tag = tag};
	struct lineage l = { .parent = parent };
	struct known of_spawn;
	const struct known *p;
	uint32_t index;

	if (comm == MPI_COMM_NULL || tape_process.state != TAPE_RUNNING)
		return 0;
	tape_lock();
	p = find_or_define(parent);
	if (p && (of.order == TAPE_ORDER_PARENT ||
		  of.order == TAPE_ORDER_GROUP)) {
		of.parent = p->id;
		of_spawn = *p; /* the table may move */
		l.p = p->spans ? &of_spawn : NULL;
	}
	unbind_handle((uintptr_t)comm);
	if (p && spawned.run && of.order == TAPE_ORDER_SPAWN) {
		of = spawn_origin(p);
		index = define_spawned(
		    comm, spawn_identity(&of, count_made(&of)), 0);
	} else {
		index = define_comm(comm, 0, of, &l);
	}
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
			tape_neighbours_define(parent, index, k.in, k.out);
	}
	tape_unlock();
	return index;
}

void tape_comm_bind(uint32_t index, uintptr_t handle)
{
	tape_lock();
	if (index && index <= n_comms) {
		unbind_handle(handle);
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
		unbind_handle(handle);
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
