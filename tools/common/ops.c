/* Events to operations; see ops.h. */
#include <stdlib.h>
#include <string.h>

#include "pending.h"

static struct shared *make_shared(size_t n_comms)
{
	struct shared *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->mask = 63;
	s->table = calloc(s->mask + 1, sizeof *s->table);
	s->comms = calloc(n_comms + 1, sizeof *s->comms);
	if (!s->table || !s->comms) {
		free(s->table);
		free(s->comms);
		free(s);
		return NULL;
	}
	for (size_t i = 0; i < n_comms; i++)
		s->comms[i].known = -1;
	return s;
}

struct tape_ops *tape_ops_new(const struct tape_trace *t, int rank,
			      const struct tape_ops *other)
{
	struct tape_ops *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->rank = tape_trace_rank(t, rank);
	o->world = rank;
	o->s = other ? other->s : make_shared(o->rank->n_comms);
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
	for (int i = 0; i < o->n_dead; i++)
		free(o->dead[i]);
	if (!--o->s->flows) {
		ops_free_list(o->s);
		for (uint64_t i = 0; i <= o->s->mask; i++)
			free(o->s->table[i]);
		for (size_t i = 0; i < o->rank->n_comms; i++)
			free(o->s->comms[i].split);
		free(o->s->table);
		free(o->s->comms);
		free(o->s);
	}
	free(o->dead);
	free(o->list);
	free(o);
}

void tape_ops_in_order(struct tape_ops *o)
{
	o->s->in_order = 1;
}

uint64_t tape_ops_unknown(const struct tape_ops *o)
{
	return o->s->unknown;
}

/* ---- communicators ---- */

static const struct tape_comm_info *comm_of(const struct tape_ops *o,
					    uint32_t index)
{
	return index && index < o->rank->n_comms && o->rank->comms[index].index
		       ? &o->rank->comms[index]
		       : NULL;
}

/* -1: not in the trace. */
static int world_rank(const struct tape_comm_info *c, int peer)
{
	return peer >= 0 && peer < c->size ? c->members[peer] : -1;
}

/* r is about messages of that communicator; -1: it is none. */
static int set_comm(const struct tape_ops *o, struct tape_pending *r,
		    uint32_t comm)
{
	const struct tape_comm_info *c = comm_of(o, comm);

	r->comm = r->begun.comm = comm;
	if (!c)
		return -1;
	r->key.comm = c->id;
	/* of the two directions, the one from group 0 is 1 */
	r->key.way = c->side < 0 ? 0 : 1 + (r->is_send ? c->side : !c->side);
	return 0;
}

/* r's message is known; -1: there is none. */
static int set_key(const struct tape_ops *o, struct tape_pending *r, int peer,
		   int tag)
{
	const struct tape_comm_info *c = comm_of(o, r->comm);
	int other;

	if (!c || peer < 0)
		return -1;
	other = world_rank(c, peer);
	r->key.src = r->is_send ? c->rank : peer;
	r->key.dst = r->is_send ? peer : c->rank;
	r->key.tag = tag;
	r->from = r->is_send ? o->world : other;
	r->to = r->is_send ? other : o->world;
	return 0;
}

/* ---- messages ---- */

static int send_now(struct tape_ops *o, struct tape_pending *r, int blocking)
{
	struct tape_op *op = ops_add(o, TAPE_OP_SEND, r);

	if (!op)
		return TAPE_ENOMEM;
	op->blocking = blocking;
	r->posted = 1;
	return 0;
}

/* A send or receive as passed to a call begins. */
static int begin(struct tape_ops *o, struct tape_pending *r, int blocking)
{
	int wild = r->is_recv && (r->peer == TAPE_ANY_SOURCE ||
				  r->tag == TAPE_ANY_TAG);

	ops_begun(o, r);
	if (set_comm(o, r, r->comm) || r->peer == TAPE_PROC_NULL ||
	    (!wild && set_key(o, r, r->peer, r->tag)))
		return 0;
	if (r->is_send)
		return send_now(o, r, blocking);
	r->has_key = (uint8_t)!wild;
	return ops_receive(o, r);
}

