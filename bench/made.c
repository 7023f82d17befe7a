/*
 * A made-up trace, for the cost of tools on many ranks and many events:
 *
 *	made [-l] PATTERN RANKS EVENTS OUT.tape [RANKS-A-HOST]
 *
 * writes OUT.tape, in global time, of about EVENTS events in all; -l: in the
 * time of each host's clock, with samples of all by the first. Every rank's
 * flow is written by itself: its dates are a formula of rank and step, so
 * memory does not grow with either. Patterns:
 *
 *	halo       each rank exchanges with both neighbours on a ring, by
 *	           non-blocking calls and a Waitall, step by step
 *	allreduce  all ranks meet, step by step
 *	busy       the last rank makes all the calls, the others wait for it in
 *	           one allreduce
 *	master     rank 0 receives from whoever is ready, and answers
 *	ring       a token goes round from the last rank to the first
 *	waitall    rank 0 has all of its receives in one Waitall
 *	pending    rank 0 has that many requests outstanding
 *	reverse    the same, from any source, completed the last first
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "tape_ids.h"
#include "tape_reader.h"
#include "tool.h"
#include "writer.h"

/* Times in ns: of a call, of a message, and of the tracer for each event. */
enum { CALL = 300, TRANSIT = 2000, ALPHA = 20 };

/* When steps begin, how long one is, and rounds of a phase of sampling. */
enum { BEGIN = 200000, STEP = 40000, ROUNDS = 10 };

enum { SITE_INIT = 1, SITE_SEND, SITE_RECV, SITE_ISEND, SITE_IRECV, SITE_WAIT,
       SITE_WAITALL, SITE_ALLREDUCE, SITE_LOCAL, SITE_FINALIZE };

static const struct site {
	int call;
	const char *class_;
} sites[] = {
    [SITE_INIT] = { TAPE_CALL_MPI_Init, NULL },
    [SITE_SEND] = { TAPE_CALL_MPI_Send, "send" },
    [SITE_RECV] = { TAPE_CALL_MPI_Recv, "recv" },
    [SITE_ISEND] = { TAPE_CALL_MPI_Isend, "isend" },
    [SITE_IRECV] = { TAPE_CALL_MPI_Irecv, "irecv" },
    [SITE_WAIT] = { TAPE_CALL_MPI_Wait, "wait" },
    [SITE_WAITALL] = { TAPE_CALL_MPI_Waitall, NULL },
    [SITE_ALLREDUCE] = { TAPE_CALL_MPI_Allreduce, "coll" },
    [SITE_LOCAL] = { TAPE_CALL_MPI_Type_size, "local" },
    [SITE_FINALIZE] = { TAPE_CALL_MPI_Finalize, NULL },
};
enum { SITES = sizeof sites / sizeof *sites };

struct made {
	struct tape_flow_writer *w;
	int local;     /* each host has a clock of its own */
	uint64_t host; /* of this rank */
	int rank;
	uint64_t ranks, events; /* in all */
	uint64_t request;       /* made so far by this rank */
	int64_t now;            /* end of the last event */
	struct tape_done *done; /* room for most of them */
	uint32_t n_done;
};

/* ---- clocks ---- */

/* Host h's at ns: 1 ms ahead of the one before, up to 50 ppm fast or slow. */
static uint64_t tick(uint64_t h, int64_t ns)
{
	int64_t ppm = h ? (int64_t)(h % 101) - 50 : 0;

	return (uint64_t)(ns + ns * ppm / 1000000) + h * 1000000;
}

/* A date after all events of the run. */
static int64_t after(const struct made *m)
{
	return 1000000000 + 4000 * (int64_t)m->events +
	       STEP * (int64_t)(m->events / m->ranks);
}

/* Rounds by messages of TRANSIT, in turn a little longer there or back. */
static void write_samples(struct tape_output *o, const struct made *m,
			  uint64_t hosts)
{
	static const char *const phase[] = { "before", "after" };
	FILE *f = tape_output_stream(o, "clocks");

	for (int p = 0; p < 2; p++)
		for (uint64_t h = 1; h < hosts; h++)
			for (int i = 0; i < ROUNDS; i++) {
				int64_t at = (p ? after(m) : 0) + i * 10000;
				int more = i % 2 * i;
				int64_t there = at + TRANSIT + more,
					back = there + TRANSIT + i - more;

				fprintf(f, "sample %s %llu %llu %llu %llu "
					   "%llu\n", phase[p],
					(unsigned long long)h,
					(unsigned long long)tick(0, at),
					(unsigned long long)tick(h, there),
					(unsigned long long)tick(h, there),
					(unsigned long long)tick(0, back));
			}
	tape_output_end(o, f, "clocks");
}

