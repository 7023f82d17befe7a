/* Events to operations; see ops.h. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

/* What the flows of one rank have in common. */
struct shared {
	struct tape_pending **table; /* by request number */
	uint64_t mask, used;
	uint64_t *rounds;            /* collectives so far, by communicator */
	uint64_t unknown;
	int flows;
};

struct tape_ops {
	const struct tape_rank_info *rank;
	int world;
	struct shared *s;
	struct tape_op *list;
	int n, room;
	struct tape_pending local[2]; /* of a blocking call */
	/* those done with: the first spare ones before this event, to be used
	 * again, then those of this event */
	struct tape_pending **dead;
	int spare, n_dead, dead_room;
};

static struct shared *make_shared(size_t n_comms)
{
	struct shared *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->mask = 63;
	s->table = calloc(s->mask + 1, sizeof *s->table);
	s->rounds = calloc(n_comms + 1, sizeof *s->rounds);
	if (s->table && s->rounds)
		return s;
	free(s->table);
	free(s->rounds);
	free(s);
	return NULL;
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
		for (uint64_t i = 0; i <= o->s->mask; i++)
			free(o->s->table[i]);
		free(o->s->table);
		free(o->s->rounds);
		free(o->s);
	}
	free(o->dead);
	free(o->list);
	free(o);
}

uint64_t tape_ops_unknown(const struct tape_ops *o)
{
	return o->s->unknown;
}

/* ---- requests by number ---- */

static uint64_t place(const struct tape_ops *o, uint64_t number)
{
	return (number * 0x9e3779b97f4a7c15u >> 24) & o->s->mask;
}

static struct tape_pending **find(struct tape_ops *o, uint64_t number)
{
	uint64_t i = place(o, number);

	while (o->s->table[i] && o->s->table[i]->number != number)
		i = (i + 1) & o->s->mask;
	return &o->s->table[i];
}

static struct tape_pending *create(struct tape_ops *o,
				   const struct tape_event *e)
{
	struct tape_pending **at, *p;

	if (2 * o->s->used > o->s->mask) {
		uint64_t n = o->s->mask + 1;
		struct tape_pending **old = o->s->table;

		o->s->table = calloc(2 * n, sizeof *o->s->table);
		if (!o->s->table) {
			o->s->table = old;
			return NULL;
		}
		o->s->mask = 2 * n - 1;
		for (uint64_t i = 0; i < n; i++)
			if (old[i])
				*find(o, old[i]->number) = old[i];
		free(old);
	}
	at = find(o, e->request);
	if (!*at) {
		if (o->spare) {
			*at = o->dead[--o->spare];
			o->dead[o->spare] = o->dead[--o->n_dead];
		} else if (!(*at = malloc(sizeof **at))) {
			return NULL;
		}
		o->s->used++;
	}
	p = *at;
	memset(p, 0, sizeof *p);
	p->number = e->request;
	p->call = e->call;
	p->slot = TAPE_NO_SLOT;
	return p;
}

/* Takes a request out of the table; it is valid until the next event. */
static int forget(struct tape_ops *o, struct tape_pending *p)
{
	uint64_t hole, i;

	if (!p->number)
		return 0;
	if (o->n_dead == o->dead_room) {
		int room = o->dead_room ? 2 * o->dead_room : 16;
		struct tape_pending **d = realloc(o->dead,
						  (size_t)room * sizeof *d);

		if (!d)
			return -1;
		o->dead = d;
		o->dead_room = room;
	}
	hole = (uint64_t)(find(o, p->number) - o->s->table);
	for (i = hole;;) {
		i = (i + 1) & o->s->mask;
		if (!o->s->table[i])
			break;
		if (((i - place(o, o->s->table[i]->number)) & o->s->mask) >=
		    ((i - hole) & o->s->mask)) {
			o->s->table[hole] = o->s->table[i];
			hole = i;
		}
	}
	o->s->table[hole] = NULL;
	o->s->used--;
	o->dead[o->n_dead++] = p;
	return 0;
}

/* ---- operations ---- */

static struct tape_op *add(struct tape_ops *o, enum tape_op_kind kind,
			   struct tape_pending *r)
{
	struct tape_op *op;

	if (o->n == o->room) {
		int room = o->room ? 2 * o->room : 16;
		struct tape_op *l = realloc(o->list, (size_t)room * sizeof *l);

		if (!l)
			return NULL;
		o->list = l;
		o->room = room;
	}
	op = &o->list[o->n++];
	memset(op, 0, sizeof *op);
	op->kind = kind;
	op->r = r;
	op->arrived = 2;
	if (r) {
		op->key = r->key;
		op->bytes = r->bytes;
	}
	return op;
}

