/*
 * The messages of each algorithm, in an order in which they can be dated; see
 * coll.h. An algorithm says message() for each of a step and then step(). What
 * is sent in a step goes at the date that its sender had before the step.
 *
 * Sources of the algorithms: R. Thakur, R. Rabenseifner, W. Gropp,
 * Optimization of collective communication operations in MPICH, 2005; J.
 * Pjesivac-Grbovic et al., Performance analysis of MPI collective operations,
 * 2007; J. Bruck et al., 1997. Which tree Open MPI means is in its coll/base.
 */
#include <stdlib.h>
#include <string.h>

#include "certain.h"
#include "coll.h"
#include "error.h"

struct message {
	int from, to;
	uint64_t bytes;
	double there;
	int together;
};

/* Of a tree: less than v, and both counted from the root. */
typedef int parent_of(int v, int size);

struct play {
	struct tape_collective c;
	/* of the algorithm */
	parent_of *parent;
	int variant;
	uint64_t segment;
	const struct tape_coll_cost *cost;
	double *at;             /* of each member */
	struct message *list;   /* of this step */
	size_t n, room;
	double left;            /* messages that it may still be */
	int rc;
};

static void message(struct play *p, int from, int to, uint64_t bytes)
{
	struct message m = { .from = from, .to = to, .bytes = bytes };
	double go = p->at[from];

	if (p->left-- < 1)
		p->rc = 1;
	if (p->n == p->room && !p->rc) {
		size_t room = 2 * p->room + 16;
		void *more = realloc(p->list, room * sizeof *p->list);

		if (!more)
			p->rc = TAPE_ENOMEM;
		else
			p->list = more, p->room = room;
	}
	if (p->rc)
		return;
	m.there = p->cost->transit(p->cost->of, from, to, bytes, &m.together);
	if (m.together)
		go = tape_max(go, p->at[to]);
	m.there += go;
	p->list[p->n++] = m;
}

static void step(struct play *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct message *m = &p->list[i];

		p->at[m->to] = tape_max(p->at[m->to], m->there) +
			       p->cost->take(p->cost->of, m->from, m->to,
					     m->bytes);
		if (m->together)
			p->at[m->from] = tape_max(p->at[m->from], m->there);
	}
	p->n = 0;
}

static int by_arrival(const void *a, const void *b)
{
	double x = ((const struct message *)a)->there;
	double y = ((const struct message *)b)->there;

	return x < y ? -1 : x > y;
}

/* The same, each receiver taking what comes first (6.2.3's order mu). */
static void step_by_arrival(struct play *p)
{
	if (p->n > 1)
		qsort(p->list, p->n, sizeof *p->list, by_arrival);
	step(p);
}

static void one(struct play *p, int from, int to, uint64_t bytes)
{
	message(p, from, to, bytes);
	step(p);
}

static int largest_power(int n)
{
	int power = 1;

	while (power <= n / 2)
		power *= 2;
	return power;
}

/* ---- trees ---- */

static int flat(int v, int size)
{
	(void)v, (void)size;
	return 0;
}

static int chain(int v, int size)
{
	(void)size;
	return v - 1;
}

static int chains(int v, int size)
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

static int levels(int v, int size)
{
	int first = 1; /* of a level, which has one more */

	(void)size;
	while (2 * first + 1 <= v)
		first = 2 * first + 1;
	while (v >= first)
		v -= (first + 1) / 2;
	return v;
}

static int binary(int v, int size)
{
	(void)size;
	return (v - 1) / 2;
}

static int binomial(int v, int size)
{
	(void)size;
	return v - largest_power(v);
}

static int in_order(int v, int size)
{
	(void)size;
	return v & (v - 1);
}

static int knomial(int v, int size)
{
	int unit = 4;

	(void)size;
	while (v % unit == 0)
		unit *= 4;
	return v - v % unit;
}

