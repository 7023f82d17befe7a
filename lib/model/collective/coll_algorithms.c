/*
 * The messages of each algorithm of collective operations; see coll.h for the
 * sources. coll_tree.c, coll_shift.c and coll_smpi_*.c list the messages;
 * coll_choice.c chooses the algorithm.
 */
#include <math.h>

#include "coll_program.h"
#include "delay_bounds.h"
#include "error.h"

int tape_coll_power(int n)
{
	int power = 1;

	while (power <= n / 2)
		power *= 2;
	return power;
}

uint64_t tape_coll_element(uint64_t bytes)
{
	return bytes % 8 ? 1 : 8;
}

/* ---- all of them ---- */

/* A reduction to member 0 and a broadcast or scatter of its result. */
static void add_two_parts(struct play *p)
{
	uint64_t bytes = p->c.bytes;

	tape_coll_add_chosen(p, TAPE_COLL_REDUCE, 0, bytes);
	if (p->c.op == TAPE_COLL_REDUCE_SCATTER) {
		struct tape_collective whole = p->c;

		p->c.op = TAPE_COLL_SCATTER;
		p->c.bytes /= (uint64_t)p->c.size;
		p->segment = 0;
		tape_coll_add_algorithm(p, TAPE_COLL_FLAT);
		p->c = whole;
	} else {
		tape_coll_add_chosen(p, TAPE_COLL_BCAST, 0, bytes);
	}
}

static const struct {
	void (*play)(struct play *p);
	parent_of *parent;      /* of trees */
	int variant;
} algorithms[TAPE_COLL_WAYS] = {
    [TAPE_COLL_FLAT] = {tape_coll_tree, tape_coll_flat, 0},
    [TAPE_COLL_ARRIVAL] = {tape_coll_tree, tape_coll_flat, 1},
    [TAPE_COLL_CHAIN] = {tape_coll_tree, tape_coll_chain, 0},
    [TAPE_COLL_LEVELS] = {tape_coll_tree, tape_coll_levels, 0},
    [TAPE_COLL_BINOMIAL] = {tape_coll_tree, tape_coll_binomial, 0},
    [TAPE_COLL_IN_ORDER] = {tape_coll_tree, tape_coll_in_order, 0},
    [TAPE_COLL_KNOMIAL] = {tape_coll_tree, tape_coll_knomial, 0},
    [TAPE_COLL_DOUBLING_LAST] = {tape_coll_doubling, NULL, 1},
    [TAPE_COLL_DOUBLING] = {tape_coll_doubling, NULL, 0},
    [TAPE_COLL_HALVING] = {tape_coll_halving, NULL, 0},
    [TAPE_COLL_RABENSEIFNER] = {tape_coll_rabenseifner, NULL, 0},
    [TAPE_COLL_BRUCK] = {tape_coll_bruck, NULL, 0},
    [TAPE_COLL_RING] = {tape_coll_ring, NULL, 0},
    [TAPE_COLL_DOUBLE_RING] = {tape_coll_double_ring, NULL, 0},
    [TAPE_COLL_NEIGHBOURS] = {tape_coll_neighbours, NULL, 0},
    [TAPE_COLL_PAIRS] = {tape_coll_pairs, NULL, 0},
    [TAPE_COLL_SPREAD] = {tape_coll_spread, NULL, 0},
    [TAPE_COLL_TWO_PARTS] = {add_two_parts, NULL, 0},

    [TAPE_COLL_SMPI_FLAT] = {tape_coll_smpi_flat, NULL, 0},
    [TAPE_COLL_SMPI_AT_ONCE] = {tape_coll_smpi_at_once, NULL, 0},
    [TAPE_COLL_SMPI_HEAVY] = {tape_coll_smpi_at_once, NULL, 1},
    [TAPE_COLL_SMPI_BINOMIAL] = {tape_coll_smpi_binomial, NULL, 0},
    [TAPE_COLL_SMPI_KNOMIAL] = {tape_coll_smpi_knomial, NULL, 0},
    [TAPE_COLL_SMPI_CHAIN_0] = {tape_coll_smpi_of_0, NULL, 1},
    [TAPE_COLL_SMPI_BINARY_0] = {tape_coll_smpi_of_0, NULL, 2},
    [TAPE_COLL_SMPI_PIPELINE] = {tape_coll_smpi_pipeline, NULL, 0},
    [TAPE_COLL_SMPI_SCATTERED] = {tape_coll_smpi_scattered, NULL, 0},
    [TAPE_COLL_SMPI_CHAIN] = {tape_coll_smpi_reduce, tape_coll_chain, 0},
    [TAPE_COLL_SMPI_CHAINS] = {tape_coll_smpi_reduce, tape_coll_chains, 0},
    [TAPE_COLL_SMPI_LEVELS] = {tape_coll_smpi_reduce, tape_coll_levels, 0},
    [TAPE_COLL_SMPI_IN_ORDER] = {tape_coll_smpi_reduce, tape_coll_in_order, 0},
    [TAPE_COLL_SMPI_SYNC] = {tape_coll_smpi_synchronous, NULL, 0},
    [TAPE_COLL_SMPI_LAST] = {tape_coll_smpi_doubling, NULL, 1},
    [TAPE_COLL_SMPI_DOUBLING] = {tape_coll_smpi_doubling, NULL, 0},
    [TAPE_COLL_SMPI_RAB] = {tape_coll_smpi_rabenseifner, NULL, 0},
    [TAPE_COLL_SMPI_RING_SUM] = {tape_coll_smpi_ring_sum, NULL, 0},
    [TAPE_COLL_SMPI_HALVING] = {tape_coll_smpi_halving, NULL, 0},
    [TAPE_COLL_SMPI_BUTTERFLY] = {tape_coll_smpi_butterfly, NULL, 0},
    [TAPE_COLL_SMPI_RING_PARTS] = {tape_coll_smpi_ring_parts, NULL, 0},
    [TAPE_COLL_SMPI_TWO_FLAT] = {tape_coll_smpi_two_parts, NULL, 0},
    [TAPE_COLL_SMPI_REST] = {tape_coll_smpi_rest, NULL, 0},
    [TAPE_COLL_SMPI_BRUCK] = {tape_coll_smpi_shifts, NULL, 0},
    [TAPE_COLL_SMPI_SHIFTS] = {tape_coll_smpi_rounds, NULL, 0},
    [TAPE_COLL_SMPI_XOR] = {tape_coll_smpi_rounds, NULL, 1},
    [TAPE_COLL_SMPI_NEIGHBOURS] = {tape_coll_smpi_rounds, NULL, 2},
    [TAPE_COLL_SMPI_RING] = {tape_coll_smpi_rounds, NULL, 3},
    [TAPE_COLL_SMPI_GATHER_0] = {tape_coll_smpi_two_parts, NULL, 1},
    [TAPE_COLL_SMPI_REVERSE] = {tape_coll_smpi_everybody, NULL, 0},
    [TAPE_COLL_SMPI_UPWARDS] = {tape_coll_smpi_everybody, NULL, 1},
    [TAPE_COLL_SMPI_BY_PEER] = {tape_coll_smpi_everybody, NULL, 2},
    [TAPE_COLL_SMPI_SCAN] = {tape_coll_smpi_everybody, NULL, 3},
};

