/* Makes an order file of events; see event_order.h. */
#include <string.h>

#include "event_order.h"
#include "order_file.h"
#include "table.h"
#include "tool.h"

/* A receive of any source. */
struct post {
	uint64_t number; /* from 0, in program order */
	uint32_t is_persistent, is_pending;
};

struct order {
	const struct tape_trace *t;
	int rank;
	FILE *out;
	uint64_t n_posts;	 /* so far */
	struct tape_table posts; /* struct post, by the number of the request */
};

/* ---- decisions ---- */

static void write_bytes(struct order *o, const unsigned char *p, size_t n)
{
	if (fwrite(p, 1, n, o->out) != n)
		tape_die(TAPE_FAILED, "%s: the order of rank %d: %m",
			 tape_trace_path(o->t), o->rank);
}

static void put_decision(struct order *o, const struct tape_order_decision *d)
{
	unsigned char bytes[TAPE_ORDER_DECISION];

	write_bytes(o, bytes, (size_t)(tape_order_write(bytes, d) - bytes));
}

static void put_partner(struct order *o, enum tape_order_kind kind,
			unsigned call, uint64_t number, int32_t source,
			int32_t tag)
{
	struct tape_order_decision d = {.kind = kind,
					.call = call,
					.number = number,
					.source = source,
					.tag = tag};

	put_decision(o, &d);
}

static void put_number(struct order *o, enum tape_order_kind kind,
		       unsigned call, uint64_t number)
{
	put_partner(o, kind, call, number, 0, 0);
}

__attribute__((noreturn)) static void refuse_rank(const struct order *o,
						  const char *why)
{
	tape_die(TAPE_FAILED, "%s cannot be replayed: rank %d: %s",
		 tape_trace_path(o->t), o->rank, why);
}

/* ---- receives and probes ---- */

/* A receive or probe of any source; no message: the call failed. */
static void convert_receive(struct order *o, const struct tape_event *e,
			    int32_t peer, int32_t actual_peer, int32_t tag)
{
	if (peer == TAPE_ANY_SOURCE &&
	    (actual_peer >= 0 || actual_peer == TAPE_PROC_NULL))
		put_partner(o, TAPE_DECISION_RECEIVED, e->call, 0, actual_peer,
			    tag);
}

/* A probe that polls and found a message. */
static void convert_found(struct order *o, const struct tape_event *e,
			  int32_t peer, int32_t actual_peer, int32_t tag)
{
	if (peer == TAPE_ANY_SOURCE)
		put_partner(o, TAPE_DECISION_FOUND, e->call, 0, actual_peer,
			    tag);
	else
		put_number(o, TAPE_DECISION_TRUE, e->call, 0);
}

/* Returns 1 for calls whose failures are decisions. */
static int is_decided(unsigned call)
{
	switch (call) {
	case TAPE_CALL_MPI_Iprobe:
	case TAPE_CALL_MPI_Improbe:
	case TAPE_CALL_MPI_Test:
	case TAPE_CALL_MPI_Testall:
	case TAPE_CALL_MPI_Testany:
	case TAPE_CALL_MPI_Testsome:
	case TAPE_CALL_MPI_Request_get_status:
	case TAPE_CALL_MPI_Parrived:
		return 1;
	default:
		return 0;
	}
}

/* A run of failed calls, of one name or of two. */
static void convert_failures(struct order *o, const struct tape_event *e)
{
	struct tape_order_decision d = {
	    .kind = TAPE_DECISION_FAILED, .call = e->call, .number = e->polls};

	if (e->also_polls && is_decided(e->also_call)) {
		if (e->also_call == e->call) {
			d.number += e->also_polls;
		} else if (is_decided(e->call)) {
			d.kind = TAPE_DECISION_FAILED_BOTH;
			d.other_call = e->also_call;
			d.other_number = e->also_polls;
		} else {
			d.call = e->also_call;
			d.number = e->also_polls;
		}
	}
	if (is_decided(d.call))
		put_decision(o, &d);
}

