/*
 * Sends and receives to messages: flows made by hand for each form, several
 * threads, what has no partner; and memory that does not grow with the trace.
 */
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "messages.h"
#include "tap.h"

/* Flows: rank 0 has two threads. */
enum { F00, F01, F1, F2, FLOWS };

static struct tape_trace *trace;
static struct tape_messages *m;
static struct tape_done done_list[4];
static uint64_t events[FLOWS], created[FLOWS];
static int64_t now;

/*
 * Communicator 2 is between ranks 0, 1 and rank 2; 3 is of ranks 0 and 1, of
 * which rank 1 left no definition.
 */
static void make_trace(void)
{
	static const char *const files[] = {
		"flow.0.0", "flow.0.1", "flow.1.0", "flow.2.0" };
	static const char *const rank[] = {
		("comm 1 1 3 0 world\ncomm 2 b2 1 0 %\ninter 2 0 2\n"
		 "comm 3 c3 2 0 %\n"),
		"comm 1 1 3 1 world\ncomm 2 b2 1 1 %\ninter 2 0 2\n",
		"comm 1 1 3 2 world\ncomm 2 b2 2 0 %\ninter 2 1 1\n" };
	static const char meta[] =
		"tape-trace 1\nprogram x\nranks 3\nbase global\n"
		"domain 0 d h\nclock 0 0 0 1 0 0\n";
	char name[16], text[400];

	folder_make();
	folder_write(folder_path("meta", NULL), meta, strlen(meta));
	for (int i = 0; i < 4; i++)
		folder_write(folder_path(files[i], NULL), "", 0);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "rank.%d", i);
		snprintf(text, sizeof text, "tape-rank 1\nrank %d\nhost h\n"
			 "domain 0\nsite 1 120 5 x.c main\n%s", i, rank[i]);
		folder_write(folder_path(name, NULL), text, strlen(text));
	}
	if (tape_trace_open(folder, &trace)) {
		printf("# %s\n", tape_trace_error(trace));
		exit(1);
	}
}

static void fresh(void)
{
	tape_messages_free(m);
	m = tape_messages_new(trace, NULL);
	memset(events, 0, sizeof events);
	memset(created, 0, sizeof created);
	now = 1000;
}

/* ---- events ---- */

static struct tape_event event(unsigned flow, unsigned call)
{
	static const int ranks[] = { 0, 0, 1, 2 };
	struct tape_event e = { .call = (uint16_t)call, .polls = 1, .site = 1,
				.flow = flow, .rank = ranks[flow],
				.thread = flow == F01, .done = done_list };

	e.class_ = (uint16_t)tape_call_class(call);
	return e;
}

/* Gives it to the messages; the number of the request that it made. */
static uint64_t put(struct tape_event *e)
{
	e->start_ns = now += 10;
	e->end_ns = e->start_ns + 5;
	events[e->flow]++;
	if (tape_event_creates(e->class_, &e->u))
		e->request = (uint64_t)e->thread << TAPE_REQUEST_SHIFT |
			     ++created[e->flow];
	if (tape_messages_event(m, e, 0))
		exit(1);
	return e->request;
}

static uint64_t sends(unsigned flow, unsigned call, uint32_t comm, int peer,
		      int tag, uint64_t bytes)
{
	struct tape_event e = event(flow, call);

	/* the classes send and isend have the same fields */
	if (e.class_ == TAPE_CLASS_SEND)
		e.u.send = (struct tape_send){ .peer = peer, .tag = tag,
					       .bytes = bytes, .comm = comm };
	else
		e.u.isend = (struct tape_isend){ .peer = peer, .tag = tag,
						 .bytes = bytes, .comm = comm };
	return put(&e);
}

static void recv(unsigned flow, uint32_t comm, int peer, int tag, int source,
		 int got_tag, uint64_t bytes)
{
	struct tape_event e = event(flow, TAPE_CALL_MPI_Recv);

	e.u.recv = (struct tape_recv){ .peer = peer, .tag = tag, .comm = comm,
				       .actual_peer = source,
				       .actual_tag = got_tag, .bytes = bytes,
				       .arrived = 2 };
	put(&e);
}

static uint64_t posts(unsigned flow, unsigned call, uint32_t comm, int peer,
		      int tag)
{
	struct tape_event e = event(flow, call);

	e.u.irecv = (struct tape_irecv){ .peer = peer, .tag = tag,
					 .bytes = 999, .comm = comm };
	return put(&e);
}

