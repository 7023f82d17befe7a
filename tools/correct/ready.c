/* Is all there that an event waits for? See engine_state.h. */
#include "engine_state.h"
#include "tool.h"

struct tape_round *engine_round(struct engine *g, const struct tape_op *op)
{
	struct tape_round *q = tape_rounds_get(g->rounds, op->key.comm,
					       op->r->k, op->r->size,
					       op->r->known);

	if (!q)
		tape_die(TAPE_FAILED, "out of memory");
	return q;
}

int engine_was_rendezvous(const struct tape_slot *s)
{
	return tape_is_sent(s) && sent_of(s)->rendezvous;
}

/* Sent; and where messages are followed, arrived. */
static int is_there(const struct engine *g, const struct tape_slot *s)
{
	return tape_is_sent(s) && !engine_under_way(g, s);
}

int engine_would_wait(struct engine *g, const struct tape_op *op)
{
	const struct tape_round *q;

	if (op->kind != TAPE_OP_LEAVE)
		return 0;
	q = engine_round(g, op);
	return q->entered < q->known && tape_round_ready(q, op->r) &&
	       engine_has_table(g, op, q);
}

int engine_ready(struct engine *g, const struct tape_op *op)
{
	uint32_t slot;

	switch (op->kind) {
	case TAPE_OP_RECV_END:
		return is_there(g, tape_match_slot(g->match, slot_of(op->r)));
	case TAPE_OP_SEND_END:
		if (!kept_of(op->r)->slot1 || !kept_of(op->r)->rendezvous)
			return 1;
		return tape_is_posted(
			       tape_match_slot(g->match, slot_of(op->r))) &&
		       !engine_under_way(g, tape_match_slot(g->match,
							    slot_of(op->r)));
	case TAPE_OP_PROBE:
		slot = op->r->posted ? slot_of(op->r)
				     : tape_match_peek(g->match, &op->key);
		return slot != TAPE_NO_SLOT &&
		       is_there(g, tape_match_slot(g->match, slot));
	case TAPE_OP_LEAVE:
		return tape_round_ready(engine_round(g, op), op->r);
	case TAPE_OP_HEAR:
		return tape_is_sent(
			tape_match_slot(g->windows, slot_of(op->r)));
	case TAPE_OP_TELL:
	case TAPE_OP_SEND:
	case TAPE_OP_OPEN:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
	case TAPE_OP_GONE:
	case TAPE_OP_LEFT_OUT:
		break;
	}
	return 1;
}

int engine_lacks(struct engine *g, struct flow *f)
{
	int i = f->passed;

	for (; i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];

		if (engine_may_wait(op) &&
		    (!engine_ready(g, op) || engine_would_wait(g, op)))
			break;
		/* what is there stays there, but for a message that was
		 * probed, which another thread may receive */
		if (i == f->passed && op->kind != TAPE_OP_PROBE)
			f->passed++;
	}
	return i;
}

int engine_can_end(struct engine *g, struct flow *f)
{
	return !f->waits || f->forced || engine_lacks(g, f) == f->n_ops;
}

const struct tape_slot *engine_slot(struct engine *g, const struct tape_op *op)
{
	uint32_t slot = op->kind == TAPE_OP_PROBE && !op->r->posted
				? tape_match_peek(g->match, &op->key)
				: slot_of(op->r);

	return tape_match_slot(g->match, slot);
}
