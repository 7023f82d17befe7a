/* Converts requests, from start to completion; see translate_state.h. */
#include "translate_state.h"

/* A request of a send or a receive. */
struct request {
	uint64_t number, bytes; /* bytes of a send */
	int32_t tag, node;      /* tag of the call; partner or PICL_ANY_NODE */
	int is_send;
	unsigned call;          /* that created the request */
};

/* Adds the pair of an isend or irecv that begins. */
static void begin_request(struct translate *t, const struct tape_event *e,
			  const struct request *r, int64_t to)
{
	struct pair p = { .evttype = PICL_IRECV, .from = e->start_ns, .to = to,
			  .n_out = 1, .out = { (int64_t)r->number } };
	int i = 0;

	if (r->is_send) {
		p.evttype = picl_isend(PICL_ISEND, send_mode(r->call));
		p.in[i++] = picl_bytes(r->bytes);
	}
	p.in[i++] = picl_tag(r->tag);
	p.in[i++] = r->node;
	p.n_in = (int16_t)i;
	add_pair(t, e, &p);
}

/* Begins an isend or irecv. Persistent requests do not begin yet. */
static int create_request(struct translate *t, const struct tape_event *e,
			  struct request r)
{
	r.number = e->request;
	r.call = e->call;
	if (r.node == -1 || !r.number ||
	    (tape_call_traits(e->call) & TAPE_TRAIT_PERSISTENT))
		return 0;
	begin_request(t, e, &r, e->end_ns);
	return 1;
}

int convert_isend(struct translate *t, const struct tape_event *e)
{
	const struct tape_isend *u = &e->u.isend;

	return create_request(
	    t, e,
	    (struct request){.is_send = 1,
			     .tag = u->tag,
			     .bytes = u->bytes,
			     .node = peer_node(t, e->rank, u->comm, u->peer)});
}

int convert_irecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_irecv *u = &e->u.irecv;

	return create_request(
	    t, e,
	    (struct request){.tag = u->tag,
			     .node =
				 source_node(t, e->rank, u->comm, u->peer)});
}

/*
 * The message is sent at once, as by a blocking send. The request stands for
 * the receive.
 */
int convert_isendrecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_isendrecv *u = &e->u.isendrecv;
	int32_t from = source_node(t, e->rank, u->comm, u->rpeer);
	int sends = add_send(t, e,
			     from != -1 && e->request ? e->start_ns : e->end_ns,
			     u->comm, u->peer, u->tag, u->bytes);

	return create_request(t, e,
			      (struct request){.tag = u->rtag, .node = from}) ||
	       sends;
}

/* Returns request i that e completes, if it is of a message; else NULL. */
static const struct tape_request *
find_message_request(const struct translate *t, const struct tape_event *e,
		     uint32_t i, int *active)
{
	const struct tape_request *r =
		tape_replay_request(t->replay, e, i, active);

	return r && (r->is_send || r->is_recv) && r->peer != TAPE_PROC_NULL
		       ? r
		       : NULL;
}

/* The message of a handle becomes that of a request. */
int convert_imrecv(struct translate *t, const struct tape_event *e)
{
	int unused;
	const struct tape_request *from =
	    find_message_request(t, e, 0, &unused);
	struct request r = { .number = e->request, .call = e->call };

	if (!from || !e->request)
		return 0;
	r.tag = from->key.tag;
	r.node = peer_node(t, e->rank, from->comm, from->key.src);
	begin_request(t, e, &r, e->end_ns);
	return 1;
}

/* Returns a persistent request with the operands of its creation. */
static struct request persistent_request(const struct translate *t, int rank,
					 const struct tape_request *p)
{
	return (struct request){
	    .number = p->number,
	    .bytes = p->bytes,
	    .is_send = p->is_send,
	    .tag = p->tag,
	    .call = p->call,
	    .node = p->is_send ? peer_node(t, rank, p->comm, p->peer)
			       : source_node(t, rank, p->comm, p->peer)};
}

/*
 * All requests begin at the start of the call. The last of them gets the time
 * of the call. Partitioned sends begin later.
 */
int convert_start(struct translate *t, const struct tape_event *e)
{
	struct request last = { 0 };
	int unused;

	for (uint32_t i = 0; i < e->n_done; i++) {
		const struct tape_request *p =
		    find_message_request(t, e, i, &unused);
		struct request r;

		if (!p || !p->persistent || p->parts)
			continue;
		r = persistent_request(t, e->rank, p);
		if (r.node == -1)
			continue;
		if (last.number)
			begin_request(t, e, &last, e->start_ns);
		last = r;
	}
	if (last.number)
		begin_request(t, e, &last, e->end_ns);
	return last.number != 0;
}

/* Returns 1 if all partitions are ready, or the message has none. */
static int all_parts_ready(const struct tape_request *p)
{
	return p->ready >= p->parts;
}

/* Returns 1 if the start of an active request was written. */
static int has_begun(const struct translate *t, const struct tape_event *e,
		     const struct tape_request *r)
{
	return all_parts_ready(r) &&
	       (r->is_send ? peer_node(t, e->rank, r->comm, r->peer) >= 0
			   : source_node(t, e->rank, r->comm, r->peer) != -1);
}

