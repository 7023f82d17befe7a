/* Events to records; see translate.h. t2np.1 has the same as a table. */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "names.h"
#include "order.h"
#include "requests.h"
#include "translate.h"

/*
 * A wait counts as blocked from here on when nothing was recorded about the
 * message: longer than the call itself takes, shorter than a trip through any
 * network.
 */
#define BLOCKED_NS 5000

/* Runs of failed tests, and time without tracing, as user tasks. */
static const char polling[] = "polling", off[] = "tracing_off";

/* What is open in a flow: user tasks, the innermost last. */
struct stack {
	int32_t *task;
	uint32_t n, room;
};

struct node {
	struct requests *requests;
	int started;
};

struct translate {
	const struct tape_trace *trace;
	FILE *f;
	struct picl *out;      /* from the first event on */
	struct order *order;
	struct names *tasks, *subsets;
	size_t n_nodes, n_flows;
	struct node *nodes;
	struct stack *stacks;  /* by flow */
	int64_t latest;
};

/* An entry and its exit. */
struct pair {
	int32_t evttype;
	int64_t from, to;
	int16_t n_in, n_out;
	int64_t in[PICL_DATA], out[PICL_DATA];
};

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	return p;
}

struct translate *translate_new(const struct tape_trace *trace, FILE *f)
{
	struct translate *t = zeroed(1, sizeof *t);

	t->trace = trace;
	t->f = f;
	t->n_nodes = tape_trace_ranks(trace);
	t->n_flows = tape_trace_flows(trace);
	t->nodes = zeroed(t->n_nodes, sizeof *t->nodes);
	t->stacks = zeroed(t->n_flows, sizeof *t->stacks);
	t->order = order_new(t->n_flows);
	t->tasks = names_new();
	t->subsets = names_new();
	return t;
}

static void translate_free(struct translate *t)
{
	for (size_t i = 0; i < t->n_nodes; i++)
		requests_free(t->nodes[i].requests);
	for (size_t i = 0; i < t->n_flows; i++)
		free(t->stacks[i].task);
	order_free(t->order);
	picl_free(t->out);
	names_free(t->tasks);
	names_free(t->subsets);
	free(t->nodes);
	free(t->stacks);
	free(t);
}

/* ---- records ---- */

static void add(struct translate *t, const struct tape_event *e, int16_t rectype,
		int32_t evttype, int64_t time_ns, int16_t n, const int64_t *data)
{
	struct picl_record r = { .time_ns = time_ns, .node = e->rank,
				 .pid = e->thread, .rectype = rectype,
				 .evttype = evttype, .n = n };

	if (n)
		memcpy(r.data, data, (size_t)n * sizeof *data);
	order_add(t->order, e->flow, &r);
}

static void add_pair(struct translate *t, const struct tape_event *e,
		     const struct pair *p)
{
	add(t, e, PICL_ENTRY, p->evttype, p->from, p->n_in, p->in);
	add(t, e, PICL_EXIT, p->evttype, p->to, p->n_out, p->out);
}

/*
 * The number of a user task. Everything before the event under way has been
 * written, so that its label can go out at once.
 */
static int32_t task(struct translate *t, const struct tape_event *e,
		    const char *label)
{
	int is_new;
	int32_t n = names_number(t->tasks, label, strlen(label), &is_new);

	if (is_new)
		picl_label(t->out, e->start_ns, n, label);
	return n;
}

static void add_task(struct translate *t, const struct tape_event *e,
		     const char *label)
{
	struct pair p = { .evttype = task(t, e, label), .from = e->start_ns,
			  .to = e->end_ns };

	add_pair(t, e, &p);
}

static void add_call(struct translate *t, const struct tape_event *e)
{
	add_task(t, e, tape_call_name(e->call));
}

/* The subset of nodes that a communicator is; defined on first sight. */
static int32_t subset(struct translate *t, const struct tape_event *e,
		      const struct tape_comm_info *c)
{
	int is_new, all = (size_t)c->size == t->n_nodes;
	int32_t n;

	for (int i = 0; all && i < c->size; i++)
		all = c->members[i] >= 0;
	if (all)
		return PICL_ALL;
	n = names_number(t->subsets, &c->id, sizeof c->id, &is_new);
	if (is_new)
		picl_subset(t->out, e->start_ns, n, c->members, c->size);
	return n;
}