static void ends(unsigned flow, unsigned call, uint64_t request,
		 enum tape_done_kind kind, int source, int tag, uint64_t bytes)
{
	struct tape_event e = event(flow, call);

	done_list[0] = (struct tape_done){ .request = request, .kind = kind,
					   .peer = source, .tag = tag,
					   .bytes = bytes, .arrived = 2 };
	e.n_done = 1;
	put(&e);
}

static void got(unsigned flow, uint64_t request, int source, int tag,
		uint64_t bytes)
{
	ends(flow, TAPE_CALL_MPI_Wait, request, TAPE_DONE_RECV, source, tag,
	     bytes);
}

/* ---- what comes out ---- */

static struct tape_message g;

static int next_one(void)
{
	const struct tape_message *next = tape_messages_next(m);

	if (next)
		g = *next;
	return next != NULL;
}

/* The next message is there, and it is that one. */
static int is(enum tape_message_state state, int from, int to, int tag,
	      uint64_t bytes)
{
	if (!next_one()) {
		printf("# no message\n");
		return 0;
	}
	if (g.state == state && g.from == from && g.to == to && g.tag == tag &&
	    g.bytes == bytes &&
	    (state != TAPE_MATCHED || !g.ended.event || g.received == bytes))
		return 1;
	printf("# state %d from %d to %d tag %d bytes %d received %d\n",
	       (int)g.state, g.from, g.to, g.tag, (int)g.bytes,
	       (int)g.received);
	return 0;
}

/* The next one is there, of these sizes. */
static int sizes(uint64_t bytes, uint64_t received)
{
	return next_one() && g.state == TAPE_MATCHED &&
	       g.bytes == bytes && g.received == received;
}

static int none(void)
{
	return !next_one();
}

static int end(void)
{
	return !tape_messages_end(m);
}

/* ---- the forms ---- */

static void simple(void)
{
	fresh();
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 100);
	ok(none(), "a send alone is not complete");
	recv(F1, 1, 0, 7, 0, 7, 100);
	ok(is(TAPE_MATCHED, 0, 1, 7, 100) && none(), "its receive ends it");
	ok(g.sent.rank == 0 && g.sent.event == 1 && g.sent_ns == 1010 &&
		   g.sent.call == TAPE_CALL_MPI_Send && g.sent.site == 1 &&
		   g.posted.rank == 1 && g.posted.event == 1 &&
		   g.posted_ns == 1020 && g.ended.event == 1 &&
		   g.ended_ns == 1025 && g.comm == 1,
	   "with places and dates of both sides");
	recv(F1, 1, TAPE_ANY_SOURCE, TAPE_ANY_TAG, 2, 8, 5);
	sends(F2, TAPE_CALL_MPI_Send, 1, 1, 8, 5);
	ok(is(TAPE_MATCHED, 2, 1, 8, 5), "the receive first, from anybody");
	sends(F00, TAPE_CALL_MPI_Send, 1, TAPE_PROC_NULL, 7, 100);
	recv(F1, 1, TAPE_PROC_NULL, 7, TAPE_PROC_NULL, -1, 0);
	sends(F00, TAPE_CALL_MPI_Send, 0, 1, 7, 100);
	ok(end() && none(), "to nobody, from nobody, failed: no message");
}

static void both_at_once(void)
{
	struct tape_event e;

	fresh();
	e = event(F00, TAPE_CALL_MPI_Sendrecv_replace);
	e.u.sendrecv = (struct tape_sendrecv){
		.peer = 1, .tag = 3, .bytes = 11, .comm = 1, .rpeer = 1,
		.rtag = 4, .actual_peer = 1, .actual_tag = 4, .rbytes = 12 };
	put(&e);
	e = event(F1, TAPE_CALL_MPI_Sendrecv);
	e.u.sendrecv = (struct tape_sendrecv){
		.peer = 0, .tag = 4, .bytes = 12, .comm = 1, .rpeer = 0,
		.rtag = TAPE_ANY_TAG, .actual_peer = 0, .actual_tag = 3,
		.rbytes = 11 };
	put(&e);
	ok(is(TAPE_MATCHED, 1, 0, 4, 12) && is(TAPE_MATCHED, 0, 1, 3, 11) &&
		   none(), "two sendrecvs: two messages");
}