static const struct tape_comm_info *comm_of(const struct tape_ops *o,
					    uint32_t index)
{
	return index && index < o->rank->n_comms && o->rank->comms[index].index
		       ? &o->rank->comms[index]
		       : NULL;
}

static int world_rank(const struct tape_comm_info *c, int peer)
{
	return c && peer >= 0 && peer < c->size && c->members ? c->members[peer]
							      : -1;
}

/* Fills r's key; 0 when the message is one that can be matched. */
static int set_key(const struct tape_ops *o, struct tape_pending *r,
		   uint32_t comm, int peer, int tag, int sends)
{
	const struct tape_comm_info *c = comm_of(o, comm);
	int other = world_rank(c, peer);

	r->comm = comm;
	if (other < 0)
		return -1;
	r->key.comm = c->id;
	r->key.src = sends ? o->world : other;
	r->key.dst = sends ? other : o->world;
	r->key.tag = tag;
	return 0;
}

static int send_now(struct tape_ops *o, struct tape_pending *r, int blocking)
{
	struct tape_op *op = add(o, TAPE_OP_SEND, r);

	if (!op)
		return TAPE_ENOMEM;
	op->blocking = blocking;
	r->posted = 1;
	return 0;
}

static int post_now(struct tape_ops *o, struct tape_pending *r)
{
	r->posted = 1;
	return add(o, TAPE_OP_POST, r) ? 0 : TAPE_ENOMEM;
}

/* A receive ends: posts it now if its source was open until here. */
static int recv_end(struct tape_ops *o, struct tape_pending *r, int peer,
		    int tag, uint64_t bytes, uint32_t arrived)
{
	struct tape_op *op;

	if (!r->posted &&
	    (set_key(o, r, r->comm, peer, tag, 0) || post_now(o, r)))
		return 0;
	r->bytes = bytes;
	op = add(o, TAPE_OP_RECV_END, r);
	if (!op)
		return TAPE_ENOMEM;
	op->arrived = arrived;
	return 0;
}

static struct tape_pending *blocking(struct tape_ops *o, int which,
				     const struct tape_event *e)
{
	struct tape_pending *r = &o->local[which];

	memset(r, 0, sizeof *r);
	r->call = e->call;
	r->slot = TAPE_NO_SLOT;
	return r;
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
	r->k = o->s->rounds[comm]++;
	r->size = c->size;
	r->rank = c->rank;
	r->root = root;
	r->shape = tape_call_shape(r->call);
	if (r->shape == TAPE_SHAPE_NONE)
		r->shape = TAPE_SHAPE_ALL;
	r->posted = 1;
	return add(o, TAPE_OP_ENTER, r) ? 0 : TAPE_ENOMEM;
}

/* A request that the event completed. */
static int done(struct tape_ops *o, const struct tape_event *e,
		const struct tape_done *d)
{
	struct tape_pending *r = d->request ? *find(o, d->request) : NULL;
	int rc = 0;

	(void)e;
	if (!r) {
		o->s->unknown++;
		return 0;
	}
	if (d->kind == TAPE_DONE_CANCELLED) {
		if (r->is_recv && r->posted)
			rc = add(o, TAPE_OP_CANCEL, r) ? 0 : TAPE_ENOMEM;
	} else if (r->is_recv && d->kind == TAPE_DONE_RECV) {
		rc = recv_end(o, r, d->peer, d->tag, d->bytes, d->arrived);
	} else if (r->is_send && r->posted) {
		rc = add(o, TAPE_OP_SEND_END, r) ? 0 : TAPE_ENOMEM;
	} else if (r->is_coll && r->posted) {
		rc = add(o, TAPE_OP_LEAVE, r) ? 0 : TAPE_ENOMEM;
	}
	r->active = 0;
	if (!r->persistent)
		return forget(o, r) ? TAPE_ENOMEM : rc;
	return rc;
}

/* A send or receive that a request stands for begins. */
static int begin(struct tape_ops *o, struct tape_pending *r, int peer, int tag)
{
	r->active = 1;
	r->posted = 0;
	if (r->is_send)
		return set_key(o, r, r->comm, peer, tag, 1) ? 0
							    : send_now(o, r, 0);
	if (peer == TAPE_ANY_SOURCE || tag == TAPE_ANY_TAG)
		return 0; /* posted when its message is known */
	return set_key(o, r, r->comm, peer, tag, 0) ? 0 : post_now(o, r);
}

static int is_persistent(unsigned call)
{
	return call >= TAPE_CALL_MPI_Send_init && call <= TAPE_CALL_MPI_Recv_init;
}

