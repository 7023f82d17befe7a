/* Events of a thread; see thread_events.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "thread_events.h"
#include "tool.h"

/* The records that a call already holds. */
enum { SENT = 1, RECEIVED = 2, BEGUN = 4 };

/* A request in progress: its number in the trace. */
struct request {
	uint64_t number;
};

/* An event that follows the current call. It completes at most one request. */
struct later {
	struct tape_event e;
	struct tape_done done;
};

struct flow {
	struct shared *s;
	int thread;
	struct tape_flow_writer *writer; /* NULL before the first event */
	uint64_t requests;      /* created by written events */
	/* the current call; depth counts it and the regions inside it */
	uint32_t depth, region, not_done;
	unsigned held;
	struct tape_event e;
	struct place place;
	struct tape_done *done;
	size_t done_room;
	struct later *later;
	size_t n_later, later_room, later_requests;
	int64_t collective_ns;  /* start of the last collective */
	uint32_t *stack;        /* open regions, by region.same */
	size_t n_stack, stack_room;
	unsigned last_call;
	/* counters: now; at the last event; 1 if they have a value */
	int64_t counter[TAPE_COUNTERS_MAX], counted[TAPE_COUNTERS_MAX];
	uint8_t counts[TAPE_COUNTERS_MAX];
};

struct flow *flow_open(struct shared *s, int thread)
{
	struct flow *f = tape_must(calloc(1, sizeof *f));

	f->s = s;
	f->thread = thread;
	f->place = (struct place){ .file = "", .function = "" };
	return f;
}

static enum tape_end flow_end_reason(const struct flow *f)
{
	if (f->depth)
		return TAPE_END_NONE;
	if (f->last_call == TAPE_CALL_MPI_Abort)
		return TAPE_END_ABORT;
	return f->last_call == TAPE_CALL_MPI_Finalize ? TAPE_END_FINALIZE
						      : TAPE_END_EXIT;
}

void flow_close(struct flow *f)
{
	if (f->depth)
		f->s->losses->unfinished++;
	if (f->writer)
		tape_flow_writer_close(f->writer, flow_end_reason(f), 0);
	free(f->done);
	free(f->later);
	free(f->stack);
	free(f);
}

/* ---- writing ---- */

static void write_event(struct flow *f, const struct tape_event *e)
{
	if (!f->writer)
		f->writer = tape_flow_writer_open(f->s->rank->out,
						  f->s->rank->number,
						  f->thread, e->start_ns);
	f->s->losses->moved += (uint64_t)tape_flow_writer_put(f->writer, e);
	if (e->call)
		f->requests += (uint64_t)tape_event_creates(e->class_, &e->u);
}

/* Adds the counts since the last event to e, before or inside it. */
static void set_event_counts(struct flow *f, struct tape_event *e, int inside)
{
	e->n_counts = f->s->rank->w->d->n_counters;
	for (uint32_t i = 0; i < e->n_counts; i++) {
		int64_t n = (int64_t)((uint64_t)f->counter[i] -
				      (uint64_t)f->counted[i]);

		f->counted[i] = f->counter[i];
		if (inside)
			e->counts[i].inside = n;
		else
			e->counts[i].before = n;
	}
}

/* Counts are relative to the first value. */
void flow_counter(struct flow *f, uint32_t counter, int64_t value)
{
	if (!f->counts[counter])
		f->counted[counter] = value;
	f->counts[counter] = 1;
	f->counter[counter] = value;
}

static void write_marker(struct flow *f, enum tape_class class_, int64_t t,
			 uint32_t region)
{
	struct tape_event e = { .class_ = (uint16_t)class_, .polls = 1,
				.start_ns = t, .end_ns = t, .region = region };

	set_event_counts(f, &e, 0);
	write_event(f, &e);
}

