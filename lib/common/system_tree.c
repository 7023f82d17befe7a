/*
 * The hierarchy of a run's hardware; see system_tree.h. Positions make a tree
 * of steps. A node that holds two ranks which have nothing nearer in common is
 * of a level.
 */
#include "growing_array.h"
#include "hash_bits.h"
#include "sort.h"
#include "system_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "position.h"
#include "table.h"

/* Rounds in which types find their height: enough for any positions of which no
 * two contradict each other. */
enum { ROUNDS = 2 * TAPE_STEPS_MAX };

/* More levels, which no machine has, are as one with the farthest: memory stays
 * of the order of ranks. */
enum { LEVELS_MAX = 2 * TAPE_STEPS_MAX };

struct node {
	const char *step; /* "L3:1" */
	char *whole;	  /* all steps above, then this; made when asked */
	int parent, type;
	int parts; /* ranks that are just here, and nodes below */
	int reach; /* the farthest type from here down, as order */
};

struct type {
	const char *name;
	int height; /* more than that of each type below it anywhere */
	int order;  /* types by height, one each */
	int level;  /* -1: none */
};

/* Groups of a level. */
struct level {
	const struct type *type;
	int *of; /* each rank */
	int *first, *node;
	int n;
};

struct tape_system {
	struct node *node;
	struct type *type;
	int nodes, types, ranks, levels;
	int *leaf; /* of each rank */
	struct level *level;
	char (*rank_name)[32];
	struct tape_table known;
};

/* A text: a step below a node (NOWHERE: the first), or a type's name. */
enum { NOWHERE = -1, OF_TYPE = -2 };

struct known {
	char *text;
	int32_t parent, number;
};

static uint64_t hash_step(int parent, const char *s, size_t n)
{
	uint64_t key =
	    tape_hash_bytes(TAPE_HASH_START ^ (uint32_t)parent, s, n);

	return key ^ key >> 29;
}

/* The record of a text, of which text is NULL if it is new. NULL: no memory. */
static struct known *find_known_step(struct tape_table *t, int parent,
				     const char *s, size_t n)
{
	struct known *k;

	for (uint64_t key = hash_step(parent, s, n);; key++) {
		k = tape_table_get(t, key ? key : ++key);
		if (!k || !k->text ||
		    (k->parent == parent && !strncmp(k->text, s, n) &&
		     !k->text[n]))
			return k;
	}
}

static int type_of(struct tape_system *h, const char *step)
{
	size_t n = strcspn(step, ":");
	struct known *k = find_known_step(&h->known, OF_TYPE, step, n);
	struct type *more;

	if (!k || k->text)
		return k ? k->number : -1;
	more = tape_grow_list(h->type, (size_t)h->types, sizeof *more);
	if (!more)
		return -1;
	h->type = more;
	k->text = strndup(step, n);
	if (!k->text)
		return -1;
	k->parent = OF_TYPE;
	k->number = h->types;
	h->type[h->types] = (struct type){.name = k->text, .level = -1};
	return h->types++;
}

/* The node of a step below parent; -1: out of memory. */
static int add_tree_node(struct tape_system *h, int parent, const char *s,
			 size_t n)
{
	struct known *k = find_known_step(&h->known, parent, s, n);
	struct node *more;
	const char *text;
	int type;

	if (!k || k->text)
		return k ? k->number : -1;
	more = tape_grow_list(h->node, (size_t)h->nodes, sizeof *more);
	if (!more)
		return -1;
	h->node = more;
	text = k->text = strndup(s, n);
	k->parent = parent;
	k->number = h->nodes;
	if (!text || (type = type_of(h, text)) < 0)
		return -1;
	h->node[h->nodes] =
	    (struct node){.step = text, .parent = parent, .type = type};
	if (parent >= 0)
		h->node[parent].parts++;
	return h->nodes++;
}

/* The first node is Cluster, which all positions are below. */
static int add_rank(struct tape_system *h, const char *position, int rank)
{
	int at = 0;

	if (!position)
		position = TAPE_LEVEL_CLUSTER "/" TAPE_LEVEL_MACHINE ":?";
	for (const char *s = position;;) {
		size_t n = strcspn(s, "/");

		if (s != position || n != strlen(TAPE_LEVEL_CLUSTER) ||
		    strncmp(s, TAPE_LEVEL_CLUSTER, n) != 0)
			at = add_tree_node(h, at, s, n);
		if (at < 0)
			return TAPE_ENOMEM;
		s += n;
		if (!*s++)
			break;
	}
	h->node[at].parts++;
	h->leaf[rank] = at;
	return 0;
}

