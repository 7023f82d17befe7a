/*
 * The last chunk of a killed process: its records, the run of failed tests
 * that its header holds, and its tallies.
 */
#include "folder.h"
#include "output.h"
#include "tap.h"
#include "tape_reader.h"

static const char meta[] = "tape-trace 1\nranks 1\nbase global\n"
			   "domain 0 global %\nclock 0 0 0 1 0 0\n";

static const char rank_text[] =
	"tape-rank 1\nrank 0\nhost a\npid 7\ndomain 0\n"
	"site 1 120 10 a.c main\nsite 2 124 11 a.c main\n"
	"site 3 174 12 a.c main\ncomm 1 1 1 0 w\nregion 1 solve\n"
	"alpha leave 1 1 1 4\n";

static unsigned char slot[TAPE_CHUNK_BYTES];

static struct tape_trace *definitions(void)
{
	struct tape_output *o = tape_output_begin(folder_path("flow", NULL));
	struct tape_trace *t;

	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	folder_write(tape_output_path(o, "rank.0"), rank_text,
		     strlen(rank_text));
	tape_output_commit(o);
	if (tape_trace_open(folder_path("flow", NULL), &t)) {
		ok(0, "the trace opens: %s", tape_trace_error(t));
		exit(1);
	}
	return t;
}

/* ---- tallies ---- */

static const unsigned char send[] = { TAPE_CODE_SITE + 2, 5, 10, 2, 10, 8, 1 };

/*
 * A slot as a killed process leaves it: a send, then free room, and n tallies
 * at the end, of which the first has that what.
 */
static void make_slot(uint32_t n, uint64_t what)
{
	struct tape_chunk c = { .magic = TAPE_CHUNK_MAGIC,
				.version = TAPE_FORMAT_VERSION,
				.start = 1000,
				.tallies = n };

	memset(slot, 0, TAPE_CHUNK_BYTES);
	tape_chunk_put(slot, &c);
	memcpy(slot + TAPE_CHUNK_HEADER, send, sizeof send);
	for (uint32_t k = 0; k < n && k < TAPE_TALLIES_MAX; k++) {
		tape_put64(slot + TAPE_TALLY_AT(k), k ? 2 * 2 : what);
		tape_put64(slot + TAPE_TALLY_AT(k) + TAPE_TALLY_CALLS,
			   100 + k);
		tape_put64(slot + TAPE_TALLY_AT(k) + TAPE_TALLY_TICKS,
			   5000 + k);
	}
}

/* The same, its one record sealed. */
static void seal_slot(uint32_t n)
{
	struct tape_chunk c;

	make_slot(n, 2 * 1);
	tape_chunk_get(slot, &c);
	c.used = sizeof send;
	c.records = 1;
	c.checksum = tape_chunk_checksum(send, sizeof send, 0);
	tape_chunk_put(slot, &c);
}

/*
 * The same with a record behind the send that says of site 1: counted from here
 * on (rate), or, with rate 0, 100 calls were counted until here.
 */
static void add_record(unsigned char rate)
{
	const unsigned char counted[] = { TAPE_CODE_COUNTED, 0, 2 * 1, rate,
					  rate ? 0 : 100, 0 };

	memcpy(slot + TAPE_CHUNK_HEADER + sizeof send, counted,
	       sizeof counted);
}

/* How many ends of counting site 1 such a flow has. */
static int ends_of_site(struct tape_trace *t)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int n = 0;

	if (tape_flow_memory(t, slot, sizeof slot, &f))
		return -1;
	while (tape_flow_next(f, &e) == 1)
		n += e->class_ == TAPE_CLASS_COUNTED && !e->u.counted.rate &&
		     e->u.counted.site == 1;
	tape_flow_close(f);
	return n;
}