/* A receive ends, with what its status says. */
static int receive_end(struct tape_ops *o, struct tape_pending *r, int peer,
		       int tag, uint64_t bytes, uint32_t arrived)
{
	if (!r->has_key && set_key(o, r, peer, tag))
		return ops_receive_none(o, r);
	r->bytes = bytes;
	r->arrived = arrived;
	return ops_receive_end(o, r);
}

static int send_end(struct tape_ops *o, struct tape_pending *r)
{
	return !r->posted || ops_add(o, TAPE_OP_SEND_END, r) ? 0 : TAPE_ENOMEM;
}

/* A blocking send; alone: nothing else in the call keeps it from blocking. */
static int send_begin(struct tape_ops *o, const struct tape_send *u, int alone)
{
	struct tape_pending *r = ops_blocking(o, 0);

	r->is_send = 1;
	r->comm = u->comm;
	r->peer = u->peer;
	r->tag = u->tag;
	r->bytes = u->bytes;
	return begin(o, r, alone);
}

/* A blocking receive, from begin to end. */
static int receive(struct tape_ops *o, const struct tape_recv *u)
{
	struct tape_pending *r = ops_blocking(o, 1);

	r->is_recv = 1;
	r->peer = u->peer;
	r->tag = u->tag;
	ops_begun(o, r);
	if (set_comm(o, r, u->comm) || u->peer == TAPE_PROC_NULL)
		return 0;
	return receive_end(o, r, u->actual_peer, u->actual_tag, u->bytes,
			   u->arrived);
}

static int send(struct tape_ops *o, const struct tape_send *u)
{
	int rc = send_begin(o, u, 1);

	return rc ? rc : send_end(o, &o->local[0]);
}

static int sendrecv(struct tape_ops *o, const struct tape_sendrecv *u)
{
	struct tape_send s = { .peer = u->peer, .tag = u->tag,
			       .bytes = u->bytes, .comm = u->comm };
	struct tape_recv r = { .peer = u->rpeer, .tag = u->rtag,
			       .comm = u->comm, .actual_peer = u->actual_peer,
			       .actual_tag = u->actual_tag, .bytes = u->rbytes,
			       .arrived = u->arrived };
	int rc = send_begin(o, &s, 0);

	if (!rc)
		rc = receive(o, &r);
	return rc ? rc : send_end(o, &o->local[0]);
}

static int is_persistent(unsigned call)
{
	return call >= TAPE_CALL_MPI_Send_init && call <= TAPE_CALL_MPI_Recv_init;
}

static int nonblocking(struct tape_ops *o, const struct tape_isend *u,
		       int sends)
{
	struct tape_pending *r = ops_create(o);

	if (!r)
		return TAPE_ENOMEM;
	r->is_send = (uint8_t)sends;
	r->is_recv = (uint8_t)!sends;
	r->bytes = u->bytes;
	r->comm = u->comm;
	r->peer = u->peer;
	r->tag = u->tag;
	r->persistent = (uint8_t)is_persistent(o->e->call);
	return r->persistent ? 0 : begin(o, r, 0);
}

static int start_all(struct tape_ops *o)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < o->e->n_done; i++) {
		struct tape_pending *r = ops_request(o, o->e->done[i].request);

		if (r && r->persistent)
			rc = begin(o, r, 0);
	}
	return rc;
}

/* A request that the event completed. */
static int done(struct tape_ops *o, const struct tape_done *d)
{
	struct tape_pending *r = ops_request(o, d->request);
	int rc = 0;

	if (!r)
		return 0;
	if (!r->active)
		return r->persistent ? 0 : ops_forget(o, r);
	if (d->kind == TAPE_DONE_CANCELLED && r->is_recv)
		rc = ops_receive_none(o, r);
	else if (d->kind == TAPE_DONE_CANCELLED && r->is_send)
		rc = !r->posted || ops_add(o, TAPE_OP_CANCEL, r) ? 0
								 : TAPE_ENOMEM;
	else if (r->is_recv && d->kind == TAPE_DONE_RECV)
		rc = receive_end(o, r, d->peer, d->tag, d->bytes, d->arrived);
	else if (r->is_recv && (r->posted || r->listed))
		rc = ops_receive_gone(o, r, 1); /* it failed */
	else if (r->is_send)
		rc = send_end(o, r);
	else if (r->is_coll && r->posted)
		rc = ops_add(o, TAPE_OP_LEAVE, r) ? 0 : TAPE_ENOMEM;
	r->active = 0;
	if (!rc && !r->persistent)
		rc = ops_forget(o, r);
	return rc;
}