static int by_height(const void *a, const void *b)
{
	const struct type *x = *(struct type *const *)a;
	const struct type *y = *(struct type *const *)b;

	if (x->height != y->height)
		return x->height < y->height ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Types in an order in which what is inside something else is before that, on
 * any host; where hosts contradict each other, in some order.
 */
static int order_types(struct tape_system *h)
{
	struct type **list = malloc((size_t)h->types * sizeof *list);
	int changed = 1;

	if (!list)
		return TAPE_ENOMEM;
	for (int round = 0; changed && round < ROUNDS; round++) {
		changed = 0;
		for (int i = h->nodes - 1; i > 0; i--) {
			struct type *in = &h->type[h->node[i].type];
			struct type *out =
			    &h->type[h->node[h->node[i].parent].type];

			if (in == out || out->height > in->height)
				continue;
			out->height = in->height + 1;
			changed = 1;
		}
	}
	for (int i = 0; i < h->types; i++)
		list[i] = &h->type[i];
	tape_sort(list, (size_t)h->types, sizeof *list, by_height);
	for (int i = 0; i < h->types; i++)
		list[i]->order = i;
	/* nodes come after those that they are in */
	for (int i = h->nodes - 1; i >= 0; i--) {
		struct node *n = &h->node[i];
		int own = h->type[n->type].order;

		n->reach = n->reach > own ? n->reach : own;
		if (i && h->node[n->parent].reach < n->reach)
			h->node[n->parent].reach = n->reach;
	}
	for (int i = 0; i < h->nodes; i++)
		if (h->node[i].parts > 1)
			list[h->node[i].reach]->level = 0;
	h->levels = 1;
	for (int i = 0; i < h->types; i++)
		if (list[i]->level == 0)
			list[i]->level = h->levels < LEVELS_MAX
					     ? h->levels++
					     : LEVELS_MAX - 1;
	h->level = calloc((size_t)h->levels, sizeof *h->level);
	for (int i = 0; h->level && i < h->types; i++)
		if (list[i]->level > 0)
			h->level[list[i]->level].type = list[i];
	free(list);
	return h->level ? 0 : TAPE_ENOMEM;
}

/*
 * Groups of one level. at: where each rank has come to so far, which goes on to
 * the farthest node that is within the level; number: one for each node.
 */
static int group_ranks(struct tape_system *h, struct level *l, int *at,
		       int *number)
{
	int n = h->ranks ? h->ranks : 1;

	l->of = malloc((size_t)n * sizeof *l->of);
	l->first = malloc((size_t)n * sizeof *l->first);
	l->node = malloc((size_t)n * sizeof *l->node);
	if (!l->of || !l->first || !l->node)
		return TAPE_ENOMEM;
	for (int i = 0; i < h->nodes; i++)
		number[i] = -1;
	for (int i = 0; i < h->ranks; i++) {
		int node = at[i], alone;

		/* the rank, or what it is bound to, as such */
		alone = !l->type || h->node[node].reach > l->type->order;
		while (!alone && h->node[node].parent >= 0 &&
		       h->node[h->node[node].parent].reach <= l->type->order)
			node = h->node[node].parent;
		at[i] = node;
		if (alone || number[node] < 0) {
			l->first[l->n] = i;
			l->node[l->n] = alone ? -1 : node;
			l->of[i] = l->n++;
			if (!alone)
				number[node] = l->of[i];
		} else {
			l->of[i] = number[node];
		}
	}
	return 0;
}

static int make_groups(struct tape_system *h)
{
	size_t n = (size_t)h->ranks + 1;
	int *at = malloc(n * sizeof *at), rc = TAPE_ENOMEM;
	int *number = malloc((size_t)h->nodes * sizeof *number);

	h->rank_name = calloc(n, sizeof *h->rank_name);
	if (at && number && h->rank_name) {
		memcpy(at, h->leaf, (n - 1) * sizeof *at);
		rc = 0;
		for (int i = 0; i < h->levels && !rc; i++)
			rc = group_ranks(h, &h->level[i], at, number);
	}
	free(at);
	free(number);
	return rc;
}

int tape_system_new(struct tape_system **out, const char *const *position,
		    int ranks)
{
	struct tape_system *h = calloc(1, sizeof *h);
	int rc;

	*out = h;
	if (!h)
		return TAPE_ENOMEM;
	h->known.bytes = sizeof(struct known);
	h->ranks = ranks;
	h->leaf = calloc((size_t)ranks + 1, sizeof *h->leaf);
	rc = !h->leaf || add_tree_node(h, NOWHERE, TAPE_LEVEL_CLUSTER,
				       strlen(TAPE_LEVEL_CLUSTER))
		 ? TAPE_ENOMEM
		 : 0;
	for (int i = 0; i < ranks && !rc; i++)
		rc = add_rank(h, position[i], i);
	if (!rc)
		rc = order_types(h);
	return rc ? rc : make_groups(h);
}

int tape_system_of(struct tape_system **h, const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);
	const char **position = calloc(n + 1, sizeof *position);
	int rc;

	*h = NULL;
	if (!position)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		position[i] = r ? r->position : NULL;
	}
	rc = tape_system_new(h, position, (int)n);
	free(position);
	return rc;
}