/* ---- one event ---- */

static void put(struct made *m, int site, unsigned class_,
		const struct tape_event *of, int64_t start, int64_t end)
{
	struct tape_event e = *of;

	e.call = (uint16_t)sites[site].call;
	e.class_ = (uint16_t)class_;
	e.site = (uint32_t)site;
	e.polls = 1;
	e.rank = m->rank;
	e.start_ns = start;
	e.end_ns = end;
	e.inside_ns = end - start;
	e.sr_ns = start;
	if (m->local) {
		e.start_tick = tick(m->host, start);
		e.end_tick = tick(m->host, end);
		e.inside_ticks = e.end_tick - e.start_tick;
	}
	e.n_done = m->n_done;
	e.done = m->done;
	tape_flow_writer_put(m->w, &e);
	m->n_done = 0;
	m->now = end;
}

static void local(struct made *m, int site, int64_t start)
{
	const struct tape_event e = { 0 };

	put(m, site, TAPE_CLASS_LOCAL, &e, start, start + CALL);
}

static void send_(struct made *m, int to, int64_t start)
{
	const struct tape_event e = {
	    .u.send = { .bytes = 8, .peer = to, .comm = 1 } };

	put(m, SITE_SEND, TAPE_CLASS_SEND, &e, start, start + CALL);
}

static void recv_(struct made *m, int from, int asked, int64_t start,
		  int64_t end)
{
	const struct tape_event e = {
	    .u.recv = { .bytes = 8, .peer = asked, .actual_peer = from,
			.comm = 1, .arrived = end - start <= CALL } };

	put(m, SITE_RECV, TAPE_CLASS_RECV, &e, start, end);
}

static uint64_t isend_(struct made *m, int to, int64_t start)
{
	const struct tape_event e = {
	    .request = ++m->request,
	    .u.isend = { .bytes = 8, .peer = to, .comm = 1 } };

	put(m, SITE_ISEND, TAPE_CLASS_ISEND, &e, start, start + CALL);
	return m->request;
}

static uint64_t irecv_(struct made *m, int from, int64_t start)
{
	const struct tape_event e = {
	    .request = ++m->request,
	    .u.irecv = { .bytes = 8, .peer = from, .comm = 1,
			 .tag = from < 0 ? TAPE_ANY_TAG : 0 } };

	put(m, SITE_IRECV, TAPE_CLASS_IRECV, &e, start, start + CALL);
	return m->request;
}

/* The next wait completes that; from: of a receive, or -1. */
static void done(struct made *m, uint64_t request, int from)
{
	m->done[m->n_done++] = (struct tape_done){
	    .request = request,
	    .kind = from < 0 ? TAPE_DONE_REQUEST : TAPE_DONE_RECV,
	    .peer = from < 0 ? 0 : from,
	    .bytes = from < 0 ? 0 : 8 };
}

static void wait_(struct made *m, int site, int64_t start, int64_t end)
{
	const struct tape_event e = { .u.wait = { .n = m->n_done } };

	put(m, site, TAPE_CLASS_WAIT, &e, start, end);
}

static void allreduce(struct made *m, int64_t start, int64_t end)
{
	const struct tape_event e = {
	    .u.coll = { .bytes = 8, .rbytes = 8, .root = -1, .comm = 1 } };

	put(m, SITE_ALLREDUCE, TAPE_CLASS_COLL, &e, start, end);
}

/* ---- patterns: one rank's events between MPI_Init and MPI_Finalize ---- */

