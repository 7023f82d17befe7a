/* Converts requests, from creation to completion; see action_convert.h. */
#include <stdlib.h>

#include "action_convert.h"
#include "growing_array.h"

/* ---- waits ---- */

int tape_action_collect_wait(struct tape_action_rank *r, uint64_t request)
{
	uint64_t *list = tape_grow_array(r->waits, &r->waits_room,
					 r->n_waits + 1, sizeof *list);

	if (!list)
		return TAPE_ENOMEM;
	r->waits = list;
	r->waits[r->n_waits++] = request;
	return 0;
}

int tape_action_add_wait(struct tape_action_rank *r)
{
	struct tape_action_slot *s;

	if (!r->n_waits)
		return 0;
	if (!tape_action_append(r, TAPE_ACTION_WAIT))
		return TAPE_ENOMEM;
	s = tape_action_queue_at(&r->q, r->q.last);
	if (tape_action_reserve_waits(s, r->n_waits))
		return TAPE_ENOMEM;
	for (size_t i = 0; i < r->n_waits; i++)
		s->waits[i] = r->waits[i];
	s->a.n_waits = r->n_waits;
	r->n_waits = 0;
	return 0;
}

/* ---- begin ---- */

static struct tape_action_pending *
find_pending(const struct tape_action_rank *r, uint64_t number)
{
	return number ? tape_table_find(&r->pending, number) : NULL;
}

/*
 * Stores the number of the request of the newest slot; numbered: the slot has a
 * request. A slot that a look-ahead found to be cancelled is not waited for.
 */
static void mark_begun(struct tape_action_rank *r,
		       struct tape_action_pending *p, int numbered)
{
	const struct tape_action_slot *s = tape_action_queue_at(&r->q, p->slot);

	p->held = s->held;
	r->requests += (uint64_t)numbered;
	if (numbered && !s->gone && !p->n++)
		p->first = r->requests;
}

static int begin_isend(struct tape_action_rank *r,
		       struct tape_action_pending *p,
		       const struct tape_isend *u)
{
	struct tape_action_message m = {u->comm, u->peer, u->tag, u->bytes,
					p->call};
	int buffered = (tape_call_traits(p->call) & TAPE_TRAIT_BUFFERED) != 0;
	int rc;

	rc = tape_action_add_send(r, &m, buffered ? 0 : r->requests + 1,
				  &p->slot);
	if (!rc && p->slot)
		mark_begun(r, p, !buffered);
	return rc;
}

static int begin_irecv(struct tape_action_rank *r,
		       struct tape_action_pending *p,
		       const struct tape_irecv *u)
{
	struct tape_action_message m = {u->comm, u->peer, u->tag, u->bytes,
					p->call};
	int rc = tape_action_add_receive(r, &m, r->requests + 1, &p->slot);

	if (!rc && p->slot)
		mark_begun(r, p, 1);
	if (rc || !p->slot || !p->tag)
		return rc;
	/* of a partitioned message */
	tape_action_queue_at(&r->q, p->slot)->a.tag = p->tag;
	return 0;
}

static int begin_isendrecv(struct tape_action_rank *r,
			   struct tape_action_pending *p)
{
	const struct tape_isendrecv u = p->u.isendrecv;
	int rc = begin_isend(r, p,
			     &(struct tape_isend){.peer = u.peer,
						  .tag = u.tag,
						  .bytes = u.bytes,
						  .comm = u.comm});
	struct tape_action_slot *s =
	    p->slot ? tape_action_queue_at(&r->q, p->slot) : NULL;

	/* only its receive is held */
	if (s)
		s->unknown = 0;
	return rc ? rc
		  : begin_irecv(r, p,
				&(struct tape_irecv){.peer = u.rpeer,
						     .tag = u.rtag,
						     .bytes = u.rbytes,
						     .comm = u.comm});
}

/* Begins the operation of a request. */
static int begin_request(struct tape_action_rank *r, const struct tape_event *e,
			 struct tape_action_pending *p)
{
	const union tape_fields *u = &p->u;

