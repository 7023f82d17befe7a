/* Events to operations; see ops.h. */
#include <stdlib.h>
#include <string.h>

#include "outstanding.h"

static struct shared *make_shared(void)
{
	struct shared *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	if (tape_ops_reserve_request(s)) {
		free(s);
		return NULL;
	}
	return s;
}

struct tape_ops *tape_ops_new(const struct tape_trace *t, int rank,
			      const struct tape_ops *other, size_t own)
{
	struct tape_ops *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->trace = t;
	o->rank = tape_trace_rank(t, rank);
	o->world = rank;
	o->tool = own;
	o->s = other ? other->s : make_shared();
	if (!o->s) {
		free(o);
		return NULL;
	}
	o->s->flows++;
	return o;
}

void tape_ops_free(struct tape_ops *o)
{
	if (!o)
		return;
	while (o->n_spare)
		free(o->spare[--o->n_spare]);
	if (!--o->s->flows) {
		tape_ops_free_list(o->s);
		for (uint64_t i = 0; i <= o->s->requests.mask; i++)
			free(o->s->requests.list[i]);
		for (size_t i = 0; i < o->s->n_comms; i++)
			free(o->s->comms[i].split);
		free(o->s->requests.list);
		free(o->s->comms);
		free(o->s->channels.list);
		free(o->s->parts);
		free(o->s->threads);
		free(o->s);
	}
	free(o->spare);
	tape_ops_list_free(&o->own);
	free(o);
}

/* ---- communicators ---- */

/* r is about messages of that communicator; -1: it is none. */
static int set_comm(const struct tape_ops *o, struct tape_request *r,
		    uint32_t comm)
{
	const struct tape_comm_info *c = tape_ops_comm(o, comm);

	r->comm = r->begun.comm = comm;
	if (!c)
		return -1;
	r->key.comm = c->id ^ r->channel;
	/* of the two directions, the one from group 0 is 1 */
	r->key.way = c->side < 0 ? 0 : 1 + (r->is_send ? c->side : !c->side);
	return 0;
}

/* Would it get the partner of another, which was only counted? */
static int is_partial(const struct tape_ops *o, struct tape_request *r, int tag)
{
	r->left_out = o->s->channels.n &&
		      tape_channels_has(&o->s->channels,
				       r->is_send ? TAPE_CHANNEL_SEND
						  : TAPE_CHANNEL_RECV,
				       r->comm, tag);
	return r->left_out;
}

/* r's message is known; -1: there is none, or none to be matched. */
static int set_key(const struct tape_ops *o, struct tape_request *r, int peer,
		   int tag)
{
	const struct tape_comm_info *c = tape_ops_comm(o, r->comm);
	int tid = o->rank->tid, me, other;

	if (!c || peer < 0)
		return -1;
	if (is_partial(o, r, tag)) {
		o->s->left_out += r->is_send;
		return -1;
	}
	me = tid ? tid : c->rank;
	other = tid ? tape_trace_task(o->trace, peer)
		    : tape_ops_world(c, peer);
	r->key.src = r->is_send ? me : peer;
	r->key.dst = r->is_send ? peer : me;
	r->key.tag = tag;
	r->from = r->is_send ? o->world : other;
	r->to = r->is_send ? other : o->world;
	return 0;
}

/* ---- messages ---- */

static int send_now(struct tape_ops *o, struct tape_request *r, int blocking)
{
	struct tape_op *op = tape_ops_add(o, TAPE_OP_SEND, r);

	if (!op)
		return TAPE_ENOMEM;
	op->blocking = blocking;
	r->posted = 1;
	tape_ops_note_thread(o, r);
	return 0;
}

/* A send or receive as passed to a call begins. */
static int begin_message(struct tape_ops *o, struct tape_request *r,
			 int blocking)
{
	int wild = r->is_recv && (r->peer == TAPE_ANY_SOURCE ||
				  r->tag == TAPE_ANY_TAG);

	tape_ops_begun(o, r);
	if (set_comm(o, r, r->comm) || r->peer == TAPE_PROC_NULL ||
	    (!wild && set_key(o, r, r->peer, r->tag)))
		return 0;
	if (r->is_send)
		return r->channel ? 0 : send_now(o, r, blocking);
	r->has_key = (uint8_t)!wild;
	return tape_ops_receive(o, r);
}

/* A receive ends, with what its status says. */
static int receive_end(struct tape_ops *o, struct tape_request *r, int peer,
		       int tag, uint64_t bytes, uint32_t arrived)
{
	int rc;

	if (!r->has_key && set_key(o, r, peer, tag)) {
		o->s->left_out += r->left_out;
		rc = tape_ops_cancel_receive(o, r);
		return rc ? rc : tape_ops_end_left_out(o, r);
	}
	r->bytes = bytes;
	r->arrived = arrived;
	return tape_ops_receive_end(o, r);
}