/* The counts that such a flow gives, after its send; -1: not these. */
static int counts(struct tape_trace *t, const unsigned char *bytes, size_t n,
		  int *code)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int k = 0, good;

	if (tape_flow_memory(t, bytes, n, &f))
		return -1;
	good = tape_flow_next(f, &e) == 1 && e->class_ == TAPE_CLASS_SEND;
	while ((*code = tape_flow_next(f, &e)) == 1) {
		good &= e->class_ == TAPE_CLASS_COUNTED && !e->call &&
			!e->u.counted.rate && e->start_tick == 1015 &&
			e->u.counted.calls == 100 + (uint64_t)k &&
			e->u.counted.ticks == 5000 + (uint64_t)k;
		good &= k ? e->u.counted.site == 2
			  : e->u.counted.site + e->u.counted.region == 1;
		k++;
	}
	tape_flow_close(f);
	return good ? k : -1;
}

/* As version 3 had them: two words for each; the send's code is 1 less. */
static void make_older(void)
{
	tape_put32(slot + 4, 3);
	slot[TAPE_CHUNK_HEADER] -= 2; /* two codes came later */
	for (uint32_t k = 0; k < 2; k++) {
		unsigned char *at = slot + TAPE_CHUNK_BYTES - 16 * (k + 1);

		tape_put64(at, 2 * (k + 1));
		tape_put64(at + 8, 100 + k);
	}
}

static int older_counts(struct tape_trace *t)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int k = 0;

	if (tape_flow_memory(t, slot, sizeof slot, &f))
		return -1;
	while (tape_flow_next(f, &e) == 1)
		k += e->class_ == TAPE_CLASS_COUNTED &&
		     e->u.counted.calls == 100 + (uint64_t)k &&
		     !e->u.counted.ticks && !e->inside_ns;
	tape_flow_close(f);
	return k;
}

static void tallies(struct tape_trace *t)
{
	int code;

	make_slot(3, 2 * 1);
	ok(counts(t, slot, sizeof slot, &code) == 3 && !code,
	   "a killed process leaves its tallies");
	make_slot(TAPE_TALLIES_MAX, 2 * 1 + 1);
	ok(counts(t, slot, sizeof slot, &code) == TAPE_TALLIES_MAX && !code,
	   "as many as there can be, of a region too");
	ok(!counts(t, slot, sizeof slot - 1, &code) && code < 0,
	   "not in a file that was cut");
	seal_slot(3);
	ok(counts(t, slot, sizeof slot, &code) == 3 && !code,
	   "beside a chunk that was sealed");
	ok(!counts(t, slot, TAPE_CHUNK_HEADER + sizeof send, &code) && !code,
	   "not where the file ends with the records");
	make_slot(2, 2 * 1);
	add_record(0);
	ok(ends_of_site(t) == 1,
	   "a tally that was recorded and not cleared is not there twice");
	make_slot(2, 2 * 1);
	add_record(50);
	ok(ends_of_site(t) == 1, "one that was begun is there");
	make_slot(2, 2 * 1);
	make_older();
	ok(older_counts(t) == 2, "before version 4 they had no times");
	make_slot(TAPE_TALLIES_MAX + 1, 2 * 1);
	ok(counts(t, slot, sizeof slot, &code) == -1, "one more is refused");
	make_slot(1, 2 * 99);
	ok(!counts(t, slot, sizeof slot, &code) && code == TAPE_EFORMAT,
	   "of a call site that is not defined");
	make_slot(1, 2 * 99 + 1);
	ok(!counts(t, slot, sizeof slot, &code) && code == TAPE_EFORMAT,
	   "of a region that is not defined");
}

/* ---- the pending run ---- */

/*
 * A run of 3 failed tests that took from 1005 to 1105, 30 within the library,
 * is recorded; the header holds a run of 4 from start to 1300.
 */
static void make_run(uint64_t start)
{
	static const unsigned char run[] = { TAPE_CODE_POLL, 3, 30,
					     TAPE_CODE_SITE + 2 * 3, 5, 100,
					     1, 0 };
	struct tape_chunk c = { .magic = TAPE_CHUNK_MAGIC,
				.version = TAPE_FORMAT_VERSION,
				.start = 1000,
				.poll_count = 4,
				.poll_site = 3,
				.poll_start = start,
				.poll_end = 1300,
				.poll_inside = 40 };

	memset(slot, 0, TAPE_CHUNK_BYTES);
	tape_chunk_put(slot, &c);
	memcpy(slot + TAPE_CHUNK_HEADER, run, sizeof run);
}

