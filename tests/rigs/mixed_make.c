/* Random programs without races; see mixed_program.h. */
#include <stdio.h>
#include <stdlib.h>

#include "mixed_program.h"

/* What is to come while a program is made. */
struct draft {
	struct mixed_program *p;
	int is_alive[MIXED_FLOWS];
	int creator[MIXED_FLOWS];
	uint64_t which[MIXED_FLOWS], created;
	int is_recycled; /* a new thread may have the number of an ended one */
	struct {
		int from, to, message;
		int64_t bytes;
	} sent[MIXED_OPS]; /* and not received yet */
	int n_sent;
	int64_t most_ns;
};

static int64_t draw_number(struct mixed_program *p, int64_t n)
{
	uint64_t z = p->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

static struct mixed_op *add_op(struct draft *d, enum mixed_kind kind, int flow,
			       int other)
{
	struct mixed_program *p = d->p;
	struct mixed_op *o = &p->op[p->ops++];

	*o = (struct mixed_op){.kind = kind, .flow = flow, .other = other};
	o->ns = 20 + draw_number(p, d->most_ns);
	o->other_ns = 20 + draw_number(p, d->most_ns);
	return o;
}

/* A flow that is there; of the rank, or of any if that is -1. */
static int draw_flow(struct draft *d, int rank)
{
	struct mixed_program *p = d->p;
	int f;

	do {
		f = (int)draw_number(p, p->ranks * MIXED_SLOTS);
		if (rank >= 0)
			f = rank * MIXED_SLOTS + f % MIXED_SLOTS;
	} while (!d->is_alive[f]);
	return f;
}

/* A message: sent now and received later, or by a rendezvous. */
static void add_message(struct draft *d)
{
	struct mixed_program *p = d->p;
	int f = draw_flow(d, -1), g = draw_flow(d, -1);
	int64_t bytes = draw_number(p, 4) * draw_number(p, 500);
	struct mixed_op *o;

	if (f / MIXED_SLOTS == g / MIXED_SLOTS)
		return;
	if (bytes > p->limit) {
		for (int i = 0; i < d->n_sent; i++)
			if (d->sent[i].from == f && d->sent[i].to == g)
				return; /* those before it come first */
		o = add_op(d, MIXED_RENDEZVOUS, f, g);
		o->bytes = bytes;
		return;
	}
	o = add_op(d, MIXED_SEND, f, g);
	o->bytes = bytes;
	o->message = p->n_messages++;
	d->sent[d->n_sent].from = f;
	d->sent[d->n_sent].to = g;
	d->sent[d->n_sent].bytes = bytes;
	d->sent[d->n_sent++].message = o->message;
}

/* Receives the n-th of the messages under way. */
static void add_receive(struct draft *d, int n)
{
	struct mixed_op *o;
	int i = 0;

	/* messages from one flow to another come in order */
	while (d->sent[i].from != d->sent[n].from ||
	       d->sent[i].to != d->sent[n].to)
		i++;
	o = add_op(d, MIXED_RECV, d->sent[i].to, d->sent[i].from);
	o->message = d->sent[i].message;
	o->bytes = d->sent[i].bytes;
	for (d->n_sent--; i < d->n_sent; i++)
		d->sent[i] = d->sent[i + 1];
}

/* All messages to the flow, or to anyone (-1), are received. */
static void receive_all(struct draft *d, int flow)
{
	for (int i = 0; i < d->n_sent; i++)
		if (flow < 0 || d->sent[i].to == flow) {
			add_receive(d, i);
			i = -1;
		}
}

/* Which members have counts that are not zero. */
static void draw_counts(struct mixed_program *p, struct mixed_op *o, int root)
{
	unsigned members = p->members[o->comm];

	o->call = (int)draw_number(p, MIXED_CALLS);
	for (int r = 0; r < p->ranks; r++) {
		unsigned of = (unsigned)draw_number(p, 1 << MIXED_RANKS);

		if (o->call == MIXED_GATHERV && r != root)
			of = 0;
		if (o->call == MIXED_SCATTERV)
			of &= 1u << root;
		/* a result has a part of each member */
		if (o->call == MIXED_REDUCE_SCATTER)
			of = of & 1 ? members : 0;
		o->awaited[r] = of & members;
	}
}

static void add_collective(struct draft *d)
{
	static const enum mixed_kind kinds[] = {MIXED_ALL, MIXED_ONE_TO_ALL,
						MIXED_ALL_TO_ONE, MIXED_SOME};
	struct mixed_program *p = d->p;
	int comm = (int)draw_number(p, p->comms), root;
	struct mixed_op *o;

	do
		root = (int)draw_number(p, p->ranks);
	while (!(p->members[comm] >> root & 1));
	o = add_op(d, kinds[draw_number(p, 4)], root * MIXED_SLOTS,
		   root * MIXED_SLOTS);
	o->comm = comm;
	o->bytes = 8;
	if (o->kind == MIXED_SOME)
		draw_counts(p, o, root);
}

static void add_create(struct draft *d)
{
	struct mixed_program *p = d->p;
	int f = draw_flow(d, -1);
	int g = f - f % MIXED_SLOTS + 1 +
		(int)draw_number(p, MIXED_SLOTS - 1);
	struct mixed_op *o;

	/* a flow is used again after the thread that it was of */
	if (d->is_alive[g] || (d->which[g] && d->creator[g] != f))
		return;
	d->is_alive[g] = 1;
	d->creator[g] = f;
	if (!d->is_recycled || !d->which[g])
		d->which[g] = 0x7f0000000000u + 64 * ++d->created;
	o = add_op(d, MIXED_CREATE, f, g);
	o->which = d->which[g];
	/* of a thread without events and steps a trace tells nothing */
	if (p->has_no_steps)
		add_op(d, MIXED_LOCAL, g, g);
}

/* Joins the thread, which receives what was sent to it before. */
static void add_join(struct draft *d, int g)
{
	struct mixed_op *o;

	for (int i = 1; i < MIXED_SLOTS; i++) {
		int h = g - g % MIXED_SLOTS + i;

		if (d->is_alive[h] && d->creator[h] == g)
			add_join(d, h);
	}
	receive_all(d, g);
	d->is_alive[g] = 0;
	o = add_op(d, MIXED_JOIN, d->creator[g], g);
	o->which = d->which[g];
}

static void add_release(struct draft *d)
{
	int f = draw_flow(d, -1), g = draw_flow(d, f / MIXED_SLOTS);

	if (f != g)
		add_op(d, MIXED_RELEASE, f, g);
}

/* A burst of cheap calls. */
static void add_calls(struct draft *d)
{
	int f = draw_flow(d, -1), n = 1 + (int)draw_number(d->p, 12);

	while (n-- && d->p->ops < MIXED_OPS - 60)
		add_op(d, MIXED_LOCAL, f, f);
}

static void add_step(struct draft *d)
{
	struct mixed_program *p = d->p;
	int g;

	switch (draw_number(p, 12)) {
	case 0:
	case 1:
	case 2:
		add_message(d);
		break;
	case 3:
	case 4:
		if (d->n_sent)
			add_receive(d, (int)draw_number(p, d->n_sent));
		break;
	case 5:
		add_collective(d);
		break;
	case 6:
	case 7:
		if (p->has_threads)
			add_create(d);
		break;
	case 8:
		g = draw_flow(d, -1);
		if (g % MIXED_SLOTS)
			add_join(d, g);
		break;
	case 9:
		if (p->has_locks)
			add_release(d);
		break;
	case 10:
		if (p->has_hidden)
			add_op(d, draw_number(p, 9) ? MIXED_COUNTED : MIXED_OFF,
			       draw_flow(d, -1), 0);
		break;
	default:
		add_calls(d);
	}
}

static void make_comms(struct mixed_program *p)
{
	unsigned all = (1u << p->ranks) - 1;

	p->comms = 1 + (int)draw_number(p, MIXED_COMMS);
	p->members[0] = all;
	for (int i = 1; i < p->comms; i++)
		while (!p->members[i])
			p->members[i] = (unsigned)draw_number(p, all + 1);
}

/* How much more a part of the costs is, within what is stated of the sum. */
static int64_t draw_off(struct mixed_program *p, const struct mixed_costs *c,
			int64_t part)
{
	int64_t sum = c->before + c->after;
	int64_t less = sum ? part * c->less / sum : 0;
	int64_t more = sum ? part * c->more / sum : 0;

	return draw_number(p, less + more + 1) - less;
}

static void make_costs(struct mixed_program *p, int blur)
{
	static const int64_t scales[] = {10, 100, 1000, 10000, 50000};
	int64_t scale = scales[draw_number(p, 5)];

	for (int r = 0; r < p->ranks; r++) {
		struct mixed_costs *c = &p->costs[r];
		int64_t of = draw_number(p, 3) ? scale : scale / 10 + 1;

		c->before = draw_number(p, of);
		c->after = draw_number(p, of);
		c->less = blur ? draw_number(p, c->before + 1) : 0;
		c->more = blur ? draw_number(p, c->before + c->after + 1) : 0;
		c->open = draw_number(p, 4) ? 0 : draw_number(p, 20 * of);
	}
	for (int i = 0; i < p->ops; i++) {
		struct mixed_op *o = &p->op[i];
		const struct mixed_costs *c = &p->costs[o->flow / MIXED_SLOTS];

		o->hidden_ns = draw_number(p, c->before + c->after + 1);
		/* collectives and rendezvous are of ranks with other costs */
		if (o->kind > MIXED_RECV)
			continue;
		o->off_before = draw_off(p, c, c->before);
		o->off_after = draw_off(p, c, c->after);
	}
}

struct mixed_program *mixed_program_make(uint64_t seed, int blur)
{
	struct mixed_program *p = calloc(1, sizeof *p);
	struct draft *d = calloc(1, sizeof *d);
	int steps;

	if (!p || !d) {
		fputs("certificates: out of memory\n", stderr);
		exit(2);
	}
	d->p = p;
	p->state = seed;
	p->ranks = 1 + (int)draw_number(p, MIXED_RANKS);
	p->beta = 100 + draw_number(p, 5000);
	p->tau = draw_number(p, 3);
	p->dc = draw_number(p, 300);
	p->limit = draw_number(p, 3) ? 1500 : draw_number(p, 1500);
	p->has_threads = draw_number(p, 3) != 0;
	p->has_locks = p->has_threads && draw_number(p, 2);
	p->has_hidden = !draw_number(p, 4);
	p->has_no_steps = !draw_number(p, 6);
	d->is_recycled = (int)draw_number(p, 2);
	d->most_ns = 100 + draw_number(p, 30000);
	make_comms(p);
	for (int r = 0; r < p->ranks; r++) {
		d->is_alive[r * MIXED_SLOTS] = 1;
		/* a trace begins with a call that is recorded */
		add_op(d, MIXED_LOCAL, r * MIXED_SLOTS, 0);
	}
	steps = 10 + (int)draw_number(p, 200);
	while (steps-- && p->ops < MIXED_OPS - 120)
		add_step(d);
	for (int f = 0; f < MIXED_FLOWS; f++)
		if (f % MIXED_SLOTS && d->is_alive[f])
			add_join(d, f);
	receive_all(d, -1);
	for (int r = 0; r < p->ranks; r++)
		add_op(d, MIXED_LOCAL, r * MIXED_SLOTS, 0);
	make_costs(p, blur);
	free(d);
	return p;
}

void mixed_program_scale(struct mixed_program *p, double share)
{
	int most = 1;
	int64_t cost;

	for (int f = 0; f < MIXED_FLOWS; f++)
		most = p->events[f] > most ? p->events[f] : most;
	cost = (int64_t)(share * (double)p->total[0] / most / 2) + 1;
	for (int r = 0; r < p->ranks; r++)
		p->costs[r] = (struct mixed_costs){cost, cost, 0, 0, 0};
	for (int i = 0; i < p->ops; i++) {
		struct mixed_op *o = &p->op[i];

		o->off_before = o->off_after = o->hidden_ns = 0;
	}
}
