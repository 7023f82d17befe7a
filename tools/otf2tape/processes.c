/* Ranks of an archive; see processes.h. */
#include <stdlib.h>
#include <string.h>

#include "sort.h"
#include "tool.h"
#include "processes.h"

#define RANKS_MAX (1u << 20)
#define THREADS_MAX (1u << 16)

/* Members of all communicators together. */
#define MEMBERS_MAX (1u << 28)

static struct process *find_process(const struct definitions *d,
				    const struct location *l)
{
	return tape_table_find(&d->processes, ref_key(l->process));
}

/* ---- ranks and threads ---- */

static int order_by_ref(const void *a, const void *b)
{
	const struct location *x = a, *y = b;

	return x->ref < y->ref ? -1 : x->ref > y->ref;
}

static struct location *find_location(struct definitions *d, uint64_t ref)
{
	struct location key = { .ref = ref };

	return tape_search(&key, d->locations, d->n_locations, sizeof key,
			   order_by_ref);
}

static void new_rank(struct world *w, struct location *l, struct process *p)
{
	l->rank = (int)w->ranks++;
	l->thread = 0;
	if (p->rank < 0)
		p->rank = l->rank;
}

/* Numbers the ranks of MPI's world in its order, then other processes. */
static void number_ranks(struct world *w, struct definitions *d,
			 const char *path)
{
	for (size_t i = 0; i < d->n_world; i++) {
		struct location *l = find_location(d, d->world[i]);
		struct process *p = l ? find_process(d, l) : NULL;

		if (!p)
			tape_die(TAPE_FAILED, "%s: rank %zu of its world is "
				 "not defined", path, i);
		if (l->rank >= 0)
			tape_die(TAPE_FAILED, "%s: ranks %d and %zu of its "
				 "world are one location", path, l->rank, i);
		new_rank(w, l, p);
	}
	for (size_t i = 0; i < d->n_locations; i++) {
		struct location *l = &d->locations[i];
		struct process *p = find_process(d, l);

		if (p && p->rank < 0 && p->is_process && l->is_thread)
			new_rank(w, l, p);
	}
	if (!w->ranks)
		tape_die(TAPE_FAILED, "%s: the archive has no processes", path);
	if (w->ranks > RANKS_MAX)
		tape_die(TAPE_FAILED, "%s: too many processes", path);
}

static void number_threads(struct world *w, struct definitions *d,
			   const char *path)
{
	int *threads = tape_must(calloc(w->ranks, sizeof *threads));

	for (size_t i = 0; i < d->n_locations; i++) {
		struct location *l = &d->locations[i];
		const struct process *p = find_process(d, l);

		if (l->rank < 0 && p && p->rank >= 0 && l->is_thread) {
			l->rank = p->rank;
			l->thread = ++threads[l->rank];
		}
		if (l->thread > (int)THREADS_MAX)
			tape_die(TAPE_FAILED, "%s: too many threads", path);
		if (l->rank < 0)
			w->left_out++;
		else
			w->flows++;
	}
	free(threads);
}

static int order_by_flow(const void *a, const void *b)
{
	const struct location *x = *(const struct location *const *)a;
	const struct location *y = *(const struct location *const *)b;

	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
				  : x->thread - y->thread;
}

static void list_flows(struct world *w, const struct definitions *d)
{
	size_t n = 0;

	w->flow = tape_must(calloc(w->flows + 1, sizeof *w->flow));
	w->first_flow = tape_must(calloc(w->ranks + 1, sizeof *w->first_flow));
	w->process = tape_must(calloc(w->ranks, sizeof *w->process));
	for (size_t i = 0; i < d->n_locations; i++)
		if (d->locations[i].rank >= 0)
			w->flow[n++] = &d->locations[i];
	tape_sort(w->flow, n, sizeof *w->flow, order_by_flow);
	for (size_t i = 0; i < n; i++) {
		w->first_flow[w->flow[i]->rank + 1] = i + 1;
		w->process[w->flow[i]->rank] = find_process(d, w->flow[i]);
	}
}

/* ---- communicators ---- */

static const struct group *find_group(const struct definitions *d,
				      OTF2_GroupRef ref)
{
	return ref == OTF2_UNDEFINED_GROUP
		   ? NULL
		   : tape_table_find(&d->groups, ref_key(ref));
}