/* ---- messages ---- */

static const struct tape_comm_info *comm_of(const struct translate *t, int rank,
					    uint32_t comm)
{
	const struct tape_rank_info *r = tape_trace_rank(t->trace, rank);

	return comm && comm < r->n_comms && r->comms[comm].index &&
			       r->comms[comm].members
		       ? &r->comms[comm]
		       : NULL;
}

/* The node of a rank of a communicator; -1: none, or not known. */
static int32_t node_of(const struct translate *t, int rank, uint32_t comm,
		       int32_t peer)
{
	const struct tape_comm_info *c = comm_of(t, rank, comm);

	return c && peer >= 0 && peer < c->size ? c->members[peer] : -1;
}

/* The same for what a receive asks for. */
static int32_t source_of(const struct translate *t, int rank, uint32_t comm,
			 int32_t peer)
{
	return peer == TAPE_ANY_SOURCE && comm_of(t, rank, comm)
		       ? PICL_ANY_NODE
		       : node_of(t, rank, comm, peer);
}

static int64_t tag_of(int32_t tag)
{
	return tag == TAPE_ANY_TAG ? PICL_ANY_TAG : tag;
}

static int waited(uint32_t arrived, int64_t ns)
{
	return arrived == 2 ? ns > BLOCKED_NS : !arrived;
}

/* Sizes beyond what a long holds are no sizes. */
static int64_t size_of(uint64_t bytes)
{
	return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

/* 1 if it was a message. */
static int send(struct translate *t, const struct tape_event *e, int64_t to,
		uint32_t comm, int32_t peer, int32_t tag, uint64_t bytes)
{
	int32_t node = node_of(t, e->rank, comm, peer);
	struct pair p = { .evttype = PICL_SEND, .from = e->start_ns, .to = to,
			  .n_in = 3, .in = { size_of(bytes), tag, node } };

	if (node < 0)
		return 0;
	add_pair(t, e, &p);
	return 1;
}

/* Only the operands of a receive, whatever its class calls them. */
struct receive {
	uint32_t comm, arrived;
	int32_t peer, tag, actual_peer, actual_tag;
	uint64_t bytes;
};

static int receive(struct translate *t, const struct tape_event *e,
		   const struct receive *r)
{
	int32_t from = source_of(t, e->rank, r->comm, r->peer);
	int32_t node = node_of(t, e->rank, r->comm, r->actual_peer);
	int blocked = waited(r->arrived, e->end_ns - e->start_ns);
	struct pair p = {
		.evttype = blocked ? PICL_RECV_WAITED : PICL_RECV,
		.from = e->start_ns, .to = e->end_ns, .n_in = 2, .n_out = 3,
		.in = { tag_of(r->tag), from },
		.out = { size_of(r->bytes), r->actual_tag, node }
	};

	if (node < 0 || from == -1)
		return 0;
	add_pair(t, e, &p);
	return 1;
}

/*
 * Both at once: the send takes no time, so that the message is under way
 * before the receive begins to wait.
 */
static int sendrecv(struct translate *t, const struct tape_event *e)
{
	const struct tape_sendrecv *u = &e->u.sendrecv;
	struct receive r = { u->comm, u->arrived, u->rpeer, u->rtag,
			     u->actual_peer, u->actual_tag, u->rbytes };
	int receives = node_of(t, e->rank, u->comm, u->actual_peer) >= 0;
	int done = send(t, e, receives ? e->start_ns : e->end_ns, u->comm,
			u->peer, u->tag, u->bytes);

	return receive(t, e, &r) || done;
}

/* ---- requests ---- */

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

static int is_persistent(unsigned call)
{
	switch (call) {
	case TAPE_CALL_MPI_Send_init:
	case TAPE_CALL_MPI_Bsend_init:
	case TAPE_CALL_MPI_Ssend_init:
	case TAPE_CALL_MPI_Rsend_init:
	case TAPE_CALL_MPI_Recv_init:
		return 1;
	}
	return 0;
}

/* isend, irecv and their persistent forms, which begin nothing yet. */
static int create(struct translate *t, const struct tape_event *e,
		  struct request r)
{
	r.number = e->request;
	r.persistent = (uint8_t)is_persistent(e->call);
	r.active = !r.persistent;
	if (r.node == -1 || !r.number)
		return 0;
	requests_add(t->nodes[e->rank].requests, &r);
	if (r.persistent)
		return 0;
	begin(t, e, &r, e->end_ns);
	return 1;
}

/* A matched probe: the message handle stands for a receive to come. */
static int take_message(struct translate *t, const struct tape_event *e,
			uint32_t comm, int32_t peer, int32_t tag)
{
	struct request r = { .number = e->request, .comm = comm, .tag = tag,
			     .node = node_of(t, e->rank, comm, peer),
			     .active = 1 };

	if (r.node >= 0 && r.number)
		requests_add(t->nodes[e->rank].requests, &r);
	return 0;
}

static struct request *done_request(struct translate *t,
				    const struct tape_event *e, uint32_t i)
{
	return requests_find(t->nodes[e->rank].requests, e->done[i].request);
}

/* The handle's message is now that of a request. */
static int hand_over(struct translate *t, const struct tape_event *e)
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
static int start_all(struct translate *t, const struct tape_event *e)
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
static int complete(struct translate *t, const struct tape_event *e, int waits)
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
static int matched_receive(struct translate *t, const struct tape_event *e)
{
	const struct request *r = e->n_done ? ends(t, e, 0) : NULL;
	struct receive u;
	int rc;

	if (!r || r->is_send)
		return 0;
	u = (struct receive){ r->comm, 1, e->done[0].peer, r->tag,
			      e->done[0].peer, e->done[0].tag,
			      e->done[0].bytes };
	rc = receive(t, e, &u);
	forget(t, e, 0);
	return rc;
}

/* ---- collectives ---- */

static int collective(struct translate *t, const struct tape_event *e)
{
	const struct tape_comm_info *c = comm_of(t, e->rank, e->u.coll.comm);
	struct pair p = { .evttype = PICL_BARRIER, .from = e->start_ns,
			  .to = e->end_ns, .n_in = 1 };

	if (e->call != TAPE_CALL_MPI_Barrier || !c)
		return 0;
	p.in[0] = subset(t, e, c);
	add_pair(t, e, &p);
	return 1;
}

/* ---- regions ---- */

static void open_task(struct translate *t, const struct tape_event *e,
		      const char *label)
{
	struct stack *s = &t->stacks[e->flow];
	int32_t *grown;

	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		grown = realloc(s->task, s->room * sizeof *grown);
		if (!grown)
			tape_die(TAPE_FAILED, "out of memory");
		s->task = grown;
	}
	s->task[s->n] = task(t, e, label);
	add(t, e, PICL_ENTRY, s->task[s->n++], e->start_ns, 0, NULL);
}