	p->active = 1;
	p->over = 0;
	p->n = p->ready = 0;
	p->slot = p->held = 0;
	switch (p->class_) {
	case TAPE_CLASS_ISEND:
		return begin_isend(r, p, &u->isend);
	case TAPE_CLASS_IRECV:
	case TAPE_CLASS_MPROBE:
	case TAPE_CLASS_IMPROBE:
		return begin_irecv(r, p, &u->irecv);
	case TAPE_CLASS_ISENDRECV:
		return begin_isendrecv(r, p);
	case TAPE_CLASS_ICOLL:
		return tape_action_add_collective(
		    r, e,
		    &(struct tape_coll){.root = u->icoll.root,
					.bytes = u->icoll.bytes,
					.rbytes = u->icoll.rbytes,
					.comm = u->icoll.comm},
		    p->call, p);
	case TAPE_CLASS_COMM_INEW:
		/* the members create it when they first use it */
		return tape_action_add_collective(
		    r, e, &(struct tape_coll){.comm = u->comm_inew.comm},
		    TAPE_CALL_MPI_Ibarrier, p);
	case TAPE_CLASS_IRMA:
		return tape_action_add_rma(
		    r, e,
		    &(struct tape_rma){.peer = u->irma.peer,
				       .bytes = u->irma.bytes,
				       .rbytes = u->irma.rbytes,
				       .comm = u->irma.comm});
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
		return tape_action_add_sleep(r, e);
	default: /* a partitioned send begins with its last part */
		return 0;
	}
}

/*
 * Partitioned messages match by the order in which both sides created their
 * requests. So the k-th request of two partners and a tag gets its own tag.
 */
static int set_channel_tag(struct tape_action_rank *r,
			   struct tape_action_pending *p, uint32_t comm,
			   int32_t peer, int32_t tag)
{
	struct tape_action_comms *c = &r->of->comms;
	int32_t other = tape_action_world_rank(r, comm, peer), kind;
	uint64_t *so_far, key;
	uint32_t number;

	if (other < 0 || !tape_action_comm_number(r, comm, &number))
		return 0;
	kind = tape_action_new_tag(c, number, TAPE_TAGS_PARTS, tag);
	if (kind < 0)
		return TAPE_ENOMEM;
	kind -= TAPE_OWN_TAGS - 1;
	key = (uint64_t)kind << 32 | (uint64_t)(uint32_t)other << 1 |
	      (p->class_ == TAPE_CLASS_IRECV);
	r->parts.bytes = sizeof *so_far;
	so_far = tape_table_get(&r->parts, key);
	if (!so_far)
		return TAPE_ENOMEM;
	p->tag = tape_action_new_tag(c, (uint32_t)kind, TAPE_TAGS_CHANNEL,
				     (int32_t)++ * so_far);
	return p->tag < 0 ? TAPE_ENOMEM : 0;
}

/* Stores a matched probe as the receive of the message that it reserved. */
static void set_probed_message(struct tape_action_pending *p,
			       const struct tape_event *e)
{
	struct tape_irecv u = {.peer = e->u.mprobe.actual_peer,
			       .tag = e->u.mprobe.actual_tag,
			       .bytes = e->u.mprobe.bytes,
			       .comm = e->u.mprobe.comm};

	if (e->class_ == TAPE_CLASS_IMPROBE)
		u = (struct tape_irecv){.peer = e->u.improbe.actual_peer,
					.tag = e->u.improbe.actual_tag,
					.bytes = e->u.improbe.bytes,
					.comm = e->u.improbe.comm};
	if (u.peer == TAPE_ANY_SOURCE) /* the probe failed */
		u.peer = TAPE_PROC_NULL;
	p->u.irecv = u;
}