/* Returns the event of a call at place, with the operands still unknown. */
static struct tape_event new_call_event(struct flow *f, unsigned call,
					int64_t t, const struct place *place)
{
	struct tape_event e = { .call = (uint16_t)call,
				.class_ = (uint16_t)tape_call_class(call),
				.polls = 1, .start_ns = t, .end_ns = t,
				.sr_ns = t };
	static const struct {
		const char *name;
		int64_t value;
	} empty[] = {
		{ "peer", TAPE_PROC_NULL }, { "rpeer", TAPE_PROC_NULL },
		{ "actual_peer", TAPE_PROC_NULL }, { "tag", TAPE_ANY_TAG },
		{ "rtag", TAPE_ANY_TAG }, { "actual_tag", TAPE_ANY_TAG },
		{ "root", -1 }, { "arrived", 2 }, { "n", 1 },
	};
	struct tape_field field;

	e.site = rank_site(f->s->rank, call, place);
	for (unsigned i = 0; tape_class_field(e.class_, i, &field); i++)
		for (size_t k = 0; k < sizeof empty / sizeof *empty; k++)
			if (!strcmp(field.name, empty[k].name))
				tape_field_set(&e.u, &field, empty[k].value);
	return e;
}

/* Writes the current call, and the events that follow it. */
static void finish_call(struct flow *f, int64_t t)
{
	struct tape_event *e = &f->e;

	e->end_ns = t;
	e->done = f->done;
	set_event_counts(f, e, 1);
	if (e->class_ == TAPE_CLASS_WAIT && e->n_done)
		e->u.wait.n = e->n_done;
	if (e->class_ == TAPE_CLASS_TEST) {
		e->u.test.flag = e->n_done > 0;
		if (e->n_done + f->not_done)
			e->u.test.n = e->n_done + f->not_done;
	}
	write_event(f, e);
	for (size_t i = 0; i < f->n_later; i++) {
		e = &f->later[i].e;
		e->start_ns = e->end_ns = t;
		e->done = &f->later[i].done;
		write_event(f, e);
	}
	f->n_later = f->later_requests = 0;
}

/* Writes an event of its own after the current call, or at t without a call. */
static void write_after_call(struct flow *f, struct tape_event *e, int64_t t,
			     const struct tape_done *done)
{
	f->s->losses->alone++;
	e->n_done = done != NULL;
	e->done = done;
	e->start_ns = e->end_ns = t;
	if (!f->depth) {
		write_event(f, e);
		return;
	}
	f->later = tape_must(tape_grow_array(f->later, &f->later_room,
					     f->n_later + 1, sizeof *f->later));
	f->later[f->n_later].e = *e;
	if (done)
		f->later[f->n_later].done = *done;
	f->n_later++;
}

static int call_creates_request(const struct flow *f)
{
	return f->depth && tape_event_creates(f->e.class_, &f->e.u);
}

/*
 * Writes an event of its own before the current call. If that call creates a
 * request, the event follows it, because the number of its request is already
 * used.
 */
static void write_before_call(struct flow *f, struct tape_event *e, int64_t t)
{
	if (call_creates_request(f)) {
		f->later_requests +=
			(size_t)tape_event_creates(e->class_, &e->u);
		write_after_call(f, e, t, NULL);
		return;
	}
	f->s->losses->alone++;
	e->start_ns = e->end_ns = f->depth ? f->e.start_ns : t;
	write_event(f, e);
}

/* ---- regions ---- */

void flow_enter(struct flow *f, int64_t t, const struct region *r,
		const struct place *place)
{
	if (f->depth) {
		f->depth++;
		f->s->losses->inside++;
	} else if (r->call) {
		f->place = *place;
		f->e = new_call_event(f, r->call, t, place);
		set_event_counts(f, &f->e, 0);
		f->region = r->same;
		f->held = 0;
		f->not_done = 0;
		f->depth = 1;
	} else {
		f->stack = tape_must(tape_grow_array(f->stack, &f->stack_room,
						     f->n_stack + 1,
						     sizeof *f->stack));
		f->stack[f->n_stack++] = r->same;
		write_marker(f, TAPE_CLASS_ENTER, t,
			     rank_region(f->s->rank, r));
	}
}

void flow_leave(struct flow *f, int64_t t, const struct region *r)
{
	if (f->depth > 1) {
		f->depth--;
	} else if (f->depth && f->region == r->same) {
		finish_call(f, t);
		f->depth = 0;
		if (!(tape_call_class(f->e.call) == TAPE_CLASS_LOCAL &&
		      f->last_call == TAPE_CALL_MPI_Finalize))
			f->last_call = f->e.call;
	} else if (!f->depth && f->n_stack &&
		   f->stack[f->n_stack - 1] == r->same) {
		f->n_stack--;
		write_marker(f, TAPE_CLASS_LEAVE, t,
			     rank_region(f->s->rank, r));
	} else {
		f->s->losses->unmatched++;
	}
}