static void persistent(void)
{
	uint64_t s, r;
	int wrong = 0;

	fresh();
	s = sends(F00, TAPE_CALL_MPI_Send_init, 1, 1, 7, 100);
	r = posts(F1, TAPE_CALL_MPI_Recv_init, 1, TAPE_ANY_SOURCE, 7);
	ok(none() && !tape_messages_most(m), "made, not started: nothing");
	for (int i = 0; i < 3; i++) {
		ends(F1, TAPE_CALL_MPI_Start, r, TAPE_DONE_REQUEST, 0, 0, 0);
		ends(F00, TAPE_CALL_MPI_Start, s, TAPE_DONE_REQUEST, 0, 0, 0);
		got(F1, r, 0, 7, 100);
		ends(F00, TAPE_CALL_MPI_Wait, s, TAPE_DONE_REQUEST, 0, 0, 0);
		wrong += !is(TAPE_MATCHED, 0, 1, 7, 100) ||
			 g.sent.call != TAPE_CALL_MPI_Start;
	}
	ok(!wrong && none(), "each start is a message, begun there");
	ok(end() && none(), "and no more");
}

static void matched_probes(void)
{
	struct tape_event e;
	uint64_t r;

	fresh();
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 100);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 200);
	e = event(F1, TAPE_CALL_MPI_Mprobe);
	e.u.mprobe = (struct tape_mprobe){ .peer = -1, .tag = -1, .comm = 1,
					   .actual_peer = 0, .actual_tag = 7,
					   .bytes = 100 };
	r = put(&e);
	recv(F1, 1, 0, 7, 0, 7, 200);
	ok(is(TAPE_MATCHED, 0, 1, 7, 200), "a probe has taken the first");
	ends(F1, TAPE_CALL_MPI_Mrecv, r, TAPE_DONE_RECV, 0, 7, 100);
	ok(is(TAPE_MATCHED, 0, 1, 7, 100) &&
		   g.posted.call == TAPE_CALL_MPI_Mprobe &&
		   g.ended.call == TAPE_CALL_MPI_Mrecv, "mrecv gets it");
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 300);
	e = event(F1, TAPE_CALL_MPI_Improbe);
	e.u.improbe = (struct tape_improbe){ .peer = 0, .tag = 7, .comm = 1,
					     .flag = 1, .actual_peer = 0,
					     .actual_tag = 7, .bytes = 300 };
	r = put(&e);
	e = event(F1, TAPE_CALL_MPI_Imrecv);
	done_list[0] = (struct tape_done){ .request = r };
	e.n_done = 1;
	r = put(&e);
	got(F1, r, 0, 7, 300);
	ok(is(TAPE_MATCHED, 0, 1, 7, 300) && none(), "improbe, imrecv, wait");
}

static void two_groups(void)
{
	fresh();
	/* the same ranks and tags in both directions */
	sends(F00, TAPE_CALL_MPI_Send, 2, 0, 7, 1);
	sends(F2, TAPE_CALL_MPI_Send, 2, 0, 7, 2);
	sends(F1, TAPE_CALL_MPI_Send, 2, 0, 7, 3);
	recv(F2, 2, TAPE_ANY_SOURCE, 7, 0, 7, 1);
	recv(F00, 2, 0, 7, 0, 7, 2);
	recv(F2, 2, 1, 7, 1, 7, 3);
	ok(is(TAPE_MATCHED, 0, 2, 7, 1) && is(TAPE_MATCHED, 2, 0, 7, 2) &&
		   is(TAPE_MATCHED, 1, 2, 7, 3) && none(),
	   "between two groups, peers are ranks of the other one");
	sends(F1, TAPE_CALL_MPI_Send, 2, 0, 7, 4);
	ok(end() && is(TAPE_UNRECEIVED, 1, 2, 7, 4) && g.peer == 0,
	   "and so is who did not receive");
}