static int done_all(struct tape_ops *o)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < o->e->n_done; i++)
		rc = done(o, &o->e->done[i]);
	return rc;
}

/* A freed request goes on, but nothing will tell of its end. */
static int request_free(struct tape_ops *o)
{
	struct tape_pending *r;
	int rc = 0;

	if (o->e->call != TAPE_CALL_MPI_Request_free || !o->e->n_done)
		return 0;
	r = o->e->done[0].request ? *ops_find(o, o->e->done[0].request) : NULL;
	if (!r)
		return 0;
	if (r->is_send && r->active)
		rc = send_end(o, r);
	else if (r->is_recv && r->active && (r->posted || r->listed))
		rc = ops_receive_gone(o, r, 0);
	return rc ? rc : ops_forget(o, r);
}

/* ---- probes ---- */

static int probe(struct tape_ops *o, const struct tape_probe *u)
{
	struct tape_pending *r = ops_blocking(o, 0);
	struct tape_op *op;

	r->is_recv = 1;
	if (set_comm(o, r, u->comm) ||
	    set_key(o, r, u->actual_peer, u->actual_tag))
		return 0;
	op = ops_add(o, TAPE_OP_PROBE, r);
	if (!op)
		return TAPE_ENOMEM;
	op->bytes = u->bytes;
	op->arrived = u->arrived;
	return 0;
}

/* A matched probe takes the message: a receive that ends at the mrecv. */
static int take_message(struct tape_ops *o, const struct tape_mprobe *u)
{
	struct tape_pending *r = ops_create(o);
	struct tape_op *op;
	int posted, rc;

	if (!r)
		return TAPE_ENOMEM;
	r->is_recv = 1;
	r->bytes = u->bytes;
	r->peer = u->peer;
	r->tag = u->tag;
	ops_begun(o, r);
	if (set_comm(o, r, u->comm) ||
	    set_key(o, r, u->actual_peer, u->actual_tag))
		return 0;
	r->has_key = 1;
	rc = ops_take(o, r, &posted);
	if (rc || !posted)
		return rc;
	op = ops_add(o, TAPE_OP_PROBE, r);
	if (!op)
		return TAPE_ENOMEM;
	op->arrived = u->arrived;
	return 0;
}

static struct tape_mprobe of_iprobe(const struct tape_improbe *u)
{
	return (struct tape_mprobe){ .peer = u->peer, .tag = u->tag,
				     .comm = u->comm,
				     .actual_peer = u->actual_peer,
				     .actual_tag = u->actual_tag,
				     .bytes = u->bytes, .arrived = 2 };
}

/* imrecv: the request takes over what the message handle stood for. */
static int hand_over(struct tape_ops *o)
{
	struct tape_pending *from = o->e->n_done
					    ? ops_request(o,
						o->e->done[0].request)
					    : NULL;
	struct tape_pending *to, copy;
	int listed;

	if (!from)
		return 0;
	/* while it has two places, the list shall point to neither */
	copy = *from;
	listed = from->listed;
	from->listed = 0;
	if (ops_forget(o, from))
		return TAPE_ENOMEM;
	to = ops_create(o);
	if (!to)
		return TAPE_ENOMEM;
	copy.number = to->number;
	copy.call = to->call;
	copy.listed = (uint8_t)listed;
	ops_take_over(o, to, &copy);
	return 0;
}

/* ---- collectives ---- */