/* The call that marks the last partition as ready sends the message. */
int convert_pready(struct translate *t, const struct tape_event *e)
{
	int active;
	const struct tape_request *p =
	    e->n_done ? find_message_request(t, e, 0, &active) : NULL;
	struct request r;

	if (!p || !active || !p->parts || !e->u.pready.n || !all_parts_ready(p))
		return 0;
	r = persistent_request(t, e->rank, p);
	if (r.node == -1)
		return 0;
	begin_request(t, e, &r, e->end_ns);
	return 1;
}

/* ---- completions ---- */

/* Returns request i that e completes, if its start was written; else NULL. */
static const struct tape_request *
find_ended_request(struct translate *t, const struct tape_event *e, uint32_t i)
{
	const struct tape_done *d = &e->done[i];
	int active;
	const struct tape_request *r = find_message_request(t, e, i, &active);

	if (!r || !active || !has_begun(t, e, r))
		return NULL;
	if (r->is_send || d->kind == TAPE_DONE_CANCELLED)
		return r;
	return d->kind == TAPE_DONE_RECV &&
		       peer_node(t, e->rank, r->comm, d->peer) >= 0
		   ? r
		   : NULL;
}

/* Returns 1 if the message had arrived before the call, 0 if not; 2: unknown.
 */
static uint32_t message_arrival(const struct tape_done *d,
				const struct tape_request *r)
{
	if (d->kind == TAPE_DONE_CANCELLED)
		return 1;
	return r->is_send ? 2 : d->arrived;
}

/*
 * Returns the completion that a call may have waited for: the first whose
 * message had not arrived, else the first of unknown arrival, else the first.
 * *of: its request. Returns e->n_done if there is none.
 */
static uint32_t find_waited_completion(struct translate *t,
				       const struct tape_event *e,
				       const struct tape_request **of)
{
	static const int weight[] = { 3, 1, 2 }; /* by arrived */
	uint32_t best = e->n_done;
	int most = 0, w;

	for (uint32_t i = 0; i < e->n_done; i++) {
		const struct tape_request *r = find_ended_request(t, e, i);

		if (!r)
			continue;
		w = weight[message_arrival(&e->done[i], r)];
		if (w > most) {
			most = w;
			best = i;
			*of = r;
		}
	}
	return best;
}

/* Returns the event type of a completion. blocked: the call waited for it. */
static int32_t completion_evttype(const struct tape_done *d,
				  const struct tape_request *r, int blocked)
{
	int cancelled = d->kind == TAPE_DONE_CANCELLED;

	if (r->is_send)
		return picl_isend(cancelled ? PICL_SEND_CANCELLED
				  : blocked ? PICL_SEND_WAITED
					    : PICL_SEND_DONE,
				  send_mode(r->call));
	return cancelled ? PICL_RECV_CANCELLED
	       : blocked ? PICL_RECV_DONE_WAITED
			 : PICL_RECV_DONE;
}

static void put_completion(struct translate *t, const struct tape_event *e,
			   uint32_t i, const struct tape_request *r,
			   int64_t from, int blocked)
{
	const struct tape_done *d = &e->done[i];
	struct pair p = {.evttype = completion_evttype(d, r, blocked),
			 .from = from,
			 .to = e->end_ns,
			 .n_in = 1,
			 .in = {(int64_t)r->number}};

	if (!r->is_send && d->kind == TAPE_DONE_RECV) {
		p.n_out = 3;
		p.out[0] = picl_bytes(d->bytes);
		p.out[1] = d->tag;
		p.out[2] = peer_node(t, e->rank, r->comm, d->peer);
	}
	add_pair(t, e, &p);
}

/*
 * Adds a pair for each completion. The one that the call may have waited for
 * gets the whole time of the call. All other pairs are at the end of the call,
 * so that none ends before its message has arrived.
 */
int convert_completions(struct translate *t, const struct tape_event *e,
			int waits)
{
	const struct tape_request *r = NULL;
	uint32_t first = find_waited_completion(t, e, &r);
	int64_t ns = e->end_ns - e->start_ns;

	if (first < e->n_done)
		put_completion(
		    t, e, first, r, e->start_ns,
		    waits && call_has_waited(
				 message_arrival(&e->done[first], r), ns));
	for (uint32_t i = 0; i < e->n_done; i++)
		if (i != first && (r = find_ended_request(t, e, i)))
			put_completion(t, e, i, r, e->end_ns, 0);
	return first < e->n_done;
}

/* ---- queries ---- */

/* A query of a request, which stays: its completion has its own event. */
int convert_query(struct translate *t, const struct tape_event *e)
{
	int active, over = e->u.query.flag != 0;
	const struct tape_request *r = find_message_request(t, e, 0, &active);
	struct pair p = { .from = e->start_ns, .to = e->end_ns, .n_in = 1 };

	if (!r || !active || !has_begun(t, e, r))
		return 0;
	if (r->is_send)
		p.evttype =
		    picl_isend(over ? PICL_SEND_ASKED : PICL_SEND_ASKED_NOT,
			       send_mode(r->call));
	else
		p.evttype = over ? PICL_RECV_ASKED : PICL_RECV_ASKED_NOT;
	p.in[0] = (int64_t)r->number;
	add_pair(t, e, &p);
	return 1;
}

/* The message has arrived at the probe: a receive that does not wait. */
int convert_mrecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_request *r =
	    e->n_done ? find_ended_request(t, e, 0) : NULL;
	struct receive u;

	if (!r || r->is_send)
		return 0;
	u = (struct receive){ r->comm, 1, e->done[0].peer, r->key.tag,
			      e->done[0].peer, e->done[0].tag,
			      e->done[0].bytes };
	return convert_receive(t, e, &u);
}
