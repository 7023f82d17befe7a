/*
 * The call in progress at the end of a slot: read while it is valid, and not
 * otherwise, whatever its bytes are.
 * Truth: the bytes, put by hand as catalogue/record.h describes them.
 */
#include "folder.h"
#include "output.h"
#include "tap.h"
#include "tape_call_in_progress.h"
#include "tape_follow.h"

static const char meta[] = "tape-trace 1\nranks 1\nbase global\n"
			   "domain 0 global %\nclock 0 0 0 1 0 0\n";

/* call sites: MPI_Send, MPI_Recv, MPI_Waitall, MPI_Bcast, MPI_Sendrecv */
static const char rank_text[] =
	"tape-rank 1\nrank 0\nhost a\npid 7\ndomain 0\n"
	"site 1 120 10 a.c main\nsite 2 124 11 a.c main\n"
	"site 3 172 12 a.c main\nsite 4 201 13 a.c main\n"
	"site 5 125 14 a.c main\ncomm 1 1 1 0 w\n";

/* A send that ends at tick 1015. */
static const unsigned char send[] = { TAPE_CODE_SITE + 2, 5, 10, 2, 10, 8, 1 };
enum { POSITION = TAPE_CHUNK_HEADER + sizeof send };

static unsigned char slot[TAPE_CHUNK_BYTES];

static struct tape_trace *open_definitions(void)
{
	struct tape_output *o = tape_output_begin(folder_path("call", NULL));
	struct tape_trace *t;

	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	folder_write(tape_output_path(o, "rank.0"), rank_text,
		     strlen(rank_text));
	tape_output_commit(o);
	if (tape_trace_open(folder_path("call", NULL), &t)) {
		ok(0, "the trace opens: %s", tape_trace_error(t));
		exit(1);
	}
	return t;
}

static void put_field(uint32_t at, uint32_t value)
{
	tape_put32(slot + TAPE_CHUNK_CALL + at, value);
}

/* A slot with the send, and a call in progress at that site. */
static void make_slot(uint32_t version, uint32_t site)
{
	struct tape_chunk c = { .magic = TAPE_CHUNK_MAGIC,
				.version = version,
				.start = 1000 };

	memset(slot, 0, sizeof slot);
	tape_chunk_put(slot, &c);
	memcpy(slot + TAPE_CHUNK_HEADER, send, sizeof send);
	put_field(TAPE_CALL_POSITION, POSITION);
	put_field(TAPE_CALL_SITE, site);
	tape_put64(slot + TAPE_CHUNK_CALL + TAPE_CALL_START, 1500);
	put_field(TAPE_CALL_PEER, 3);
	put_field(TAPE_CALL_TAG, (uint32_t)-1);
	put_field(TAPE_CALL_COMM, 1);
}

/* Reads n bytes of the slot to their end. */
static int read_call(struct tape_trace *t, size_t n,
		     struct tape_call_in_progress *c)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int found;

	if (tape_flow_memory(t, slot, n, &f))
		return -1;
	while (tape_flow_next(f, &e) == 1)
		;
	found = tape_flow_call_in_progress(f, c);
	tape_flow_close(f);
	return found;
}

static void test_fields(struct tape_trace *t)
{
	struct tape_call_in_progress c;

	make_slot(TAPE_FORMAT_VERSION, 2);
	ok(read_call(t, sizeof slot, &c) == 1 && c.class_ == TAPE_CLASS_RECV &&
		   c.site == 2 && c.start_tick == 1500 && c.start_ns == 1500 &&
		   c.peer == 3 && c.tag == -1 && c.comm == 1,
	   "a receive in progress");
	make_slot(TAPE_FORMAT_VERSION, 4);
	tape_put64(slot + TAPE_CHUNK_CALL + TAPE_CALL_AMOUNT, 77);
	ok(read_call(t, sizeof slot, &c) == 1 && c.class_ == TAPE_CLASS_COLL &&
		   c.peer == 3 && c.elements == 77 && !c.bytes,
	   "a collective with its root");
	make_slot(TAPE_FORMAT_VERSION, 5);
	put_field(TAPE_CALL_RPEER, 8);
	put_field(TAPE_CALL_RTAG, 9);
	ok(read_call(t, sizeof slot, &c) == 1 && c.peer == 3 && c.rpeer == 8 &&
		   c.rtag == 9,
	   "a sendrecv with both partners");
	make_slot(TAPE_FORMAT_VERSION, 3);
	put_field(TAPE_CALL_N, 2);
	tape_put64(slot + TAPE_CHUNK_CALL + TAPE_CALL_REQUESTS, 41);
	tape_put64(slot + TAPE_CHUNK_CALL + TAPE_CALL_REQUESTS + 8, 42);
	tape_put64(slot + TAPE_CHUNK_CALL + TAPE_CALL_REQUESTS + 16, 43);
	ok(read_call(t, sizeof slot, &c) == 1 && c.n == 2 &&
		   c.n_requests == 2 && c.requests[1] == 42 && !c.comm,
	   "a wait with its requests, no more than it has");
	make_slot(TAPE_FORMAT_VERSION, 2);
	tape_put64(slot + TAPE_CHUNK_CALL + TAPE_CALL_START, 3);
	ok(read_call(t, sizeof slot, &c) == 1 && c.start_tick == 1015,
	   "its start is at least the end of the last event");
}

