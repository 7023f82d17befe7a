/* Messages and collectives of calls; see messages_of.h. */
#include <stdlib.h>
#include <string.h>

#include "messages_of.h"
#include "table.h"
#include "tool.h"

/* A request of a rank that is not complete. */
struct pending {
	uint32_t comm; /* of the rank */
	uint32_t is_send, is_recv;
};

struct messages_of {
	const struct tape_trace *t;
	const struct definitions *d;
	struct tape_table pending; /* by rank and number */
};

struct messages_of *messages_new(const struct tape_trace *t,
				 const struct definitions *d)
{
	struct messages_of *m = calloc(1, sizeof *m);

	if (!m)
		tape_die(TAPE_FAILED, "out of memory");
	m->t = t;
	m->d = d;
	m->pending.bytes = 16;
	return m;
}

void messages_free(struct messages_of *m)
{
	tape_table_free(&m->pending);
	free(m);
}

/* Of all ranks; numbers of requests are those of a rank. */
static uint64_t key_of(int rank, uint64_t request)
{
	uint64_t key = (request + 1) * 0x9e3779b97f4a7c15u ^
		       ((uint64_t)rank << 40);

	return key ? key : 1;
}

static void post(struct messages_of *m, const struct tape_event *e,
		 uint32_t comm, int is_send)
{
	struct pending *p;

	if (!e->request)
		return;
	p = tape_table_get(&m->pending, key_of(e->rank, e->request));
	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	p->comm = comm;
	p->is_send = is_send != 0;
	p->is_recv = !is_send;
}

static uint32_t tag_of(int32_t tag)
{
	return tag < 0 ? 0 : (uint32_t)tag;
}

/* ---- begun ---- */

static OTF2_ErrorCode sent(struct messages_of *m, OTF2_EvtWriter *w,
			   const struct tape_step *s, int32_t peer,
			   int32_t tag, uint32_t comm, uint64_t bytes)
{
	OTF2_CommRef c;

	if (peer < 0 || !definitions_comm(m->d, s->rank, comm, &peer, &c))
		return OTF2_SUCCESS;
	return OTF2_EvtWriter_MpiSend(w, NULL, (uint64_t)s->from_ns,
				      (uint32_t)peer, c, tag_of(tag), bytes);
}

static OTF2_ErrorCode isent(struct messages_of *m, OTF2_EvtWriter *w,
			    const struct tape_step *s)
{
	const struct tape_event *e = s->event;
	int32_t peer = e->u.isend.peer;
	OTF2_CommRef c;

	if (peer < 0 || (tape_call_traits(e->call) & TAPE_TRAIT_PERSISTENT) ||
	    !definitions_comm(m->d, s->rank, e->u.isend.comm, &peer, &c))
		return OTF2_SUCCESS;
	post(m, e, e->u.isend.comm, 1);
	return OTF2_EvtWriter_MpiIsend(w, NULL, (uint64_t)s->from_ns,
				       (uint32_t)peer, c,
				       tag_of(e->u.isend.tag), e->u.isend.bytes,
				       e->request);
}

static OTF2_ErrorCode posted(struct messages_of *m, OTF2_EvtWriter *w,
			     const struct tape_step *s)
{
	const struct tape_event *e = s->event;

	if (e->u.irecv.peer == TAPE_PROC_NULL ||
	    (tape_call_traits(e->call) & TAPE_TRAIT_PERSISTENT))
		return OTF2_SUCCESS;
	post(m, e, e->u.irecv.comm, 0);
	return OTF2_EvtWriter_MpiIrecvRequest(w, NULL, (uint64_t)s->from_ns,
					      e->request);
}

OTF2_ErrorCode messages_begin(struct messages_of *m, OTF2_EvtWriter *w,
			      const struct tape_step *s)
{
	const struct tape_event *e = s->event;

	switch (e->class_) {
	case TAPE_CLASS_SEND:
		return sent(m, w, s, e->u.send.peer, e->u.send.tag,
			    e->u.send.comm, e->u.send.bytes);
	case TAPE_CLASS_SENDRECV:
		return sent(m, w, s, e->u.sendrecv.peer, e->u.sendrecv.tag,
			    e->u.sendrecv.comm, e->u.sendrecv.bytes);
	case TAPE_CLASS_ISEND:
		return isent(m, w, s);
	case TAPE_CLASS_IRECV:
		return posted(m, w, s);
	case TAPE_CLASS_COLL:
		return OTF2_EvtWriter_MpiCollectiveBegin(
			w, NULL, (uint64_t)s->from_ns);
	default:
		return OTF2_SUCCESS;
	}
}

/* ---- complete ---- */

