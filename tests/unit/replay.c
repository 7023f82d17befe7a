/*
 * A trace played again against what is known of it: programs drawn at random,
 * whose messages and collectives are noted as they are written; the same with a
 * clock that goes wrong, so that receives end before their sends begin.
 */
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "output.h"
#include "replay.h"
#include "tap.h"
#include "writer.h"

/* Flows: rank 0 has two threads. */
enum { FLOWS = 4, RANKS = 3, ROUNDS = 300, EACH = 4 };
static const int rank_of[FLOWS] = { 0, 0, 1, 2 };
static const int thread_of[FLOWS] = { 0, 1, 0, 0 };

enum { SEND = 1, RECV, BARRIER, MARK_IN, MARK_OUT, IRECV, WAIT };
static const unsigned site_call[] = {
	0, TAPE_CALL_MPI_Send, TAPE_CALL_MPI_Recv, TAPE_CALL_MPI_Barrier, 0, 0,
	TAPE_CALL_MPI_Irecv, TAPE_CALL_MPI_Wait };
enum { SITES = sizeof site_call / sizeof *site_call };

static uint64_t state = 20260419;

static int64_t below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((state >> 20) % n);
}

/* ---- what is written ---- */

/* Each message has its own number of bytes, from 1: what is known of it. */
static struct known {
	int from, to, to_thread;
	int64_t sent_ns, posted_ns, awaited_ns, ended_ns;
} known[1 + ROUNDS * (EACH + 1)];
static uint64_t n_known;

static struct flow {
	struct tape_flow_writer *w;
	int64_t now;
	uint64_t requests;
} flow[FLOWS];
static int64_t wrong_by; /* rank 2's clock */
static uint64_t written;

static void put(int f, struct tape_event *e, int64_t start, int64_t end)
{
	int64_t off = rank_of[f] == 2 ? wrong_by : 0;

	e->polls = 1;
	e->start_ns = e->sr_ns = start + off;
	e->end_ns = end + off;
	if (tape_flow_writer_put(flow[f].w, e))
		exit(3);
	flow[f].now = end;
	written++;
}

static struct tape_event call(int site)
{
	struct tape_event e = { .site = (uint32_t)site };

	e.call = (uint16_t)site_call[site];
	e.class_ = (uint16_t)tape_call_class(e.call);
	return e;
}

static void mark(int f, enum tape_class class_)
{
	struct tape_event e = { .class_ = (uint16_t)class_, .region = 1 };
	int64_t t = flow[f].now + 1 + below(20);

	put(f, &e, t, t);
}