static void test_validity(struct tape_trace *t)
{
	struct tape_call_in_progress c;

	make_slot(TAPE_FORMAT_VERSION, 2);
	put_field(TAPE_CALL_POSITION, POSITION - 1);
	ok(!read_call(t, sizeof slot, &c), "another position: it has ended");
	make_slot(TAPE_FORMAT_VERSION, 2);
	put_field(TAPE_CALL_POSITION, UINT32_MAX);
	ok(!read_call(t, sizeof slot, &c), "a position outside of the slot");
	make_slot(TAPE_FORMAT_VERSION, 99);
	ok(!read_call(t, sizeof slot, &c), "an undefined call site");
	make_slot(TAPE_FORMAT_VERSION, 2);
	put_field(TAPE_CALL_COMM, 9);
	ok(read_call(t, sizeof slot, &c) == 1 && !c.comm,
	   "an undefined communicator is not known");
	make_slot(4, 2);
	ok(!read_call(t, sizeof slot, &c), "format 4 has none");
	make_slot(TAPE_FORMAT_VERSION, 2);
	ok(!read_call(t, sizeof slot - 1, &c), "a slot that was cut has none");
	slot[POSITION] = TAPE_CODE_END;
	slot[POSITION + 1] = TAPE_END_FINALIZE;
	ok(!read_call(t, sizeof slot, &c), "a flow that ended has none");
}

/* The flow as a file, which changes. */
static void test_current(void)
{
	const char *file = folder_path("call", "flow.0.0");
	struct tape_call_in_progress c;
	struct tape_trace *again;
	struct tape_flow *f;
	const struct tape_event *e;

	make_slot(TAPE_FORMAT_VERSION, 2);
	folder_write(file, slot, sizeof slot);
	if (tape_trace_open(folder_path("call", NULL), &again) ||
	    tape_flow_open(again, 0, &f)) {
		ok(0, "the trace opens again: %s", tape_trace_error(again));
		return;
	}
	while (tape_flow_next(f, &e) == 1)
		;
	ok(tape_flow_call_in_progress(f, &c) &&
		   tape_call_is_current(again, 0, &c),
	   "a call that is still in progress");
	slot[POSITION] = TAPE_CODE_OFF;
	folder_write(file, slot, sizeof slot);
	ok(!tape_call_is_current(again, 0, &c), "it has ended since");
	slot[POSITION] = 0;
	tape_put64(slot + TAPE_CHUNK_CALL + TAPE_CALL_START, 1600);
	folder_write(file, slot, sizeof slot);
	ok(!tape_call_is_current(again, 0, &c), "another one began since");
	tape_flow_close(f);
	tape_trace_close(again);
}

/* While it is waited for more, there may be more: no call is in progress. */
struct follower {
	struct tape_flow *f;
	int waits, calls;
};

static int end_following(void *self, size_t flow)
{
	struct follower *w = self;
	struct tape_call_in_progress c;

	(void)flow;
	w->waits += w->f != NULL;
	w->calls += w->f && tape_flow_call_in_progress(w->f, &c);
	return 1;
}

/* The same file while it is followed: a site that no record uses yet. */
static void test_followed(void)
{
	struct follower w = { 0 };
	struct tape_following by = { .wait = end_following, .self = &w };
	struct tape_call_in_progress c;
	const struct tape_event *e;
	struct tape_trace *t;
	int n = 0;

	make_slot(TAPE_FORMAT_VERSION, 2);
	folder_write(folder_path("call", "flow.0.0"), slot, sizeof slot);
	if (tape_trace_follow(folder_path("call", NULL), &by, &t) ||
	    tape_flow_open(t, 0, &w.f)) {
		ok(0, "the trace is followed: %s", tape_trace_error(t));
		return;
	}
	while (tape_flow_next(w.f, &e) == 1)
		n++;
	ok(n == 1 && w.waits && !w.calls, "followed: more events may come");
	ok(tape_flow_call_in_progress(w.f, &c) == 1 &&
		   c.class_ == TAPE_CLASS_RECV && c.peer == 3 &&
		   c.start_tick == 1500 && tape_flow_call_is_current(w.f, &c),
	   "followed: the call in progress at the end");
	tape_flow_close(w.f);
	tape_trace_close(t);
}

int main(void)
{
	struct tape_trace *t;

	folder_make();
	atexit(folder_remove);
	t = open_definitions();
	test_fields(t);
	test_validity(t);
	test_current();
	test_followed();
	tape_trace_close(t);
	return done();
}
