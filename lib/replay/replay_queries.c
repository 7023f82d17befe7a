/* What tools ask of a replay in progress; see replay.h. */
#include "replay_state.h"

const struct tape_event *tape_replay_current_event(const struct tape_replay *r,
						   size_t flow)
{
	const struct tape_flow_cursor *l = &r->lanes[flow];

	return l->begun && r->used != flow + 1 ? l->e : NULL;
}

const uint32_t *tape_replay_regions(const struct tape_replay *r, size_t flow,
				    size_t *n)
{
	*n = r->lanes[flow].n_regions;
	return r->lanes[flow].region;
}

const struct tape_request *tape_replay_request(const struct tape_replay *r,
					       const struct tape_event *e,
					       uint32_t i, int *active)
{
	const struct tape_flow_cursor *l = &r->lanes[e->flow];

	*active = 0;
	if (i >= l->n_asked || !l->asked[i].r)
		return NULL;
	*active = l->asked[i].active;
	return l->asked[i].r;
}

const struct tape_request *tape_replay_find_request(const struct tape_replay *r,
						    size_t flow,
						    uint64_t number)
{
	return tape_messages_request(r->messages, flow, number);
}

void tape_replay_in_progress(const struct tape_replay *r,
			     tape_replay_beginning *f, void *own)
{
	tape_messages_in_progress(r->messages, f, own);
	tape_members_in_progress(r->members, f, own);
}

int tape_replay_turn(const struct tape_replay *r, struct tape_turn *next)
{
	if (r->turns.n)
		*next = r->turns.heap[0];
	return r->turns.n != 0;
}

const struct tape_event *tape_replay_upcoming_event(const struct tape_replay *r,
						    size_t flow)
{
	const struct tape_flow_cursor *l = &r->lanes[flow];

	return l->from && !l->begun ? l->e : NULL;
}

void tape_replay_unsent(const struct tape_replay *r,
			tape_messages_unsent_one *f, void *own)
{
	tape_messages_unsent(r->messages, f, own);
}

int tape_replay_is_received(const struct tape_replay *r,
			    const struct tape_match_key *key, size_t nth)
{
	return tape_messages_is_received(r->messages, key, nth);
}

enum tape_end tape_replay_end(const struct tape_replay *r, size_t flow,
			      uint64_t *lost)
{
	if (r->lanes[flow].from)
		return tape_flow_end(r->lanes[flow].from, lost);
	*lost = 0;
	return TAPE_END_NONE;
}

int tape_replay_has_flow(const struct tape_replay *r, size_t flow)
{
	return r->lanes[flow].from != NULL && r->lanes[flow].events;
}

int tape_replay_call_in_progress(const struct tape_replay *r, size_t flow,
				 struct tape_call_in_progress *c)
{
	return r->lanes[flow].from &&
	       tape_flow_call_in_progress(r->lanes[flow].from, c);
}

int tape_replay_call_is_current(const struct tape_replay *r, size_t flow,
				const struct tape_call_in_progress *c)
{
	return r->lanes[flow].from &&
	       tape_flow_call_is_current(r->lanes[flow].from, c);
}

const struct tape_messages *tape_replay_messages(const struct tape_replay *r)
{
	return r->messages;
}

const struct tape_ideal_clock *tape_replay_ideal(const struct tape_replay *r)
{
	return r->ideal;
}