static int send_end(struct tape_ops *o, struct tape_request *r)
{
	if (!r->posted)
		return tape_ops_end_left_out(o, r);
	return tape_ops_add(o, TAPE_OP_SEND_END, r) ? 0 : TAPE_ENOMEM;
}

/* A blocking send; alone: nothing else in the call keeps it from blocking. */
static int send_begin(struct tape_ops *o, const struct tape_send *u, int alone,
		      struct tape_request **out)
{
	struct tape_request *r = *out = tape_ops_blocking(o);

	if (!r)
		return TAPE_ENOMEM;
	r->is_send = 1;
	r->comm = u->comm;
	r->peer = u->peer;
	r->tag = u->tag;
	r->bytes = u->bytes;
	return begin_message(o, r, alone);
}

/* A blocking receive, from begin to end. */
static int add_blocking_receive(struct tape_ops *o, const struct tape_recv *u)
{
	struct tape_request *r = tape_ops_blocking(o);

	if (!r)
		return TAPE_ENOMEM;
	r->is_recv = 1;
	r->peer = u->peer;
	r->tag = u->tag;
	tape_ops_begun(o, r);
	if (set_comm(o, r, u->comm) || u->peer == TAPE_PROC_NULL)
		return 0;
	return receive_end(o, r, u->actual_peer, u->actual_tag, u->bytes,
			   u->arrived);
}

static int add_blocking_send(struct tape_ops *o, const struct tape_send *u)
{
	struct tape_request *r;
	int rc = send_begin(o, u, 1, &r);

	return rc ? rc : send_end(o, r);
}

static int add_sendrecv(struct tape_ops *o, const struct tape_sendrecv *u)
{
	struct tape_send s = { .peer = u->peer, .tag = u->tag,
			       .bytes = u->bytes, .comm = u->comm };
	struct tape_recv r = { .peer = u->rpeer, .tag = u->rtag,
			       .comm = u->comm, .actual_peer = u->actual_peer,
			       .actual_tag = u->actual_tag, .bytes = u->rbytes,
			       .arrived = u->arrived };
	struct tape_request *sent;
	int rc = send_begin(o, &s, 0, &sent);

	if (!rc)
		rc = add_blocking_receive(o, &r);
	return rc ? rc : send_end(o, sent);
}

/* One message for each task, but for this one: PVM leaves it out. */
static int add_multicast(struct tape_ops *o, const struct tape_mcast *u)
{
	const struct tape_group_info *g =
	    u->group < o->rank->n_groups ? &o->rank->groups[u->group] : NULL;
	int rc = 0;

	for (size_t i = 0; !rc && g && i < g->n; i++) {
		struct tape_request *r;

		if (g->ranks[i] == o->rank->tid)
			continue;
		r = tape_ops_new_request(o);
		if (!r || tape_ops_free_later(o, r))
			return TAPE_ENOMEM;
		r->is_send = 1;
		r->comm = u->comm;
		r->peer = g->ranks[i];
		r->tag = u->tag;
		r->bytes = u->bytes;
		rc = begin_message(o, r, 1);
		if (!rc)
			rc = send_end(o, r);
	}
	return rc;
}

/* A receive that did not wait for its message. */
static int receive_now(struct tape_ops *o, const struct tape_nrecv *u)
{
	return add_blocking_receive(
	    o, &(struct tape_recv){.peer = u->peer,
				   .tag = u->tag,
				   .comm = u->comm,
				   .actual_peer = u->actual_peer,
				   .actual_tag = u->actual_tag,
				   .bytes = u->bytes,
				   .arrived = 1});
}

static int begin_nonblocking(struct tape_ops *o, const struct tape_isend *u,
			     int sends)
{
	struct tape_request *r = tape_ops_create(o);

	if (!r)
		return TAPE_ENOMEM;
	r->is_send = (uint8_t)sends;
	r->is_recv = (uint8_t)!sends;
	r->bytes = u->bytes;
	r->comm = u->comm;
	r->peer = u->peer;
	r->tag = u->tag;
	r->persistent = (tape_call_traits(o->e->call) &
			 TAPE_TRAIT_PERSISTENT) != 0;
	return r->persistent ? 0 : begin_message(o, r, 0);
}