/* ---- requests ---- */

static void start_post(struct order *o, struct post *p)
{
	p->number = o->n_posts++;
	p->is_pending = 1;
}

/* A request of any source was made; a persistent one is a post when started. */
static void convert_posted(struct order *o, const struct tape_event *e)
{
	struct post *p = tape_must(tape_table_get(&o->posts, e->request));

	*p = (struct post){0};
	if (tape_call_traits(e->call) & TAPE_TRAIT_PERSISTENT)
		p->is_persistent = 1;
	else
		start_post(o, p);
}

static void convert_started(struct order *o, const struct tape_event *e)
{
	for (uint32_t i = 0; i < e->n_done; i++) {
		struct post *p = tape_table_find(&o->posts, e->done[i].request);

		if (p && p->is_persistent)
			start_post(o, p);
	}
}

static void convert_freed(struct order *o, const struct tape_event *e)
{
	struct post *p = e->n_done && e->call == TAPE_CALL_MPI_Request_free
			     ? tape_table_find(&o->posts, e->done[0].request)
			     : NULL;

	if (!p)
		return;
	if (p->is_pending)
		refuse_rank(o, "which message a receive got that was freed is "
			       "not recorded");
	tape_table_drop(&o->posts, e->done[0].request);
}

/* Ends the post of a completed request, if it is one. */
static void end_post(struct order *o, const struct tape_done *done)
{
	struct post *p = tape_table_find(&o->posts, done->request);

	if (!p || !p->is_pending)
		return;
	p->is_pending = 0;
	if (done->kind == TAPE_DONE_CANCELLED)
		put_number(o, TAPE_DECISION_CANCELLED, 0, p->number);
	else if (done->kind == TAPE_DONE_RECV)
		put_partner(o, TAPE_DECISION_MATCHED, 0, p->number, done->peer,
			    done->tag);
	if (!p->is_persistent)
		tape_table_drop(&o->posts, done->request);
}

static void check_requests(const struct order *o, const struct tape_event *e)
{
	for (uint32_t i = 0; i < e->n_done; i++)
		if (!e->done[i].request)
			refuse_rank(o, "it completed a request whose creation "
				       "is not in the trace");
}

static void put_some(struct order *o, const struct tape_event *e)
{
	unsigned char bytes[TAPE_ORDER_NUMBER];

	put_number(o, TAPE_DECISION_SOME_NUMBERED, e->call,
		   e->n_done ? 1 + (uint64_t)e->n_done : 0);
	for (uint32_t i = 0; i < e->n_done; i++)
		write_bytes(
		    o, bytes,
		    (size_t)(tape_put_varint(bytes, e->done[i].request) -
			     bytes));
}

static void convert_completed(struct order *o, const struct tape_event *e)
{
	switch (e->call) {
	case TAPE_CALL_MPI_Test:
	case TAPE_CALL_MPI_Testall:
		put_number(o, TAPE_DECISION_TRUE, e->call, 0);
		break;
	case TAPE_CALL_MPI_Waitany:
	case TAPE_CALL_MPI_Testany:
		check_requests(o, e);
		put_number(o, TAPE_DECISION_ANY_NUMBERED, e->call,
			   e->n_done ? e->done[0].request : 0);
		break;
	case TAPE_CALL_MPI_Waitsome:
	case TAPE_CALL_MPI_Testsome:
		check_requests(o, e);
		put_some(o, e);
		break;
	default:
		break;
	}
	for (uint32_t i = 0; i < e->n_done; i++)
		end_post(o, &e->done[i]);
}

/* ---- events ---- */