/* How many members of both groups are in the trace. */
static int32_t known_members(const struct tape_ops *o,
			     const struct tape_comm_info *c)
{
	int32_t *known = &o->s->comms[c->index].known;

	if (*known >= 0)
		return *known;
	*known = 0;
	for (int i = 0; i < c->size; i++)
		*known += c->members[i] >= 0;
	for (int i = 0; c->side >= 0 && i < c->own_size; i++)
		*known += c->own[i] >= 0;
	return *known;
}

/* Between two groups; the numbers of group 0 come first. */
static void enter_inter(struct tape_pending *r, const struct tape_comm_info *c,
			int root)
{
	int own = c->side ? c->size : 0, other = c->side ? 0 : c->own_size;

	r->size = c->size + c->own_size;
	r->rank = own + c->rank;
	r->last = r->size;
	if (root >= 0)
		r->root = world_rank(c, root) < 0 ? -1 : other + root;
	else
		r->root = root == TAPE_ROOT ? r->rank : -1;
	/* what comes together at a root comes from the other group */
	if (r->shape == TAPE_SHAPE_TO) {
		r->first = other;
		r->last = other + c->size;
	}
}

static int enter(struct tape_ops *o, struct tape_pending *r, uint32_t comm,
		 int root)
{
	const struct tape_comm_info *c = comm_of(o, comm);

	if (!c)
		return 0;
	r->is_coll = 1;
	r->active = 1;
	r->comm = comm;
	r->key.comm = c->id;
	r->k = o->s->comms[comm].rounds++;
	r->shape = tape_call_shape(r->call);
	if (r->shape == TAPE_SHAPE_NONE)
		r->shape = TAPE_SHAPE_ALL;
	r->known = known_members(o, c);
	if (c->side >= 0) {
		enter_inter(r, c, root);
	} else {
		r->size = r->last = c->size;
		r->rank = c->rank;
		r->root = world_rank(c, root) < 0 ? -1 : root;
	}
	r->sources = c->sources;
	r->n_sources = c->n_sources;
	r->posted = 1;
	return ops_add(o, TAPE_OP_ENTER, r) ? 0 : TAPE_ENOMEM;
}

static int collective(struct tape_ops *o, uint32_t comm, int root)
{
	struct tape_pending *r = ops_blocking(o, 0);
	int rc = enter(o, r, comm, root);

	if (rc || !r->posted)
		return rc;
	o->list[o->n - 1].blocking = 1;
	return ops_add(o, TAPE_OP_LEAVE, r) ? 0 : TAPE_ENOMEM;
}

static int begin_collective(struct tape_ops *o, uint32_t comm, int root)
{
	struct tape_pending *r = ops_create(o);

	return r ? enter(o, r, comm, root) : TAPE_ENOMEM;
}

/* Is it a call of all, in a class that has calls of one process too? */
static int together(const struct tape_ops *o)
{
	return tape_call_shape(o->e->call) == TAPE_SHAPE_ALL;
}

static int collective_if(struct tape_ops *o, uint32_t comm)
{
	return together(o) ? collective(o, comm, -1) : 0;
}

/* A non-blocking one of either kind creates a request. */
static int begin_if(struct tape_ops *o, uint32_t comm)
{
	if (together(o))
		return begin_collective(o, comm, -1);
	return ops_create(o) ? 0 : TAPE_ENOMEM;
}

/*
 * A new communicator: all members of the old one take part, like in a barrier;
 * except where only its own members do, of one group or of two that have no
 * other communicator in common.
 */
static int comm_new(struct tape_ops *o, const struct tape_comm_new *u)
{
	int own = o->e->call == TAPE_CALL_MPI_Comm_create_group ||
		  o->e->call == TAPE_CALL_MPI_Intercomm_create;

	return collective(o, own ? u->newcomm : u->comm, -1);
}

/* ---- files ---- */

enum split { NOT_SPLIT, SPLIT_BEGIN, SPLIT_END };