/* How long a rank computes in a step: 5 to 15 us, by a hash of both. */
static int64_t computes(uint64_t rank, uint64_t step)
{
	uint64_t z = rank * 0x9e3779b97f4a7c15u + step * 0xbf58476d1ce4e5b9u;

	z = (z ^ z >> 30) * 0x94d049bb133111ebu;
	return 5000 + (int64_t)((z ^ z >> 31) % 10000);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void halo(struct made *m)
{
	uint64_t p = m->ranks, r = (uint64_t)m->rank, left = (r + p - 1) % p,
		 right = (r + 1) % p, steps = m->events / p / 5;

	for (uint64_t s = 0; s < steps; s++) {
		int64_t at = BEGIN + (int64_t)s * STEP,
			sends = at + 2000 + computes(r, s), end;
		uint64_t a = irecv_(m, (int)left, at),
			 b = irecv_(m, (int)right, at + 500);
		uint64_t c = isend_(m, (int)right, sends),
			 d = isend_(m, (int)left, sends + 500);

		end = at + 2000 + later(computes(left, s),
					computes(right, s) + 500) + TRANSIT;
		done(m, a, (int)left);
		done(m, b, (int)right);
		done(m, c, -1);
		done(m, d, -1);
		wait_(m, SITE_WAITALL, sends + 1000,
		      later(end, sends + 1000 + CALL));
	}
}

static void allreduces(struct made *m)
{
	uint64_t steps = m->events / m->ranks;

	for (uint64_t s = 0; s < steps; s++) {
		int64_t at = BEGIN + (int64_t)s * STEP;

		allreduce(m, at + computes((uint64_t)m->rank, s), at + 20000);
	}
}

static void busy(struct made *m)
{
	int64_t end = BEGIN + (int64_t)m->events * 1000;
	int last = m->rank == (int)m->ranks - 1;

	for (uint64_t i = 0; last && i < m->events; i++)
		local(m, SITE_LOCAL,
		      BEGIN + (int64_t)i * 1000 + (int64_t)(i * i % 500));
	allreduce(m, last ? end : BEGIN, end + 5000);
}

/* Worker 1 + i mod (ranks - 1) has its i-th turn at BEGIN + i x 4 us. */
static void master(struct made *m)
{
	uint64_t workers = m->ranks - 1, turns = m->events / 4,
		 r = (uint64_t)m->rank;

	for (uint64_t i = r ? r - 1 : 0; i < turns; i += r ? workers : 1) {
		int64_t at = BEGIN + (int64_t)i * 4000;
		int worker = (int)(1 + i % workers);

		if (r) {
			send_(m, 0, later(at - TRANSIT, m->now + 100));
			recv_(m, 0, 0, m->now + 100, at + 1500 + TRANSIT);
		} else {
			recv_(m, worker, TAPE_ANY_SOURCE, at, at + CALL + 600);
			send_(m, worker, at + 1500);
		}
	}
}

/* The token is at the k-th of its stations at BEGIN + k x 3 us. */
static void ring(struct made *m)
{
	uint64_t p = m->ranks, place = p - 1 - (uint64_t)m->rank,
		 laps = m->events / p / 2;
	int next = (int)((place + 1) % p), before = (int)((place + p - 1) % p);

	for (uint64_t l = 0; l <= laps; l++) {
		uint64_t k = l * p + place;
		int64_t at = BEGIN + (int64_t)k * 3000;

		if (l == laps && place)
			break;
		if (k)
			recv_(m, (int)p - 1 - before, (int)p - 1 - before,
			      m->now + 100, at);
		if (l < laps)
			send_(m, (int)p - 1 - next, at + 500);
	}
}

/* Of ranks 0 and 1 only: n messages, sent once all receives are posted. */
static void many(struct made *m, uint64_t n, int any, int at_once)
{
	int64_t at = BEGIN, sends = BEGIN + (int64_t)n * 1000, end;

	end = sends + (int64_t)n * 1000 + TRANSIT;
	if (m->rank > 1)
		return;
	for (uint64_t i = 0; i < n; i++)
		if (m->rank)
			send_(m, 0, sends + (int64_t)i * 1000);
		else
			irecv_(m, any ? TAPE_ANY_SOURCE : 1,
			       at + (int64_t)i * 1000);
	for (uint64_t i = 0; m->rank == 0 && i < n; i++) {
		done(m, any ? n - i : i + 1, 1);
		if (!at_once)
			wait_(m, SITE_WAIT, end + (int64_t)i * 1000,
			      end + (int64_t)i * 1000 + CALL);
	}
	if (m->n_done)
		wait_(m, SITE_WAITALL, m->now + 100, end);
}

static void waitall(struct made *m)
{
	many(m, m->events / 2, 0, 1);
}

static void pending(struct made *m)
{
	many(m, m->events / 3, 0, 0);
}

static void reverse(struct made *m)
{
	many(m, m->events / 3, 1, 0);
}

static const struct pattern {
	const char *name;
	void (*of)(struct made *);
	uint64_t least; /* ranks */
} patterns[] = {
    { "halo", halo, 3 },         { "allreduce", allreduces, 1 },
    { "busy", busy, 1 },         { "master", master, 2 },
    { "ring", ring, 2 },         { "waitall", waitall, 2 },
    { "pending", pending, 2 },   { "reverse", reverse, 2 },
};

/* ---- the trace ---- */

static void write_rank(struct tape_output *o, uint64_t r, uint64_t ranks,
		       uint64_t each, int local_time)
{
	char name[32];
	FILE *f;

	snprintf(name, sizeof name, "rank.%llu", (unsigned long long)r);
	f = tape_output_stream(o, name);
	fprintf(f, "tape-rank 1\nrank %llu\nhost host%llu\npid %llu\n"
		   "domain %llu\n", (unsigned long long)r,
		(unsigned long long)(r / each), (unsigned long long)r + 1,
		(unsigned long long)(local_time ? r / each : 0));
	for (int i = 1; i < SITES; i++)
		if (sites[i].class_)
			fprintf(f, "alpha %s %d %d\n", sites[i].class_,
				ALPHA / 2, ALPHA / 2);
	for (int i = 1; i < SITES; i++)
		fprintf(f, "site %d %d %d made.c main\n", i, sites[i].call,
			100 + i);
	fprintf(f, "comm 1 1 %llu %llu MPI_COMM_WORLD\n",
		(unsigned long long)ranks, (unsigned long long)r);
	tape_output_end(o, f, name);
}

static void write_meta(struct tape_output *o, const char *pattern,
		       const struct made *m, uint64_t hosts)
{
	FILE *f = tape_output_stream(o, "meta");

	fprintf(f, "tape-trace 1\nprogram %s\nranks %llu\nlibrary made\n"
		   "version " TAPE_VERSION "\n", pattern,
		(unsigned long long)m->ranks);
	tape_output_classes(f);
	if (m->local) {
		fputs("base local\n", f);
		for (uint64_t h = 0; h < hosts; h++)
			fprintf(f, "domain %llu raw:%llu:0 host%llu\n",
				(unsigned long long)h, (unsigned long long)h,
				(unsigned long long)h);
	} else {
		fputs("base global\ndomain 0 global host0\n"
		      "clock 0 0 0 1 0 0\n", f);
	}
	fputs("eager shm 4096\neager net 65536\n", f);
	tape_output_end(o, f, "meta");
}

/* In ticks of the host's clock, or in ns. */
static struct tape_flow_writer *writer_of(struct tape_output *o,
					  const struct made *m)
{
	const struct tape_anchor first = { tick(m->host, 0), 0, 10 };
	const struct tape_anchor last = { tick(m->host, after(m)),
					  (uint64_t)after(m), 10 };

	if (!m->local)
		return tape_flow_writer_open(o, m->rank, 0, 0);
	return tape_flow_writer_raw(o, m->rank, 0, first.tick, &first, &last);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (*end || n < least || n > most)
		tape_die(TAPE_USAGE, "%s: not a number from %llu to %llu", text,
			 (unsigned long long)least, (unsigned long long)most);
	return n;
}

int main(int argc, char **argv)
{
	const struct pattern *p = NULL;
	struct tape_output *o;
	struct made m = { .local = argc > 1 && !strcmp(argv[1], "-l") };
	uint64_t each, hosts;

	tape_tool("made");
	argc -= m.local;
	argv += m.local;
	for (size_t i = 0; argc > 1 && i < sizeof patterns / sizeof *p; i++)
		if (!strcmp(argv[1], patterns[i].name))
			p = &patterns[i];
	if (!p || argc < 5 || argc > 6)
		tape_die(TAPE_USAGE, "made [-l] PATTERN RANKS EVENTS OUT.tape "
				     "[RANKS-A-HOST]");
	m.ranks = number(argv[2], p->least, 1 << 20);
	m.events = number(argv[3], 1, UINT64_C(1) << 36);
	each = argc > 5 ? number(argv[5], 1, m.ranks) : m.ranks;
	hosts = (m.ranks + each - 1) / each;
	m.done = tape_must(malloc((p->of == waitall ? m.events : 4) *
				  sizeof *m.done));
	o = tape_output_begin(argv[4]);
	write_meta(o, p->name, &m, hosts);
	if (m.local)
		write_samples(o, &m, hosts);
	for (uint64_t r = 0; r < m.ranks; r++) {
		m.rank = (int)r;
		m.host = r / each;
		m.request = 0;
		m.now = 0;
		write_rank(o, r, m.ranks, each, m.local);
		m.w = writer_of(o, &m);
		local(&m, SITE_INIT, 1000);
		p->of(&m);
		local(&m, SITE_FINALIZE, m.now + 1000);
		tape_flow_writer_close(m.w, TAPE_END_FINALIZE, 0);
	}
	tape_output_commit(o);
	free(m.done);
	return 0;
}
