/*
 * The rules of a split, by brute force: sets of ranks, compared one with
 * another; see split_case.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "split_case.h"

static struct piece *add(struct split_rules *r, const char *type, int depth)
{
	struct piece *p = &r->piece[r->n++];

	if (r->n == PIECES_MAX)
		abort();
	snprintf(p->type, sizeof p->type, "%s", type);
	p->ranks = 0;
	p->depth = depth;
	p->hidden = p->nameless = 0;
	return p;
}

/*
 * Switches are equal if they and all above them are. Of Slurm's two levels the
 * leaf is the Switch1.
 */
static void add_switches(struct split_rules *r, const struct split_case *c)
{
	for (int h = 0; h < c->hosts; h++)
		for (int l = 0; l < c->network && c->listed[h]; l++) {
			char type[64];
			struct piece *p;

			sprintf(type, "Switch%d", c->network - l);
			p = add(r, type, 1 + l);
			for (int i = 0; i < c->ranks; i++)
				if (c->listed[c->host[i]] &&
				    !memcmp(c->coords[h], c->coords[c->host[i]],
					    (size_t)(l + 1) * sizeof(int)))
					p->ranks |= (uint64_t)1 << i;
		}
}

static hwloc_bitmap_t binding_of(hwloc_topology_t t, const char *text)
{
	hwloc_const_cpuset_t all = hwloc_topology_get_topology_cpuset(t);
	hwloc_bitmap_t b = hwloc_bitmap_alloc();

	if (strcmp(text, "all") == 0)
		hwloc_bitmap_copy(b, all);
	else
		hwloc_bitmap_list_sscanf(b, text);
	hwloc_bitmap_and(b, b, all);
	return b;
}

static void add_object(struct split_rules *r, const struct split_case *c,
		       int host, hwloc_obj_t o, int depth,
		       hwloc_bitmap_t *binding)
{
	char type[64];
	struct piece *p;

	hwloc_obj_type_snprintf(type, sizeof type, o, 0);
	p = add(r, type, depth);
	p->hidden = o->type == HWLOC_OBJ_PU &&
		    o->parent->type == HWLOC_OBJ_CORE && o->parent->arity == 1;
	/* it stands for its memory only, which has a piece of its own */
	p->nameless = o->type == HWLOC_OBJ_GROUP && o->memory_arity;
	for (int i = 0; i < c->ranks; i++)
		if (c->host[i] == host && !hwloc_bitmap_iszero(binding[i]) &&
		    hwloc_bitmap_isincluded(binding[i], o->cpuset))
			p->ranks |= (uint64_t)1 << i;
}

/* The machine, its objects, and the memory that belongs to them. */
static void add_host(struct split_rules *r, const struct split_case *c,
		     int host)
{
	hwloc_topology_t t = whole_topology(c, host);
	hwloc_bitmap_t binding[RANKS_MAX];
	int depths = hwloc_topology_get_depth(t);
	struct piece *machine = add(r, "Machine", 100);

	for (int i = 0; i < c->ranks; i++) {
		binding[i] = binding_of(t, c->binding[i]);
		if (c->host[i] == host)
			machine->ranks |= (uint64_t)1 << i;
	}
	/* one node for the whole machine is asked for by type, and no level */
	if (hwloc_get_root_obj(t)->memory_arity &&
	    hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE) == 1) {
		struct piece *node = add(r, "NUMANode", 101);

		node->ranks = machine->ranks;
		node->hidden = 1;
	}
	for (int d = 1; d < depths; d++)
		for (hwloc_obj_t o = NULL;
		     (o = hwloc_get_next_obj_by_depth(t, d, o));) {
			hwloc_obj_t m = o->memory_first_child;

			add_object(r, c, host, o, 100 + 2 * d, binding);
			for (; m; m = m->next_sibling)
				add_object(r, c, host, m, 101 + 2 * d, binding);
		}
	for (int i = 0; i < c->ranks; i++)
		hwloc_bitmap_free(binding[i]);
	hwloc_topology_destroy(t);
}

void split_rules_of(struct split_rules *r, const struct split_case *c)
{
	r->n = 0;
	add(r, "Cluster", 0)->ranks = ~(uint64_t)0;
	add_switches(r, c);
	for (int h = 0; h < c->hosts; h++)
		add_host(r, c, h);
}

/* "the deepest object that contains all processes' bindings" */
const struct piece *split_holds(const struct split_rules *r, uint64_t ranks)
{
	const struct piece *best = &r->piece[0];

	for (int i = 1; i < r->n; i++) {
		const struct piece *p = &r->piece[i];

		if (!p->hidden && (p->ranks & ranks) == ranks &&
		    p->depth > best->depth)
			best = p;
	}
	return best;
}

/*
 * The piece that is to be split by: the rank is bound to it, not all are, and
 * no wider one is like that.
 */
uint64_t split_together(const struct split_rules *r, uint64_t ranks, int rank)
{
	const struct piece *best = NULL;

	for (int i = 0; i < r->n; i++) {
		const struct piece *p = &r->piece[i];

		if (!p->hidden && p->ranks >> rank & 1 &&
		    (p->ranks & ranks) != ranks &&
		    (!best || p->depth < best->depth))
			best = p;
	}
	/* one that is alone may still be bound to less than it shares */
	return best ? best->ranks & ranks : 0;
}

/* The lowest piece of that type to which the rank is bound. */
static const struct piece *lowest(const struct split_rules *r, int rank,
				  const char *type)
{
	const struct piece *best = NULL;

	for (int i = 0; i < r->n; i++) {
		const struct piece *p = &r->piece[i];

		if (p->ranks >> rank & 1 && !p->nameless &&
		    strcasecmp(p->type, type) == 0 &&
		    (!best || p->depth > best->depth))
			best = p;
	}
	return best;
}

uint64_t split_guided(const struct split_rules *r, uint64_t ranks, int rank,
		      const char *type)
{
	const struct piece *mine = lowest(r, rank, type);
	uint64_t same = 0;

	for (int i = 0; i < RANKS_MAX && mine; i++)
		if (ranks >> i & 1) {
			const struct piece *p = lowest(r, i, type);

			/* switches are there once for each host */
			if (p && p->ranks == mine->ranks &&
			    p->depth == mine->depth)
				same |= (uint64_t)1 << i;
		}
	return same;
}