void tape_coll_add_algorithm(struct play *p, enum tape_coll_way way)
{
	p->parent = algorithms[way].parent;
	p->variant = algorithms[way].variant;
	p->step = p->n;
	if (algorithms[way].play)
		algorithms[way].play(p);
	else
		p->rc = 1;
}

void tape_coll_add_chosen(struct play *p, enum tape_coll_op op, int root,
			  uint64_t bytes)
{
	struct tape_collective whole = p->c;

	p->c.op = op;
	p->c.root = root;
	p->c.bytes = bytes;
	p->c.vector = p->c.later = 0;
	if (bytes && !p->rc)
		tape_coll_add_algorithm(p,
					tape_coll_choose(&p->c, &p->segment));
	p->c = whole;
}

/* The largest number of messages for each member. */
static double messages_per_member(int size)
{
	int levels = 1;

	while (size >> levels)
		levels++;
	return 64.0 * levels;
}

double tape_coll_max_messages(int size)
{
	return tape_max(messages_per_member(size) * size, 1 << 18);
}

int tape_coll_messages(
    const struct tape_collective *c, enum tape_coll_way way, uint64_t segment,
    void (*message)(void *self, int from, int to, uint64_t bytes), void *self)
{
	double most = (messages_per_member(c->size) + 4.0 * c->size) * c->size;
	struct play p = {.c = *c,
			 .segment = segment,
			 .message = message,
			 .self = self,
			 .left = most};

	if (c->size > 1)
		tape_coll_add_algorithm(&p, way);
	return p.rc;
}