/* The messages of a tree between each and its parent, down or up. */
struct tree {
	parent_of *parent;
	int root, down;
	int blocks;             /* it carries those of all below, not a vector */
	int any;                /* parents take what comes first */
};

static void edges(struct play *p, const struct tree *t, uint64_t bytes)
{
	int n = p->c.size;

	for (int i = 1; i < n && !p->rc; i++) {
		int v = t->down ? i : n - i, u = t->parent(v, n);
		int a = (v + t->root) % n, b = (u + t->root) % n;
		int below = t->blocks ? v & -v : 1;

		if (below > n - v)
			below = n - v;
		message(p, t->down ? b : a, t->down ? a : b,
			bytes * (uint64_t)below);
		if (!t->any)
			step(p);
	}
	step_by_arrival(p);
}

/* Piece after piece, so that they follow each other down the tree. */
static void pieces(struct play *p, const struct tree *t)
{
	uint64_t left = p->c.bytes;

	for (; p->segment && left > p->segment && !p->rc; left -= p->segment)
		edges(p, t, p->segment);
	edges(p, t, left);
}

static void tree(struct play *p)
{
	enum tape_coll_op op = p->c.op;
	struct tree t = {
		.parent = p->parent, .root = p->c.root, .any = p->variant,
		.blocks = p->parent == in_order && (op == TAPE_COLL_SCATTER ||
						 op == TAPE_COLL_GATHER)
	};

	if (op != TAPE_COLL_BCAST && op != TAPE_COLL_SCATTER &&
	    op != TAPE_COLL_SCAN)
		pieces(p, &t);
	t.down = 1;
	if (op != TAPE_COLL_GATHER && op != TAPE_COLL_REDUCE)
		pieces(p, &t);
}

static void tree_of_0(struct play *p)
{
	struct tree t = { .parent = p->parent, .down = 1 };

	if (p->c.root)
		one(p, p->c.root, 0, p->c.bytes);
	pieces(p, &t);
}

/* ---- exchanges ---- */

/*
 * Members that take part in exchanges at powers of two; extra ones stand back.
 * last: it is the last ones; else the even ones of the first pairs.
 */
struct core {
	int size, extra, last;
};

static struct core core_of(int n, int last)
{
	int power = largest_power(n);

	return (struct core){ power, n - power, last };
}

static int member(const struct core *k, int v)
{
	if (k->last)
		return v;
	return v < k->extra ? 2 * v + 1 : v + k->extra;
}

static int extra(const struct core *k, int i)
{
	return k->last ? k->size + i : 2 * i;
}

/* Each extra one and the member that stands for it; out: back to it. */
static void fold(struct play *p, const struct core *k, uint64_t bytes, int out)
{
	for (int i = 0; i < k->extra && !p->rc; i++)
		message(p, out ? member(k, i) : extra(k, i),
			out ? extra(k, i) : member(k, i), bytes);
	step(p);
}

static void exchange(struct play *p, const struct core *k, int distance,
		     uint64_t bytes)
{
	for (int v = 0; v < k->size && !p->rc; v++)
		message(p, member(k, v), member(k, v ^ distance), bytes);
	step(p);
}

static void doubling(struct play *p)
{
	struct core k = core_of(p->c.size, p->variant);
	uint64_t bytes = p->c.bytes;

	fold(p, &k, bytes, 0);
	for (int d = 1; d < k.size; d *= 2) {
		exchange(p, &k, d, bytes);
		bytes *= p->c.op == TAPE_COLL_ALLGATHER ? 2 : 1;
	}
	fold(p, &k, p->c.bytes, 1);
}

static void halving(struct play *p)
{
	struct core k = core_of(p->c.size, 0);
	uint64_t bytes = p->c.bytes;

	fold(p, &k, bytes, 0);
	for (int d = k.size / 2; d; d /= 2)
		exchange(p, &k, d, bytes /= 2);
	fold(p, &k, p->c.bytes / (uint64_t)p->c.size, 1);
}

