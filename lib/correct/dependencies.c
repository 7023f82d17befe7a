/* Is all there that an event waits for? See engine_parts.h. */
#include "engine_parts.h"
#include "tool.h"

struct tape_round *engine_get_round(struct engine *g, const struct tape_op *op)
{
	struct tape_round *q = tape_must(tape_rounds_get(
	    g->rounds, op->key.comm, op->r->k, op->r->size, op->r->known));

	return q;
}

int engine_was_rendezvous(const struct tape_slot *s)
{
	return tape_is_sent(s) && send_side(s)->rendezvous;
}

/* Sent; and where messages are followed, arrived. */
static int has_arrived(const struct engine *g, const struct tape_slot *s)
{
	return tape_is_sent(s) && !engine_is_in_flight(g, s);
}

int engine_awaits_table(struct engine *g, const struct tape_op *op)
{
	const struct tape_round *q;

	if (op->kind != TAPE_OP_LEAVE)
		return 0;
	q = engine_get_round(g, op);
	return q->entered < q->known && tape_round_ready(q, op->r) &&
	       engine_has_table(g, op, q);
}

int engine_is_op_ready(struct engine *g, const struct tape_op *op)
{
	uint32_t slot;

	switch (op->kind) {
	case TAPE_OP_RECV_END:
		return has_arrived(
		    g, tape_match_slot(g->match, match_slot(op->r)));
	case TAPE_OP_SEND_END:
		if (!request_state(op->r)->slot1 ||
		    !request_state(op->r)->rendezvous)
			return 1;
		return tape_is_posted(
			   tape_match_slot(g->match, match_slot(op->r))) &&
		       !engine_is_in_flight(
			   g, tape_match_slot(g->match, match_slot(op->r)));
	case TAPE_OP_PROBE:
		slot = op->r->posted ? match_slot(op->r)
				     : tape_match_peek(g->match, &op->key);
		return slot != TAPE_NO_SLOT &&
		       has_arrived(g, tape_match_slot(g->match, slot));
	case TAPE_OP_LEAVE:
		return tape_round_ready(engine_get_round(g, op), op->r);
	case TAPE_OP_HEAR:
		return tape_is_sent(
		    tape_match_slot(g->windows, match_slot(op->r)));
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

int engine_first_blocking_op(struct engine *g, struct flow *f)
{
	int i = f->n_ready_ops;

	for (; i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];

		if (engine_may_block(op) &&
		    (!engine_is_op_ready(g, op) || engine_awaits_table(g, op)))
			break;
		/* what is there stays there, but for a message that was
		 * probed, which another thread may receive */
		if (i == f->n_ready_ops && op->kind != TAPE_OP_PROBE)
			f->n_ready_ops++;
	}
	return i;
}

int engine_can_end(struct engine *g, struct flow *f)
{
	return !f->n_blocking_ops || f->is_forced ||
	       engine_first_blocking_op(g, f) == f->n_ops;
}

const struct tape_slot *engine_find_slot(struct engine *g,
					 const struct tape_op *op)
{
	uint32_t slot = op->kind == TAPE_OP_PROBE && !op->r->posted
			    ? tape_match_peek(g->match, &op->key)
			    : match_slot(op->r);

	return tape_match_slot(g->match, slot);
}