/* So many parts more are ready; with the last one the message goes out. */
static int parts_ready(struct tape_ops *o, uint32_t n)
{
	struct tape_request *r =
		o->e->n_done ? tape_ops_request(o, o->e->done[0].request)
			     : NULL;

	if (!r || !r->is_send || !r->active)
		return 0;
	r->ready += n;
	return r->ready >= r->parts && !r->posted && r->to >= 0
		       ? send_now(o, r, 0)
		       : 0;
}

/* One request for a message each way; sent is the half that has no number. */
static int begin_isendrecv_pair(struct tape_ops *o,
				const struct tape_isendrecv *u)
{
	struct tape_request *r = tape_ops_create(o),
			    *s = tape_ops_new_request(o);
	int rc;

	if (!r || !s) {
		free(s);
		return TAPE_ENOMEM;
	}
	r->is_recv = s->is_send = 1;
	r->comm = s->comm = u->comm;
	r->peer = u->rpeer;
	r->tag = u->rtag;
	r->bytes = u->rbytes;
	s->peer = u->peer;
	s->tag = u->tag;
	s->bytes = u->bytes;
	r->sent = s;
	rc = begin_message(o, s, 0);
	return rc ? rc : begin_message(o, r, 0);
}

/* The sending half ends with the other. */
static int end_sent(struct tape_ops *o, struct tape_request *r)
{
	struct tape_request *s = r->sent;
	int rc = 0;

	if (!s)
		return 0;
	r->sent = NULL;
	if (s->active)
		rc = send_end(o, s);
	s->active = 0;
	return rc ? rc : tape_ops_free_later(o, s);
}

static int start_all(struct tape_ops *o)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < o->e->n_done; i++) {
		struct tape_request *r =
			tape_ops_request(o, o->e->done[i].request);

		if (!r || !r->persistent)
			continue;
		r = tape_ops_restart(o, r);
		rc = !r		  ? TAPE_ENOMEM
		     : r->is_coll ? tape_ops_coll_start(o, r)
				  : begin_message(o, r, 0);
	}
	return rc;
}

/* A request that the event completed. */
static int end_request(struct tape_ops *o, const struct tape_done *d)
{
	struct tape_request *r;
	int rc = 0;

	if (d->kind == TAPE_DONE_RECV && d->peer == TAPE_PROC_NULL &&
	    !tape_ops_find_request(o, d->request))
		return 0;
	r = tape_ops_request(o, d->request);
	if (!r)
		return 0;
	if (!r->active)
		return r->persistent ? 0 : tape_ops_remove_request(o, r);
	if (d->kind == TAPE_DONE_CANCELLED && r->is_recv)
		rc = tape_ops_cancel_receive(o, r);
	else if (d->kind == TAPE_DONE_CANCELLED && r->is_send)
		rc = !r->posted || tape_ops_add(o, TAPE_OP_CANCEL, r) ? 0
								 : TAPE_ENOMEM;
	else if (r->is_recv && d->kind == TAPE_DONE_RECV)
		rc = receive_end(o, r, d->peer, d->tag,
				 r->channel ? r->bytes : d->bytes, d->arrived);
	else if (r->is_recv && (r->posted || r->listed))
		rc = tape_ops_drop_receive(o, r, 1); /* it failed */
	else if (r->is_send)
		rc = send_end(o, r);
	else if (r->is_coll)
		rc = tape_ops_leave(o, r);
	r->active = 0;
	if (!rc)
		rc = end_sent(o, r);
	if (!rc && !r->persistent)
		rc = tape_ops_remove_request(o, r);
	return rc;
}

static int end_requests(struct tape_ops *o)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < o->e->n_done; i++)
		rc = end_request(o, &o->e->done[i]);
	return rc;
}

/*
 * A freed request goes on, but nothing will tell of its end. A receive that is
 * cancelled and freed got nothing: nobody will know what it got.
 */
static int free_or_cancel(struct tape_ops *o)
{
	struct tape_request *r;
	int rc = 0;

	r = o->e->n_done ? tape_ops_find_request(o, o->e->done[0].request)
			 : NULL;
	if (!r)
		return 0;
	if (!(tape_call_traits(o->e->call) & TAPE_TRAIT_FREES)) {
		r->cancelled = 1;
		return 0;
	}
	if (r->is_send && r->active)
		rc = send_end(o, r);
	else if (r->is_recv && r->active && r->cancelled)
		rc = tape_ops_cancel_receive(o, r);
	else if (r->is_recv && r->active && (r->posted || r->listed))
		rc = tape_ops_drop_receive(o, r, 0);
	if (!rc)
		rc = end_sent(o, r);
	return rc ? rc : tape_ops_remove_request(o, r);
}