/* Collectives in two calls, one at a time for each file. */
static enum split is_split(unsigned call)
{
	if (call >= TAPE_CALL_MPI_File_read_all_begin &&
	    call <= TAPE_CALL_MPI_File_read_ordered_begin)
		return SPLIT_BEGIN;
	if (call >= TAPE_CALL_MPI_File_write_all_begin &&
	    call <= TAPE_CALL_MPI_File_write_ordered_begin)
		return SPLIT_BEGIN;
	if (call >= TAPE_CALL_MPI_File_read_all_end &&
	    call <= TAPE_CALL_MPI_File_read_ordered_end)
		return SPLIT_END;
	if (call >= TAPE_CALL_MPI_File_write_all_end &&
	    call <= TAPE_CALL_MPI_File_write_ordered_end)
		return SPLIT_END;
	return NOT_SPLIT;
}

static int split_begin(struct tape_ops *o, uint32_t comm)
{
	struct comm_state *s = &o->s->comms[comm];
	struct tape_pending *r;

	if (!comm_of(o, comm) || s->split)
		return 0;
	r = ops_own(o);
	if (!r)
		return TAPE_ENOMEM;
	s->split = r;
	return enter(o, r, comm, -1);
}

static int split_end(struct tape_ops *o, uint32_t comm)
{
	struct comm_state *s = &o->s->comms[comm];
	struct tape_pending *r = s->split;
	int rc;

	if (!comm_of(o, comm) || !r)
		return 0;
	s->split = NULL;
	rc = ops_let_die(o, r);
	return rc ? rc : ops_add(o, TAPE_OP_LEAVE, r) ? 0 : TAPE_ENOMEM;
}

static int io(struct tape_ops *o, uint32_t comm)
{
	return is_split(o->e->call) == SPLIT_BEGIN ? split_begin(o, comm)
						   : collective_if(o, comm);
}

static int coll(struct tape_ops *o, const struct tape_coll *u)
{
	return is_split(o->e->call) == SPLIT_END
		       ? split_end(o, u->comm)
		       : collective(o, u->comm, u->root);
}

/* ---- windows ---- */

/* What ranks of a group tell each other, as tags. */
enum { MAY_START = 1, MAY_LEAVE, LEFT };

/* The event tells each rank of the group something, or hears it from each. */
static int each_of(struct tape_ops *o, uint32_t comm, uint32_t group,
		   enum tape_op_kind kind, int what)
{
	const struct tape_comm_info *c = comm_of(o, comm);
	const struct tape_group_info *g =
		group < o->rank->n_groups ? &o->rank->groups[group] : NULL;

	for (size_t i = 0; c && g && i < g->n; i++) {
		struct tape_pending *r = ops_own(o);
		int tells = kind == TAPE_OP_TELL;

		if (!r || ops_let_die(o, r))
			return TAPE_ENOMEM;
		r->from = r->key.src = tells ? o->world : g->ranks[i];
		r->to = r->key.dst = tells ? g->ranks[i] : o->world;
		r->key.comm = c->id;
		r->key.tag = what;
		if (g->ranks[i] >= 0 && !ops_add(o, kind, r))
			return TAPE_ENOMEM;
		if (g->ranks[i] >= 0)
			o->list[o->n - 1].weak = what == MAY_START;
	}
	return 0;
}

/*
 * Post opens a window to a group; start may wait for that, complete has to,
 * and wait, or a test, waits for complete.
 */
static int pscw(struct tape_ops *o, uint32_t comm, uint32_t group)
{
	struct comm_state *s;
	uint32_t was;
	int rc;

	if (!comm_of(o, comm))
		return 0;
	s = &o->s->comms[comm];
	switch (o->e->call) {
	case TAPE_CALL_MPI_Win_post:
		s->posted = group;
		rc = each_of(o, comm, group, TAPE_OP_TELL, MAY_START);
		return rc ? rc
			  : each_of(o, comm, group, TAPE_OP_TELL, MAY_LEAVE);
	case TAPE_CALL_MPI_Win_start:
		s->started = group;
		return each_of(o, comm, group, TAPE_OP_HEAR, MAY_START);
	case TAPE_CALL_MPI_Win_complete:
		was = s->started;
		s->started = 0;
		rc = each_of(o, comm, was, TAPE_OP_HEAR, MAY_LEAVE);
		return rc ? rc : each_of(o, comm, was, TAPE_OP_TELL, LEFT);
	default:
		was = s->posted;
		s->posted = 0;
		return each_of(o, comm, was, TAPE_OP_HEAR, LEFT);
	}
}

