/*
 * Collectives along trees; see coll.h and coll_program.h. The trees are Open
 * MPI's (coll/base, coll_base_topo.c).
 */
#include <stdlib.h>

#include "coll_program.h"
#include "error.h"

int tape_coll_flat(int v, int size)
{
	(void)v, (void)size;
	return 0;
}

int tape_coll_chain(int v, int size)
{
	(void)size;
	return v - 1;
}

int tape_coll_chains(int v, int size)
{
	int n = size / 2 > 0 ? size / 2 : 1;
	int length = (size - 1 + n - 1) / n;
	int longer = (size - 1) % n ? (size - 1) % n : n;
	int before = v - 1;

	/* the first ones are longer by one */
	if (before >= longer * length) {
		before -= longer * length;
		length--;
	}
	return before % length ? v - 1 : 0;
}

int tape_coll_levels(int v, int size)
{
	int first = 1; /* of a level, which has one more */

	(void)size;
	while (2 * first + 1 <= v)
		first = 2 * first + 1;
	while (v >= first)
		v -= (first + 1) / 2;
	return v;
}

int tape_coll_binomial(int v, int size)
{
	(void)size;
	return v - tape_coll_power(v);
}

int tape_coll_in_order(int v, int size)
{
	(void)size;
	return v & (v - 1);
}

int tape_coll_knomial(int v, int size)
{
	int unit = 4;

	(void)size;
	while (v % unit == 0)
		unit *= 4;
	return v - v % unit;
}

/* The messages between each member and its parent, down or up. */
struct tree {
	parent_of *parent;
	int root, down;
	int blocks;             /* carries the blocks of all members below */
	int any;                /* parents receive in order of arrival */
	uint64_t bytes;
};

/* The message between v, counted from the root, and its parent. */
static void add_edge(struct play *p, const struct tree *t, int v)
{
	int n = p->c.size, u = t->parent(v, n);
	int a = (v + t->root) % n, b = (u + t->root) % n;
	int below = t->blocks ? v & -v : 1;

	if (below > n - v)
		below = n - v;
	tape_coll_message(p, t->down ? b : a, t->down ? a : b,
			  t->bytes * (uint64_t)below);
	if (!t->any)
		tape_coll_step(p);
}

/*
 * Up the tree: each member receives from its children in order of their
 * numbers, then sends to its parent. A child's number is greater than its
 * parent's.
 */
static void add_upward_edges(struct play *p, const struct tree *t)
{
	int n = p->c.size;
	int *first = calloc(2 * (size_t)n, sizeof *first);

	if (!first) {
		p->rc = TAPE_ENOMEM;
		return;
	}
	/* lists of children, ended by 0, which is no child */
	for (int v = n - 1; v; v--) {
		int u = t->parent(v, n);

		first[n + v] = first[u];
		first[u] = v;
	}
	for (int v = n - 1; v >= 0; v--)
		for (int u = first[v]; u && !p->rc; u = first[n + u])
			add_edge(p, t, u);
	free(first);
}

/* By number in the communicator; reductions begin with the last. */
static void add_by_number(struct play *p, const struct tree *t)
{
	int n = p->c.size, back = p->c.op == TAPE_COLL_REDUCE;

	for (int i = 0; i < n && !p->rc; i++) {
		int v = ((back ? n - 1 - i : i) - t->root + n) % n;

		if (v)
			add_edge(p, t, v);
	}
}

static void add_edges(struct play *p, const struct tree *t)
{
	if (t->parent == tape_coll_flat)
		add_by_number(p, t);
	else if (!t->down)
		add_upward_edges(p, t);
	else
		for (int v = 1; v < p->c.size && !p->rc; v++)
			add_edge(p, t, v);
	tape_coll_step_by_arrival(p);
}

/* Segment after segment: they follow each other along the tree. */
static void add_pieces(struct play *p, struct tree *t)
{
	uint64_t left = p->c.bytes;

	t->bytes = p->segment;
	for (; p->segment && left > p->segment && !p->rc; left -= p->segment)
		add_edges(p, t);
	t->bytes = left;
	add_edges(p, t);
}

void tape_coll_tree(struct play *p)
{
	enum tape_coll_op op = p->c.op;
	struct tree t = { .parent = p->parent, .root = p->c.root,
			  .any = p->variant };

	t.blocks = p->parent == tape_coll_in_order &&
		   (op == TAPE_COLL_SCATTER || op == TAPE_COLL_GATHER);
	if (op != TAPE_COLL_BCAST && op != TAPE_COLL_SCATTER &&
	    op != TAPE_COLL_SCAN)
		add_pieces(p, &t);
	t.down = 1;
	if (op != TAPE_COLL_GATHER && op != TAPE_COLL_REDUCE)
		add_pieces(p, &t);
}