static int64_t after(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* From one flow to another, which may begin to receive before it is sent. */
static void message(int from, int to, int by_request)
{
	struct tape_event s = call(SEND), r = call(by_request ? IRECV : RECV);
	struct tape_event w = call(WAIT);
	int64_t sent = flow[from].now + 1 + below(400);
	int64_t posted = flow[to].now + 1 + below(400), awaited = posted;
	struct known *k = &known[++n_known];
	struct tape_done done;
	int64_t end;

	s.u.send = (struct tape_send){ .peer = rank_of[to], .tag = 7,
				       .bytes = n_known, .comm = 1 };
	put(from, &s, sent, sent + 1 + below(9));
	if (by_request) {
		r.u.irecv = (struct tape_irecv){ .peer = rank_of[from],
						 .tag = 7, .bytes = 1 << 20,
						 .comm = 1 };
		r.request = ++flow[to].requests;
		put(to, &r, posted, posted + 5);
		awaited = posted + 6 + below(300);
		end = after(awaited, sent) + 1 + below(50);
		done = (struct tape_done){ .request = r.request,
					   .kind = TAPE_DONE_RECV,
					   .peer = rank_of[from], .tag = 7,
					   .bytes = n_known, .arrived = 2 };
		w.u.wait = (struct tape_wait){ .n = 1 };
		w.n_done = 1;
		w.done = &done;
		put(to, &w, awaited, end);
	} else {
		r.u.recv = (struct tape_recv){ .peer = rank_of[from], .tag = 7,
					       .comm = 1,
					       .actual_peer = rank_of[from],
					       .actual_tag = 7,
					       .bytes = n_known, .arrived = 2 };
		end = after(posted, sent) + 1 + below(50);
		put(to, &r, posted, end);
	}
	*k = (struct known){ rank_of[from], rank_of[to], thread_of[to], sent,
			     posted, awaited, end };
}

static int64_t entered[ROUNDS][RANKS], left[ROUNDS][RANKS];

/* The first flow of each rank takes part. */
static void barrier(int k)
{
	static const int of[RANKS] = { 0, 2, 3 };
	struct tape_event e = call(BARRIER);
	int64_t last = 0;

	e.u.coll = (struct tape_coll){ .comm = 1, .root = -1 };
	for (int i = 0; i < RANKS; i++) {
		entered[k][i] = flow[of[i]].now + 1 + below(500);
		last = after(last, entered[k][i]);
	}
	for (int i = 0; i < RANKS; i++) {
		left[k][i] = last + 1 + below(30);
		put(of[i], &e, entered[k][i], left[k][i]);
	}
}

static void definitions(struct tape_output *o)
{
	static const char meta[] = "tape-trace 1\nranks 3\nbase global\n"
				   "domain 0 d h\nclock 0 0 0 1 0 0\n";
	char name[16], text[600];

	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	for (int r = 0; r < RANKS; r++) {
		int at = snprintf(text, sizeof text, "tape-rank 1\nrank %d\n"
				  "host h\npid 1\ndomain 0\n"
				  "region 1 part\n", r);

		for (size_t c = 1; c < SITES; c++)
			if (site_call[c])
				at += snprintf(text + at,
					       sizeof text - (size_t)at,
					       "site %zu %u 1 x.c main\n", c,
					       site_call[c]);
		snprintf(text + at, sizeof text - (size_t)at,
			 "comm 1 1 3 %d world\n", r);
		snprintf(name, sizeof name, "rank.%d", r);
		folder_write(tape_output_path(o, name), text, strlen(text));
	}
}

/*
 * Two threads of rank 0 send to others, and receive from two: which of two
 * threads that receive from one rank gets which message would be a question
 * of their order, so thread 1 has rank 1's and thread 0 that of rank 2.
 */
static struct tape_trace *make(const char *name, int64_t by)
{
	static const int pairs[][2] = { { 0, 2 }, { 2, 1 }, { 3, 0 }, { 0, 3 },
					{ 2, 3 }, { 3, 2 } };
	struct tape_output *o = tape_output_begin(folder_path(name, NULL));
	struct tape_trace *t;

	wrong_by = by;
	written = n_known = 0;
	memset(flow, 0, sizeof flow);
	definitions(o);
	for (int f = 0; f < FLOWS; f++) {
		flow[f].w = tape_flow_writer_open(o, rank_of[f], thread_of[f],
						  0);
		flow[f].now = 1000000;
	}
	for (int k = 0; k < ROUNDS; k++) {
		mark(2, TAPE_CLASS_ENTER);
		for (int i = 0; i < EACH; i++) {
			const int *p = pairs[below(6)];

			message(p[0], p[1], below(2) && p[1] != 1);
		}
		message(2, 3, 0);
		mark(2, TAPE_CLASS_LEAVE);
		barrier(k);
	}
	for (int f = 0; f < FLOWS; f++)
		tape_flow_writer_close(flow[f].w, TAPE_END_FINALIZE, 0);
	tape_output_commit(o);
	if (tape_trace_open(folder_path(name, NULL), &t)) {
		printf("# %s\n", tape_trace_error(t));
		exit(1);
	}
	return t;
}

/* ---- what is played ---- */

struct seen {
	uint64_t begins, ends, messages, rounds, requests, forced;
	int back, nested, apart, early, wrong_message, wrong_round, outside;
};

static void see_message(const struct tape_message *m, struct seen *s)
{
	const struct known *k = &known[m->bytes <= n_known ? m->bytes : 0];
	int64_t from = m->from == 2 ? wrong_by : 0;
	int64_t to = m->to == 2 ? wrong_by : 0;

	s->messages++;
	s->wrong_message += m->state != TAPE_MATCHED || m->from != k->from ||
			    m->to != k->to ||
			    m->ended.thread != k->to_thread ||
			    m->received != m->bytes ||
			    m->sent_ns != k->sent_ns + from ||
			    m->posted_ns != k->posted_ns + to ||
			    m->awaited_ns != k->awaited_ns + to ||
			    m->ended_ns != k->ended_ns + to ||
			    m->sent.region != (m->from == 1) ||
			    m->ended.region != (m->to == 1);
}

static void see_round(const struct tape_collective_round *q, struct seen *s)
{
	s->wrong_round += q->k != s->rounds++ || q->size != RANKS ||
			  q->entered != RANKS || q->left != RANKS ||
			  q->call != TAPE_CALL_MPI_Barrier || q->comm != 1;
	for (int i = 0; i < RANKS && q->k < ROUNDS; i++) {
		int64_t off = i == 2 ? wrong_by : 0;

		s->wrong_round += q->member[i].begun.rank != i ||
				  q->member[i].begun_ns !=
					  entered[q->k][i] + off ||
				  q->member[i].ended_ns != left[q->k][i] + off;
	}
}

/* Begins and ends of each flow by turns; regions; and who is at work. */
static void see_event(struct tape_replay *r, const struct tape_item *i,
		      int *inside, struct seen *s)
{
	int begins = i->kind == TAPE_ITEM_BEGIN;
	size_t n;

	s->begins += (uint64_t)begins;
	s->ends += (uint64_t)!begins;
	s->forced += (uint64_t)(i->forced && !begins);
	s->nested += inside[i->flow] == begins;
	inside[i->flow] = begins;
	for (size_t f = 0; f < FLOWS; f++)
		s->outside +=
		    (tape_replay_current_event(r, f) != NULL) != inside[f];
	tape_replay_regions(r, i->flow, &n);
	if (i->event->class_ == TAPE_CLASS_COLL)
		s->apart += n != 0;
	else if (rank_of[i->flow] == 1)
		s->apart += n != 1;
}

/* Of each message: has it been sent? By its bytes. */
static unsigned char sent[sizeof known / sizeof *known];

static void see_cause(const struct tape_item *i, struct seen *s)
{
	const struct tape_event *e = i->event;

	if (i->kind == TAPE_ITEM_BEGIN && e->class_ == TAPE_CLASS_SEND)
		sent[e->u.send.bytes] = 1;
	if (i->kind == TAPE_ITEM_END && e->class_ == TAPE_CLASS_RECV)
		s->early += !sent[e->u.recv.bytes];
	if (i->kind == TAPE_ITEM_END && e->class_ == TAPE_CLASS_WAIT)
		s->early += !sent[e->done[0].bytes];
}

static struct seen play(struct tape_trace *t, unsigned wanted)
{
	struct seen s = { 0 };
	const struct tape_item *i;
	struct tape_replay *r;
	int inside[FLOWS] = { 0 };
	int64_t now = INT64_MIN;
	int rc;

	memset(sent, 0, sizeof sent);
	if (tape_replay_open(t, wanted, &r))
		exit(1);
	while ((rc = tape_replay_next(r, &i)) == 1)
		switch (i->kind) {
		case TAPE_ITEM_BEGIN:
		case TAPE_ITEM_END:
			s.back += i->ns < now;
			now = i->ns;
			see_event(r, i, inside, &s);
			see_cause(i, &s);
			break;
		case TAPE_ITEM_MESSAGE:
			see_message(i->message, &s);
			break;
		case TAPE_ITEM_ROUND:
			see_round(i->round, &s);
			break;
		case TAPE_ITEM_REQUEST:
			s.requests++;
			s.outside += i->request->call != TAPE_CALL_MPI_Irecv ||
				     i->event->class_ != TAPE_CLASS_WAIT ||
				     i->request->begun_ns >= i->event->start_ns;
			break;
		}
	s.outside += rc != 0 || tape_replay_next(r, &i) != 0;
	for (size_t f = 0; f < FLOWS; f++) {
		uint64_t lost;

		s.outside += tape_replay_end(r, f, &lost) != TAPE_END_FINALIZE;
	}
	tape_replay_close(r);
	return s;
}

static int is_right(const struct seen *s)
{
	uint64_t requests = 0;

	for (int f = 0; f < FLOWS; f++)
		requests += flow[f].requests;
	return s->begins == written && s->ends == written &&
	       s->messages == n_known && s->rounds == ROUNDS &&
	       s->requests == requests && !s->nested && !s->apart &&
	       !s->wrong_message && !s->wrong_round && !s->outside;
}

enum { ALL = TAPE_REPLAY_EVENTS | TAPE_REPLAY_MESSAGES | TAPE_REPLAY_ROUNDS |
	     TAPE_REPLAY_REQUESTS };

static int is_mark(const struct tape_item *i)
{
	return (i->kind == TAPE_ITEM_BEGIN || i->kind == TAPE_ITEM_END) &&
	       (i->event->class_ == TAPE_CLASS_ENTER ||
		i->event->class_ == TAPE_CLASS_LEAVE);
}

/* The item of a replay in which marks come once is that of one of all. */
static int is_same(const struct tape_item *a, const struct tape_item *b)
{
	if (a->kind != b->kind || a->ns != b->ns || a->flow != b->flow)
		return 0;
	if (a->kind == TAPE_ITEM_MESSAGE)
		return a->message->bytes == b->message->bytes;
	if (a->kind == TAPE_ITEM_ROUND)
		return a->round->k == b->round->k;
	if (a->kind == TAPE_ITEM_REQUEST)
		return a->request->begun_ns == b->request->begun_ns;
	return a->event->class_ == b->event->class_ &&
	       a->event->start_ns == b->event->start_ns &&
	       b->once == is_mark(b) && !a->once && a->forced == b->forced &&
	       (a->kind == TAPE_ITEM_BEGIN ||
		(a->receives == b->receives && a->leaves == b->leaves));
}

/* Returns the marks of t; 0: something was not the same. */
static int marks_once(struct tape_trace *t, unsigned wanted)
{
	const struct tape_item *i, *k;
	struct tape_replay *a, *b;
	size_t n, m, own;
	int marks = 0, same = 1;

	if (tape_replay_open(t, wanted, &a) ||
	    tape_replay_open(t, wanted | TAPE_REPLAY_MARKS, &b))
		exit(1);
	while (same && tape_replay_next(a, &i) == 1) {
		marks += i->kind == TAPE_ITEM_END && is_mark(i);
		if (i->kind == TAPE_ITEM_BEGIN && is_mark(i))
			continue;
		same = tape_replay_next(b, &k) == 1 && is_same(i, k);
		for (size_t f = 0; same && f < FLOWS; f++) {
			const uint32_t *x = tape_replay_regions(a, f, &n);
			const uint32_t *y = tape_replay_regions(b, f, &m);

			own = n == m ? n * sizeof *x : 0;
			same = n == m && (!own || !memcmp(x, y, own)) &&
			       !tape_replay_current_event(a, f) ==
				   !tape_replay_current_event(b, f);
		}
	}
	same = same && tape_replay_next(b, &k) == 0;
	tape_replay_close(a);
	tape_replay_close(b);
	return same ? marks : 0;
}

static void right_clocks(void)
{
	struct tape_trace *t = make("right", 0);
	struct seen s = play(t, ALL), u = play(t, ALL | TAPE_REPLAY_CAUSES);

	ok(is_right(&s), "%d events, %d messages, %d rounds", (int)s.begins,
	   (int)s.messages, (int)s.rounds);
	ok(!s.back && !s.early, "in the order of their timestamps");
	ok(is_right(&u) && !u.back && !u.forced,
	   "and nothing is put off where these are right");
	s = play(t, TAPE_REPLAY_BEGINS | TAPE_REPLAY_MESSAGES);
	ok(s.begins == written && !s.ends && !s.back && !s.wrong_message &&
		   s.messages == n_known, "beginnings only: the same messages");
	s = play(t, TAPE_REPLAY_ROUNDS);
	ok(!s.begins && !s.messages && s.rounds == ROUNDS && !s.wrong_round,
	   "rounds only");
	ok(marks_once(t, ALL) > 100,
	   "marks once: all else is the same, and when");
	tape_trace_close(t);
}

static void wrong_clock(void)
{
	struct tape_trace *t = make("wrong", -700);
	struct seen s = play(t, ALL), u = play(t, ALL | TAPE_REPLAY_CAUSES);

	ok(is_right(&s) && !s.back && s.early > 20,
	   "a clock is late: %d receives end before their sends begin",
	   s.early);
	ok(is_right(&u) && !u.early && !u.forced && u.back > 20,
	   "put off until they do, %d times", u.back);
	ok(marks_once(t, ALL) > 100 &&
		   marks_once(t, ALL | TAPE_REPLAY_CAUSES) > 100,
	   "marks once, with a clock that is late, and put off");
	tape_trace_close(t);
}

/* A message that was never sent: the receive goes on in the end. */
static void never_sent(void)
{
	struct tape_output *o = tape_output_begin(folder_path("never", NULL));
	struct tape_event r = call(RECV);
	struct tape_trace *t;
	struct seen s;

	wrong_by = 0;
	n_known = 0;
	definitions(o);
	for (int f = 0; f < FLOWS; f++) {
		flow[f].w = tape_flow_writer_open(o, rank_of[f], thread_of[f],
						  0);
		r.u.recv = (struct tape_recv){ .peer = 2, .tag = 7, .comm = 1,
					       .actual_peer = 2,
					       .actual_tag = 7, .bytes = 1 };
		if (f == 2) {
			put(f, &r, 1000, 2000);
			put(f, &r, 3000, 4000);
		}
		tape_flow_writer_close(flow[f].w, TAPE_END_FINALIZE, 0);
	}
	tape_output_commit(o);
	if (tape_trace_open(folder_path("never", NULL), &t))
		exit(1);
	s = play(t, TAPE_REPLAY_EVENTS | TAPE_REPLAY_CAUSES);
	ok(s.begins == 2 && s.ends == 2 && s.forced == 2,
	   "what never comes is waited for until nothing else goes on");
	tape_trace_close(t);
}

int main(void)
{
	printf("# seed %llu\n", (unsigned long long)state);
	folder_make();
	right_clocks();
	wrong_clock();
	never_sent();
	tape_replay_close(NULL);
	folder_remove();
	return done();
}