void flow_switch_recording(struct flow *f, int64_t t, int on)
{
	if (!f->depth)
		write_marker(f, on ? TAPE_CLASS_ON : TAPE_CLASS_OFF, t, 0);
}

/* ---- messages ---- */

static int32_t trace_peer(uint32_t peer)
{
	return peer > INT32_MAX ? TAPE_PROC_NULL : (int32_t)peer;
}

static int32_t trace_tag(uint32_t tag)
{
	return (int32_t)(tag & INT32_MAX);
}

static void set_send(struct flow *f, struct tape_event *e,
		     const struct message *m)
{
	struct tape_send s = {.peer = trace_peer(m->peer),
			      .tag = trace_tag(m->tag),
			      .bytes = m->bytes,
			      .comm = rank_comm(f->s->rank, m->comm)};

	if (e->class_ == TAPE_CLASS_SEND) {
		e->u.send = s;
	} else if (e->class_ == TAPE_CLASS_ISEND) {
		e->u.isend = (struct tape_isend){ .peer = s.peer,
						  .tag = s.tag,
						  .bytes = s.bytes,
						  .comm = s.comm };
	} else {
		e->u.sendrecv.peer = s.peer;
		e->u.sendrecv.tag = s.tag;
		e->u.sendrecv.bytes = s.bytes;
		e->u.sendrecv.comm = s.comm;
	}
}

static void set_recv(struct flow *f, struct tape_event *e,
		     const struct message *m)
{
	int32_t peer = trace_peer(m->peer), tag = trace_tag(m->tag);
	uint32_t comm = rank_comm(f->s->rank, m->comm);

	if (e->class_ == TAPE_CLASS_RECV) {
		e->u.recv.peer = e->u.recv.actual_peer = peer;
		e->u.recv.tag = e->u.recv.actual_tag = tag;
		e->u.recv.bytes = m->bytes;
		e->u.recv.comm = comm;
	} else {
		e->u.sendrecv.rpeer = e->u.sendrecv.actual_peer = peer;
		e->u.sendrecv.rtag = e->u.sendrecv.actual_tag = tag;
		e->u.sendrecv.rbytes = m->bytes;
		e->u.sendrecv.comm = comm;
	}
}

/* Returns 1 if the current call can hold this record, and marks it as held. */
static int take_call_slot(struct flow *f, unsigned what, enum tape_class a,
			  enum tape_class b)
{
	if (!f->depth || (f->held & what) ||
	    (f->e.class_ != a && f->e.class_ != b) ||
	    (tape_call_traits(f->e.call) & TAPE_TRAIT_PERSISTENT))
		return 0;
	f->held |= what;
	return 1;
}

void flow_send(struct flow *f, int64_t t, const struct message *m)
{
	struct tape_event e;

	if (take_call_slot(f, SENT, TAPE_CLASS_SEND, TAPE_CLASS_SENDRECV)) {
		set_send(f, &f->e, m);
		return;
	}
	e = new_call_event(f, TAPE_CALL_MPI_Send, t, &f->place);
	set_send(f, &e, m);
	write_before_call(f, &e, t);
}

void flow_recv(struct flow *f, int64_t t, const struct message *m)
{
	struct tape_event e;

	if (take_call_slot(f, RECEIVED, TAPE_CLASS_RECV, TAPE_CLASS_SENDRECV)) {
		set_recv(f, &f->e, m);
		return;
	}
	e = new_call_event(f, TAPE_CALL_MPI_Recv, t, &f->place);
	set_recv(f, &e, m);
	write_after_call(f, &e, t, NULL);
}

/* ---- requests ---- */

/* Assigns a number to a request. own: the current call creates it. */
static void number_request(struct flow *f, uint64_t request, int own)
{
	struct request *r =
	    tape_must(tape_table_get(&f->s->requests, ref_key(request)));

	r->number = TAPE_REQUEST(
	    f->thread,
	    f->requests + 1 +
		(own || !call_creates_request(f) ? 0 : 1 + f->later_requests));
}

