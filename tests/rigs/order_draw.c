/* Draws small programs and runs of them; see order_program.h. */
#include <string.h>

#include "order_machine.h"

/* The program while it is drawn, in a global order that would be possible. */
struct drawing {
	struct order_program *p;
	uint64_t state;
	/* receives posted and not waited for: rank, step */
	int open[ORDER_RANKS][ORDER_STEPS], n_open[ORDER_RANKS];
	int due; /* messages to receive: the last ones sent */
	int pending[ORDER_MESSAGES], n_pending;
};

static int draw_number(uint64_t *state, int n)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (int)((z ^ z >> 31) % (uint64_t)n);
}

static int add_step(struct drawing *d, int rank, enum order_kind kind, int peer,
		    int tag)
{
	struct order_rank *r = &d->p->rank[rank];

	if (r->n == ORDER_STEPS - 4 && kind != ORDER_WAIT)
		return -1;
	if (r->n == ORDER_STEPS)
		return -1;
	r->step[r->n] = (struct order_step){kind, peer, tag, -1};
	return r->n++;
}

/* Who receives this message: it, any source, any tag, or both. */
static void add_receive(struct drawing *d, enum order_kind kind, int rank,
			int from, int tag)
{
	int step = add_step(d, rank, kind,
			    draw_number(&d->state, 5) ? ORDER_ANY : from,
			    draw_number(&d->state, 3) ? tag : ORDER_ANY);

	if (step >= 0 && kind == ORDER_IRECV)
		d->open[rank][d->n_open[rank]++] = step;
}

static void add_send(struct drawing *d, int from, int to, int tag)
{
	static const enum order_kind kinds[] = {ORDER_SEND,  ORDER_SEND,
						ORDER_SEND,  ORDER_SEND,
						ORDER_SSEND, ORDER_BIG};
	struct order_program *p = d->p;
	int step = add_step(d, from, kinds[draw_number(&d->state, 6)], to, tag);

	if (step < 0)
		return;
	p->rank[from].step[step].send = p->messages;
	p->from[p->messages] = from;
	p->to[p->messages] = to;
	p->tag[p->messages] = tag;
	d->pending[d->n_pending++] = p->messages++;
}

/* A message is sent, perhaps to a receive that is posted before. */
static void draw_send(struct drawing *d, int posts)
{
	int from = draw_number(&d->state, d->p->ranks), to;
	int tag = 1 + !draw_number(&d->state, 3);

	/* many to few: so they compete */
	to =
	    draw_number(&d->state, 2) ? draw_number(&d->state, d->p->ranks) : 0;
	if (to == from)
		to = (to + 1) % d->p->ranks;
	if (posts)
		add_receive(d, ORDER_IRECV, to, from, tag);
	add_send(d, from, to, tag);
	if (posts)
		d->n_pending--;
}

static void draw_receive(struct drawing *d)
{
	int i = draw_number(&d->state, d->n_pending), m = d->pending[i];

	add_receive(d, draw_number(&d->state, 3) ? ORDER_RECV : ORDER_IRECV,
		    d->p->to[m], d->p->from[m], d->p->tag[m]);
	d->pending[i] = d->pending[--d->n_pending];
}

static void draw_wait(struct drawing *d, int rank)
{
	int n = d->n_open[rank], i = n ? draw_number(&d->state, n) : 0;

	if (!n)
		return;
	if (draw_number(&d->state, 2))
		add_step(d, rank, ORDER_WAITANY, -1, 0);
	else if (add_step(d, rank, ORDER_WAIT, d->open[rank][i], 0) < 0)
		return;
	memmove(&d->open[rank][i], &d->open[rank][i + 1],
		(size_t)(n - i - 1) * sizeof d->open[rank][0]);
	d->n_open[rank]--;
}

static void draw_program(struct drawing *d)
{
	struct order_program *p = d->p;
	int actions = 6 + draw_number(&d->state, 24);

	p->ranks = 2 + draw_number(&d->state, ORDER_RANKS - 1);
	for (int i = 0; i < actions; i++) {
		int what = draw_number(&d->state, 20);

		if (what < 9 && p->messages < ORDER_MESSAGES)
			draw_send(d, what < 2);
		else if (what < 15 && d->n_pending)
			draw_receive(d);
		else if (what < 19)
			draw_wait(d, draw_number(&d->state, p->ranks));
		else if (draw_number(&d->state, 4) == 0)
			for (int r = 0; r < p->ranks; r++)
				add_step(d, r, ORDER_BARRIER, -1, 0);
	}
	/* perhaps the last messages are never received */
	while (d->n_pending > 0 && draw_number(&d->state, 12))
		draw_receive(d);
	for (int r = 0; r < p->ranks; r++)
		while (d->n_open[r])
			draw_wait(d, r);
}

/* One order, by chance. Returns 0 if the ranks wait for each other. */
static int run_program(struct order_program *p, uint64_t *state)
{
	static struct order_moves l;
	struct order_state x = {.sent = 0};
	int64_t now = 1000;

	for (int r = 0; r < p->ranks; r++)
		for (int s = 0; s < ORDER_STEPS; s++)
			p->rank[r].done[s] = (struct order_outcome){
			    .message = -1, .request = -1};
	while (!order_is_over(p, &x)) {
		const struct order_move *v;
		struct order_outcome *o;
		int at;

		order_list_moves(p, &x, &l);
		if (!l.n)
			return 0;
		v = &l.move[draw_number(state, l.n)];
		at = x.at[v->rank];
		now += 10 + draw_number(state, 90);
		o = &p->rank[v->rank].done[at];
		if (v->kind == ORDER_MATCH)
			p->rank[v->rank].done[v->step].message = v->message;
		if (v->kind == ORDER_BEGIN)
			o->start = now;
		if (v->kind == ORDER_END)
			o->request = v->step;
		order_make_move(p, &x, v);
		if (x.at[v->rank] != at)
			o->end = now + 2;
	}
	return 1;
}

int order_program_draw(struct order_program *p, uint64_t seed)
{
	enum { TRIES = 20 };
	struct drawing d = {.p = p, .state = seed};

	memset(p, 0, sizeof *p);
	draw_program(&d);
	for (int i = 0; i < TRIES; i++)
		if (run_program(p, &d.state))
			return 1;
	return 0;
}