/* The extra one and its member exchange halves; the one's sum then follows. */
static void share(struct play *p, const struct core *k)
{
	uint64_t half = p->c.bytes / 2;

	for (int i = 0; i < k->extra && !p->rc; i++) {
		message(p, 2 * i, 2 * i + 1, half);
		message(p, 2 * i + 1, 2 * i, half);
	}
	step(p);
	fold(p, k, half, 0);
}

static void rabenseifner(struct play *p)
{
	struct core k = core_of(p->c.size, 0);
	uint64_t bytes = p->c.bytes;

	if (p->variant)
		fold(p, &k, bytes, 0);
	else
		share(p, &k);
	for (int d = 1; d < k.size; d *= 2)
		exchange(p, &k, d, bytes /= 2);
	for (int d = k.size / 2; d; d /= 2, bytes *= 2)
		exchange(p, &k, d, bytes);
	fold(p, &k, p->c.bytes, 1);
}

/* ---- rings and shifts ---- */

/* Each sends to the one at some distance. */
static void shift(struct play *p, int distance, uint64_t bytes)
{
	int n = p->c.size;

	for (int v = 0; v < n && !p->rc; v++)
		message(p, v, (v + distance) % n, bytes);
	step(p);
}

/* How many of the n - 1 others have that bit in their distance. */
static int with_bit(int n, int bit)
{
	int count = 0;

	for (int v = 1; v < n; v++)
		count += (v & bit) != 0;
	return count;
}

static void bruck(struct play *p)
{
	int n = p->c.size;

	for (int d = 1; d < n; d *= 2) {
		int blocks = p->c.op == TAPE_COLL_ALLTOALL ? with_bit(n, d)
			     : d < n - d ? d : n - d;

		/* blocks of an allgather come from above */
		shift(p, p->c.op == TAPE_COLL_ALLGATHER ? n - d : d,
		      p->c.bytes * (uint64_t)blocks);
	}
}

static void ring(struct play *p)
{
	int all = p->c.op == TAPE_COLL_ALLREDUCE;
	uint64_t parts = p->c.op == TAPE_COLL_ALLGATHER ? 1 :
			 (uint64_t)p->c.size;

	for (int i = 0; i < (p->c.size - 1) * (1 + all); i++)
		shift(p, 1, p->c.bytes / parts);
}

static void double_ring(struct play *p)
{
	int n = p->c.size;

	for (int i = 0; i < 2 * n && !p->rc; i++)
		one(p, i % n, (i + 1) % n, 0);
}

/* First with one neighbour a block, then with both in turn two. */
static void neighbours(struct play *p)
{
	int n = p->c.size;

	if (n % 2) {
		ring(p);
		return;
	}
	for (int i = 0; i < n / 2; i++) {
		for (int v = 0; v < n && !p->rc; v++)
			message(p, v, (v + (v % 2 == i % 2 ? 1 : n - 1)) % n,
				p->c.bytes * (i ? 2 : 1));
		step(p);
	}
}

static void pairs(struct play *p)
{
	int n = p->c.size;

	for (int k = 1; k < n; k++) {
		for (int v = 0; v < n && !p->rc; v++)
			message(p, v, p->variant ? v ^ k : (v + k) % n,
				p->c.bytes);
		step(p);
	}
}

static void spread(struct play *p)
{
	int n = p->c.size;

	for (int v = 0; v < n; v++)
		for (int u = p->variant ? v + 1 : 0; u < n && !p->rc; u++)
			if (u != v)
				message(p, v, u, p->c.bytes);
	step_by_arrival(p);
}

/* ---- all of them ---- */

static void run(struct play *p, enum tape_coll_way way);