static void order_of_posting(void)
{
	uint64_t r[4];

	fresh();
	r[0] = posts(F1, TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_SOURCE, 7);
	r[1] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, 7);
	r[2] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, 8);
	r[3] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, TAPE_ANY_TAG);
	for (unsigned i = 1; i <= 3; i++)
		sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, i);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 8, 9);
	got(F1, r[2], 0, 8, 9);
	ok(is(TAPE_MATCHED, 0, 1, 8, 9), "behind a wildcard of another tag");
	got(F1, r[3], 0, 7, 3);
	got(F1, r[1], 0, 7, 2);
	recv(F1, 1, 0, 7, 0, 7, 4);
	ok(none(), "ended, but which messages depends on the wildcard before");
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 4);
	got(F1, r[0], 0, 7, 1);
	ok(is(TAPE_MATCHED, 0, 1, 7, 1) && is(TAPE_MATCHED, 0, 1, 7, 2) &&
		   is(TAPE_MATCHED, 0, 1, 7, 3) && is(TAPE_MATCHED, 0, 1, 7, 4),
	   "it ends: all in the order of posting");
	ok(end() && none(), "nothing is left");

	fresh();
	r[0] = posts(F1, TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_SOURCE, 7);
	r[1] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, 7);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 1);
	got(F1, r[1], 0, 7, 1);
	sends(F2, TAPE_CALL_MPI_Send, 1, 1, 7, 2);
	got(F1, r[0], 2, 7, 2);
	ok(is(TAPE_MATCHED, 2, 1, 7, 2) && is(TAPE_MATCHED, 0, 1, 7, 1) &&
		   none(), "it had another source: the one behind is free");
}

/* A persistent receive ends and starts again while its order is open. */
static void restarted(void)
{
	uint64_t r[2];

	fresh();
	r[0] = posts(F1, TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_SOURCE, 7);
	r[1] = posts(F1, TAPE_CALL_MPI_Recv_init, 1, 0, 7);
	for (unsigned i = 0; i < 3; i++)
		sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, i);
	for (unsigned i = 1; i < 3; i++) {
		ends(F1, TAPE_CALL_MPI_Start, r[1], TAPE_DONE_REQUEST, 0, 0, 0);
		got(F1, r[1], 0, 7, i);
	}
	ends(F1, TAPE_CALL_MPI_Request_free, r[1], TAPE_DONE_REQUEST, 0, 0, 0);
	ok(none(), "two starts wait for a wildcard");
	ends(F1, TAPE_CALL_MPI_Wait, r[0], TAPE_DONE_CANCELLED, 0, 0, 0);
	ok(sizes(0, 1) && sizes(1, 2) && none(),
	   "which is cancelled: they get the first two");
	ok(end() && is(TAPE_UNRECEIVED, 0, 1, 7, 2), "one is left");
}

static void given_up(void)
{
	uint64_t r[3];

	fresh();
	r[0] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, 7);
	r[1] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, 7);
	ends(F1, TAPE_CALL_MPI_Wait, r[0], TAPE_DONE_CANCELLED, 0, 0, 0);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 1);
	got(F1, r[1], 0, 7, 1);
	ok(is(TAPE_MATCHED, 0, 1, 7, 1), "a cancelled receive took nothing");
	r[0] = sends(F00, TAPE_CALL_MPI_Isend, 1, 1, 7, 2);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 3);
	ends(F00, TAPE_CALL_MPI_Wait, r[0], TAPE_DONE_CANCELLED, 0, 0, 0);
	recv(F1, 1, 0, 7, 0, 7, 3);
	ok(is(TAPE_MATCHED, 0, 1, 7, 3) && none(),
	   "a cancelled send was not received");
	r[0] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, 7);
	ends(F1, TAPE_CALL_MPI_Request_free, r[0], TAPE_DONE_REQUEST, 0, 0, 0);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 4);
	ok(is(TAPE_MATCHED, 0, 1, 7, 4) && !g.ended.event && g.posted.event,
	   "a freed receive takes its message; its end is not known");
	r[0] = posts(F1, TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_SOURCE, 7);
	ends(F1, TAPE_CALL_MPI_Request_free, r[0], TAPE_DONE_REQUEST, 0, 0, 0);
	ok(is(TAPE_UNSENT, -1, 1, 7, 0) && g.peer == TAPE_ANY_SOURCE,
	   "a freed wildcard: it took one, or none");
	r[0] = posts(F1, TAPE_CALL_MPI_Irecv, 1, 0, 7);
	ends(F1, TAPE_CALL_MPI_Wait, r[0], TAPE_DONE_REQUEST, 0, 0, 0);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 5);
	ok(sizes(5, 0) && g.ended.event,
	   "a receive that failed ends with no size");
	ok(end() && none(), "nothing is left");
}

static void threads(void)
{
	uint64_t r;

	fresh();
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 1);
	sends(F01, TAPE_CALL_MPI_Send, 1, 1, 7, 2);
	r = posts(F00, TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_SOURCE, 9);
	recv(F1, 1, 0, 7, 0, 7, 1);
	recv(F1, 1, 0, 7, 0, 7, 2);
	ok(is(TAPE_MATCHED, 0, 1, 7, 1) && !g.sent.thread &&
		   is(TAPE_MATCHED, 0, 1, 7, 2) && g.sent.thread == 1 &&
		   g.sent.event == 1, "two threads of a rank, in their order");
	sends(F1, TAPE_CALL_MPI_Send, 1, 0, 9, 3);
	got(F01, r, 1, 9, 3);
	ok(is(TAPE_MATCHED, 1, 0, 9, 3) && !g.posted.thread &&
		   g.ended.thread == 1, "one posts, the other completes");
	ok(!tape_messages_unknown(m), "and knows the request");
}

