/* Converts messages and blocking calls; see translate_state.h. */
#include "translate_state.h"

/*
 * If the arrival of the message is unknown, a longer call counts as blocked.
 * This is longer than the call itself takes, and shorter than any network
 * latency.
 */
#define BLOCKED_NS 5000

static inline const struct tape_comm_info *
rank_comm(const struct tape_rank_info *r, uint32_t comm)
{
	return comm && comm < r->n_comms && r->comms[comm].index &&
			       r->comms[comm].members
		       ? &r->comms[comm]
		       : NULL;
}

const struct tape_comm_info *find_rank_comm(const struct translate *t, int rank,
					    uint32_t comm)
{
	return rank_comm(tape_trace_rank(t->trace, rank), comm);
}

int32_t peer_node(const struct translate *t, int rank, uint32_t comm,
		  int32_t peer)
{
	const struct tape_rank_info *r = tape_trace_rank(t->trace, rank);
	const struct tape_comm_info *c = rank_comm(r, comm);

	if (c && r->tid)
		return tape_trace_task(t->trace, peer);
	return c && peer >= 0 && peer < c->size ? c->members[peer] : -1;
}

int32_t source_node(const struct translate *t, int rank, uint32_t comm,
		    int32_t peer)
{
	return peer == TAPE_ANY_SOURCE && find_rank_comm(t, rank, comm)
		   ? PICL_ANY_NODE
		   : peer_node(t, rank, comm, peer);
}

int64_t picl_tag(int32_t tag)
{
	return tag == TAPE_ANY_TAG ? PICL_ANY_TAG : tag;
}

int call_has_waited(uint32_t arrived, int64_t ns)
{
	return arrived == 2 ? ns > BLOCKED_NS : !arrived;
}

int64_t picl_bytes(uint64_t bytes)
{
	return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

enum picl_mode send_mode(unsigned call)
{
	unsigned traits = tape_call_traits(call);

	return traits & TAPE_TRAIT_BUFFERED	 ? PICL_BUFFERED
	       : traits & TAPE_TRAIT_SYNCHRONOUS ? PICL_SYNCHRONOUS
	       : traits & TAPE_TRAIT_READY	 ? PICL_READY
						 : PICL_STANDARD;
}

int add_send(struct translate *t, const struct tape_event *e, int64_t to,
	     uint32_t comm, int32_t peer, int32_t tag, uint64_t bytes)
{
	int32_t node = peer_node(t, e->rank, comm, peer);
	struct pair p = {.evttype = picl_send(send_mode(e->call)),
			 .from = e->start_ns,
			 .to = to,
			 .n_in = 3,
			 .in = {picl_bytes(bytes), tag, node}};

	if (node < 0)
		return 0;
	add_pair(t, e, &p);
	return 1;
}

/* Adds a receive or a probe. The event type depends on whether it waited. */
static int add_receive(struct translate *t, const struct tape_event *e,
		       const struct receive *r, int32_t at_once,
		       int32_t blocking)
{
	int32_t from = source_node(t, e->rank, r->comm, r->peer);
	int32_t node = peer_node(t, e->rank, r->comm, r->actual_peer);
	int blocked = call_has_waited(r->arrived, e->end_ns - e->start_ns);
	struct pair p = {.evttype = blocked ? blocking : at_once,
			 .from = e->start_ns,
			 .to = e->end_ns,
			 .n_in = 2,
			 .n_out = 3,
			 .in = {picl_tag(r->tag), from},
			 .out = {picl_bytes(r->bytes), r->actual_tag, node}};

	if (node < 0 || from == -1)
		return 0;
	add_pair(t, e, &p);
	return 1;
}

int convert_receive(struct translate *t, const struct tape_event *e,
		    const struct receive *r)
{
	return add_receive(t, e, r, PICL_RECV, PICL_RECV_WAITED);
}

int convert_send(struct translate *t, const struct tape_event *e)
{
	const struct tape_send *u = &e->u.send;

	return add_send(t, e, e->end_ns, u->comm, u->peer, u->tag, u->bytes);
}

/* Sends to several tasks. Only the last send takes time. */
int convert_mcast(struct translate *t, const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t->trace, e->rank);
	const struct tape_mcast *u = &e->u.mcast;
	const struct tape_group_info *g =
		u->group < r->n_groups ? &r->groups[u->group] : NULL;
	int done = 0;

	for (size_t i = 0; g && i < g->n; i++)
		if (g->ranks[i] != r->tid)
			done |= add_send(t, e, i + 1 < g->n ? e->start_ns
							    : e->end_ns,
					 u->comm, g->ranks[i], u->tag,
					 u->bytes);
	return done;
}