static int nonblocking(struct tape_ops *o, const struct tape_event *e, int sends,
		       int peer, int tag, uint64_t bytes, uint32_t comm)
{
	struct tape_pending *r = create(o, e);

	if (!r)
		return TAPE_ENOMEM;
	r->is_send = (uint8_t)sends;
	r->is_recv = (uint8_t)!sends;
	r->bytes = bytes;
	r->comm = comm;
	r->persistent = (uint8_t)is_persistent(e->call);
	/* a persistent one keeps what it was created with in the key */
	r->key.src = peer;
	r->key.tag = tag;
	if (r->persistent) {
		r->root = peer;
		r->rank = tag;
		return 0;
	}
	return begin(o, r, peer, tag);
}

static int start_all(struct tape_ops *o, const struct tape_event *e)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < e->n_done; i++) {
		struct tape_pending *r = e->done[i].request
						 ? *find(o, e->done[i].request)
						 : NULL;

		if (r && r->persistent)
			rc = begin(o, r, r->root, r->rank);
		else
			o->s->unknown++;
	}
	return rc;
}

static int probe(struct tape_ops *o, const struct tape_event *e, uint32_t comm,
		 int peer, int tag, uint64_t bytes, uint32_t arrived)
{
	struct tape_pending *r = blocking(o, 0, e);
	struct tape_op *op;

	if (set_key(o, r, comm, peer, tag, 0))
		return 0;
	op = add(o, TAPE_OP_PROBE, r);
	if (!op)
		return TAPE_ENOMEM;
	op->bytes = bytes;
	op->arrived = arrived;
	return 0;
}

/* A matched probe takes the message: a receive that ends at the mrecv. */
static int take_message(struct tape_ops *o, const struct tape_event *e,
			uint32_t comm, int peer, int tag, uint64_t bytes,
			uint32_t arrived)
{
	struct tape_pending *r = create(o, e);
	struct tape_op *op;

	if (!r)
		return TAPE_ENOMEM;
	r->is_recv = 1;
	r->active = 1;
	r->comm = comm;
	r->bytes = bytes;
	if (set_key(o, r, comm, peer, tag, 0))
		return 0;
	if (post_now(o, r) || !(op = add(o, TAPE_OP_PROBE, r)))
		return TAPE_ENOMEM;
	op->arrived = arrived;
	return 0;
}

/* imrecv: the request takes over what the message handle stood for. */
static int hand_over(struct tape_ops *o, const struct tape_event *e)
{
	struct tape_pending *from = e->n_done && e->done[0].request
					    ? *find(o, e->done[0].request)
					    : NULL;
	struct tape_pending *to, copy;

	if (!from) {
		o->s->unknown++;
		return 0;
	}
	copy = *from;
	if (forget(o, from))
		return TAPE_ENOMEM;
	to = create(o, e);
	if (!to)
		return TAPE_ENOMEM;
	copy.number = to->number;
	copy.call = to->call;
	*to = copy;
	return 0;
}

/* A blocking call of all members of comm. */
static int collective(struct tape_ops *o, const struct tape_event *e,
		      uint32_t comm, int32_t root)
{
	struct tape_pending *r = blocking(o, 0, e);
	int rc;

	/* neighbours are not known here */
	if (tape_call_shape(e->call) == TAPE_SHAPE_NEAR)
		return 0;
	rc = enter(o, r, comm, root);
	if (rc || !r->posted)
		return rc;
	o->list[o->n - 1].blocking = 1;
	return add(o, TAPE_OP_LEAVE, r) ? 0 : TAPE_ENOMEM;
}

/* Of classes that have calls of one process and calls of all. */
static int together(const struct tape_event *e)
{
	return tape_call_shape(e->call) == TAPE_SHAPE_ALL;
}