/* Ends the innermost of that name and what is open within; none: nothing. */
static void close_task(struct translate *t, const struct tape_event *e,
		       const char *label)
{
	struct stack *s = &t->stacks[e->flow];
	int32_t number = task(t, e, label);
	uint32_t n = s->n;

	while (n && s->task[n - 1] != number)
		n--;
	while (n && s->n >= n)
		add(t, e, PICL_EXIT, s->task[--s->n], e->start_ns, 0, NULL);
}

static const char *region(const struct translate *t, const struct tape_event *e)
{
	return tape_trace_rank(t->trace, e->rank)->regions[e->region];
}

/* ---- events ---- */

/* 0: the event is nothing but a call of its name. */
static int convert(struct translate *t, const struct tape_event *e)
{
	const union tape_fields *u = &e->u;
	int rank = e->rank;

	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_SEND:
		return send(t, e, e->end_ns, u->send.comm, u->send.peer,
			    u->send.tag, u->send.bytes);
	case TAPE_CLASS_RECV:
		return receive(t, e, &(struct receive){
			u->recv.comm, u->recv.arrived, u->recv.peer,
			u->recv.tag, u->recv.actual_peer, u->recv.actual_tag,
			u->recv.bytes });
	case TAPE_CLASS_SENDRECV:
		return sendrecv(t, e);
	case TAPE_CLASS_ISEND:
		return create(t, e, (struct request){
			.is_send = 1, .comm = u->isend.comm,
			.node = node_of(t, rank, u->isend.comm, u->isend.peer),
			.tag = u->isend.tag, .bytes = u->isend.bytes });
	case TAPE_CLASS_IRECV:
		return create(t, e, (struct request){
			.comm = u->irecv.comm, .tag = u->irecv.tag,
			.node = source_of(t, rank, u->irecv.comm,
					  u->irecv.peer) });
	case TAPE_CLASS_START:
		return start_all(t, e);
	case TAPE_CLASS_MPROBE:
		return take_message(t, e, u->mprobe.comm,
				    u->mprobe.actual_peer,
				    u->mprobe.actual_tag);
	case TAPE_CLASS_IPROBE:
		if (!u->iprobe.flag)
			add_task(t, e, polling);
		return !u->iprobe.flag;
	case TAPE_CLASS_IMPROBE:
		if (u->improbe.flag)
			return take_message(t, e, u->improbe.comm,
					    u->improbe.actual_peer,
					    u->improbe.actual_tag);
		add_task(t, e, polling);
		return 1;
	case TAPE_CLASS_IMRECV:
		return hand_over(t, e);
	case TAPE_CLASS_MRECV:
		return matched_receive(t, e);
	case TAPE_CLASS_WAIT:
		return complete(t, e, 1);
	case TAPE_CLASS_TEST:
		if (u->test.flag || e->n_done)
			return complete(t, e, 0);
		add_task(t, e, polling);
		return 1;
	case TAPE_CLASS_REQ:
		/* its end will not be seen */
		if (e->call == TAPE_CALL_MPI_Request_free && e->n_done) {
			struct request *r = done_request(t, e, 0);

			if (r)
				requests_drop(t->nodes[rank].requests, r);
		}
		return 0;
	case TAPE_CLASS_COLL:
		return collective(t, e);
	case TAPE_CLASS_ENTER:
		open_task(t, e, region(t, e));
		return 1;
	case TAPE_CLASS_LEAVE:
		close_task(t, e, region(t, e));
		return 1;
	case TAPE_CLASS_OFF:
		open_task(t, e, off);
		return 1;
	case TAPE_CLASS_ON:
		close_task(t, e, off);
		return 1;
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_ICOLL:
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_COUNT:
		break;
	}
	return 0;
}