/* Adds a probe without a message, or several merged ones. */
static int add_failed_test(struct translate *t, const struct tape_event *e,
			   uint32_t comm, int32_t peer, int32_t tag)
{
	int32_t from = source_node(t, e->rank, comm, peer);
	struct pair p = {.evttype = PICL_FOUND_NOT,
			 .from = e->start_ns,
			 .to = e->end_ns,
			 .n_in = 2,
			 .in = {picl_tag(tag), from}};

	if (from == -1)
		return 0;
	add_pair(t, e, &p);
	return 1;
}

int convert_nrecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_nrecv *u = &e->u.nrecv;
	struct receive r = { u->comm, 1, u->peer, u->tag, u->actual_peer,
			     u->actual_tag, u->bytes };

	return u->flag ? convert_receive(t, e, &r)
		       : add_failed_test(t, e, u->comm, u->peer, u->tag);
}

int convert_probe(struct translate *t, const struct tape_event *e)
{
	const struct tape_probe *u = &e->u.probe;
	struct receive r = { u->comm, u->arrived, u->peer, u->tag,
			     u->actual_peer, u->actual_tag, u->bytes };

	return add_receive(t, e, &r, PICL_PROBE, PICL_PROBE_WAITED);
}

int convert_mprobe(struct translate *t, const struct tape_event *e)
{
	const struct tape_mprobe *u = &e->u.mprobe;
	struct receive r = { u->comm, u->arrived, u->peer, u->tag,
			     u->actual_peer, u->actual_tag, u->bytes };

	return add_receive(t, e, &r, PICL_PROBE, PICL_PROBE_WAITED);
}

int convert_iprobe(struct translate *t, const struct tape_event *e)
{
	const struct tape_iprobe *u = &e->u.iprobe;
	struct receive r = { u->comm, 1, u->peer, u->tag, u->actual_peer,
			     u->actual_tag, u->bytes };

	return u->flag ? add_receive(t, e, &r, PICL_FOUND, PICL_FOUND)
		       : add_failed_test(t, e, u->comm, u->peer, u->tag);
}

int convert_improbe(struct translate *t, const struct tape_event *e)
{
	const struct tape_improbe *u = &e->u.improbe;
	struct receive r = { u->comm, 1, u->peer, u->tag, u->actual_peer,
			     u->actual_tag, u->bytes };

	return u->flag ? add_receive(t, e, &r, PICL_FOUND, PICL_FOUND)
		       : add_failed_test(t, e, u->comm, u->peer, u->tag);
}

int convert_recv(struct translate *t, const struct tape_event *e)
{
	const struct tape_recv *u = &e->u.recv;
	struct receive r = { u->comm, u->arrived, u->peer, u->tag,
			     u->actual_peer, u->actual_tag, u->bytes };

	return convert_receive(t, e, &r);
}

/*
 * The send takes no time, so that the message is in flight before the receive
 * begins to wait.
 */
int convert_sendrecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_sendrecv *u = &e->u.sendrecv;
	struct receive r = { u->comm, u->arrived, u->rpeer, u->rtag,
			     u->actual_peer, u->actual_tag, u->rbytes };
	int receives = peer_node(t, e->rank, u->comm, u->actual_peer) >= 0;
	int done = add_send(t, e, receives ? e->start_ns : e->end_ns, u->comm,
			    u->peer, u->tag, u->bytes);

	return convert_receive(t, e, &r) || done;
}