/* ---- events ---- */

static int of_event(struct tape_ops *o, const struct tape_event *e)
{
	const union tape_fields *u = &e->u;
	struct tape_mprobe m;

	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_SEND:
		return send(o, &u->send);
	case TAPE_CLASS_RECV:
		return receive(o, &u->recv);
	case TAPE_CLASS_SENDRECV:
		return sendrecv(o, &u->sendrecv);
	case TAPE_CLASS_ISEND:
		return nonblocking(o, &u->isend, 1);
	case TAPE_CLASS_IRECV:
		return nonblocking(o, &(struct tape_isend){
			.peer = u->irecv.peer, .tag = u->irecv.tag,
			.bytes = u->irecv.bytes, .comm = u->irecv.comm }, 0);
	case TAPE_CLASS_START:
		return start_all(o);
	case TAPE_CLASS_PROBE:
		return probe(o, &u->probe);
	case TAPE_CLASS_IPROBE:
		return u->iprobe.flag
			       ? probe(o, &(struct tape_probe){
					 .comm = u->iprobe.comm,
					 .actual_peer = u->iprobe.actual_peer,
					 .actual_tag = u->iprobe.actual_tag,
					 .bytes = u->iprobe.bytes,
					 .arrived = 2 })
			       : 0;
	case TAPE_CLASS_MPROBE:
		return take_message(o, &u->mprobe);
	case TAPE_CLASS_IMPROBE:
		m = of_iprobe(&u->improbe);
		return u->improbe.flag ? take_message(o, &m) : 0;
	case TAPE_CLASS_IMRECV:
		return hand_over(o);
	case TAPE_CLASS_MRECV:
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
		return done_all(o);
	case TAPE_CLASS_REQ:
		return request_free(o);
	case TAPE_CLASS_COLL:
		return coll(o, &u->coll);
	case TAPE_CLASS_ICOLL:
		return begin_collective(o, u->icoll.comm, u->icoll.root);
	case TAPE_CLASS_COMM_NEW:
		return comm_new(o, &u->comm_new);
	case TAPE_CLASS_COMM_INEW:
		return begin_collective(o, u->comm_inew.comm, -1);
	case TAPE_CLASS_COMM_FREE:
		return collective_if(o, u->comm_free.comm);
	case TAPE_CLASS_WIN_NEW:
		return collective(o, u->win_new.comm, -1);
	case TAPE_CLASS_FILE_NEW:
		return collective(o, u->file_new.comm, -1);
	case TAPE_CLASS_IRMA:
		return ops_create(o) ? 0 : TAPE_ENOMEM;
	case TAPE_CLASS_PSCW:
		return pscw(o, u->pscw.comm, u->pscw.group);
	case TAPE_CLASS_WINTEST:
		return u->wintest.flag ? pscw(o, u->wintest.comm, 0) : 0;
	case TAPE_CLASS_IO:
		return io(o, u->io.comm);
	case TAPE_CLASS_IO_AT:
		return io(o, u->io_at.comm);
	case TAPE_CLASS_IIO:
		return begin_if(o, u->iio.comm);
	case TAPE_CLASS_IIO_AT:
		return begin_if(o, u->iio_at.comm);
	/* what they move, or wait for at a target, shows nowhere else */
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
	case TAPE_CLASS_COUNT:
		break;
	}
	return 0;
}

int tape_ops_of(struct tape_ops *o, const struct tape_event *e,
		struct tape_op **list)
{
	int rc;

	o->spare = o->n_dead;
	o->n = 0;
	o->e = e;
	o->events++;
	rc = of_event(o, e);
	*list = o->list;
	return rc ? rc : o->n;
}

int tape_ops_end(struct tape_ops *o, struct tape_op **list)
{
	int rc;

	o->spare = o->n_dead;
	o->n = 0;
	rc = ops_receive_rest(o);
	*list = o->list;
	return rc ? rc : o->n;
}