static int of_event(struct tape_ops *o, const struct tape_event *e)
{
	const union tape_fields *u = &e->u;
	struct tape_pending *r;
	int rc = 0;

	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_SEND:
		r = blocking(o, 0, e);
		r->is_send = 1;
		r->bytes = u->send.bytes;
		if (set_key(o, r, u->send.comm, u->send.peer, u->send.tag, 1))
			return 0;
		rc = send_now(o, r, 1);
		return rc ? rc : add(o, TAPE_OP_SEND_END, r) ? 0 : TAPE_ENOMEM;
	case TAPE_CLASS_RECV:
		r = blocking(o, 0, e);
		r->is_recv = 1;
		r->comm = u->recv.comm;
		return recv_end(o, r, u->recv.actual_peer, u->recv.actual_tag,
				u->recv.bytes, u->recv.arrived);
	case TAPE_CLASS_SENDRECV:
		r = blocking(o, 0, e);
		r->is_send = 1;
		r->bytes = u->sendrecv.bytes;
		if (!set_key(o, r, u->sendrecv.comm, u->sendrecv.peer,
			     u->sendrecv.tag, 1)) {
			/* the receive beside it keeps it from blocking alone */
			rc = send_now(o, r, 0);
		}
		if (rc)
			return rc;
		r = blocking(o, 1, e);
		r->is_recv = 1;
		r->comm = u->sendrecv.comm;
		rc = recv_end(o, r, u->sendrecv.actual_peer,
			      u->sendrecv.actual_tag, u->sendrecv.rbytes,
			      u->sendrecv.arrived);
		if (!rc && o->local[0].posted)
			rc = add(o, TAPE_OP_SEND_END, &o->local[0])
				     ? 0
				     : TAPE_ENOMEM;
		return rc;
	case TAPE_CLASS_ISEND:
		return nonblocking(o, e, 1, u->isend.peer, u->isend.tag,
				   u->isend.bytes, u->isend.comm);
	case TAPE_CLASS_IRECV:
		return nonblocking(o, e, 0, u->irecv.peer, u->irecv.tag,
				   u->irecv.bytes, u->irecv.comm);
	case TAPE_CLASS_START:
		return start_all(o, e);
	case TAPE_CLASS_PROBE:
		return probe(o, e, u->probe.comm, u->probe.actual_peer,
			     u->probe.actual_tag, u->probe.bytes,
			     u->probe.arrived);
	case TAPE_CLASS_IPROBE:
		return u->iprobe.flag ? probe(o, e, u->iprobe.comm,
					      u->iprobe.actual_peer,
					      u->iprobe.actual_tag,
					      u->iprobe.bytes, 2)
				      : 0;
	case TAPE_CLASS_MPROBE:
		return take_message(o, e, u->mprobe.comm,
				    u->mprobe.actual_peer,
				    u->mprobe.actual_tag, u->mprobe.bytes,
				    u->mprobe.arrived);
	case TAPE_CLASS_IMPROBE:
		if (!u->improbe.flag)
			return 0;
		return take_message(o, e, u->improbe.comm,
				    u->improbe.actual_peer,
				    u->improbe.actual_tag, u->improbe.bytes, 2);
	case TAPE_CLASS_IMRECV:
		return hand_over(o, e);
	case TAPE_CLASS_MRECV:
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
		for (uint32_t i = 0; !rc && i < e->n_done; i++)
			rc = done(o, e, &e->done[i]);
		return rc;
	case TAPE_CLASS_REQ:
		/* a freed request goes on, but nothing will tell of its end */
		if (e->call == TAPE_CALL_MPI_Request_free && e->n_done &&
		    e->done[0].request &&
		    (r = *find(o, e->done[0].request))) {
			if (r->is_send && r->posted && r->active &&
			    !add(o, TAPE_OP_SEND_END, r))
				return TAPE_ENOMEM;
			return forget(o, r) ? TAPE_ENOMEM : 0;
		}
		return 0;
	case TAPE_CLASS_COLL:
		return collective(o, e, u->coll.comm, u->coll.root);
	case TAPE_CLASS_ICOLL:
		r = create(o, e);
		if (r && tape_call_shape(e->call) == TAPE_SHAPE_NEAR)
			return 0;
		return r ? enter(o, r, u->icoll.comm, u->icoll.root)
			 : TAPE_ENOMEM;
	case TAPE_CLASS_COMM_NEW:
		/* every member takes part, like a barrier; except create_group,
		 * which only those of the group call */
		if (e->call == TAPE_CALL_MPI_Comm_create_group)
			return 0;
		return collective(o, e, u->comm_new.comm, -1);
	case TAPE_CLASS_WIN_NEW:
		return collective(o, e, u->win_new.comm, -1);
	case TAPE_CLASS_FILE_NEW:
		return collective(o, e, u->file_new.comm, -1);
	case TAPE_CLASS_COMM_FREE:
		return together(e) ? collective(o, e, u->comm_free.comm, -1)
				   : 0;
	case TAPE_CLASS_IO:
		return together(e) ? collective(o, e, u->io.comm, -1) : 0;
	case TAPE_CLASS_IO_AT:
		return together(e) ? collective(o, e, u->io_at.comm, -1) : 0;
	case TAPE_CLASS_IIO:
		r = create(o, e);
		return !r ? TAPE_ENOMEM
		       : together(e) ? enter(o, r, u->iio.comm, -1) : 0;
	case TAPE_CLASS_IIO_AT:
		r = create(o, e);
		return !r ? TAPE_ENOMEM
		       : together(e) ? enter(o, r, u->iio_at.comm, -1) : 0;
	case TAPE_CLASS_IRMA:
		return create(o, e) ? 0 : TAPE_ENOMEM;
	case TAPE_CLASS_COMM_INEW:
		r = create(o, e);
		return r ? enter(o, r, u->comm_inew.comm, -1) : TAPE_ENOMEM;
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_PSCW:
	case TAPE_CLASS_WINTEST:
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
	rc = of_event(o, e);
	*list = o->list;
	return rc ? rc : o->n;
}
