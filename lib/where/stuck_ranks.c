/* The ranks whose calls cannot end; see wait_graph.h. */
#include "tool.h"
#include "wait_graph.h"

/* What is asked of a rank: whether its call can end. */
struct question {
	struct wait_graph *g;
	const struct where_states *s;
	const struct where_flow *f;
	int rank, is_certain;
	int next; /* a rank that it waits for, which is stuck or over */
};

/* A message that a call waits for. */
struct wanted {
	uint64_t comm;
	int from;        /* rank of the trace; -1: any */
	int32_t tag;
	const int *members; /* if any: those that may send */
	int n_members;
};

int where_is_over(const struct where_states *s, int rank)
{
	const struct where_rank *r = &s->rank[rank];
	const struct where_flow *f = where_flow_of(s, rank);

	if (!f)
		return 0;
	if (!r->n_active)
		return f->state == WHERE_ENDED;
	return r->n_active == 1 && f->state == WHERE_IN_CALL && f->is_stable &&
	       f->call.call == TAPE_CALL_MPI_Finalize;
}

static int is_tag_wanted(int32_t wanted, int32_t tag)
{
	return wanted == TAPE_ANY_TAG || wanted == tag;
}

/* Will the rank never make another call? */
static int is_lost(const struct question *q, int rank)
{
	return rank >= 0 && (size_t)rank < q->s->n_ranks &&
	       (q->g->stuck[rank] || where_is_over(q->s, rank));
}

/* Was a message sent that the rank may take? */
static int has_message(const struct question *q, const struct wanted *w)
{
	const struct where_states *s = q->s;

	for (size_t i = where_first_send(s, q->rank);
	     i < s->n_sends && s->send[i].to == q->rank; i++)
		if (s->send[i].comm == w->comm &&
		    (w->from < 0 || s->send[i].from == w->from) &&
		    is_tag_wanted(w->tag, s->send[i].tag))
			return 1;
	return 0;
}

/* Is the other rank in a call that sends such a message? */
static int is_sending(const struct question *q, int other,
		      const struct wanted *w)
{
	const struct where_flow *f = where_flow_of(q->s, other);

	if (!f || f->state != WHERE_IN_CALL)
		return 0;
	if (f->call.class_ != TAPE_CLASS_SEND &&
	    f->call.class_ != TAPE_CLASS_SENDRECV)
		return 0;
	return wait_graph_peer(q->s, f, f->call.peer) == q->rank &&
	       where_comm_id(q->s, other, f->call.comm) == w->comm &&
	       is_tag_wanted(w->tag, f->call.tag);
}

/* Can no message come? */
static int is_message_lost(struct question *q, const struct wanted *w)
{
	if (!w->comm || has_message(q, w))
		return 0;
	if (w->from >= 0) {
		if (!is_lost(q, w->from) || is_sending(q, w->from, w))
			return 0;
		q->next = w->from;
		return 1;
	}
	for (int i = 0; i < w->n_members; i++) {
		int other = w->members[i];

		if (other == q->rank)
			continue;
		if (!is_lost(q, other) || is_sending(q, other, w))
			return 0;
		if (q->next < 0)
			q->next = other;
	}
	return q->next >= 0;
}

/* A receive or probe: of the call in progress, or of a request. */
static int is_receive_lost(struct question *q, uint32_t comm, int32_t peer,
			   int32_t tag)
{
	const struct tape_rank_info *r = tape_trace_rank(q->s->t, q->rank);
	const struct tape_comm_info *c = &r->comms[comm];
	struct wanted w = {.comm = where_comm_id(q->s, q->rank, comm),
			   .from = -1,
			   .tag = tag};

	if (!w.comm || c->side >= 0 || !c->members ||
	    peer == TAPE_PROC_NULL || r->tid)
		return 0;
	w.members = c->members;
	w.n_members = c->size;
	if (peer != TAPE_ANY_SOURCE && (peer < 0 || peer >= c->size))
		return 0;
	if (peer >= 0)
		w.from = c->members[peer];
	if (peer >= 0 && w.from < 0)
		return 0;
	return is_message_lost(q, &w);
}

/* Does the receiver's call, or a receive that it posted, take the message? */
static int is_receiving(const struct question *q, int other, uint64_t comm,
			int32_t tag)
{
	const struct where_states *s = q->s;
	const struct where_flow *f = where_flow_of(s, other);
	int is_sendrecv;
	int32_t peer, want;

	for (size_t i = where_first_receive(s, other);
	     i < s->n_receives && s->receive[i].rank == other; i++)
		if (s->receive[i].comm == comm &&
		    (s->receive[i].from < 0 ||
		     s->receive[i].from == q->rank) &&
		    is_tag_wanted(s->receive[i].tag, tag))
			return 1;
	if (!f || f->state != WHERE_IN_CALL)
		return 0;
	is_sendrecv = f->call.class_ == TAPE_CLASS_SENDRECV;
	if (!is_sendrecv && f->call.class_ != TAPE_CLASS_RECV &&
	    f->call.class_ != TAPE_CLASS_PROBE &&
	    f->call.class_ != TAPE_CLASS_MPROBE)
		return 0;
	peer = is_sendrecv ? f->call.rpeer : f->call.peer;
	want = is_sendrecv ? f->call.rtag : f->call.tag;
	return where_comm_id(s, other, f->call.comm) == comm &&
	       is_tag_wanted(want, tag) &&
	       (peer == TAPE_ANY_SOURCE ||
		wait_graph_peer(s, f, peer) == q->rank);
}

