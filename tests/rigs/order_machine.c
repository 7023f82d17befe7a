/* Runs small programs in one order or in all; see order_program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_machine.h"

int order_is_receive(enum order_kind k)
{
	return k == ORDER_RECV || k == ORDER_IRECV;
}

static int is_send(enum order_kind k)
{
	return k == ORDER_SEND || k == ORDER_SSEND || k == ORDER_BIG;
}

static int may_take(const struct order_step *s, const struct order_program *p,
		    int message)
{
	return (s->peer == ORDER_ANY || s->peer == p->from[message]) &&
	       (s->tag == ORDER_ANY || s->tag == p->tag[message]);
}

/* Was the receive posted, and has it taken nothing? */
static int is_waiting(const struct order_program *p,
		      const struct order_state *x, int rank, int step)
{
	return order_is_receive(p->rank[rank].step[step].kind) &&
	       (step < x->at[rank] ||
		(step == x->at[rank] && x->begun[rank])) &&
	       !x->took[rank][step];
}

/*
 * May the receive take the message now? It is the first of its source that the
 * receive matches, and the receive the first that matches it.
 */
static int can_match(const struct order_program *p, const struct order_state *x,
		     int rank, int step, int message)
{
	const struct order_step *list = p->rank[rank].step;

	if (p->to[message] != rank || !(x->sent >> message & 1) ||
	    x->taken >> message & 1 || !may_take(&list[step], p, message))
		return 0;
	for (int m = 0; m < message; m++)
		if (p->from[m] == p->from[message] && p->to[m] == rank &&
		    !(x->taken >> m & 1) && may_take(&list[step], p, m))
			return 0;
	for (int s = 0; s < step; s++)
		if (is_waiting(p, x, rank, s) && may_take(&list[s], p, message))
			return 0;
	return 1;
}

/* Barriers that the rank has entered. */
static int count_barriers(const struct order_program *p,
			  const struct order_state *x, int rank)
{
	int n = 0;

	for (int s = 0; s < x->at[rank] + x->begun[rank]; s++)
		n += p->rank[rank].step[s].kind == ORDER_BARRIER;
	return n;
}

/* May the step, which has begun, end? A wait for any asks of a request. */
static int can_end(const struct order_program *p, const struct order_state *x,
		   int rank)
{
	int at = x->at[rank];
	const struct order_step *s = &p->rank[rank].step[at];

	switch (s->kind) {
	case ORDER_SSEND:
	case ORDER_BIG:
		return x->taken >> s->send & 1;
	case ORDER_RECV:
		return x->took[rank][at] != 0;
	case ORDER_WAIT:
		return x->took[rank][s->peer] != 0;
	case ORDER_BARRIER:
		for (int r = 0; r < p->ranks; r++)
			if (count_barriers(p, x, r) <
			    count_barriers(p, x, rank))
				return 0;
		return 1;
	default:
		return 1;
	}
}

static void add_move(struct order_moves *l, enum order_move_kind kind, int rank,
		     int step, int message)
{
	l->move[l->n++] = (struct order_move){kind, rank, step, message};
}

/* Requests that a wait for any may end with. */
static void list_completions(const struct order_program *p,
			     const struct order_state *x, int rank,
			     struct order_moves *l)
{
	for (int s = 0; s < x->at[rank]; s++)
		if (p->rank[rank].step[s].kind == ORDER_IRECV &&
		    x->took[rank][s] && !(x->completed[rank] >> s & 1))
			add_move(l, ORDER_END, rank, s, -1);
}

void order_list_moves(const struct order_program *p,
		      const struct order_state *x, struct order_moves *l)
{
	l->n = 0;
	for (int r = 0; r < p->ranks; r++) {
		const struct order_rank *k = &p->rank[r];
		int at = x->at[r];

		for (int s = 0; s <= at && s < k->n; s++)
			for (int m = 0;
			     is_waiting(p, x, r, s) && m < p->messages; m++)
				if (can_match(p, x, r, s, m))
					add_move(l, ORDER_MATCH, r, s, m);
		if (at == k->n)
			continue;
		if (!x->begun[r])
			add_move(l, ORDER_BEGIN, r, at, -1);
		else if (k->step[at].kind == ORDER_WAITANY)
			list_completions(p, x, r, l);
		else if (can_end(p, x, r))
			add_move(l, ORDER_END, r,
				 k->step[at].kind == ORDER_WAIT
				     ? k->step[at].peer
				     : -1,
				 -1);
	}
}

void order_make_move(const struct order_program *p, struct order_state *x,
		     const struct order_move *v)
{
	int r = v->rank;
	const struct order_step *s = &p->rank[r].step[x->at[r]];

	if (v->kind == ORDER_MATCH) {
		x->took[r][v->step] = (uint8_t)(v->message + 1);
		x->taken |= (uint16_t)(1 << v->message);
		return;
	}
	if (v->kind == ORDER_BEGIN) {
		x->begun[r] = 1;
		if (is_send(s->kind))
			x->sent |= (uint16_t)(1 << s->send);
		/* these have nothing to wait for */
		if (s->kind != ORDER_SEND && s->kind != ORDER_IRECV)
			return;
	} else if (v->step >= 0) {
		x->completed[r] |= 1u << v->step;
	}
	x->begun[r] = 0;
	x->at[r]++;
}

int order_is_over(const struct order_program *p, const struct order_state *x)
{
	for (int r = 0; r < p->ranks; r++)
		if (x->at[r] < p->rank[r].n)
			return 0;
	return 1;
}
