/* Records of messages and collectives; see otf2_messages.h. */
#include <stdlib.h>
#include <string.h>

#include "otf2_messages.h"
#include "otf2_rma.h"
#include "table.h"
#include "tool.h"

/* The operations of a request that have begun and not completed. */
enum { SENDING = 1, RECEIVING = 2, MEETING = 4, MOVING = 8 };

/* Added to the number of an isendrecv for its send: no request has this bit. */
#define OTHER_HALF (1ull << 63)

/* A request, or the message of a matched probe. */
struct pending {
	union tape_fields u; /* of the call that created it */
	uint64_t id;         /* MOVING: number in otf2_rma */
	uint32_t ready;      /* number of partitions that are ready */
	uint16_t call, class_;
	uint64_t active;
};

struct otf2_messages {
	const struct tape_trace *t;
	const struct definitions *d;
	struct otf2_rma *rma;
	struct tape_table pending; /* by number */
};

/* The current call and its writer. */
struct here {
	struct otf2_messages *m;
	OTF2_EvtWriter *w;
	const struct tape_step *s;
};

struct otf2_messages *messages_new(const struct tape_trace *t,
				   struct definitions *d)
{
	struct otf2_messages *m = tape_must(calloc(1, sizeof *m));

	m->t = t;
	m->d = d;
	m->rma = rma_new(t, d);
	m->pending.bytes = sizeof(struct pending);
	return m;
}

void messages_free(struct otf2_messages *m)
{
	tape_table_free(&m->pending);
	rma_free(m->rma);
	free(m);
}

static struct pending *find_pending(const struct here *h, uint64_t number)
{
	return number ? tape_table_find(&h->m->pending, number) : NULL;
}

/* Adds the request that the call creates; NULL: none. */
static struct pending *make_pending(const struct here *h)
{
	const struct tape_event *e = h->s->event;
	struct pending *p;

	if (!e->request)
		return NULL;
	p = tape_must(tape_table_get(&h->m->pending, e->request));
	*p = (struct pending){.u = e->u, .call = e->call, .class_ = e->class_};
	return p;
}

static uint32_t otf2_tag(int32_t tag)
{
	return tag < 0 ? 0 : (uint32_t)tag;
}

/* ---- collectives ---- */

