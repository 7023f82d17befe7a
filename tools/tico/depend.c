/*
 * What an event tells other flows and what it has to wait for; see flow.h.
 */
#include "flow.h"
#include "message.h"

/* ---- distances and protocols ---- */

enum tape_distance engine_distance(const struct engine *g, int a, int b)
{
	if (a == b)
		return TAPE_SELF;
	return g->host[a] == g->host[b] ? TAPE_SHM : TAPE_NET;
}

static int is_rendezvous(const struct engine *g, const struct tape_pending *r,
			 uint64_t bytes)
{
	switch (r->call) {
	case TAPE_CALL_MPI_Ssend:
	case TAPE_CALL_MPI_Issend:
	case TAPE_CALL_MPI_Ssend_init:
		return 1;
	case TAPE_CALL_MPI_Bsend:
	case TAPE_CALL_MPI_Ibsend:
	case TAPE_CALL_MPI_Bsend_init:
		return 0;
	default:
		return bytes > g->eager->bytes[engine_distance(
				       g, r->key.src, r->key.dst)];
	}
}

/* ---- publishing ---- */

void engine_publish(struct engine *g, struct flow *f, struct tape_op *op)
{
	struct tape_slot *s;
	struct tape_round *q;

	switch (op->kind) {
	case TAPE_OP_SEND:
		op->r->slot = tape_match_send(g->match, &op->key);
		if (op->r->slot == TAPE_NO_SLOT)
			tape_die(TAPE_FAILED, "out of memory");
		s = tape_match_slot(g->match, op->r->slot);
		s->send.start_ns = f->e->start_ns;
		s->send.p = f->p_start;
		s->send.bytes = op->bytes;
		/* the receiver has to tell the protocols apart */
		op->r->rendezvous = is_rendezvous(g, op->r, op->bytes);
		s->send.flow = op->r->rendezvous;
		op->r->start_ns = f->e->start_ns;
		op->r->p = f->p_start;
		if (!s->send.flow)
			tape_match_done(g->match, op->r->slot, 1);
		break;
	case TAPE_OP_POST:
		op->r->slot = tape_match_post(g->match, &op->key);
		if (op->r->slot == TAPE_NO_SLOT)
			tape_die(TAPE_FAILED, "out of memory");
		s = tape_match_slot(g->match, op->r->slot);
		s->recv.start_ns = f->e->start_ns;
		s->recv.p = f->p_start;
		break;
	case TAPE_OP_ENTER:
		q = engine_round(g, op);
		tape_round_enter(q, op->r->rank, f->e->start_ns, f->p_start);
		break;
	case TAPE_OP_CANCEL:
		tape_match_cancel(g->match, &op->key, op->r->slot);
		break;
	case TAPE_OP_RECV_END:
	case TAPE_OP_SEND_END:
	case TAPE_OP_PROBE:
	case TAPE_OP_LEAVE:
		break;
	}
}

/* ---- waiting ---- */

struct tape_round *engine_round(struct engine *g, const struct tape_op *op)
{
	struct tape_round *q = tape_rounds_get(g->rounds, op->key.comm,
					       op->r->k, op->r->size);

	if (!q)
		tape_die(TAPE_FAILED, "out of memory");
	return q;
}

int engine_was_rendezvous(const struct tape_slot *s)
{
	return s->send.there && s->send.flow;
}

static int round_ready(const struct tape_round *q, const struct tape_pending *r)
{
	switch (r->shape) {
	case TAPE_SHAPE_FROM:
		return r->root < 0 || r->root >= q->size ||
		       q->start_ns[r->root] != INT64_MIN;
	case TAPE_SHAPE_TO:
		return r->root != r->rank || q->entered == q->size;
	case TAPE_SHAPE_SCAN:
		for (int i = 0; i < r->rank && i < q->size; i++)
			if (q->start_ns[i] == INT64_MIN)
				return 0;
		return 1;
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_ALL:
	case TAPE_SHAPE_NEAR:
		break;
	}
	return q->entered == q->size;
}

int engine_ready(struct engine *g, const struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_RECV_END:
		return tape_match_slot(g->match, op->r->slot)->send.there;
	case TAPE_OP_SEND_END:
		if (op->r->slot == TAPE_NO_SLOT ||
		    !op->r->rendezvous)
			return 1;
		return tape_match_slot(g->match, op->r->slot)->recv.there;
	case TAPE_OP_PROBE:
		if (op->r->posted)
			return tape_match_slot(g->match,
					       op->r->slot)->send.there;
		return tape_match_peek(g->match, &op->key) != TAPE_NO_SLOT;
	case TAPE_OP_LEAVE:
		return round_ready(engine_round(g, op), op->r);
	case TAPE_OP_SEND:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
		break;
	}
	return 1;
}

int engine_may_wait(const struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_RECV_END:
	case TAPE_OP_PROBE:
	case TAPE_OP_LEAVE:
		return 1;
	case TAPE_OP_SEND_END:
		return op->r->slot != TAPE_NO_SLOT &&
		       op->r->rendezvous;
	case TAPE_OP_SEND:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
		break;
	}
	return 0;
}

const struct tape_slot *engine_slot(struct engine *g, const struct tape_op *op)
{
	uint32_t slot = op->kind == TAPE_OP_PROBE && !op->r->posted
				? tape_match_peek(g->match, &op->key)
				: op->r->slot;

	return tape_match_slot(g->match, slot);
}

void engine_release(struct engine *g, const struct tape_op *op)
{
	if (op->kind == TAPE_OP_RECV_END) {
		tape_match_done(g->match, op->r->slot, 2);
	} else if (op->kind == TAPE_OP_SEND_END) {
		tape_match_done(g->match, op->r->slot, 1);
	} else if (op->kind == TAPE_OP_LEAVE) {
		tape_round_leave(g->rounds, engine_round(g, op));
	}
}