/* ---- the whole ---- */

static void begin_node(struct translate *t, size_t node, int64_t time_ns)
{
	struct picl_record r = { .time_ns = time_ns, .node = (int32_t)node,
				 .rectype = PICL_ENTRY,
				 .evttype = PICL_TRACING };

	t->nodes[node].started = 1;
	t->nodes[node].requests = requests_new();
	picl_put(t->out, &r);
	r.rectype = PICL_MARK;
	r.evttype = PICL_LEVEL;
	r.n = 3;
	for (int i = 0; i < 3; i++)
		r.data[i] = 1;
	picl_put(t->out, &r);
}

static void end_node(struct translate *t, size_t node)
{
	struct picl_record r = { .time_ns = t->latest, .node = (int32_t)node,
				 .rectype = PICL_MARK, .evttype = PICL_CLOSE };

	picl_put(t->out, &r);
	r.rectype = PICL_EXIT;
	r.evttype = PICL_TRACING;
	picl_put(t->out, &r);
}

static void end_flow(struct translate *t, size_t flow)
{
	const struct tape_flow_info *f = tape_trace_flow(t->trace, flow);
	struct picl_record r = { .time_ns = t->latest, .node = f->rank,
				 .pid = f->thread, .rectype = PICL_EXIT };
	struct stack *s = &t->stacks[flow];

	while (s->n) {
		r.evttype = s->task[--s->n];
		picl_put(t->out, &r);
	}
}

void translate_event(struct translate *t, const struct tape_event *e)
{
	if (!t->out) {
		t->out = picl_new(t->f, e->start_ns);
		t->latest = e->end_ns;
	}
	order_write(t->order, e->start_ns, t->out);
	if (!t->nodes[e->rank].started)
		begin_node(t, (size_t)e->rank, e->start_ns);
	if (e->end_ns > t->latest)
		t->latest = e->end_ns;
	if (!convert(t, e))
		add_call(t, e);
}

void translate_end(struct translate *t)
{
	if (!t->out)
		t->out = picl_new(t->f, 0);
	order_finish(t->order, t->out);
	for (size_t i = 0; i < t->n_flows; i++)
		end_flow(t, i);
	for (size_t i = 0; i < t->n_nodes; i++) {
		if (!t->nodes[i].started)
			begin_node(t, i, t->latest);
		end_node(t, i);
	}
	translate_free(t);
}