static void one_side_only(void)
{
	struct tape_unmatched *u = tape_unmatched_new();
	uint64_t sent = 0, received = 0;
	int n = 0;

	fresh();
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 5);
	sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 6);
	sends(F00, TAPE_CALL_MPI_Send, 3, 1, 7, 7);
	recv(F1, 1, 2, TAPE_ANY_TAG, 2, 8, 9);
	posts(F2, TAPE_CALL_MPI_Irecv, 1, 0, 3);
	posts(F2, TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_SOURCE, TAPE_ANY_TAG);
	posts(F2, TAPE_CALL_MPI_Irecv, 1, 0, 3);
	ends(F2, TAPE_CALL_MPI_Wait, 55, TAPE_DONE_REQUEST, 0, 0, 0);
	ok(none() && end(), "nothing comes before the end");
	ok(is(TAPE_UNSENT, -1, 2, TAPE_ANY_TAG, 0) && !g.ended.event &&
		   g.peer == TAPE_ANY_SOURCE, "a wildcard never completed");
	ok(is(TAPE_UNRECEIVED, 0, 1, 7, 5) && is(TAPE_UNRECEIVED, 0, 1, 7, 6),
	   "then in order of dates: two sends");
	ok(is(TAPE_UNRECEIVED, 0, -1, 7, 7) && g.peer == 1 && g.comm == 0xc3,
	   "one to a rank that left no trace there");
	ok(is(TAPE_UNSENT, 2, 1, 8, 9) && g.received == 9 && g.ended.event,
	   "a receive that ended");
	ok(is(TAPE_UNSENT, 0, 2, 3, 0) && is(TAPE_UNSENT, 0, 2, 3, 0) &&
		   none(), "and two that did not");
	ok(tape_messages_unknown(m) == 1, "one request was never made");

	/* the same once more, summed up */
	fresh();
	for (int i = 0; i < 1000; i++) {
		sends(F00, TAPE_CALL_MPI_Send, 1, 1, 7, 5);
		sends(F00, TAPE_CALL_MPI_Send, 1, 1, i % 100, 1);
		recv(F1, 1, 2, 5, 2, 5, 4);
	}
	end();
	while (next_one()) {
		tape_unmatched_message(u, &g);
		sent += g.state == TAPE_UNRECEIVED;
		received += g.state == TAPE_UNSENT;
		n++;
	}
	ok(n == 3000 && sent == 2000 && tape_unmatched_sends(u) == sent &&
		   tape_unmatched_receives(u) == received, "summed up");
	tape_unmatched_free(u);
	tape_unmatched_free(NULL);
}

/* Half a million messages, never more than 20 in flight. */
static void stream(void)
{
	enum { N = 500000, FLIGHT = 10 };
	static uint64_t r[FLIGHT];
	int wrong = 0;

	fresh();
	for (int i = 0; i < N; i++) {
		int k = i % FLIGHT;

		if (i >= FLIGHT) {
			got(F1, r[k], 0, k, (unsigned)(i - FLIGHT));
			wrong += !is(TAPE_MATCHED, 0, 1, k,
				     (unsigned)(i - FLIGHT)) || !none();
		}
		r[k] = posts(F1, TAPE_CALL_MPI_Irecv, 1,
			     i % 3 ? TAPE_ANY_SOURCE : 0, k);
		sends(F00, TAPE_CALL_MPI_Send, 1, 1, k, (unsigned)i);
	}
	ok(!wrong, "%d messages, each with its own", N);
	ok(tape_messages_most(m) <= 2 * FLIGHT, "%d at once at most",
	   (int)tape_messages_most(m));
}

int main(void)
{
	make_trace();
	atexit(folder_remove);
	simple();
	both_at_once();
	persistent();
	matched_probes();
	two_groups();
	order_of_posting();
	restarted();
	given_up();
	threads();
	one_side_only();
	stream();
	tape_messages_free(m);
	tape_messages_free(NULL);
	tape_trace_close(trace);
	return done();
}