int tape_action_create_request(struct tape_action_rank *r,
			       const struct tape_event *e)
{
	unsigned traits = tape_call_traits(e->call);
	struct tape_action_pending *p, none;

	p = e->request ? tape_table_get(&r->pending, e->request) : &none;
	if (!p)
		return TAPE_ENOMEM;
	*p = (struct tape_action_pending){
	    .u = e->u,
	    .call = e->call,
	    .class_ = e->class_,
	    .persistent = (traits & TAPE_TRAIT_PERSISTENT) != 0};
	if (e->class_ == TAPE_CLASS_MPROBE || e->class_ == TAPE_CLASS_IMPROBE)
		set_probed_message(p, e);
	if (e->class_ == TAPE_CLASS_PSEND)
		return set_channel_tag(r, p, e->u.psend.comm, e->u.psend.peer,
				       e->u.psend.tag);
	if (e->class_ == TAPE_CLASS_IRECV && (traits & TAPE_TRAIT_PARTITIONED))
		return set_channel_tag(r, p, e->u.irecv.comm, e->u.irecv.peer,
				       e->u.irecv.tag);
	return p->persistent ? 0 : begin_request(r, e, p);
}

int tape_action_start_requests(struct tape_action_rank *r,
			       const struct tape_event *e)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < e->n_done; i++) {
		struct tape_action_pending *p =
		    find_pending(r, e->done[i].request);

		if (p && p->persistent)
			rc = begin_request(r, e, p);
	}
	return rc;
}

/* Counts ready parts. The send begins with the last part. */
int tape_action_ready_parts(struct tape_action_rank *r,
			    const struct tape_event *e)
{
	struct tape_action_pending *p =
	    e->n_done ? find_pending(r, e->done[0].request) : NULL;
	int rc;

	if (!p || p->class_ != TAPE_CLASS_PSEND || !p->active || p->n)
		return 0;
	p->ready += e->u.pready.n;
	if (p->ready < p->u.psend.parts)
		return 0;
	rc = begin_isend(r, p,
			 &(struct tape_isend){.peer = p->u.psend.peer,
					      .tag = p->u.psend.tag,
					      .bytes = p->u.psend.bytes,
					      .comm = p->u.psend.comm});
	if (!rc && p->slot)
		tape_action_queue_at(&r->q, p->slot)->a.tag = p->tag;
	return rc;
}

/* Moves the message of a matched probe to the request of its receive. */
int tape_action_receive_probed(struct tape_action_rank *r,
			       const struct tape_event *e)
{
	uint64_t number = e->n_done ? e->done[0].request : 0;
	struct tape_action_pending *p = find_pending(r, number), was;

	if (!p || !e->request)
		return 0;
	was = *p;
	tape_table_drop(&r->pending, number);
	p = tape_table_get(&r->pending, e->request);
	if (!p)
		return TAPE_ENOMEM;
	*p = was;
	return 0;
}

/* ---- completion ---- */

/* Applies a completion to s, a held receive or send. */
static int apply_completion(struct tape_action_rank *r,
			    struct tape_action_slot *s, uint32_t comm,
			    const struct tape_done *d)
{
	int32_t from;
	uint32_t number;

	s->unknown = 0;
	if (d->kind == TAPE_DONE_CANCELLED ||
	    (s->wild && d->kind != TAPE_DONE_RECV))
		s->gone = 1;
	if (s->gone || !s->wild)
		return 0;
	from = tape_action_world_rank(r, comm, d->peer);
	s->gone = from < 0 || !tape_action_comm_number(r, comm, &number);
	if (s->gone)
		return 0;
	s->a.peer = from;
	s->a.bytes = d->bytes;
	return tape_action_set_tag(r, &s->a, number, d->tag);
}

static int resolve_request(struct tape_action_rank *r,
			   struct tape_action_pending *p,
			   const struct tape_done *d)
{
	struct tape_action_slot one = {.unknown = 1}, *s = NULL;
	uint32_t comm = p->class_ == TAPE_CLASS_ISENDRECV ? p->u.isendrecv.comm
							  : p->u.irecv.comm;
	uint64_t held = p->held;
	int rc;

	if (r->learns && held) {
		s = &one;
		one.wild = r->outcomes[held - 1].wild;
	} else if (!r->learns && p->slot) {
		s = tape_action_queue_at(&r->q, p->slot);
	}
	p->slot = p->held = 0;
	if (!s || !s->unknown)
		return 0;
	rc = apply_completion(r, s, comm, d);
	if (r->learns)
		tape_action_set_outcome(r, held, s);
	return rc;
}