/* ---- probes ---- */

static int add_probe(struct tape_ops *o, const struct tape_probe *u)
{
	struct tape_request *r = tape_ops_blocking(o);
	struct tape_op *op;

	if (!r)
		return TAPE_ENOMEM;
	r->is_recv = 1;
	if (set_comm(o, r, u->comm) ||
	    set_key(o, r, u->actual_peer, u->actual_tag))
		return tape_ops_end_left_out(o, r);
	op = tape_ops_add(o, TAPE_OP_PROBE, r);
	if (!op)
		return TAPE_ENOMEM;
	op->bytes = u->bytes;
	op->arrived = u->arrived;
	return 0;
}

/* A matched probe takes the message: a receive that ends at the mrecv. */
static int take_message(struct tape_ops *o, const struct tape_mprobe *u)
{
	struct tape_request *r;
	struct tape_op *op;
	int posted, rc;

	if (u->peer == TAPE_PROC_NULL)
		return 0;
	r = tape_ops_create(o);
	if (!r)
		return TAPE_ENOMEM;
	r->is_recv = 1;
	r->bytes = u->bytes;
	r->peer = u->peer;
	r->tag = u->tag;
	tape_ops_begun(o, r);
	if (set_comm(o, r, u->comm) ||
	    set_key(o, r, u->actual_peer, u->actual_tag))
		return tape_ops_end_left_out(o, r);
	r->has_key = 1;
	rc = tape_ops_post_matched(o, r, &posted);
	if (rc || !posted)
		return rc;
	op = tape_ops_add(o, TAPE_OP_PROBE, r);
	if (!op)
		return TAPE_ENOMEM;
	op->arrived = u->arrived;
	return 0;
}

static struct tape_mprobe mprobe_from_improbe(const struct tape_improbe *u)
{
	return (struct tape_mprobe){ .peer = u->peer, .tag = u->tag,
				     .comm = u->comm,
				     .actual_peer = u->actual_peer,
				     .actual_tag = u->actual_tag,
				     .bytes = u->bytes, .arrived = 2 };
}

/*
 * imrecv: the request takes over what the message handle stood for. That of a
 * message of MPI_PROC_NULL stands for nothing, and ends as such.
 */
static int transfer_matched_probe(struct tape_ops *o)
{
	struct tape_request *from = o->e->n_done
					    ? tape_ops_request(o,
						o->e->done[0].request)
					    : NULL;

	if (!o->e->n_done)
		return tape_ops_create(o) ? 0 : TAPE_ENOMEM;
	if (!from)
		return 0;
	from->call = o->e->call;
	return tape_ops_rename(o, from, o->e->request);
}

/* ---- events ---- */

/* A receive was seen to be complete: its message is there. */
static int add_query_probe(struct tape_ops *o, const struct tape_query *u)
{
	struct tape_request *r = tape_ops_find_request(o, u->asked);

	/* of a message in parts one of them is there */
	if (!u->flag || !r || !r->is_recv || !r->active || !r->posted ||
	    r->channel)
		return 0;
	return tape_ops_add(o, TAPE_OP_PROBE, r) ? 0 : TAPE_ENOMEM;
}

