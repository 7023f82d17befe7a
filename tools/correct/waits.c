/* Who stands where and waits; see engine_state.h. */
#include "engine_state.h"

static void remove_from(struct engine *g, uint32_t *list, uint32_t flow)
{
	while (*list && *list != flow)
		list = &g->flows[*list - 1].next_waiter;
	if (*list)
		*list = g->flows[flow - 1].next_waiter;
}

void engine_wake(struct engine *g, uint32_t flow)
{
	struct flow *f = flow ? &g->flows[flow - 1] : NULL;
	struct meeting *m;

	if (!f || !f->stands)
		return;
	if (f->list[f->stands_on].kind == TAPE_OP_LEAVE) {
		m = meeting_of(engine_round(g, &f->list[f->stands_on]));
		remove_from(g, &m->for_all, flow);
		remove_from(g, &m->for_some, flow);
	}
	f->stands = 0;
	f->next_waiter = 0;
	g->ready[(flow - 1) / 64] |= (uint64_t)1 << (flow - 1) % 64;
}

/* Whether the first of the event's operations that lacks something has a list
 * to stand on: it does then. */
static int stand_on(struct engine *g, struct flow *f, const struct tape_op *op)
{
	uint32_t me = (uint32_t)(f - g->flows) + 1, *list;
	struct tape_round *q;
	struct tape_slot *s;

	switch (op->kind) {
	case TAPE_OP_RECV_END:
	case TAPE_OP_SEND_END:
		s = tape_match_slot(g->match, slot_of(op->r));
		/* on its way, followed there: nobody tells when it arrives */
		if (engine_under_way(g, s))
			return 0;
		if (op->kind == TAPE_OP_RECV_END)
			received_of(s)->waiter = me;
		else
			sent_of(s)->waiter = me;
		return 1;
	case TAPE_OP_HEAR:
		received_of(tape_match_slot(g->windows, slot_of(op->r)))
			->waiter = me;
		return 1;
	case TAPE_OP_LEAVE:
		q = engine_round(g, op);
		list = op->r->shape == TAPE_SHAPE_ALL ||
				       engine_would_wait(g, op)
			       ? &meeting_of(q)->for_all
			       : &meeting_of(q)->for_some;
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

void engine_stand(struct engine *g, struct flow *f)
{
	size_t me = (size_t)(f - g->flows);
	int i;

	if (f->stands)
		return;
	i = engine_lacks(g, f);
	if (i == f->n_ops || !stand_on(g, f, &f->list[i]))
		return;
	f->stands = 1;
	f->stands_on = i;
	g->ready[me / 64] &= ~((uint64_t)1 << me % 64);
}

/* All of a list; who is to wait longer stands there again. */
static void wake_list(struct engine *g, uint32_t *list)
{
	uint32_t one = *list, next;

	*list = 0;
	for (; one; one = next) {
		next = g->flows[one - 1].next_waiter;
		engine_wake(g, one);
	}
}

void engine_wake_round(struct engine *g, const struct tape_round *q)
{
	struct meeting *m = meeting_of(q);

	if (m->for_some)
		wake_list(g, &m->for_some);
	if (m->for_all && q->entered >= q->known)
		wake_list(g, &m->for_all);
}

int engine_wake_all(struct engine *g)
{
	int any = 0;

	for (uint32_t i = 0; i < g->n_flows; i++)
		if (g->flows[i].stands) {
			engine_wake(g, i + 1);
			any = 1;
		}
	return any;
}
