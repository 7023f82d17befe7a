/*
 * Converts messages; see action_convert.h. MPI matches a message with the
 * receive that was posted first. So a receive of any source stays where it was
 * posted, and the actions after it wait until its completion shows the message
 * (wildcard_lookahead.c).
 */
#include "action_convert.h"

int tape_action_comm_number(struct tape_action_rank *r, uint32_t comm,
			    uint32_t *n)
{
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, comm);

	if (!c) {
		r->of->s.left_out++;
		return 0;
	}
	*n = (uint32_t)(c - r->of->comms.list);
	return 1;
}

static struct tape_action_slot *
append_message(struct tape_action_rank *r, enum tape_action_kind kind,
	       const struct tape_action_message *m, uint64_t request,
	       uint64_t *slot)
{
	struct tape_action *a = tape_action_append(r, kind);
	struct tape_action_slot *s;

	if (!a)
		return NULL;
	s = tape_action_queue_at(&r->q, r->q.last);
	a->bytes = m->bytes;
	a->request = request;
	if (slot)
		*slot = r->q.last;
	return s;
}

int tape_action_set_tag(struct tape_action_rank *r, struct tape_action *a,
			uint32_t comm, int32_t tag)
{
	a->tag = tape_action_comm_tag(&r->of->comms, comm, tag);
	return a->tag < 0 ? TAPE_ENOMEM : 0;
}

int tape_action_add_send(struct tape_action_rank *r,
			 const struct tape_action_message *m, uint64_t request,
			 uint64_t *slot)
{
	unsigned traits = tape_call_traits(m->call);
	int32_t to = tape_action_world_rank(r, m->comm, m->peer);
	/* pvm_send has copied the message when it returns, whatever its size */
	int nonblocking =
	    request || (traits & TAPE_TRAIT_BUFFERED) || r->info->tid;
	enum tape_action_kind kind =
	    traits & TAPE_TRAIT_SYNCHRONOUS
		? nonblocking ? TAPE_ACTION_ISSEND : TAPE_ACTION_SSEND
	    : nonblocking ? TAPE_ACTION_ISEND
			  : TAPE_ACTION_SEND;
	struct tape_action_slot *s;
	uint32_t comm;

	if (slot)
		*slot = 0;
	if (to < 0) {
		r->of->s.left_out += to != TAPE_PROC_NULL;
		return 0;
	}
	if (!tape_action_comm_number(r, m->comm, &comm))
		return 0;
	s = append_message(r, kind, m, request, slot);
	if (!s)
		return TAPE_ENOMEM;
	s->a.peer = to;
	if (tape_action_set_tag(r, &s->a, comm, m->tag))
		return TAPE_ENOMEM;
	return slot && r->cancels ? tape_action_hold_slot(r, s, 0) : 0;
}

int tape_action_add_receive(struct tape_action_rank *r,
			    const struct tape_action_message *m,
			    uint64_t request, uint64_t *slot)
{
	int wild = !r->info->tid &&
		   (m->peer == TAPE_ANY_SOURCE || m->tag == TAPE_ANY_TAG);
	int32_t from = m->peer == TAPE_ANY_SOURCE && wild
			   ? 0
			   : tape_action_world_rank(r, m->comm, m->peer);
	struct tape_action_slot *s;
	uint32_t comm;

	if (slot)
		*slot = 0;
	if (from < 0) {
		r->of->s.left_out += from != TAPE_PROC_NULL;
		return 0;
	}
	if (!tape_action_comm_number(r, m->comm, &comm))
		return 0;
	s = append_message(r, request ? TAPE_ACTION_IRECV : TAPE_ACTION_RECV, m,
			   request, slot);
	if (!s)
		return TAPE_ENOMEM;
	s->a.peer = from;
	if (!wild && tape_action_set_tag(r, &s->a, comm, m->tag))
		return TAPE_ENOMEM;
	return slot && (wild || r->cancels) ? tape_action_hold_slot(r, s, wild)
					    : 0;
}

/* Both at once, unless a side has no partner. */
int tape_action_add_sendrecv(struct tape_action_rank *r,
			     const struct tape_sendrecv *u, unsigned call)
{
	struct tape_action_message out = {u->comm, u->peer, u->tag, u->bytes,
					  call};
	struct tape_action_message in = {u->comm, u->actual_peer, u->actual_tag,
					 u->rbytes, call};
	int both = tape_action_world_rank(r, u->comm, u->peer) >= 0 &&
		   tape_action_world_rank(r, u->comm, u->actual_peer) >= 0;
	uint64_t first = both ? r->requests + 1 : 0;
	int rc;

	if (both)
		r->requests += 2;
	rc = tape_action_add_send(r, &out, first, NULL);
	if (!rc)
		rc =
		    tape_action_add_receive(r, &in, both ? first + 1 : 0, NULL);
	if (rc || !both)
		return rc;
	rc = tape_action_collect_wait(r, first);
	if (!rc)
		rc = tape_action_collect_wait(r, first + 1);
	return rc ? rc : tape_action_add_wait(r);
}
