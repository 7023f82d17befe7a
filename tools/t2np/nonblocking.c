/* Requests, from their start to their end, to records; see state.h. */
#include "state.h"

/* A message or a receive that a request stands for begins. */
static void begin(struct translate *t, const struct tape_event *e,
		  const struct request *r, int64_t to)
{
	struct pair p = { .evttype = r->is_send ? PICL_ISEND : PICL_IRECV,
			  .from = e->start_ns, .to = to, .n_out = 1,
			  .out = { (int64_t)r->number } };
	int i = 0;

	if (r->is_send)
		p.in[i++] = size_of(r->bytes);
	p.in[i++] = tag_of(r->tag);
	p.in[i++] = r->node;
	p.n_in = (int16_t)i;
	add_pair(t, e, &p);
}

/* isend, irecv and their persistent forms, which begin nothing yet. */
static int create(struct translate *t, const struct tape_event *e,
		  struct request r)
{
	r.number = e->request;
	r.persistent = (tape_call_traits(e->call) &
			TAPE_TRAIT_PERSISTENT) != 0;
	r.active = !r.persistent;
	if (r.node == -1 || !r.number)
		return 0;
	requests_add(t->nodes[e->rank].requests, &r);
	if (r.persistent)
		return 0;
	begin(t, e, &r, e->end_ns);
	return 1;
}

int convert_isend(struct translate *t, const struct tape_event *e)
{
	const struct tape_isend *u = &e->u.isend;

	return create(t, e, (struct request){
		.is_send = 1, .comm = u->comm, .tag = u->tag,
		.node = node_of(t, e->rank, u->comm, u->peer),
		.bytes = u->bytes });
}

int convert_irecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_irecv *u = &e->u.irecv;

	return create(t, e, (struct request){
		.comm = u->comm, .tag = u->tag,
		.node = source_of(t, e->rank, u->comm, u->peer) });
}

/* The message goes out at once; the request is the receive's. */
int convert_isendrecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_isendrecv *u = &e->u.isendrecv;
	struct request sent = {
		.number = e->request, .is_send = 1, .comm = u->comm,
		.tag = u->tag, .bytes = u->bytes,
		.node = node_of(t, e->rank, u->comm, u->peer) };

	if (sent.node != -1 && sent.number)
		begin(t, e, &sent, e->start_ns);
	return create(t, e, (struct request){
		.comm = u->comm, .tag = u->rtag,
		.node = source_of(t, e->rank, u->comm, u->rpeer) });
}

/* A matched probe: the message handle stands for a receive to come. */
void note_message(struct translate *t, const struct tape_event *e,
		  uint32_t comm, int32_t peer, int32_t tag)
{
	struct request r = { .number = e->request, .comm = comm, .tag = tag,
			     .node = node_of(t, e->rank, comm, peer),
			     .active = 1 };

	if (r.node >= 0 && r.number)
		requests_add(t->nodes[e->rank].requests, &r);
}

static struct request *done_request(struct translate *t,
				    const struct tape_event *e, uint32_t i)
{
	return requests_find(t->nodes[e->rank].requests, e->done[i].request);
}

/* The handle's message is now that of a request. */
int convert_imrecv(struct translate *t, const struct tape_event *e)
{
	struct request *from = e->n_done ? done_request(t, e, 0) : NULL, r;

	if (!from || !e->request)
		return 0;
	r = *from;
	requests_drop(t->nodes[e->rank].requests, from);
	r.number = e->request;
	requests_add(t->nodes[e->rank].requests, &r);
	begin(t, e, &r, e->end_ns);
	return 1;
}

/* All begin when the call does; the time it takes is the last one's. */
int convert_start(struct translate *t, const struct tape_event *e)
{
	struct request *r, *last = NULL;

	for (uint32_t i = 0; i < e->n_done; i++) {
		r = done_request(t, e, i);
		if (!r || !r->persistent)
			continue;
		if (last)
			begin(t, e, last, e->start_ns);
		r->active = 1;
		last = r;
	}
	if (last)
		begin(t, e, last, e->end_ns);
	return last != NULL;
}