static const struct {
	const char *name;
	OTF2_CollectiveOp op;
} operations[] = {
    {"MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST},
    {"MPI_Gather", OTF2_COLLECTIVE_OP_GATHER},
    {"MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    {"MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    {"MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE},
    {"MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"MPI_Scan", OTF2_COLLECTIVE_OP_SCAN},
    {"MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN},
    {"pvm_barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"pvm_gather", OTF2_COLLECTIVE_OP_GATHER},
    {"pvm_scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"pvm_reduce", OTF2_COLLECTIVE_OP_REDUCE},
};

/* Sets the communicator and the root of a collective. Returns 0 if unknown. */
static int find_collective(const struct here *h, uint32_t comm, int32_t root,
			   OTF2_CommRef *ref, uint32_t *to)
{
	return definitions_find_collective(h->m->d, h->s->rank, comm, root, ref,
					   to);
}

static OTF2_CollectiveOp collective_op(unsigned call)
{
	const char *name = tape_call_name(tape_call_base(call));

	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (!strcmp(name, operations[i].name))
			return operations[i].op;
	return OTF2_COLLECTIVE_OP_ALLTOALLW;
}

/* Collectives of windows are in otf2_rma.c; files have none. */
static int is_communicator_collective(const struct tape_step *s)
{
	return s->event->class_ == TAPE_CLASS_COLL &&
	       s->event->u.coll.part != TAPE_PART_BEGINNING &&
	       s->doing != TAPE_DOES_RMA_SYNC && s->doing != TAPE_DOES_IO;
}

static OTF2_ErrorCode put_collective(const struct here *h, int ends)
{
	const struct tape_coll *c = &h->s->event->u.coll;
	OTF2_CommRef ref;
	uint32_t to;

	if (!find_collective(h, c->comm, c->root, &ref, &to))
		return OTF2_SUCCESS;
	if (!ends)
		return OTF2_EvtWriter_MpiCollectiveBegin(
		    h->w, NULL, (uint64_t)h->s->from_ns);
	return OTF2_EvtWriter_MpiCollectiveEnd(
	    h->w, NULL, (uint64_t)h->s->to_ns, collective_op(h->s->call), ref,
	    to, c->bytes, c->rbytes);
}

/* Writes the start or completion of a nonblocking collective. OTF2 before 3.0
 * has none. */
static OTF2_ErrorCode put_nonblocking_collective(const struct here *h,
						 struct pending *p,
						 uint64_t number, int ends)
{
	const struct tape_icoll *c = &p->u.icoll;
	OTF2_CommRef ref;
	uint32_t to;

	if (OTF2_VERSION_MAJOR < 3 ||
	    !find_collective(h, c->comm, c->root, &ref, &to))
		return OTF2_SUCCESS;
	if (!ends)
		p->active = MEETING;
#if OTF2_VERSION_MAJOR >= 3
	if (!ends)
		return OTF2_EvtWriter_NonBlockingCollectiveRequest(
		    h->w, NULL, (uint64_t)h->s->from_ns, number);
	return OTF2_EvtWriter_NonBlockingCollectiveComplete(
	    h->w, NULL, (uint64_t)h->s->to_ns, collective_op(p->call), ref, to,
	    c->bytes, c->rbytes, number);
#else
	(void)number;
	return OTF2_SUCCESS;
#endif
}

/* ---- begun ---- */

static OTF2_ErrorCode put_send(const struct here *h, int32_t peer, int32_t tag,
			       uint32_t comm, uint64_t bytes)
{
	OTF2_CommRef c;

	if (peer < 0 ||
	    !definitions_find_comm(h->m->d, h->s->rank, comm, &peer, &c))
		return OTF2_SUCCESS;
	return OTF2_EvtWriter_MpiSend(h->w, NULL, (uint64_t)h->s->from_ns,
				      (uint32_t)peer, c, otf2_tag(tag), bytes);
}

/* PVM: a message to each task of the group, except the sender. */
static OTF2_ErrorCode put_multicast(const struct here *h,
				    const struct tape_mcast *u)
{
	const struct tape_rank_info *r = tape_trace_rank(h->m->t, h->s->rank);
	const struct tape_group_info *g =
	    u->group < r->n_groups ? &r->groups[u->group] : NULL;
	OTF2_ErrorCode rc = OTF2_SUCCESS;

	for (size_t i = 0; g && rc == OTF2_SUCCESS && i < g->n; i++)
		if (g->ranks[i] != r->tid)
			rc =
			    put_send(h, g->ranks[i], u->tag, u->comm, u->bytes);
	return rc;
}

static OTF2_ErrorCode put_isend(const struct here *h, struct pending *p,
				const struct tape_isend *u, uint64_t number)
{
	int32_t peer = u->peer;
	OTF2_CommRef c;

	if (peer < 0 ||
	    !definitions_find_comm(h->m->d, h->s->rank, u->comm, &peer, &c))
		return OTF2_SUCCESS;
	p->active |= SENDING;
	return OTF2_EvtWriter_MpiIsend(h->w, NULL, (uint64_t)h->s->from_ns,
				       (uint32_t)peer, c, otf2_tag(u->tag),
				       u->bytes, number);
}

static OTF2_ErrorCode put_receive_request(const struct here *h,
					  struct pending *p, int32_t peer,
					  uint64_t number)
{
	if (peer == TAPE_PROC_NULL)
		return OTF2_SUCCESS;
	p->active |= RECEIVING;
	return OTF2_EvtWriter_MpiIrecvRequest(h->w, NULL,
					      (uint64_t)h->s->from_ns, number);
}

static OTF2_ErrorCode start_isendrecv(const struct here *h, struct pending *p,
				      uint64_t number)
{
	const struct tape_isendrecv *u = &p->u.isendrecv;
	OTF2_ErrorCode rc = put_isend(h, p,
				      &(struct tape_isend){.peer = u->peer,
							   .tag = u->tag,
							   .bytes = u->bytes,
							   .comm = u->comm},
				      number | OTHER_HALF);

	return rc != OTF2_SUCCESS ? rc
				  : put_receive_request(h, p, u->rpeer, number);
}

/* Begins the operation of a request. */
static OTF2_ErrorCode start_request(const struct here *h, struct pending *p,
				    uint64_t number)
{
	p->active = 0;
	p->ready = 0;
	switch (p->class_) {
	case TAPE_CLASS_ISEND:
		return put_isend(h, p, &p->u.isend, number);
	case TAPE_CLASS_IRECV:
		return put_receive_request(h, p, p->u.irecv.peer, number);
	case TAPE_CLASS_ISENDRECV:
		return start_isendrecv(h, p, number);
	case TAPE_CLASS_ICOLL:
		return put_nonblocking_collective(h, p, number, 0);
	case TAPE_CLASS_IRMA:
		p->active = MOVING;
		return rma_issue(h->m->rma, h->w, h->s, &p->id);
	default: /* a partitioned send begins with its last partition */
		return OTF2_SUCCESS;
	}
}

static int is_persistent(unsigned call)
{
	return (tape_call_traits(call) & TAPE_TRAIT_PERSISTENT) != 0;
}

static OTF2_ErrorCode start_persistent_requests(const struct here *h)
{
	const struct tape_event *e = h->s->event;
	OTF2_ErrorCode rc = OTF2_SUCCESS;

	for (uint32_t i = 0; rc == OTF2_SUCCESS && i < e->n_done; i++) {
		struct pending *p = find_pending(h, e->done[i].request);

		if (p && is_persistent(p->call))
			rc = start_request(h, p, e->done[i].request);
	}
	return rc;
}

/* Adds n ready partitions. The last one begins the send. */
static OTF2_ErrorCode add_ready_parts(const struct here *h, uint32_t n)
{
	const struct tape_event *e = h->s->event;
	uint64_t number = e->n_done ? e->done[0].request : 0;
	struct pending *p = find_pending(h, number);
	const struct tape_psend *u;

	if (!p || p->class_ != TAPE_CLASS_PSEND || p->active)
		return OTF2_SUCCESS;
	u = &p->u.psend;
	p->ready += n;
	if (p->ready < u->parts)
		return OTF2_SUCCESS;
	return put_isend(h, p,
			 &(struct tape_isend){.peer = u->peer,
					      .tag = u->tag,
					      .bytes = u->bytes,
					      .comm = u->comm},
			 number);
}

/* A matched probe: its message has no request yet. */
static void add_probed_message(const struct here *h, uint32_t comm)
{
	struct pending *p = make_pending(h);

	if (p)
		p->u.irecv = (struct tape_irecv){.comm = comm};
}

/* A call creates a request for the message of a matched probe. */
static OTF2_ErrorCode start_matched_receive(const struct here *h)
{
	const struct tape_event *e = h->s->event;
	uint64_t number = e->n_done ? e->done[0].request : 0;
	struct pending *p = find_pending(h, number);
	struct tape_irecv u;

	if (!p || !e->request)
		return OTF2_SUCCESS;
	u = p->u.irecv;
	tape_table_drop(&h->m->pending, number);
	p = make_pending(h);
	p->u.irecv = u;
	p->class_ = TAPE_CLASS_IRECV;
	return start_request(h, p, e->request);
}

static OTF2_ErrorCode start_new_request(const struct here *h)
{
	const struct tape_event *e = h->s->event;
	struct pending *p = make_pending(h);

	return !p || is_persistent(e->call) ? OTF2_SUCCESS
					    : start_request(h, p, e->request);
}

OTF2_ErrorCode messages_begin(struct otf2_messages *m, OTF2_EvtWriter *w,
			      const struct tape_step *s)
{
	struct here h = {m, w, s};
	const union tape_fields *u = &s->event->u;

	switch (s->event->class_) {
	case TAPE_CLASS_SEND:
		return put_send(&h, u->send.peer, u->send.tag, u->send.comm,
				u->send.bytes);
	case TAPE_CLASS_SENDRECV:
		return put_send(&h, u->sendrecv.peer, u->sendrecv.tag,
				u->sendrecv.comm, u->sendrecv.bytes);
	case TAPE_CLASS_MCAST:
		return put_multicast(&h, &u->mcast);
	case TAPE_CLASS_ISEND:
	case TAPE_CLASS_IRECV:
	case TAPE_CLASS_PSEND:
	case TAPE_CLASS_ISENDRECV:
	case TAPE_CLASS_ICOLL:
	case TAPE_CLASS_IRMA:
		return start_new_request(&h);
	case TAPE_CLASS_START:
		return start_persistent_requests(&h);
	case TAPE_CLASS_PREADY:
		return add_ready_parts(&h, u->pready.n);
	case TAPE_CLASS_MPROBE:
		add_probed_message(&h, u->mprobe.comm);
		return OTF2_SUCCESS;
	case TAPE_CLASS_IMPROBE:
		add_probed_message(&h, u->improbe.comm);
		return OTF2_SUCCESS;
	case TAPE_CLASS_IMRECV:
		return start_matched_receive(&h);
	default:
		return is_communicator_collective(s) ? put_collective(&h, 0)
						     : rma_begin(m->rma, w, s);
	}
}

/* ---- complete ---- */

static OTF2_ErrorCode put_receive(const struct here *h, int32_t peer,
				  int32_t tag, uint32_t comm, uint64_t bytes)
{
	OTF2_CommRef c;

	if (peer < 0 ||
	    !definitions_find_comm(h->m->d, h->s->rank, comm, &peer, &c))
		return OTF2_SUCCESS;
	return OTF2_EvtWriter_MpiRecv(h->w, NULL, (uint64_t)h->s->to_ns,
				      (uint32_t)peer, c, otf2_tag(tag), bytes);
}

static OTF2_ErrorCode end_send(const struct here *h, const struct pending *p,
			       uint64_t number, int cancelled)
{
	number |= p->class_ == TAPE_CLASS_ISENDRECV ? OTHER_HALF : 0;
	return cancelled ? OTF2_EvtWriter_MpiRequestCancelled(
			       h->w, NULL, (uint64_t)h->s->to_ns, number)
			 : OTF2_EvtWriter_MpiIsendComplete(
			       h->w, NULL, (uint64_t)h->s->to_ns, number);
}

/* Ends a receive. Without a message it ends as cancelled. */
static OTF2_ErrorCode end_receive(const struct here *h, const struct pending *p,
				  const struct tape_done *done)
{
	uint32_t comm = p->class_ == TAPE_CLASS_ISENDRECV ? p->u.isendrecv.comm
							  : p->u.irecv.comm;
	int32_t peer = done->peer;
	OTF2_CommRef c;

	if (done->kind != TAPE_DONE_RECV || peer < 0 ||
	    !definitions_find_comm(h->m->d, h->s->rank, comm, &peer, &c))
		return OTF2_EvtWriter_MpiRequestCancelled(
		    h->w, NULL, (uint64_t)h->s->to_ns, done->request);
	return OTF2_EvtWriter_MpiIrecv(h->w, NULL, (uint64_t)h->s->to_ns,
				       (uint32_t)peer, c, otf2_tag(done->tag),
				       done->bytes, done->request);
}

/* Ends the operations of a request. Unknown requests are ignored. */
static OTF2_ErrorCode complete_request(const struct here *h,
				       const struct tape_done *done)
{
	struct pending *p = find_pending(h, done->request), one;
	OTF2_ErrorCode rc = OTF2_SUCCESS;

	if (!p)
		return rc;
	one = *p;
	p->active = 0;
	if (!is_persistent(one.call))
		tape_table_drop(&h->m->pending, done->request);
	if (one.active & SENDING)
		rc = end_send(h, &one, done->request,
			      done->kind == TAPE_DONE_CANCELLED);
	if (rc == OTF2_SUCCESS && one.active & RECEIVING)
		rc = end_receive(h, &one, done);
	if (one.active & MEETING)
		rc = put_nonblocking_collective(h, &one, done->request, 1);
	if (one.active & MOVING)
		rc = rma_complete_request(h->m->rma, h->w, h->s,
					  one.u.irma.comm, one.id);
	return rc;
}

static OTF2_ErrorCode complete_requests(const struct here *h)
{
	const struct tape_event *e = h->s->event;
	OTF2_ErrorCode rc = OTF2_SUCCESS;

	for (uint32_t i = 0; rc == OTF2_SUCCESS && i < e->n_done; i++)
		rc = complete_request(h, &e->done[i]);
	return rc;
}

/* Receives the message of a matched probe. */
static OTF2_ErrorCode receive_probed_message(const struct here *h)
{
	const struct tape_event *e = h->s->event;
	const struct tape_done *done = e->n_done ? e->done : NULL;
	struct pending *p = done ? find_pending(h, done->request) : NULL;
	uint32_t comm;

	if (!p)
		return OTF2_SUCCESS;
	comm = p->u.irecv.comm;
	tape_table_drop(&h->m->pending, done->request);
	return done->kind == TAPE_DONE_RECV
		   ? put_receive(h, done->peer, done->tag, comm, done->bytes)
		   : OTF2_SUCCESS;
}

/* Frees a request. Its completion is not in the trace; a send ends here. */
static OTF2_ErrorCode free_request(const struct here *h)
{
	const struct tape_event *e = h->s->event;
	uint64_t number = e->n_done ? e->done[0].request : 0;
	struct pending *p = find_pending(h, number), one;

	if (!p || !(tape_call_traits(e->call) & TAPE_TRAIT_FREES))
		return OTF2_SUCCESS;
	one = *p;
	tape_table_drop(&h->m->pending, number);
	return one.active & SENDING ? end_send(h, &one, number, 0)
				    : OTF2_SUCCESS;
}

OTF2_ErrorCode messages_end(struct otf2_messages *m, OTF2_EvtWriter *w,
			    const struct tape_step *s)
{
	struct here h = {m, w, s};
	const union tape_fields *u = &s->event->u;

	switch (s->event->class_) {
	case TAPE_CLASS_RECV:
		return put_receive(&h, u->recv.actual_peer, u->recv.actual_tag,
				   u->recv.comm, u->recv.bytes);
	case TAPE_CLASS_SENDRECV:
		return put_receive(&h, u->sendrecv.actual_peer,
				   u->sendrecv.actual_tag, u->sendrecv.comm,
				   u->sendrecv.rbytes);
	case TAPE_CLASS_NRECV:
		return u->nrecv.flag
			   ? put_receive(&h, u->nrecv.actual_peer,
					 u->nrecv.actual_tag, u->nrecv.comm,
					 u->nrecv.bytes)
			   : OTF2_SUCCESS;
	case TAPE_CLASS_MRECV:
		return receive_probed_message(&h);
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
		return complete_requests(&h);
	case TAPE_CLASS_REQ:
		return free_request(&h);
	default:
		return is_communicator_collective(s) ? put_collective(&h, 1)
						     : rma_end(m->rma, w, s);
	}
}