void flow_isend(struct flow *f, int64_t t, const struct message *m,
		uint64_t request)
{
	int own = take_call_slot(f, BEGUN, TAPE_CLASS_ISEND, TAPE_CLASS_ISEND);
	struct tape_event e;

	number_request(f, request, own);
	if (own) {
		set_send(f, &f->e, m);
		return;
	}
	e = new_call_event(f, TAPE_CALL_MPI_Isend, t, &f->place);
	set_send(f, &e, m);
	write_before_call(f, &e, t);
}

static void set_irecv(struct flow *f, struct tape_event *e,
		      const struct look_ahead_op *op)
{
	if (!op->completed) {
		e->u.irecv.peer = TAPE_ANY_SOURCE;
		return;
	}
	e->u.irecv.peer = trace_peer(op->peer);
	e->u.irecv.tag = trace_tag(op->tag);
	e->u.irecv.bytes = op->bytes;
	e->u.irecv.comm = rank_comm(f->s->rank, op->comm);
}

void flow_irecv(struct flow *f, int64_t t, uint64_t request)
{
	struct look_ahead_op op = look_ahead_next(f->s->look_ahead);
	int own = take_call_slot(f, BEGUN, TAPE_CLASS_IRECV, TAPE_CLASS_IRECV);
	struct tape_event e;

	number_request(f, request, own);
	if (own) {
		set_irecv(f, &f->e, &op);
		return;
	}
	e = new_call_event(f, TAPE_CALL_MPI_Irecv, t, &f->place);
	set_irecv(f, &e, &op);
	write_before_call(f, &e, t);
}

static int32_t trace_root(uint32_t root)
{
	switch (root) {
	case OTF2_COLLECTIVE_ROOT_SELF:
		return TAPE_ROOT;
	case OTF2_COLLECTIVE_ROOT_THIS_GROUP:
		return TAPE_PROC_NULL;
	default:
		return root > INT32_MAX ? -1 : (int32_t)root;
	}
}

/* A nonblocking collective outside of its call is left out: its call is
 * unknown. */
void flow_icoll(struct flow *f, int64_t t, uint64_t request)
{
	struct look_ahead_op op = look_ahead_next(f->s->look_ahead);
	uint32_t comm = op.completed ? rank_comm(f->s->rank, op.comm) : 0;

	(void)t;
	if (!take_call_slot(f, BEGUN, TAPE_CLASS_ICOLL, TAPE_CLASS_COMM_INEW)) {
		f->s->losses->unmatched++;
		return;
	}
	number_request(f, request, 1);
	if (f->e.class_ == TAPE_CLASS_COMM_INEW) {
		f->e.u.comm_inew.comm = comm;
		return;
	}
	f->e.u.icoll.comm = comm;
	f->e.u.icoll.root = op.completed ? trace_root(op.peer) : -1;
	f->e.u.icoll.bytes = op.bytes;
	f->e.u.icoll.rbytes = op.rbytes;
}

/* Adds a completion to the current call, or writes a wait of its own. */
static void add_completion(struct flow *f, int64_t t, const struct tape_done *d)
{
	struct tape_event e;

	if (f->depth && (f->e.class_ == TAPE_CLASS_WAIT ||
			 f->e.class_ == TAPE_CLASS_TEST ||
			 f->e.class_ == TAPE_CLASS_REQ)) {
		f->done = tape_must(tape_grow_array(f->done, &f->done_room,
						    (size_t)f->e.n_done + 1,
						    sizeof *f->done));
		f->done[f->e.n_done++] = *d;
		return;
	}
	e = new_call_event(f, TAPE_CALL_MPI_Wait, t, &f->place);
	write_after_call(f, &e, t, d);
}

/* Removes a request and returns its number; 0: not in progress. */
static uint64_t take_request(struct flow *f, uint64_t request)
{
	const struct request *r =
	    tape_table_find(&f->s->requests, ref_key(request));
	uint64_t n = r ? r->number : 0;

	tape_table_drop(&f->s->requests, ref_key(request));
	return n;
}

void flow_complete(struct flow *f, int64_t t, uint64_t request,
		   const struct message *m)
{
	struct tape_done d = { .kind = TAPE_DONE_REQUEST };

	d.request = take_request(f, request);
	if (!d.request) {
		if (m)
			flow_recv(f, t, m);
		else
			f->s->losses->unmatched++;
		return;
	}
	if (m) {
		d.kind = TAPE_DONE_RECV;
		d.peer = trace_peer(m->peer);
		d.tag = trace_tag(m->tag);
		d.bytes = m->bytes;
		d.arrived = 2;
	}
	add_completion(f, t, &d);
}