static int add_event_ops(struct tape_ops *o, const struct tape_event *e)
{
	const union tape_fields *u = &e->u;
	struct tape_mprobe m;

	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_SEND:
		return add_blocking_send(o, &u->send);
	case TAPE_CLASS_RECV:
		return add_blocking_receive(o, &u->recv);
	case TAPE_CLASS_SENDRECV:
		return add_sendrecv(o, &u->sendrecv);
	case TAPE_CLASS_MCAST:
		return add_multicast(o, &u->mcast);
	case TAPE_CLASS_NRECV:
		return u->nrecv.flag ? receive_now(o, &u->nrecv) : 0;
	case TAPE_CLASS_ISEND:
		return begin_nonblocking(o, &u->isend, 1);
	case TAPE_CLASS_IRECV:
		if (tape_call_traits(e->call) & TAPE_TRAIT_PARTITIONED)
			return tape_ops_parts_init(o, &(struct tape_psend){
				.peer = u->irecv.peer, .tag = u->irecv.tag,
				.bytes = u->irecv.bytes,
				.comm = u->irecv.comm }, 0);
		return begin_nonblocking(
		    o,
		    &(struct tape_isend){.peer = u->irecv.peer,
					 .tag = u->irecv.tag,
					 .bytes = u->irecv.bytes,
					 .comm = u->irecv.comm},
		    0);
	case TAPE_CLASS_START:
		return start_all(o);
	case TAPE_CLASS_PROBE:
		return add_probe(o, &u->probe);
	case TAPE_CLASS_IPROBE:
		return u->iprobe.flag
			   ? add_probe(o,
				       &(struct tape_probe){
					   .comm = u->iprobe.comm,
					   .actual_peer = u->iprobe.actual_peer,
					   .actual_tag = u->iprobe.actual_tag,
					   .bytes = u->iprobe.bytes,
					   .arrived = 2})
			   : 0;
	case TAPE_CLASS_MPROBE:
		return take_message(o, &u->mprobe);
	case TAPE_CLASS_IMPROBE:
		m = mprobe_from_improbe(&u->improbe);
		return u->improbe.flag ? take_message(o, &m) : 0;
	case TAPE_CLASS_IMRECV:
		return transfer_matched_probe(o);
	case TAPE_CLASS_MRECV:
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
		return end_requests(o);
	case TAPE_CLASS_QUERY:
		return add_query_probe(o, &u->query);
	case TAPE_CLASS_GREQUEST:
	case TAPE_CLASS_IRMA:
		return tape_ops_create(o) ? 0 : TAPE_ENOMEM;
	case TAPE_CLASS_REQ:
		return free_or_cancel(o);
	case TAPE_CLASS_COLL:
		return tape_ops_coll(o, &u->coll);
	case TAPE_CLASS_PSEND:
		return tape_ops_parts_init(o, &u->psend, 1);
	case TAPE_CLASS_PREADY:
		return parts_ready(o, u->pready.n);
	case TAPE_CLASS_ISENDRECV:
		return begin_isendrecv_pair(o, &u->isendrecv);
	case TAPE_CLASS_ICOLL:
		if (tape_call_traits(e->call) & TAPE_TRAIT_PERSISTENT)
			return tape_ops_coll_init(o, &u->icoll);
		return tape_ops_begin_collective(o, u->icoll.comm,
						 u->icoll.root);
	case TAPE_CLASS_COMM_NEW:
		return tape_ops_comm_new(o, &u->comm_new);
	case TAPE_CLASS_COMM_INEW:
		return tape_ops_begin_collective(o, u->comm_inew.comm, -1);
	case TAPE_CLASS_COMM_FREE:
		return tape_ops_collective_if(o, u->comm_free.comm);
	case TAPE_CLASS_WIN_NEW:
		return tape_ops_collective(o, u->win_new.comm, -1);
	case TAPE_CLASS_FILE_NEW:
		return tape_ops_collective(o, u->file_new.comm, -1);
	case TAPE_CLASS_PSCW:
		return tape_ops_pscw(o, u->pscw.comm, u->pscw.group);
	case TAPE_CLASS_WINTEST:
		return u->wintest.flag ? tape_ops_pscw(o, u->wintest.comm, 0)
				       : 0;
	case TAPE_CLASS_IO:
		return tape_ops_io(o, u->io.comm);
	case TAPE_CLASS_IO_AT:
		return tape_ops_io(o, u->io_at.comm);
	case TAPE_CLASS_IIO:
		return tape_ops_begin_if(o, u->iio.comm);
	case TAPE_CLASS_IIO_AT:
		return tape_ops_begin_if(o, u->iio_at.comm);
	/* what they move, or wait for at a target, shows nowhere else */
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_SPAWN:
	case TAPE_CLASS_PACK:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
	case TAPE_CLASS_THREAD:
	case TAPE_CLASS_BLOCK:
	case TAPE_CLASS_PROCESSOR:
	case TAPE_CLASS_PTHREAD:
	case TAPE_CLASS_COUNT:
		break;
	case TAPE_CLASS_COUNTED:
		return tape_channels_add(&o->s->channels, e);
	}
	return 0;
}

int tape_ops_append(struct tape_ops *o, const struct tape_event *e,
		    struct tape_ops_list *l)
{
	int before = l->n, rc;

	o->l = l;
	o->e = e;
	o->events++;
	o->behind = 0;
	rc = add_event_ops(o, e);
	return rc ? rc : l->n - before;
}

int tape_ops_of(struct tape_ops *o, const struct tape_event *e,
		struct tape_op **list)
{
	int rc;

	tape_ops_clear(o, &o->own);
	rc = tape_ops_append(o, e, &o->own);
	*list = o->own.op;
	return rc;
}

int tape_ops_end(struct tape_ops *o, struct tape_op **list)
{
	int rc;

	o->l = &o->own;
	tape_ops_clear(o, o->l);
	rc = tape_ops_end_all_receives(o);
	*list = o->own.op;
	return rc ? rc : o->own.n;
}