/* The runs of such a flow: how many; their tests, and when the last starts. */
static int runs(struct tape_trace *t, uint64_t *tests, uint64_t *start)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc, n = 0;

	*tests = 0;
	if (tape_flow_memory(t, slot, sizeof slot, &f))
		return -1;
	while ((rc = tape_flow_next(f, &e)) == 1) {
		n += e->class_ == TAPE_CLASS_TEST && !e->u.test.flag;
		*tests += e->polls;
		*start = e->start_tick;
	}
	tape_flow_close(f);
	return rc ? rc : n;
}

/*
 * A run is recorded before the header lets it go, so a process may be killed
 * in between: what starts before the end of the records is among them.
 */
static void pending(struct tape_trace *t)
{
	uint64_t tests, start = 0;

	make_run(1005);
	ok(runs(t, &tests, &start) == 1 && tests == 3 && start == 1005,
	   "a run that is recorded already counts once");
	make_run(1104);
	ok(runs(t, &tests, &start) == 1 && tests == 3,
	   "so does one that starts a tick before the end of the records");
	make_run(1105);
	ok(runs(t, &tests, &start) == 2 && tests == 7 && start == 1105,
	   "one that starts there is another");
}

/* ---- blocks ---- */

/* A chunk of that format, open, of n bytes of records. */
static void make_records(uint32_t version, const unsigned char *p, size_t n)
{
	struct tape_chunk c = { .magic = TAPE_CHUNK_MAGIC,
				.version = version,
				.start = 1000 };

	memset(slot, 0, TAPE_CHUNK_BYTES);
	tape_chunk_put(slot, &c);
	memcpy(slot + TAPE_CHUNK_HEADER, p, n);
}

/* Its event number k, which is all zeros where there is none. */
static struct tape_event nth(struct tape_trace *t, int k, int *rc)
{
	const struct tape_event *e;
	struct tape_event found = { 0 };
	struct tape_flow *f;

	if (tape_flow_memory(t, slot, sizeof slot, &f))
		return found;
	do
		*rc = tape_flow_next(f, &e);
	while (*rc == 1 && k--);
	if (*rc == 1)
		found = *e;
	tape_flow_close(f);
	return found;
}

