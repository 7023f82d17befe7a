/*
 * When each member of a collective leaves; see coll.h. Here messages are
 * dated; coll_tree.c and coll_shift.c know which there are, coll_choice.c
 * which algorithm a library takes.
 */
#include <stdlib.h>
#include <string.h>

#include "certain.h"
#include "coll_play.h"
#include "error.h"

void tape_coll_message(struct play *p, int from, int to, uint64_t bytes)
{
	struct message m = { .from = from, .to = to, .bytes = bytes };
	double go;

	if (p->left-- < 1)
		p->rc = 1;
	if (p->message) {
		if (!p->rc)
			p->message(p->self, from, to, bytes);
		return;
	}
	go = p->at[from];
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

void tape_coll_step(struct play *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct message *m = &p->list[i];

		p->at[m->to] = tape_max(p->at[m->to], m->there) +
			       p->cost->take(p->cost->of, m->from, m->to,
					     m->bytes);
	}
	/* what arrives is taken while the sends are still waited for */
	for (size_t i = 0; i < p->n; i++) {
		const struct message *m = &p->list[i];

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
void tape_coll_step_by_arrival(struct play *p)
{
	if (p->n > 1)
		qsort(p->list, p->n, sizeof *p->list, by_arrival);
	tape_coll_step(p);
}

void tape_coll_one(struct play *p, int from, int to, uint64_t bytes)
{
	tape_coll_message(p, from, to, bytes);
	tape_coll_step(p);
}

int tape_coll_power(int n)
{
	int power = 1;

	while (power <= n / 2)
		power *= 2;
	return power;
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
	[TAPE_COLL_FLAT] = { tape_coll_tree, tape_coll_flat, 0 },
	[TAPE_COLL_ARRIVAL] = { tape_coll_tree, tape_coll_flat, 1 },
	[TAPE_COLL_CHAIN] = { tape_coll_tree, tape_coll_chain, 0 },
	[TAPE_COLL_CHAINS] = { tape_coll_tree, tape_coll_chains, 0 },
	[TAPE_COLL_LEVELS] = { tape_coll_tree, tape_coll_levels, 0 },
	[TAPE_COLL_BINOMIAL] = { tape_coll_tree, tape_coll_binomial, 0 },
	[TAPE_COLL_IN_ORDER] = { tape_coll_tree, tape_coll_in_order, 0 },
	[TAPE_COLL_KNOMIAL] = { tape_coll_tree, tape_coll_knomial, 0 },
	[TAPE_COLL_CHAIN_OF_0] = { tape_coll_tree_of_0, tape_coll_chain, 0 },
	[TAPE_COLL_BINARY_OF_0] = { tape_coll_tree_of_0, tape_coll_binary, 0 },
	[TAPE_COLL_DOUBLING_LAST] = { tape_coll_doubling, NULL, 1 },
	[TAPE_COLL_DOUBLING] = { tape_coll_doubling, NULL, 0 },
	[TAPE_COLL_HALVING] = { tape_coll_halving, NULL, 0 },
	[TAPE_COLL_RABENSEIFNER] = { tape_coll_rabenseifner, NULL, 0 },
	[TAPE_COLL_RAB_WHOLE] = { tape_coll_rabenseifner, NULL, 1 },
	[TAPE_COLL_BRUCK] = { tape_coll_bruck, NULL, 0 },
	[TAPE_COLL_RING] = { tape_coll_ring, NULL, 0 },
	[TAPE_COLL_DOUBLE_RING] = { tape_coll_double_ring, NULL, 0 },
	[TAPE_COLL_NEIGHBOURS] = { tape_coll_neighbours, NULL, 0 },
	[TAPE_COLL_PAIRS] = { tape_coll_pairs, NULL, 0 },
	[TAPE_COLL_PAIRS_XOR] = { tape_coll_pairs, NULL, 1 },
	[TAPE_COLL_SPREAD] = { tape_coll_spread, NULL, 0 },
	[TAPE_COLL_SPREAD_UP] = { tape_coll_spread, NULL, 1 },
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

/* As many messages as there may be for each member. */
static double few(int size)
{
	int levels = 1;

	while (size >> levels)
		levels++;
	return 64.0 * levels;
}

int tape_coll_exits(const struct tape_collective *c, enum tape_coll_way way,
		    uint64_t segment, const struct tape_coll_cost *cost,
		    const double *entry, double *exit)
{
	size_t bytes = (size_t)c->size * sizeof *entry;
	struct play p = {.c = *c,
			 .segment = segment,
			 .cost = cost,
			 .at = malloc(bytes),
			 .left = few(c->size) * c->size};

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

int tape_coll_messages(
    const struct tape_collective *c, enum tape_coll_way way, uint64_t segment,
    void (*message)(void *self, int from, int to, uint64_t bytes), void *self)
{
	double most = (few(c->size) + 4.0 * c->size) * c->size;
	struct play p = {.c = *c,
			 .segment = segment,
			 .message = message,
			 .self = self,
			 .left = most};

	if (c->size > 1)
		run(&p, way);
	return p.rc;
}