/* A send that waits for its receive, which never comes. */
static int is_send_lost(struct question *q, unsigned call, uint32_t comm,
			int32_t peer, int32_t tag, uint64_t bytes)
{
	const struct where_states *s = q->s;
	unsigned traits = tape_call_traits(call);
	int waits = (traits & TAPE_TRAIT_SYNCHRONOUS) ||
		    (s->eager_bytes && bytes > s->eager_bytes);
	int to = tape_trace_rank(s->t, q->rank)->tid
		     ? -1
		     : wait_graph_peer(s, q->f, peer);

	if ((traits & TAPE_TRAIT_BUFFERED) || (q->is_certain && !waits))
		return 0;
	if (!is_lost(q, to) ||
	    is_receiving(q, to, where_comm_id(s, q->rank, comm), tag))
		return 0;
	q->next = to;
	return 1;
}

/* A collective that a member never enters. */
static int is_round_lost(struct question *q)
{
	const struct wait_round *r =
	    q->g->round_of[q->rank]
		? &q->g->round[q->g->round_of[q->rank] - 1]
		: NULL;
	enum tape_shape shape = tape_call_shape(q->f->call.call);
	int root = wait_graph_peer(q->s, q->f, q->f->call.peer);

	if (!r || r->odd[0] >= 0 ||
	    (q->is_certain && !wait_round_is_strict(q->s, q->f)))
		return 0;
	if (shape == TAPE_SHAPE_NEAR ||
	    (shape == TAPE_SHAPE_TO && root != q->rank && q->is_certain))
		return 0;
	for (size_t i = 0; i < r->n_missing; i++) {
		int member = r->missing[i];

		if (shape == TAPE_SHAPE_FROM && member != root)
			continue;
		if (shape == TAPE_SHAPE_SCAN && member > q->rank)
			continue;
		if (!is_lost(q, member) || q->s->rank[member].is_uncertain)
			continue;
		q->next = member;
		return 1;
	}
	return 0;
}

static int is_request_lost(struct question *q, const struct where_request *w)
{
	if (!w->is_unmatched)
		return 0;
	if (w->is_recv)
		return is_receive_lost(q, w->comm, w->peer, w->tag);
	if (w->is_send) {
		struct where_flow f = *q->f;
		const struct where_flow *own = q->f;
		int lost;

		f.call.comm = w->comm;
		q->f = &f;
		lost = is_send_lost(q, w->call, w->comm, w->peer, w->tag,
				    w->bytes);
		q->f = own;
		return lost;
	}
	return 0;
}

static int is_wait_lost(struct question *q)
{
	const struct tape_call_in_progress *c = &q->f->call;
	int any = c->call == TAPE_CALL_MPI_Waitany ||
		  c->call == TAPE_CALL_MPI_Waitsome;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_requests; i++)
		n += (uint32_t)is_request_lost(q, &q->f->request[i]);
	return any ? n && n == c->n : n != 0;
}

/* Returns 1 if the call of the rank cannot end, as far as is known now. */
static int is_call_lost(struct question *q)
{
	const struct tape_call_in_progress *c = &q->f->call;

	q->next = -1;
	switch (c->class_) {
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_MPROBE:
		return is_receive_lost(q, c->comm, c->peer, c->tag);
	case TAPE_CLASS_SEND:
		return is_send_lost(q, c->call, c->comm, c->peer, c->tag,
				    c->bytes);
	case TAPE_CLASS_SENDRECV:
		return is_receive_lost(q, c->comm, c->rpeer, c->rtag) ||
		       is_send_lost(q, c->call, c->comm, c->peer, c->tag,
				    c->bytes);
	case TAPE_CLASS_WAIT:
		return is_wait_lost(q);
	case TAPE_CLASS_COLL:
	case TAPE_CLASS_COMM_NEW:
		return is_round_lost(q);
	default:
		return 0;
	}
}

static int is_candidate(const struct where_states *s, int rank, int is_certain)
{
	const struct where_rank *r = &s->rank[rank];
	const struct where_flow *f = where_flow_of(s, rank);

	if (!f || f->state != WHERE_IN_CALL || !f->is_stable ||
	    f->call.call == TAPE_CALL_MPI_Finalize)
		return 0;
	return !is_certain ||
	       (r->n_active == 1 && r->n_flows == 1 && !r->is_uncertain &&
		!s->is_partial && !s->is_pvm);
}

void wait_graph_find_stuck(struct wait_graph *g, int is_certain,
			   unsigned char value)
{
	const struct where_states *s = g->s;
	int changed, downwards = 0;

	for (size_t k = 0; k < s->n_ranks; k++)
		if (!g->stuck[k] && is_candidate(s, (int)k, is_certain))
			g->stuck[k] = value;
	do {
		changed = 0;
		downwards = !downwards; /* long chains go either way */
		for (size_t i = 0; i < s->n_ranks; i++) {
			size_t k = downwards ? s->n_ranks - 1 - i : i;
			struct question q = {.g = g,
					     .s = s,
					     .rank = (int)k,
					     .is_certain = is_certain};

			if (g->stuck[k] != value)
				continue;
			q.f = where_flow_of(s, (int)k);
			if (is_call_lost(&q)) {
				g->next[k] = q.next;
				continue;
			}
			g->stuck[k] = 0;
			changed = 1;
		}
	} while (changed);
}