void flow_cancel(struct flow *f, int64_t t, uint64_t request)
{
	struct tape_done d = { .kind = TAPE_DONE_CANCELLED };

	d.request = take_request(f, request);
	if (d.request)
		add_completion(f, t, &d);
	else
		f->s->losses->unmatched++;
}

void flow_add_failed_test(struct flow *f)
{
	f->not_done++;
}

/* ---- collectives ---- */

void flow_collective_begin(struct flow *f, int64_t t)
{
	f->collective_ns = t;
}

static unsigned collective_call(OTF2_CollectiveOp op)
{
	static const uint16_t calls[] = {
		[OTF2_COLLECTIVE_OP_BARRIER] = TAPE_CALL_MPI_Barrier,
		[OTF2_COLLECTIVE_OP_BCAST] = TAPE_CALL_MPI_Bcast,
		[OTF2_COLLECTIVE_OP_GATHER] = TAPE_CALL_MPI_Gather,
		[OTF2_COLLECTIVE_OP_GATHERV] = TAPE_CALL_MPI_Gatherv,
		[OTF2_COLLECTIVE_OP_SCATTER] = TAPE_CALL_MPI_Scatter,
		[OTF2_COLLECTIVE_OP_SCATTERV] = TAPE_CALL_MPI_Scatterv,
		[OTF2_COLLECTIVE_OP_ALLGATHER] = TAPE_CALL_MPI_Allgather,
		[OTF2_COLLECTIVE_OP_ALLGATHERV] = TAPE_CALL_MPI_Allgatherv,
		[OTF2_COLLECTIVE_OP_ALLTOALL] = TAPE_CALL_MPI_Alltoall,
		[OTF2_COLLECTIVE_OP_ALLTOALLV] = TAPE_CALL_MPI_Alltoallv,
		[OTF2_COLLECTIVE_OP_ALLTOALLW] = TAPE_CALL_MPI_Alltoallw,
		[OTF2_COLLECTIVE_OP_ALLREDUCE] = TAPE_CALL_MPI_Allreduce,
		[OTF2_COLLECTIVE_OP_REDUCE] = TAPE_CALL_MPI_Reduce,
		[OTF2_COLLECTIVE_OP_REDUCE_SCATTER] =
			TAPE_CALL_MPI_Reduce_scatter,
		[OTF2_COLLECTIVE_OP_SCAN] = TAPE_CALL_MPI_Scan,
		[OTF2_COLLECTIVE_OP_EXSCAN] = TAPE_CALL_MPI_Exscan,
		[OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] =
			TAPE_CALL_MPI_Reduce_scatter_block,
	};

	return (size_t)op < sizeof calls / sizeof *calls ? calls[op] : 0;
}

static void set_coll(struct tape_event *e, uint32_t comm,
		     const struct collective *c)
{
	e->u.coll = (struct tape_coll){.root = trace_root(c->root),
				       .bytes = c->sent,
				       .rbytes = c->received,
				       .comm = comm};
}

void flow_collective(struct flow *f, int64_t t, const struct collective *c)
{
	uint32_t comm = rank_comm(f->s->rank, c->comm);
	struct tape_event e;

	if (!f->depth && collective_call(c->op)) {
		f->s->losses->alone++;
		e = new_call_event(f, collective_call(c->op), f->collective_ns,
				   &f->place);
		set_coll(&e, comm, c);
		e.end_ns = t;
		write_event(f, &e);
	} else if (f->depth && f->e.class_ == TAPE_CLASS_COLL) {
		set_coll(&f->e, comm, c);
	} else if (f->depth && f->e.class_ == TAPE_CLASS_COMM_NEW) {
		f->e.u.comm_new.comm = comm;
	} else if (f->depth && f->e.class_ == TAPE_CLASS_COMM_FREE) {
		f->e.u.comm_free.comm = comm;
	} else if (f->depth && f->e.class_ == TAPE_CLASS_WIN_NEW) {
		f->e.u.win_new.comm = comm;
	} else if (f->depth && f->e.class_ == TAPE_CLASS_FILE_NEW) {
		f->e.u.file_new.comm = comm;
	}
}