/* Calls what for each rank in a communicator. */
static void visit_members(struct world *w, uint32_t comm,
			  void (*what)(struct world *, int,
				       const struct member *))
{
	const struct comm *c = &w->d->comms[comm];
	const struct group *a = find_group(w->d, c->a);
	const struct group *b = find_group(w->d, c->b);
	struct member m = { .comm = comm, .side = -1 };

	if (a && a->is_self) {
		m.size = m.own = 1;
		for (size_t i = 0; i < w->d->n_world; i++)
			what(w, (int)i, &m);
		return;
	}
	for (int side = 0; side < 2; side++) {
		const struct group *own = side ? b : a, *other = side ? a : b;

		if (!own || (b && !a))
			continue;
		m.side = b ? side : -1;
		m.own = (int)own->n;
		m.size = other ? (int)other->n : m.own;
		for (uint32_t i = 0; i < own->n; i++) {
			m.rank = (int32_t)i;
			/* members of the world have the first ranks */
			if (own->members[i] < w->d->n_world)
				what(w, (int)own->members[i], &m);
		}
	}
}

static void count_member(struct world *w, int rank, const struct member *m)
{
	(void)m;
	w->first_member[rank + 1]++;
}

static void store_member(struct world *w, int rank, const struct member *m)
{
	w->members[w->first_member[rank]++] = *m;
}

static void list_comms(struct world *w, const char *path)
{
	size_t *first;

	first = w->first_member =
	    tape_must(calloc(w->ranks + 2, sizeof *w->first_member));
	for (size_t i = 0; i < w->d->n_comms; i++)
		visit_members(w, (uint32_t)i, count_member);
	for (size_t i = 0; i < w->ranks; i++)
		first[i + 1] += first[i];
	if (first[w->ranks] > MEMBERS_MAX)
		tape_die(TAPE_FAILED, "%s: too many communicators", path);
	w->members = tape_must(calloc(first[w->ranks] + 1, sizeof *w->members));
	for (size_t i = 0; i < w->d->n_comms; i++)
		visit_members(w, (uint32_t)i, store_member);
	/* each entry is now the end of its rank's members */
	memmove(first + 1, first, w->ranks * sizeof *first);
	first[0] = 0;
}

/* Identities: 1 for the world, 2 + rank for MPI_COMM_SELF, then all others. */
uint64_t world_comm_id(const struct world *w, uint32_t comm, int rank)
{
	const struct comm *c = &w->d->comms[comm];
	const struct group *g = find_group(w->d, c->a);
	const char *name = definitions_string(w->d, c->name);
	uint64_t id = ((uint64_t)comm + 1) << 32;

	if (g && g->is_self)
		return strcmp(name, "MPI_COMM_SELF") ? id + (uint64_t)rank + 1
						     : 2 + (uint64_t)rank;
	return comm == w->world_comm ? 1 : id;
}

/* Finds the communicator MPI_COMM_WORLD, if it has all ranks of the world. */
static void find_world_comm(struct world *w)
{
	w->world_comm = UINT32_MAX;
	for (size_t i = 0; i < w->d->n_comms; i++) {
		const struct comm *c = &w->d->comms[i];
		const struct group *g = find_group(w->d, c->a);

		if (g && !g->is_self && g->n == w->d->n_world &&
		    w->world_comm == UINT32_MAX &&
		    !strcmp(definitions_string(w->d, c->name),
			    "MPI_COMM_WORLD"))
			w->world_comm = (uint32_t)i;
	}
}

struct world *world_new(struct definitions *d, const char *path)
{
	struct world *w = tape_must(calloc(1, sizeof *w));

	w->d = d;
	tape_sort(d->locations, d->n_locations, sizeof *d->locations,
		  order_by_ref);
	for (size_t i = 1; i < d->n_locations; i++)
		if (d->locations[i].ref == d->locations[i - 1].ref)
			tape_die(TAPE_FAILED, "%s: location %llu is defined "
				 "twice", path,
				 (unsigned long long)d->locations[i].ref);
	number_ranks(w, d, path);
	number_threads(w, d, path);
	list_flows(w, d);
	list_comms(w, path);
	find_world_comm(w);
	return w;
}

void world_free(struct world *w)
{
	free(w->flow);
	free(w->first_flow);
	free(w->process);
	free(w->members);
	free(w->first_member);
	free(w);
}