void tape_system_free(struct tape_system *h)
{
	struct known *k;
	size_t at = 0;
	uint64_t key;

	if (!h)
		return;
	while ((k = tape_table_each(&h->known, &at, &key)))
		free(k->text);
	tape_table_free(&h->known);
	for (int i = 0; i < h->nodes; i++)
		free(h->node[i].whole);
	for (int i = 0; h->level && i < h->levels; i++) {
		free(h->level[i].of);
		free(h->level[i].first);
		free(h->level[i].node);
	}
	free(h->level);
	free(h->node);
	free(h->type);
	free(h->leaf);
	free(h->rank_name);
	free(h);
}

int tape_system_levels(const struct tape_system *h)
{
	return h->levels;
}

const char *tape_system_name(const struct tape_system *h, int level)
{
	return level ? h->level[level].type->name : "rank";
}

int tape_system_within(const struct tape_system *h, const char *type)
{
	int order = -1, level = 0;

	for (int i = 0; i < h->types; i++)
		if (!strcasecmp(h->type[i].name, type))
			order = h->type[i].order;
	if (order < 0)
		return -1;
	while (level + 1 < h->levels &&
	       h->level[level + 1].type->order <= order)
		level++;
	return level;
}

int tape_system_level(const struct tape_system *h, int a, int b)
{
	int x = h->leaf[a], y = h->leaf[b];

	if (a == b)
		return 0;
	/* a node's number is more than those of the nodes that it is in */
	while (x != y)
		if (x > y)
			x = h->node[x].parent;
		else
			y = h->node[y].parent;
	for (int i = 1; i < h->levels; i++)
		if (h->level[i].type->order >= h->node[x].reach)
			return i;
	return h->levels - 1;
}

int tape_system_group(const struct tape_system *h, int level, int rank)
{
	return h->level[level].of[rank];
}

int tape_system_groups(const struct tape_system *h, int level)
{
	return h->level[level].n;
}

int tape_system_first(const struct tape_system *h, int level, int group)
{
	return h->level[level].first[group];
}

/* "Cluster/Machine:a/L3:1"; NULL: out of memory. */
static const char *whole_name(const struct tape_system *h, int node)
{
	struct node *n = &h->node[node];
	size_t bytes = 0;
	char *end;

	if (n->whole)
		return n->whole;
	for (int i = node; i >= 0; i = h->node[i].parent)
		bytes += strlen(h->node[i].step) + 1;
	n->whole = malloc(bytes);
	if (!n->whole)
		return NULL;
	end = n->whole + bytes - 1;
	*end = '\0';
	for (int i = node; i >= 0; i = h->node[i].parent) {
		size_t k = strlen(h->node[i].step);

		end -= k;
		memcpy(end, h->node[i].step, k);
		if (i)
			*--end = '/';
	}
	return n->whole;
}

const char *tape_system_group_name(const struct tape_system *h, int level,
				   int group, int whole)
{
	const struct level *l = &h->level[level];
	int node = l->node[group], rank = l->first[group];
	const char *name;

	if (node < 0) {
		snprintf(h->rank_name[rank], sizeof *h->rank_name, "rank %d",
			 rank);
		return h->rank_name[rank];
	}
	name = whole ? whole_name(h, node) : h->node[node].step;
	return name ? name : "?";
}

int tape_system_nodes(const struct tape_system *h)
{
	return h->nodes;
}

int tape_system_parent(const struct tape_system *h, int node)
{
	return h->node[node].parent;
}

const char *tape_system_step(const struct tape_system *h, int node)
{
	return h->node[node].step;
}

int tape_system_node(const struct tape_system *h, int rank)
{
	return h->leaf[rank];
}