/* Collects the requests of p for a wait, but not that of a cancelled slot. */
static int collect_waits(struct tape_action_rank *r,
			 const struct tape_action_pending *p, uint64_t slot)
{
	const struct tape_action_slot *s =
	    slot ? tape_action_queue_at(&r->q, slot) : NULL;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->n; i++)
		if (!s || !s->gone || s->a.request != p->first + i)
			rc = tape_action_collect_wait(r, p->first + i);
	return rc;
}

static int complete_request(struct tape_action_rank *r,
			    const struct tape_done *d, int *other)
{
	struct tape_action_pending *p = find_pending(r, d->request);
	uint64_t held;
	int rc = 0;

	if (!p) {
		r->of->s.left_out +=
		    d->kind != TAPE_DONE_RECV || d->peer != TAPE_PROC_NULL;
		return 0;
	}
	/* a slot that was delivered has another action by now */
	held = p->slot > r->q.first ? p->slot : 0;
	p->slot = held;
	*other |= p->class_ == TAPE_CLASS_IIO || p->class_ == TAPE_CLASS_IIO_AT;
	if (p->active && !p->over) {
		rc = resolve_request(r, p, d);
		if (!rc && p->class_ == TAPE_CLASS_IRMA)
			rc = tape_action_add_flush(r, p->u.irma.comm,
						   p->u.irma.peer);
		if (!rc)
			rc = collect_waits(r, p, held);
	}
	if (p->persistent)
		p->active = 0;
	else
		tape_table_drop(&r->pending, d->request);
	return rc;
}

int tape_action_complete_requests(struct tape_action_rank *r,
				  const struct tape_event *e)
{
	int other = 0, rc = 0;

	r->n_waits = 0;
	for (uint32_t i = 0; !rc && i < e->n_done; i++)
		rc = complete_request(r, &e->done[i], &other);
	if (rc)
		return rc;
	if (other && !r->n_waits)
		return tape_action_add_sleep(r, e);
	return tape_action_add_wait(r);
}

/* The request is complete. A later wait for it waits for nothing. */
int tape_action_query_request(struct tape_action_rank *r,
			      const struct tape_event *e)
{
	const struct tape_query *u = &e->u.query;
	struct tape_action_pending *p =
	    u->flag ? find_pending(r, u->asked) : NULL;
	uint64_t held;
	int rc;

	if (!p || !p->active || p->over ||
	    (tape_call_traits(e->call) & TAPE_TRAIT_PARTITIONED))
		return 0;
	held = p->slot > r->q.first ? p->slot : 0;
	p->slot = held;
	rc = resolve_request(r, p,
			     &(struct tape_done){.kind = u->actual_peer == -1
							     ? TAPE_DONE_REQUEST
							     : TAPE_DONE_RECV,
						 .peer = u->actual_peer,
						 .tag = u->actual_tag,
						 .bytes = u->bytes});
	p->over = 1;
	r->n_waits = 0;
	if (!rc)
		rc = collect_waits(r, p, held);
	return rc ? rc : tape_action_add_wait(r);
}

/* The trace does not show the completion of a freed request. */
int tape_action_free_request(struct tape_action_rank *r,
			     const struct tape_event *e)
{
	uint64_t number = e->n_done ? e->done[0].request : 0;
	struct tape_action_pending *p = find_pending(r, number);
	uint64_t held;
	int rc = 0;

	if (!p || !(tape_call_traits(e->call) & TAPE_TRAIT_FREES))
		return 0;
	held = p->slot > r->q.first ? p->slot : 0;
	p->slot = held;
	if (held && p->active)
		r->of->s.left_out += tape_action_queue_at(&r->q, held)->wild &&
				     tape_action_queue_at(&r->q, held)->unknown;
	if (p->active)
		rc = resolve_request(
		    r, p, &(struct tape_done){.kind = TAPE_DONE_REQUEST});
	tape_table_drop(&r->pending, number);
	return rc;
}