static void convert_message(struct order *o, const struct tape_event *e)
{
	const union tape_fields *u = &e->u;

	switch (e->class_) {
	case TAPE_CLASS_RECV:
		convert_receive(o, e, u->recv.peer, u->recv.actual_peer,
				u->recv.actual_tag);
		break;
	case TAPE_CLASS_SENDRECV:
		convert_receive(o, e, u->sendrecv.rpeer,
				u->sendrecv.actual_peer,
				u->sendrecv.actual_tag);
		break;
	case TAPE_CLASS_PROBE:
		convert_receive(o, e, u->probe.peer, u->probe.actual_peer,
				u->probe.actual_tag);
		break;
	case TAPE_CLASS_MPROBE:
		convert_receive(o, e, u->mprobe.peer, u->mprobe.actual_peer,
				u->mprobe.actual_tag);
		break;
	case TAPE_CLASS_IPROBE:
		convert_found(o, e, u->iprobe.peer, u->iprobe.actual_peer,
			      u->iprobe.actual_tag);
		break;
	case TAPE_CLASS_IMPROBE:
		convert_found(o, e, u->improbe.peer, u->improbe.actual_peer,
			      u->improbe.actual_tag);
		break;
	}
}

static void convert_event(struct order *o, const struct tape_event *e)
{
	if (tape_event_failed(e->class_, &e->u)) {
		convert_failures(o, e);
		return;
	}
	switch (e->class_) {
	case TAPE_CLASS_IRECV:
		if (e->u.irecv.peer == TAPE_ANY_SOURCE)
			convert_posted(o, e);
		break;
	case TAPE_CLASS_START:
		convert_started(o, e);
		break;
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
		convert_completed(o, e);
		break;
	case TAPE_CLASS_REQ:
		convert_freed(o, e);
		break;
	case TAPE_CLASS_QUERY:
		if (is_decided(e->call))
			put_number(o, TAPE_DECISION_TRUE, e->call, 0);
		break;
	case TAPE_CLASS_OFF:
		refuse_rank(o, "tracing was switched off");
	case TAPE_CLASS_COUNTED:
		refuse_rank(o, "calls were only counted");
	default:
		convert_message(o, e);
	}
}

void event_order_check(const struct tape_trace *t)
{
	const char *path = tape_trace_path(t), *filter;

	if (!tape_trace_ranks(t) || tape_trace_rank(t, 0)->tid)
		tape_die(TAPE_FAILED, "%s cannot be replayed: it is of PVM",
			 path);
	if (tape_trace_meta(t, "stream", 0))
		tape_die(TAPE_FAILED,
			 "%s cannot be replayed: parts of it were removed "
			 "while it was written",
			 path);
	for (size_t i = 0; (filter = tape_trace_meta(t, "filter", i)); i++)
		if (strncmp(filter, "marks ", 6))
			tape_die(TAPE_FAILED,
				 "%s cannot be replayed: a setting left calls "
				 "out (%s)",
				 path, filter);
}

/* Opens the flow of the thread that called MPI_Init. */
static struct tape_flow *open_first_flow(struct tape_trace *t, struct order *o)
{
	struct tape_flow *f;

	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		const struct tape_flow_info *info = tape_trace_flow(t, i);

		if (info->rank != o->rank || info->thread)
			continue;
		if (tape_flow_open(t, i, &f))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
		return f;
	}
	refuse_rank(o, "it has no events");
}

void event_order_write(struct tape_trace *t, int rank, FILE *out)
{
	struct order o = {.t = t,
			  .rank = rank,
			  .out = out,
			  .posts = {.bytes = sizeof(struct post)}};
	struct tape_flow *f = open_first_flow(t, &o);
	unsigned char header[TAPE_ORDER_HEADER];
	const struct tape_event *e;
	unsigned long long n = 0;
	uint64_t lost;
	int rc;

	tape_order_write_header(header, rank, (int)tape_trace_ranks(t));
	write_bytes(&o, header, sizeof header);
	while ((rc = tape_flow_next(f, &e)) == 1) {
		convert_event(&o, e);
		if (!(++n & 0xffff))
			tape_progress(n, 0);
	}
	tape_progress(n, 1);
	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_flow_error(f));
	if (tape_flow_end(f, &lost) == TAPE_END_FINALIZE && !lost)
		put_number(&o, TAPE_DECISION_FINISHED, 0, o.n_posts);
	tape_flow_close(f);
	tape_table_free(&o.posts);
}
