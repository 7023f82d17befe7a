/*
 * When each member of a collective leaves; see coll.h for the sources. This
 * file computes the times of messages. coll_tree.c, coll_shift.c and
 * coll_smpi_*.c list the messages; coll_choice.c chooses the algorithm.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delay_bounds.h"
#include "coll_run.h"
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

/* ---- times ---- */

struct sending {
	int together;
	double go_ns, posted_ns; /* NAN: not yet */
	double transit_ns;
};

struct dating {
	const struct tape_coll_cost *cost;
	struct tape_coll_run *run;
	struct sending *sendings;
	const double *entry;
	double *exit;
};

static void deliver_message(struct dating *d, const struct tape_coll_call *op,
			    int from, int to)
{
	const struct sending *s = &d->sendings[op->message];
	double there = s->go_ns;

	if (s->together)
		there = tape_max(there, s->posted_ns);
	there += s->transit_ns;
	tape_coll_message_arrived(
	    d->run, op->message, there,
	    d->cost->take(d->cost->of, from, to, op->bytes));
	if (s->together == TAPE_COLL_RENDEZVOUS)
		tape_coll_message_sent(d->run, op->message, there);
}

static double start_send(void *self, const struct tape_coll_call *op,
			 double at_ns)
{
	struct dating *d = self;
	struct sending *s = &d->sendings[op->message];
	const struct tape_coll_cost *c = d->cost;

	if (c->busy)
		at_ns += c->busy(c->of, op->member, op->peer, op->bytes,
				 op->kind == TAPE_COLL_SEND);
	s->go_ns = at_ns;
	s->transit_ns = c->transit(c->of, op->member, op->peer, op->bytes,
				   &s->together);
	if (s->together != TAPE_COLL_RENDEZVOUS)
		tape_coll_message_sent(d->run, op->message, at_ns);
	if (!s->together || !isnan(s->posted_ns))
		deliver_message(d, op, op->member, op->peer);
	return at_ns;
}

static void post_receive(void *self, const struct tape_coll_call *op,
			 double at_ns)
{
	struct dating *d = self;
	struct sending *s = &d->sendings[op->message];

	s->posted_ns = at_ns;
	if (s->together && !isnan(s->go_ns))
		deliver_message(d, op, op->peer, op->member);
}

static void store_exit(void *self, int member, double at_ns)
{
	struct dating *d = self;

	d->exit[member] = at_ns;
}

static int time_messages(struct dating *d, const struct tape_coll_program *p)
{
	struct tape_coll_net net = {d, start_send, post_receive, store_exit};
	int rc = tape_coll_run_open(p, &net, &d->run);

	d->sendings = malloc((p->n_messages + 1) * sizeof *d->sendings);
	if (!d->sendings)
		rc = TAPE_ENOMEM;
	for (size_t i = 0; i < p->n_messages && !rc; i++)
		d->sendings[i] = (struct sending){ 0, NAN, NAN, 0 };
	for (int v = 0; v < p->size && !rc; v++)
		tape_coll_enter(d->run, v, d->entry[v]);
	if (!rc)
		rc = tape_coll_run_rc(d->run);
	/* a deadlock would be an error of the algorithm's table */
	if (!rc && !tape_coll_is_complete(d->run))
		rc = 1;
	tape_coll_run_close(d->run);
	free(d->sendings);
	return rc;
}

int tape_coll_program_exits(const struct tape_coll_program *program,
			    const struct tape_coll_cost *cost,
			    const double *entry, double *exit)
{
	struct dating d = { .cost = cost, .entry = entry };
	size_t bytes = (size_t)program->size * sizeof *exit;
	int rc;

	d.exit = malloc(bytes);
	rc = d.exit ? time_messages(&d, program) : TAPE_ENOMEM;
	if (!rc)
		memcpy(exit, d.exit, bytes);
	free(d.exit);
	return rc;
}

int tape_coll_exits(const struct tape_collective *c, enum tape_coll_way way,
		    uint64_t segment, const struct tape_coll_cost *cost,
		    const double *entry, double *exit)
{
	struct tape_coll_program program;
	int rc = tape_coll_program_make(c, way, segment, &program);

	if (rc)
		return rc;
	rc = tape_coll_program_exits(&program, cost, entry, exit);
	tape_coll_program_free(&program);
	return rc;
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
