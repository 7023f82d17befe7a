/* Messages by the ideal clock (ideal_clock.h); see messages_state.h. */
#include "hash_bits.h"
#include "messages.h"
#include "messages_state.h"

static uint64_t send_key(const struct tape_where *begun, uint64_t request)
{
	uint64_t key = tape_spread_bits((uint64_t)begun->rank << 32 |
					(uint32_t)begun->thread);

	key = tape_scramble_bits(key + begun->event) + request;
	return key ? key : 1;
}

static struct tape_ideal_post post_of_slot(struct tape_slot *s)
{
	return (struct tape_ideal_post){receive_data(s)->ideal,
					s->recv->start_ns};
}

int tape_messages_store_post(struct tape_messages *m, struct tape_slot *s)
{
	struct tape_ideal_post post = post_of_slot(s);

	if (!m->ideal || !tape_is_sent(s) || send_data(s)->is_free)
		return 0;
	return tape_ideal_add_post(
	    m->ideal, send_key(&s->send->begun, send_data(s)->nth), &post);
}

/* Returns 1 if the slot of the request's send is still its own. */
static int has_own_slot(struct tape_messages *m, const struct tape_op *op)
{
	const struct tape_where *w = &op->r->begun, *of;
	struct tape_slot *s;

	if (!op_match_state(op)->slot)
		return 0;
	s = tape_match_slot(m->match, op_match_slot(op));
	of = &s->send->begun;
	return s->used && tape_is_sent(s) && of->rank == w->rank &&
	       of->thread == w->thread && of->event == w->event &&
	       send_data(s)->nth == op->r->number;
}

static void end_ideal_send(struct tape_messages *m, const struct tape_event *e,
			   const struct tape_op *op)
{
	struct tape_ideal_post post;
	struct tape_slot *s;

	if (has_own_slot(m, op)) {
		s = tape_match_slot(m->match, op_match_slot(op));
		send_data(s)->is_free = 1;
		if (!tape_is_posted(s))
			return;
		post = post_of_slot(s);
	} else if (!tape_ideal_take_post(
		       m->ideal, send_key(&op->r->begun, op->r->number),
		       &post)) {
		return;
	}
	if (tape_ideal_can_hold(m->ideal, op->r->begun.rank,
				op->r->begun.call))
		tape_ideal_end_send(m->ideal, e, op->r->begun.call, &post);
}

void tape_messages_set_ideal(struct tape_messages *m,
			     struct tape_ideal_clock *c)
{
	m->ideal = c;
}

void tape_messages_end_sends(struct tape_messages *m,
			     const struct tape_event *e,
			     const struct tape_op *list, int n)
{
	for (int i = 0; i < n; i++)
		if (list[i].kind == TAPE_OP_SEND_END ||
		    (list[i].kind == TAPE_OP_SEND && !list[i].r->number))
			end_ideal_send(m, e, &list[i]);
}