static OTF2_ErrorCode received(struct messages_of *m, OTF2_EvtWriter *w,
			       const struct tape_step *s, int32_t peer,
			       int32_t tag, uint32_t comm, uint64_t bytes)
{
	OTF2_CommRef c;

	if (peer < 0 || !definitions_comm(m->d, s->rank, comm, &peer, &c))
		return OTF2_SUCCESS;
	return OTF2_EvtWriter_MpiRecv(w, NULL, (uint64_t)s->to_ns,
				      (uint32_t)peer, c, tag_of(tag), bytes);
}

static const struct {
	const char *name;
	OTF2_CollectiveOp op;
} operations[] = {
	{ "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER },
	{ "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST },
	{ "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER },
	{ "MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV },
	{ "MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER },
	{ "MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV },
	{ "MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER },
	{ "MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV },
	{ "MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL },
	{ "MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV },
	{ "MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW },
	{ "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE },
	{ "MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE },
	{ "MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER },
	{ "MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK },
	{ "MPI_Scan", OTF2_COLLECTIVE_OP_SCAN },
	{ "MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN },
	{ "pvm_barrier", OTF2_COLLECTIVE_OP_BARRIER },
	{ "pvm_gather", OTF2_COLLECTIVE_OP_GATHER },
	{ "pvm_scatter", OTF2_COLLECTIVE_OP_SCATTER },
	{ "pvm_reduce", OTF2_COLLECTIVE_OP_REDUCE },
};

static OTF2_ErrorCode met(struct messages_of *m, OTF2_EvtWriter *w,
			  const struct tape_step *s)
{
	const struct tape_coll *c = &s->event->u.coll;
	const char *name = tape_call_name(tape_call_base(s->event->call));
	OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_ALLTOALLW;
	int32_t root = c->root, any = 0;
	OTF2_CommRef ref;

	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (!strcmp(name, operations[i].name))
			op = operations[i].op;
	if (root < 0 || !definitions_comm(m->d, s->rank, c->comm, &root, &ref))
		root = -1;
	if (root < 0)
		definitions_comm(m->d, s->rank, c->comm, &any, &ref);
	return OTF2_EvtWriter_MpiCollectiveEnd(
		w, NULL, (uint64_t)s->to_ns, op, ref,
		root < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)root, c->bytes,
		c->rbytes);
}

/* A request of which nobody saw the beginning is not said. */
static OTF2_ErrorCode completed(struct messages_of *m, OTF2_EvtWriter *w,
				const struct tape_step *s,
				const struct tape_done *done)
{
	uint64_t key = key_of(s->rank, done->request);
	struct pending *p = tape_table_find(&m->pending, key), one;
	int32_t peer = done->peer;
	OTF2_CommRef c;

	if (!done->request || !p)
		return OTF2_SUCCESS;
	one = *p;
	tape_table_drop(&m->pending, key);
	if (one.is_send && done->kind != TAPE_DONE_CANCELLED)
		return OTF2_EvtWriter_MpiIsendComplete(
			w, NULL, (uint64_t)s->to_ns, done->request);
	if (done->kind != TAPE_DONE_RECV || peer < 0 ||
	    !definitions_comm(m->d, s->rank, one.comm, &peer, &c))
		return OTF2_EvtWriter_MpiRequestCancelled(
			w, NULL, (uint64_t)s->to_ns, done->request);
	return OTF2_EvtWriter_MpiIrecv(w, NULL, (uint64_t)s->to_ns,
				       (uint32_t)peer, c, tag_of(done->tag),
				       done->bytes, done->request);
}

OTF2_ErrorCode messages_end(struct messages_of *m, OTF2_EvtWriter *w,
			    const struct tape_step *s)
{
	const struct tape_event *e = s->event;
	OTF2_ErrorCode rc = OTF2_SUCCESS;

	if (e->class_ == TAPE_CLASS_RECV)
		rc = received(m, w, s, e->u.recv.actual_peer,
			      e->u.recv.actual_tag, e->u.recv.comm,
			      e->u.recv.bytes);
	else if (e->class_ == TAPE_CLASS_SENDRECV)
		rc = received(m, w, s, e->u.sendrecv.actual_peer,
			      e->u.sendrecv.actual_tag, e->u.sendrecv.comm,
			      e->u.sendrecv.rbytes);
	else if (e->class_ == TAPE_CLASS_NRECV && e->u.nrecv.flag)
		rc = received(m, w, s, e->u.nrecv.actual_peer,
			      e->u.nrecv.actual_tag, e->u.nrecv.comm,
			      e->u.nrecv.bytes);
	else if (e->class_ == TAPE_CLASS_COLL)
		rc = met(m, w, s);
	for (uint32_t i = 0; rc == OTF2_SUCCESS && i < e->n_done; i++)
		rc = completed(m, w, s, &e->done[i]);
	return rc;
}