static void blocks(struct tape_trace *t)
{
	/* of group 3: kept in 90 ticks, skipped in 60, of region 1 */
	static const unsigned char pair[] = {
		TAPE_CODE_BLOCK, 0, 13, 90, 64, 0, 0,
		TAPE_CODE_BLOCK, 70, 12, 60, 50, 3, 25,
		TAPE_CODE_BLOCK, 0, 15, 20, 30, 0, 0,
	};
	static const unsigned char both[] = { TAPE_CODE_BLOCK, 0, 13, 90, 64,
					      3, 0 };
	static const unsigned char none[] = { TAPE_CODE_BLOCK, 0, 12, 90, 64,
					      0, 0 };
	/* as formats 1 and 2 have it: codes of events begin one earlier */
	static const unsigned char old[] = { TAPE_CODE_BLOCK + 2, 5, 10, 2, 10,
					     8, 1 };
	/* formats 3 to 5: the same before counts of the processor */
	static const unsigned char five[] = { TAPE_CODE_PROCESSOR + 2, 5, 10, 2,
					      10, 8, 1 };
	/* format 6: the same before threads */
	static const unsigned char six[] = { TAPE_CODE_PTHREAD + 2, 5, 10, 2,
					     10, 8, 1 };
	struct tape_event e;
	int rc;

	make_records(TAPE_FORMAT_VERSION, pair, sizeof pair);
	e = nth(t, 0, &rc);
	ok(e.class_ == TAPE_CLASS_BLOCK && !e.call &&
		   e.u.block.kind == TAPE_BLOCK_KEPT &&
		   e.u.block.group == 3 && e.u.block.ticks == 90 &&
		   e.u.block.events == 64 && e.start_tick == 1000,
	   "a block that was kept ends where the event before it does");
	e = nth(t, 1, &rc);
	ok(e.class_ == TAPE_CLASS_BLOCK &&
		   e.u.block.kind == TAPE_BLOCK_SKIPPED &&
		   e.u.block.group == 3 && e.u.block.region == 1 &&
		   !e.u.block.site && e.u.block.calls == 25 &&
		   e.start_tick == 1070 && e.end_tick == 1070,
	   "one that was skipped is dated at its end, and has its region");
	e = nth(t, 2, &rc);
	ok(e.u.block.kind == TAPE_BLOCK_REPEATS && e.u.block.events == 30 &&
		   !e.u.block.region && !e.u.block.site,
	   "repeats are of no place");
	make_records(TAPE_FORMAT_VERSION, both, sizeof both);
	nth(t, 0, &rc);
	ok(rc == TAPE_EFORMAT, "a kept one of a region is refused");
	make_records(TAPE_FORMAT_VERSION, none, sizeof none);
	nth(t, 0, &rc);
	ok(rc == TAPE_EFORMAT, "a skipped one of nothing is refused");
	make_records(2, old, sizeof old);
	e = nth(t, 0, &rc);
	ok(e.class_ == TAPE_CLASS_SEND && e.site == 1 && e.start_tick == 1005,
	   "format 2, without blocks, is read");
	make_records(5, five, sizeof five);
	e = nth(t, 0, &rc);
	ok(e.class_ == TAPE_CLASS_SEND && e.site == 1 && e.start_tick == 1005,
	   "format 5, without counts of the processor, is read");
	make_records(6, six, sizeof six);
	e = nth(t, 0, &rc);
	ok(e.class_ == TAPE_CLASS_SEND && e.site == 1 && e.start_tick == 1005,
	   "format 6, without threads, is read");
	make_records(TAPE_FORMAT_VERSION, send, sizeof send);
	ok(nth(t, 0, &rc).class_ == TAPE_CLASS_SEND, "and so is this one");
}

/* ---- costs where events stand ---- */

static void costs(struct tape_trace *t)
{
	static const unsigned char marks[] = { TAPE_CODE_ENTER, 5, 1,
					       TAPE_CODE_LEAVE, 5, 1 };
	/* a number that is no region's */
	static const unsigned char thread[] = { TAPE_CODE_THREAD, 5, 0xff,
						0xff, 0xff, 0xff, 0x0f };
	const struct tape_cost_there c = { 3, 4, 1, 2, 1 };
	struct tape_alpha_error x;
	struct tape_event e;
	int rc;

	ok(tape_trace_cost_there(t, 1, 1, 0, &c) == TAPE_ERANGE &&
		   tape_trace_cost_there(t, 0, 99, 0, &c) == TAPE_ERANGE &&
		   tape_trace_cost_there(t, 0, 0, 99, &c) == TAPE_ERANGE,
	   "costs of what is not there are refused");
	ok(!tape_trace_cost_there(t, 0, 1, 0, &c), "of a region they are set");
	make_records(TAPE_FORMAT_VERSION, marks, sizeof marks);
	e = nth(t, 1, &rc);
	ok(e.alpha_before_ns > 0 &&
		   e.alpha_after_ns * 3 == e.alpha_before_ns * 4,
	   "its events have them, %g and %g ns", e.alpha_before_ns,
	   e.alpha_after_ns);
	tape_event_alpha_error(t, &e, &x);
	ok(x.before_less > 0 && x.before_more == 2 * x.before_less &&
		   x.after_more == 2 * x.after_less,
	   "and their interval");
	make_records(TAPE_FORMAT_VERSION, thread, sizeof thread);
	e = nth(t, 0, &rc);
	ok(e.class_ == TAPE_CLASS_THREAD && e.u.thread.tid == UINT32_MAX &&
		   e.alpha_before_ns == 0,
	   "the beginning of a thread is in no region");
}

int main(void)
{
	struct tape_trace *t;

	folder_make();
	atexit(folder_remove);
	t = definitions();
	tallies(t);
	pending(t);
	blocks(t);
	costs(t);
	tape_trace_close(t);
	return done();
}
