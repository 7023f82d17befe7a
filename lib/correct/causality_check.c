/* Looks whether what is written is possible; see causality.h. */
#include "verdicts.h"
#include "engine_parts.h"

static struct dates dates_of(const struct tape_match_side *s,
			     const struct side *of_s)
{
	return (struct dates){s->start_ns, of_s->written_ns};
}

/* An exit from a collective. */
struct leaving {
	const struct engine *g;
	const struct flow *f;
	const struct tape_op *op;
	const struct tape_round *q;
};

static int is_entry_refuted(const void *self, int member)
{
	const struct leaving *x = self;

	return engine_judge_entry(x->g, x->f, x->op->r, x->q, member) ==
	       ENGINE_INDEPENDENT;
}

static void check_exit(struct engine *g, const struct flow *f,
		       const struct tape_op *op, struct dates end)
{
	struct leaving x = {g, f, op, engine_get_round(g, op)};

	causality_add_exit(&g->r->causality, x.q, op->r, end, is_entry_refuted,
			   &x);
}

/* One of the operations, which had to wait. */
static void check_one(struct engine *g, const struct flow *f,
		      const struct tape_op *op, struct dates end)
{
	struct causality *c = &g->r->causality;
	const struct tape_slot *s;

	switch (op->kind) {
	case TAPE_OP_RECV_END:
	case TAPE_OP_PROBE:
		s = engine_find_slot(g, op);
		if (engine_judge_pair(g, f, op, s) == ENGINE_INDEPENDENT)
			break;
		causality_add_message(
		    c, engine_distance(g, op->r->from, op->r->to),
		    dates_of(s->send, send_side(s)), end);
		break;
	case TAPE_OP_SEND_END:
		s = engine_find_slot(g, op);
		if (engine_judge_pair(g, f, op, s) == ENGINE_INDEPENDENT)
			break;
		causality_add_meeting(c, dates_of(s->recv, receive_side(s)),
				      end);
		break;
	case TAPE_OP_HEAR:
		s = tape_match_slot(g->windows, match_slot(op->r));
		if ((!op->weak || s->send->start_ns <= end.measured) &&
		    engine_judge_window(g, f, op, s) != ENGINE_INDEPENDENT)
			causality_add_meeting(
			    c, dates_of(s->send, send_side(s)), end);
		break;
	case TAPE_OP_LEAVE:
		check_exit(g, f, op, end);
		break;
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
}

void engine_check_causality(struct engine *g, struct flow *f)
{
	struct dates end = {f->e->end_ns, f->reached_ta};

	for (int i = 0; f->n_blocking_ops && i < f->n_ops; i++) {
		const struct tape_op *op = &f->list[i];

		/* all is ready, unless the event was forced */
		if (engine_may_block(op) &&
		    (!f->is_forced || engine_is_op_ready(g, op)))
			check_one(g, f, op, end);
	}
}
