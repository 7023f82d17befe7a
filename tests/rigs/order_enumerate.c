/* Tries all orders of a small program; see order_program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "order_machine.h"

enum { STATES_MOST = 1 << 18 };

/* Which orders are tried, and what is looked for. */
enum search {
	AS_RUN,	 /* those that do as the run: calls that may leave it */
	FIRSTS,	 /* the same: those that leave it before others have ended */
	ANYTHING /* all */
};

struct enumeration {
	struct order_program *p;
	enum search search;
	struct order_state *state; /* all that were reached */
	size_t n, *slot;	   /* slot: number + 1; 0: free */
};

/* Has no call that races happened: a receive taken its message, a wait ended?
 */
static int is_early(const struct order_program *p, const struct order_state *x)
{
	for (int r = 0; r < p->ranks; r++)
		for (int s = 0; s < p->rank[r].n; s++)
			if (p->rank[r].races[s] &&
			    (x->took[r][s] ||
			     (p->rank[r].step[s].kind == ORDER_WAITANY &&
			      s < x->at[r])))
				return 0;
	return 1;
}

/*
 * The move is possible at x. Returns 1 if it does what the run did; else notes
 * the call that does not.
 */
static int judge_move(struct enumeration *e, const struct order_state *x,
		      const struct order_move *v)
{
	struct order_rank *k = &e->p->rank[v->rank];
	int step = v->step, same;

	if (v->kind == ORDER_MATCH) {
		same = k->done[step].message == v->message;
	} else if (v->kind == ORDER_END &&
		   k->step[x->at[v->rank]].kind == ORDER_WAITANY) {
		step = x->at[v->rank];
		same = k->done[step].request == v->step;
	} else {
		return 1;
	}
	if (same)
		return 1;
	if (e->search == AS_RUN)
		k->races[step] = 1;
	if (e->search == ANYTHING)
		k->differs[step] = 1;
	if (e->search == FIRSTS && is_early(e->p, x))
		k->is_first[step] = 1;
	return 0;
}

static uint64_t hash_state(const struct order_state *x)
{
	const unsigned char *b = (const unsigned char *)x;
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < sizeof *x; i++)
		h = (h ^ b[i]) * 0x100000001b3u;
	return h ^ h >> 29;
}

/* Adds the state unless it was reached before. Returns 0 if there is no room.
 */
static int reach_state(struct enumeration *e, const struct order_state *x)
{
	size_t mask = 2 * STATES_MOST - 1, i = hash_state(x) & mask;

	while (e->slot[i] && memcmp(&e->state[e->slot[i] - 1], x, sizeof *x))
		i = (i + 1) & mask;
	if (e->slot[i])
		return 1;
	if (e->n == STATES_MOST)
		return 0;
	e->state[e->n++] = *x;
	e->slot[i] = e->n;
	return 1;
}

/* Returns 0 if there are too many orders. */
static int search_orders(struct enumeration *e, enum search search)
{
	static struct order_moves l;

	e->search = search;
	e->n = 0;
	memset(e->slot, 0, 2 * STATES_MOST * sizeof *e->slot);
	reach_state(e, &(struct order_state){.sent = 0});
	for (size_t i = 0; i < e->n; i++) {
		struct order_state at = e->state[i];

		order_list_moves(e->p, &at, &l);
		for (int m = 0; m < l.n; m++) {
			struct order_state next = at;

			if (!judge_move(e, &at, &l.move[m]) &&
			    search != ANYTHING)
				continue;
			order_make_move(e->p, &next, &l.move[m]);
			if (!reach_state(e, &next))
				return 0;
		}
	}
	return 1;
}

int order_program_enumerate(struct order_program *p)
{
	static struct enumeration e;
	int all;

	if (!e.state) {
		e.state = malloc(STATES_MOST * sizeof *e.state);
		e.slot = malloc(2 * STATES_MOST * sizeof *e.slot);
		if (!e.state || !e.slot) {
			fputs("orders: out of memory\n", stderr);
			exit(2);
		}
	}
	e.p = p;
	for (int r = 0; r < p->ranks; r++) {
		memset(p->rank[r].races, 0, sizeof p->rank[r].races);
		memset(p->rank[r].differs, 0, sizeof p->rank[r].differs);
		memset(p->rank[r].is_first, 0, sizeof p->rank[r].is_first);
	}
	if (!search_orders(&e, AS_RUN) || !search_orders(&e, FIRSTS))
		return -1;
	all = search_orders(&e, ANYTHING);
	return all;
}