/* ---- completions ---- */

/* Is it the end of a message or a receive that was seen to begin? */
static const struct request *ends(struct translate *t,
				  const struct tape_event *e, uint32_t i)
{
	const struct request *r = done_request(t, e, i);
	const struct tape_done *d = &e->done[i];

	if (!r || !r->active || d->kind == TAPE_DONE_CANCELLED)
		return NULL;
	if (r->is_send)
		return r;
	return d->kind == TAPE_DONE_RECV &&
			       node_of(t, e->rank, r->comm, d->peer) >= 0
		       ? r
		       : NULL;
}

/*
 * Which of its completions a call may have waited for: the first that was not
 * there, else the first of which nothing is known, else the first.
 */
static uint32_t cause(struct translate *t, const struct tape_event *e)
{
	static const int weight[] = { 3, 1, 2 }; /* by arrived */
	uint32_t best = e->n_done;
	int most = 0, w;

	for (uint32_t i = 0; i < e->n_done; i++) {
		const struct request *r = ends(t, e, i);

		if (!r)
			continue;
		w = weight[r->is_send ? 2 : e->done[i].arrived];
		if (w > most) {
			most = w;
			best = i;
		}
	}
	return best;
}

static void forget(struct translate *t, const struct tape_event *e, uint32_t i)
{
	struct request *r = done_request(t, e, i);

	if (r && r->persistent)
		r->active = 0;
	else if (r)
		requests_drop(t->nodes[e->rank].requests, r);
}

/* blocked: 1 it waited, 0 it did not. */
static void end_one(struct translate *t, const struct tape_event *e, uint32_t i,
		    const struct request *r, int64_t from, int blocked)
{
	const struct tape_done *d = &e->done[i];
	struct pair p = { .from = from, .to = e->end_ns, .n_in = 1,
			  .in = { (int64_t)r->number } };

	if (r->is_send) {
		p.evttype = blocked ? PICL_SEND_WAITED : PICL_SEND_DONE;
	} else {
		p.evttype = blocked ? PICL_RECV_DONE_WAITED : PICL_RECV_DONE;
		p.n_out = 3;
		p.out[0] = size_of(d->bytes);
		p.out[1] = d->tag;
		p.out[2] = node_of(t, e->rank, r->comm, d->peer);
	}
	add_pair(t, e, &p);
}

/*
 * One pair for each completion. One of them has the call's whole time, the
 * others are there when it is over: none ends before its message came.
 */
int convert_done(struct translate *t, const struct tape_event *e, int waits)
{
	uint32_t first = cause(t, e);
	const struct request *r;
	uint32_t arrived;

	if (first < e->n_done) {
		r = ends(t, e, first);
		arrived = r->is_send ? 2 : e->done[first].arrived;
		end_one(t, e, first, r, e->start_ns,
			waits && waited(arrived, e->end_ns - e->start_ns));
	}
	for (uint32_t i = 0; i < e->n_done; i++) {
		if (i != first && (r = ends(t, e, i)))
			end_one(t, e, i, r, e->end_ns, 0);
		forget(t, e, i);
	}
	return first < e->n_done;
}

/* The message is there since the probe: a receive that does not wait. */
int convert_mrecv(struct translate *t, const struct tape_event *e)
{
	const struct request *r = e->n_done ? ends(t, e, 0) : NULL;
	struct receive u;
	int rc;

	if (!r || r->is_send)
		return 0;
	u = (struct receive){ r->comm, 1, e->done[0].peer, r->tag,
			      e->done[0].peer, e->done[0].tag,
			      e->done[0].bytes };
	rc = convert_receive(t, e, &u);
	forget(t, e, 0);
	return rc;
}

void note_freed(struct translate *t, const struct tape_event *e)
{
	struct request *r = e->n_done ? done_request(t, e, 0) : NULL;

	/* its end will not be seen */
	if (r)
		requests_drop(t->nodes[e->rank].requests, r);
}