/* An operation as two others; plain: of the simplest kind. */
static void two_parts(struct play *p)
{
	int plain = p->variant;
	struct tape_collective whole = p->c;
	enum tape_coll_way way = TAPE_COLL_FLAT;

	p->c.root = 0;
	p->c.op = TAPE_COLL_REDUCE;
	p->segment = 0;
	if (!plain)
		way = tape_coll_choose(&p->c, &p->segment);
	run(p, way);
	p->segment = 0;
	if (whole.op == TAPE_COLL_REDUCE_SCATTER) {
		p->c.op = TAPE_COLL_SCATTER;
		p->c.bytes /= (uint64_t)whole.size;
		way = TAPE_COLL_FLAT;
	} else {
		p->c.op = TAPE_COLL_BCAST;
		way = plain ? TAPE_COLL_IN_ORDER
			   : tape_coll_choose(&p->c, &p->segment);
	}
	run(p, way);
	p->c = whole;
}

static const struct {
	void (*play)(struct play *p);
	parent_of *parent;      /* of trees */
	int variant;
} algorithms[TAPE_COLL_WAYS] = {
	[TAPE_COLL_FLAT] = { tree, flat, 0 },
	[TAPE_COLL_ARRIVAL] = { tree, flat, 1 },
	[TAPE_COLL_CHAIN] = { tree, chain, 0 },
	[TAPE_COLL_CHAINS] = { tree, chains, 0 },
	[TAPE_COLL_LEVELS] = { tree, levels, 0 },
	[TAPE_COLL_BINOMIAL] = { tree, binomial, 0 },
	[TAPE_COLL_IN_ORDER] = { tree, in_order, 0 },
	[TAPE_COLL_KNOMIAL] = { tree, knomial, 0 },
	[TAPE_COLL_CHAIN_OF_0] = { tree_of_0, chain, 0 },
	[TAPE_COLL_BINARY_OF_0] = { tree_of_0, binary, 0 },
	[TAPE_COLL_DOUBLING_LAST] = { doubling, NULL, 1 },
	[TAPE_COLL_DOUBLING] = { doubling, NULL, 0 },
	[TAPE_COLL_HALVING] = { halving, NULL, 0 },
	[TAPE_COLL_RABENSEIFNER] = { rabenseifner, NULL, 0 },
	[TAPE_COLL_RAB_WHOLE] = { rabenseifner, NULL, 1 },
	[TAPE_COLL_BRUCK] = { bruck, NULL, 0 },
	[TAPE_COLL_RING] = { ring, NULL, 0 },
	[TAPE_COLL_DOUBLE_RING] = { double_ring, NULL, 0 },
	[TAPE_COLL_NEIGHBOURS] = { neighbours, NULL, 0 },
	[TAPE_COLL_PAIRS] = { pairs, NULL, 0 },
	[TAPE_COLL_PAIRS_XOR] = { pairs, NULL, 1 },
	[TAPE_COLL_SPREAD] = { spread, NULL, 0 },
	[TAPE_COLL_SPREAD_UP] = { spread, NULL, 1 },
	[TAPE_COLL_TWO_PARTS] = { two_parts, NULL, 0 },
	[TAPE_COLL_TWO_PLAIN] = { two_parts, NULL, 1 },
};

static void run(struct play *p, enum tape_coll_way way)
{
	p->parent = algorithms[way].parent;
	p->variant = algorithms[way].variant;
	if (algorithms[way].play)
		algorithms[way].play(p);
	else
		p->rc = 1;
}

int tape_coll_exits(const struct tape_collective *c, enum tape_coll_way way,
		    uint64_t segment, const struct tape_coll_cost *cost,
		    const double *entry, double *exit)
{
	size_t bytes = (size_t)c->size * sizeof *entry;
	int levels = 1;

	while (c->size >> levels)
		levels++;
	struct play p = { .c = *c, .segment = segment, .cost = cost,
			  .at = malloc(bytes),
			  .left = 64.0 * c->size * levels };

	if (!p.at)
		return TAPE_ENOMEM;
	memcpy(p.at, entry, bytes);
	if (c->size > 1)
		run(&p, way);
	if (!p.rc)
		memcpy(exit, p.at, bytes);
	free(p.at);
	free(p.list);
	return p.rc;
}
