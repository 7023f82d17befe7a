/* Which flow is blocked on what; see engine_parts.h. */
#include "engine_parts.h"

void engine_set_ready(struct engine *g, size_t flow, int ready)
{
	uint64_t bit = (uint64_t)1 << flow % 64, *word = &g->ready[flow / 64];
	uint64_t of_word = (uint64_t)1 << flow / 64 % 64;

	*word = ready ? *word | bit : *word & ~bit;
	if (*word)
		g->ready_words[flow / 4096] |= of_word;
	else
		g->ready_words[flow / 4096] &= ~of_word;
}

/* The first bit of n that is set from there on; n: none. */
static size_t next_bit(const uint64_t *words, size_t n, size_t i)
{
	size_t k = i / 64;
	uint64_t bits;

	if (i >= n)
		return n;
	bits = words[k] >> i % 64 << i % 64;
	while (!bits && ++k < (n + 63) / 64)
		bits = words[k];
	return bits ? k * 64 + (size_t)__builtin_ctzll(bits) : n;
}

size_t engine_next_ready(const struct engine *g, size_t i)
{
	size_t words = (g->n_flows + 63) / 64, k = i / 64;
	uint64_t bits;

	if (i >= g->n_flows)
		return g->n_flows;
	bits = g->ready[k] >> i % 64 << i % 64;
	if (!bits) {
		k = next_bit(g->ready_words, words, k + 1);
		bits = k < words ? g->ready[k] : 0;
	}
	return bits ? k * 64 + (size_t)__builtin_ctzll(bits) : g->n_flows;
}

static void remove_from(struct engine *g, uint32_t *list, uint32_t flow)
{
	while (*list && *list != flow)
		list = &g->flows[*list - 1].next_waiter;
	if (*list)
		*list = g->flows[flow - 1].next_waiter;
}

void engine_wake_flow(struct engine *g, uint32_t flow)
{
	struct flow *f = flow ? &g->flows[flow - 1] : NULL;
	struct collective_state *m;

	if (!f || !f->is_blocked)
		return;
	if (f->list[f->blocked_on_op].kind == TAPE_OP_LEAVE) {
		m = collective_state(
		    engine_get_round(g, &f->list[f->blocked_on_op]));
		remove_from(g, &m->for_all, flow);
		remove_from(g, &m->for_some, flow);
	}
	f->is_blocked = 0;
	f->next_waiter = 0;
	engine_set_ready(g, flow - 1, 1);
}

/* Whether the first of the event's operations that lacks something has a list
 * to stand on: it does then. */
static int join_waiters(struct engine *g, struct flow *f,
			const struct tape_op *op)
{
	uint32_t me = (uint32_t)(f - g->flows) + 1, *list;
	struct tape_round *q;
	struct tape_slot *s;

	switch (op->kind) {
	case TAPE_OP_RECV_END:
	case TAPE_OP_SEND_END:
		s = tape_match_slot(g->match, match_slot(op->r));
		/* in flight on the links: no event signals its arrival */
		if (engine_is_in_flight(g, s))
			return 0;
		if (op->kind == TAPE_OP_RECV_END)
			receive_side(s)->waiter = me;
		else
			send_side(s)->waiter = me;
		return 1;
	case TAPE_OP_HEAR:
		receive_side(tape_match_slot(g->windows, match_slot(op->r)))
		    ->waiter = me;
		return 1;
	case TAPE_OP_LEAVE:
		q = engine_get_round(g, op);
		list =
		    op->r->shape == TAPE_SHAPE_ALL || engine_awaits_table(g, op)
			? &collective_state(q)->for_all
			: &collective_state(q)->for_some;
		f->next_waiter = *list;
		*list = me;
		return 1;
	case TAPE_OP_PROBE: /* of a message that no receive was posted for */
	case TAPE_OP_SEND:
	case TAPE_OP_OPEN:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
	case TAPE_OP_GONE:
	case TAPE_OP_TELL:
	case TAPE_OP_LEFT_OUT:
		break;
	}
	return 0;
}

void engine_block_flow(struct engine *g, struct flow *f)
{
	size_t me = (size_t)(f - g->flows);
	int i;

	if (f->is_blocked)
		return;
	i = engine_first_blocking_op(g, f);
	if (i == f->n_ops || !join_waiters(g, f, &f->list[i]))
		return;
	f->is_blocked = 1;
	f->blocked_on_op = i;
	engine_set_ready(g, me, 0);
}

/* All of a list; who is to wait longer stands there again. */
static void wake_list(struct engine *g, uint32_t *list)
{
	uint32_t one = *list, next;

	*list = 0;
	for (; one; one = next) {
		next = g->flows[one - 1].next_waiter;
		engine_wake_flow(g, one);
	}
}

void engine_wake_round(struct engine *g, const struct tape_round *q)
{
	struct collective_state *m = collective_state(q);

	if (m->for_some)
		wake_list(g, &m->for_some);
	if (m->for_all && q->entered >= q->known)
		wake_list(g, &m->for_all);
}

int engine_wake_all(struct engine *g)
{
	int any = 0;

	for (uint32_t i = 0; i < g->n_flows; i++)
		if (g->flows[i].is_blocked) {
			engine_wake_flow(g, i + 1);
			any = 1;
		}
	return any;
}
