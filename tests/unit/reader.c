/*
 * The reader's contract on small traces made by the writer: whole ones, and
 * every kind of damage that has a code of its own.
 */
#include <inttypes.h>

#include "folder.h"
#include "output.h"
#include "tap.h"
#include "tape_reader.h"
#include "writer.h"

static const char meta_two[] =
	"tape-trace 1\nprogram ./a\nranks 2\nbase global\n"
	"domain 0 global %\nclock 0 0 0 1 0 0\nhistory one\nhistory two\n"
	"unknown words are skipped\n";

static const char rank_text[] =
	"tape-rank 1\nrank %d\nhost node%%20%d\npid 7\ndomain 0\n"
	"site 1 120 10 a.c main\nsite 2 124 11 a.c %%\n"
	"site 3 140 12 a.c main\nsite 4 170 13 a.c main\n"
	"address 5 120 1f a.out %%\n"
	"comm 1 1 2 %d MPI_COMM_WORLD\nregion 1 solve\nfuture line\n";

/* ---- making traces ---- */

static struct tape_output *begin(const char *name, const char *meta, int ranks)
{
	struct tape_output *o = tape_output_begin(folder_path(name, NULL));
	char text[600];

	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	for (int r = 0; r < ranks; r++) {
		char file[32];
		int n = snprintf(text, sizeof text, rank_text, r, r, r);

		snprintf(file, sizeof file, "rank.%d", r);
		folder_write(tape_output_path(o, file), text, (size_t)n);
	}
	return o;
}

static struct tape_event sent(int64_t start, int64_t end, uint64_t bytes)
{
	struct tape_event e = { .call = TAPE_CALL_MPI_Send,
				.class_ = TAPE_CLASS_SEND,
				.site = 1,
				.polls = 1,
				.start_ns = start,
				.end_ns = end };

	e.u.send = (struct tape_send){ .peer = 1, .tag = 5, .bytes = bytes,
				       .comm = 1 };
	return e;
}

/* n sends of 10 ns, one each step ns, the first at start. */
static void sends(struct tape_output *o, int rank, int thread, int n,
		  int64_t start, int64_t step, enum tape_end why)
{
	struct tape_flow_writer *w =
		tape_flow_writer_open(o, rank, thread, start);

	for (int i = 0; i < n; i++) {
		struct tape_event e = sent(start + i * step,
					   start + i * step + 10,
					   (uint64_t)i);

		tape_flow_writer_put(w, &e);
	}
	tape_flow_writer_close(w, why, why == TAPE_END_EXIT ? 9 : 0);
}

static struct tape_trace *must_open(const char *name)
{
	struct tape_trace *t;
	int rc = tape_trace_open(folder_path(name, NULL), &t);

	if (rc) {
		ok(0, "%s opens: %s", name, tape_trace_error(t));
		exit(1);
	}
	return t;
}

/* Reads one flow to its end; the last code, and how many events came. */
static int drain(struct tape_trace *t, size_t flow, unsigned *events,
		 char *why, size_t size)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc = tape_flow_open(t, flow, &f);

	*events = 0;
	if (rc) {
		snprintf(why, size, "%s", tape_trace_error(t));
		return rc;
	}
	while ((rc = tape_flow_next(f, &e)) == 1)
		++*events;
	snprintf(why, size, "%s", tape_flow_error(f));
	if (tape_flow_next(f, &e) != rc)
		rc = 99; /* the result must stay */
	tape_flow_close(f);
	return rc;
}

/* ---- whole traces ---- */

static void definitions(void)
{
	struct tape_output *o = begin("whole", meta_two, 2);
	const struct tape_rank_info *r;
	struct tape_trace *t;
	size_t n;

	sends(o, 0, 0, 1, 100, 10, TAPE_END_FINALIZE);
	tape_output_commit(o);
	t = must_open("whole");
	r = tape_trace_rank(t, 1);
	ok(tape_trace_ranks(t) == 2 && r && r->rank == 1 &&
		   !strcmp(r->host, "node 1") && r->pid == 7,
	   "a rank's line, escapes undone");
	ok(!tape_trace_rank(t, 2) && !tape_trace_rank(t, -1),
	   "no rank out of range");
	ok(r->n_sites > 5 && r->sites[1].line == 10 &&
		   !strcmp(r->sites[1].file, "a.c") &&
		   !strcmp(r->sites[2].function, "") &&
		   !r->sites[5].file && r->sites[5].address == 0x1f &&
		   !r->sites[0].call,
	   "call sites, by line and by address");
	ok(r->comms[1].members[0] == 0 && r->comms[1].members[1] == 1 &&
		   r->comms[1].rank == 1,
	   "members of a communicator, put together from both ranks");
	ok(r->n_regions > 1 && !strcmp(r->regions[1], "solve"), "a region");
	ok(!strcmp(tape_trace_meta(t, "history", 1), "two") &&
		   !tape_trace_meta(t, "history", 2) &&
		   !tape_trace_meta(t, "nothing", 0),
	   "lines of meta by number");
	ok(tape_trace_flows(t) == 1 && !tape_trace_flow(t, 1) &&
		   tape_trace_base(t) == TAPE_BASE_GLOBAL &&
		   !tape_trace_samples(t, &n) && !n,
	   "one flow, global, no samples");
	tape_trace_close(t);
}

static void ends(void)
{
	struct tape_output *o = begin("ends", meta_two, 2);
	const struct tape_event *e;
	struct tape_trace *t;
	struct tape_flow *f;
	uint64_t lost = 77;
	int rc;

	sends(o, 0, 0, 3, 100, 10, TAPE_END_EXIT);
	tape_output_commit(o);
	t = must_open("ends");
	ok(!tape_flow_open(t, 0, &f), "a flow opens");
	for (unsigned i = 0; (rc = tape_flow_next(f, &e)) == 1; i++)
		if (e->u.send.bytes != i || e->start_ns != 100 + 10 * i ||
		    e->end_ns != e->start_ns + 10 || e->site != 1)
			ok(0, "event %u as it was written", i);
	ok(!rc && tape_flow_end(f, &lost) == TAPE_END_EXIT && lost == 9,
	   "the reason of the end, and the events lost");
	tape_flow_close(f);
	ok(tape_flow_open(t, 1, &f) == TAPE_ERANGE && !f,
	   "a flow that is not there: %s", tape_trace_error(t));
	tape_flow_close(NULL);
	tape_trace_close(t);
	tape_trace_close(NULL);
	tape_merge_close(NULL);
}

/* The last two of three flows. */
static void some_merged(struct tape_trace *t)
{
	const struct tape_event *e;
	struct tape_merge *m;
	unsigned count[3] = { 0 };
	int64_t last = INT64_MIN;
	int rc, disorder = 0;

	ok(!tape_merge_open_flows(t, 1, 2, &m), "a merge of some flows opens");
	while ((rc = tape_merge_next(m, &e)) == 1) {
		disorder += e->start_ns < last;
		last = e->start_ns;
		count[e->flow < 3 ? e->flow : 0]++;
	}
	ok(!rc && !disorder && !count[0] && count[1] && count[1] == count[2],
	   "it gives the events of these, in order");
	ok(tape_merge_end(m, 2, NULL) == TAPE_END_FINALIZE, "and their ends");
	tape_merge_close(m);
	ok(tape_merge_open_flows(t, 2, 2, &m) == TAPE_ERANGE && !m,
	   "one of them is not there");
}

/* Ties go by flow, and the rest by date, also across several chunks. */
static void merged(void)
{
	enum { MANY = 30000 };
	struct tape_output *o = begin("merged", meta_two, 2);
	const struct tape_event *e;
	struct tape_trace *t;
	struct tape_merge *m;
	unsigned count[3] = { 0 }, disorder = 0, ties = 0;
	int64_t last = INT64_MIN;
	uint32_t flow = 0;
	int rc;

	sends(o, 1, 0, MANY, 1000, 20, TAPE_END_FINALIZE);
	sends(o, 0, 0, MANY, 1000, 20, TAPE_END_ABORT);
	sends(o, 0, 3, MANY, 1010, 20, TAPE_END_FINALIZE);
	tape_output_commit(o);
	t = must_open("merged");
	ok(tape_trace_flow(t, 0)->rank == 0 &&
		   tape_trace_flow(t, 1)->thread == 3 &&
		   tape_trace_flow(t, 2)->rank == 1,
	   "flows in order of rank, then thread");
	ok(!tape_merge_open(t, &m), "a merge opens");
	while ((rc = tape_merge_next(m, &e)) == 1) {
		disorder += e->start_ns < last ||
			    (e->start_ns == last && e->flow < flow);
		ties += e->start_ns == last;
		last = e->start_ns;
		flow = e->flow;
		count[e->flow < 3 ? e->flow : 0]++;
	}
	ok(!rc && count[0] == MANY && count[1] == MANY && count[2] == MANY,
	   "the merge gives every event");
	ok(!disorder && ties == MANY, "in order, %u ties by flow", ties);
	ok(tape_merge_end(m, 0, NULL) == TAPE_END_ABORT &&
		   tape_merge_end(m, 2, NULL) == TAPE_END_FINALIZE,
	   "each flow's end");
	tape_merge_close(m);
	some_merged(t);
	tape_trace_close(t);
}

/* Of that map: linear to the next piece's, outward; constant at the ends. */
static void intervals(const struct tape_trace *t)
{
	static const struct {
		uint64_t tick;
		int64_t lo, hi;
	} truth[] = {
		{ 0, -3, 3 },
		{ 1000, -3, 3 },
		{ 1500, -2, 502 },              /* -1.5, 501.5 */
		{ 1999, -1, 1000 },             /* -0.003, 999.003 */
		{ 2000, 0, 1000 },
		{ 2001, INT64_MIN, 1000 },
		{ 3000, INT64_MIN, 1000 },
		{ UINT64_MAX, INT64_MIN, 1000 },
	};
	int64_t lo, hi;
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		tape_trace_interval(t, 0, truth[i].tick, &lo, &hi);
		wrong += lo != truth[i].lo || hi != truth[i].hi;
	}
	ok(!wrong, "intervals of dates, %u wrong", wrong);
	tape_trace_interval(t, 9, 1, &lo, &hi);
	ok(lo == INT64_MIN && hi == INT64_MAX,
	   "no clock domain: nothing is known");
}

static void pieces(void)
{
	static const char meta[] =
		"tape-trace 1\nranks 1\nbase global\ndomain 0 d h\n"
		"clock 0 1000 5000 2 -3 3\nclock 0 2000 7000 1 0 1000\n"
		"clock 0 3000 8000 4 -9223372036854775808 1000\n";
	struct tape_output *o = begin("pieces", meta, 1);
	static const struct {
		uint64_t tick;
		int64_t ns;
	} truth[] = { { 500, 4000 },  { 1000, 5000 }, { 1999, 6998 },
		      { 2000, 7000 }, { 2999, 7999 }, { 3000, 8000 },
		      { 4000, 12000 } };
	const struct tape_event *e;
	struct tape_trace *t;
	struct tape_flow *f;
	unsigned wrong = 0, seen = 0;

	sends(o, 0, 0, 8, 500, 500, TAPE_END_FINALIZE);
	tape_output_commit(o);
	t = must_open("pieces");
	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++)
		wrong += tape_trace_date(t, 0, truth[i].tick) != truth[i].ns;
	ok(!wrong, "dates by the piece that holds the tick");
	wrong = 0;
	tape_flow_open(t, 0, &f);
	for (; tape_flow_next(f, &e) == 1; seen++)
		wrong += e->start_ns != tape_trace_date(t, 0, e->start_tick) ||
			 e->end_ns != tape_trace_date(t, 0, e->end_tick);
	ok(!wrong && seen == 8, "a flow's dates are the same");
	tape_flow_close(f);
	intervals(t);
	ok(tape_trace_domain(t, 0)->pieces[0].lo_ns == -3 &&
		   !tape_trace_domain(t, 1),
	   "bounds of a piece");
	tape_trace_close(t);
}

/* ---- damage ---- */

/* A trace of one rank whose flow has two full chunks and a part of one. */
static const char *long_flow(const char *name, enum tape_end why)
{
	struct tape_output *o = begin(name, meta_two, 2);

	sends(o, 0, 0, 30000, 1000, 20, why);
	sends(o, 1, 0, 2, 1000, 20, TAPE_END_FINALIZE);
	tape_output_commit(o);
	return folder_path(name, "flow.0.0");
}

static void expect(const char *name, int code, unsigned least, unsigned most,
		   const char *what)
{
	struct tape_trace *t = must_open(name);
	const struct tape_event *e;
	struct tape_merge *m;
	unsigned events, of[2] = { 0 };
	const char *said;
	char why[600];
	int nothing, rc = drain(t, 0, &events, why, sizeof why);

	ok(rc == code && events >= least && events <= most,
	   "%s: code %d after %u events", what, rc, events);
	if (code)
		ok(strstr(why, folder_path(name, "flow.0.0")) &&
			   strstr(why, ": offset "),
		   "%s: %s", what, why);
	if (!tape_merge_open(t, &m))
		while ((rc = tape_merge_next(m, &e)) == 1)
			of[e->flow]++;
	ok(!rc && of[0] == events && of[1] == 2,
	   "%s: the merge gives what is whole, and the other flow", what);
	said = tape_trace_damage(t, 0, &nothing);
	ok(!code ? !said : said && !strcmp(said, why) && nothing == !events,
	   "%s: the trace knows what is not", what);
	ok(!tape_trace_damage(t, 1, NULL), "%s: the other is whole", what);
	tape_merge_close(m);
	tape_trace_close(t);
}

static void damaged(void)
{
	const unsigned char big[4] = { 2, 0, 0, 0 }, zero[12] = { 0 };
	const unsigned char newer[4] = { TAPE_FORMAT_VERSION + 1, 0, 0, 0 };
	unsigned char byte = 0x55;

	if (truncate(long_flow("cut", TAPE_END_FINALIZE), 65536 + 5000))
		exit(2);
	expect("cut", TAPE_ETRUNCATED, 1, 29999, "cut within a chunk");
	if (truncate(long_flow("head", TAPE_END_FINALIZE), 65536 + 60))
		exit(2);
	expect("head", TAPE_ETRUNCATED, 1, 29999, "cut within a header");
	if (truncate(long_flow("between", TAPE_END_FINALIZE), 65536))
		exit(2);
	expect("between", 0, 1, 29999, "cut between chunks");
	folder_poke(long_flow("bits", TAPE_END_FINALIZE), 65536 + 4000, &byte,
		    1);
	expect("bits", TAPE_ECHECKSUM, 1, 29999, "a byte changed");
	folder_poke(long_flow("new", TAPE_END_FINALIZE), 4, newer, 4);
	expect("new", TAPE_EVERSION, 0, 0, "is newer");
	folder_poke(long_flow("swap", TAPE_END_FINALIZE), 65536 + 16, big, 4);
	expect("swap", TAPE_EFORMAT, 1, 29999, "a chunk of another place");
	folder_poke(long_flow("less", TAPE_END_FINALIZE), 24, big, 4);
	expect("less", TAPE_EFORMAT, 1, 29999, "fewer records than said");
	/* the process was killed while it wrote the second chunk */
	folder_poke(long_flow("kill", TAPE_END_NONE), 65536 + 20, zero, 8);
	folder_poke(folder_path("kill", "flow.0.0"), 65536 + 32, zero, 8);
	if (truncate(folder_path("kill", "flow.0.0"), 2 * 65536))
		exit(2);
	expect("kill", 0, 10000, 29999, "an open chunk");
	long_flow("zero", TAPE_END_NONE);
	if (truncate(folder_path("zero", "flow.0.0"), 0))
		exit(2);
	expect("zero", 0, 0, 0, "an empty flow");
}

static int open_code(const char *name, char *why, size_t size)
{
	struct tape_trace *t;
	int rc = tape_trace_open(folder_path(name, NULL), &t);

	snprintf(why, size, "%s", tape_trace_error(t));
	tape_trace_close(t);
	return rc;
}

/* Ranks that came one by one: how many, their clocks and tids. */
static void tasks(void)
{
	static const char meta[] = "tape-trace 1\nbase local\n";
	static const char *const files[] = {
		"tape-rank 1\nrank 0\nhost a\npid 1\ndomain x:1:[2]\n"
		"tid 262146\ncomm 1 1 0 0 c\ngroup 1 262147 524289 7\n",
		"tape-rank 1\nrank 1\nhost b\npid 1\ndomain x%20y\n"
		"tid 524289\nparent 262146\ncomm 1 1 0 1 c\n",
		"", /* it was just about to begin */
		"tape-rank 1\nrank 3\nhost a\npid 2\ndomain x:1:[2]\n"
		"tid 262147\nparent 262146\ncomm 1 1 0 3 c\n",
	};
	static const char clocks[] = "sample before x%20y 10 20 21 30\n";
	struct tape_output *o = begin("tasks", meta, 0);
	const struct tape_sample *s;
	const struct tape_rank_info *r;
	struct tape_trace *t;
	char name[16];
	size_t n = 0;
	int rc;

	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "rank.%d", i);
		folder_write(tape_output_path(o, name), files[i],
			     strlen(files[i]));
	}
	folder_write(tape_output_path(o, "clocks"), clocks, strlen(clocks));
	tape_output_commit(o);
	rc = tape_trace_open(folder_path("tasks", NULL), &t);
	ok(!rc, "tasks open: %s", tape_trace_error(t));
	ok(tape_trace_ranks(t) == 4 && tape_trace_domains(t) == 2,
	   "as many ranks as files, and clocks as they name");
	r = tape_trace_rank(t, 3);
	ok(r && r->tid == 262147 && r->parent == 262146 && !r->domain &&
	   tape_trace_rank(t, 1)->domain == 1, "tids, parents and clocks");
	ok(tape_trace_task(t, 262146) == 0 && tape_trace_task(t, 262147) == 3 &&
	   tape_trace_task(t, 524289) == 1 && tape_trace_task(t, 5) == -1,
	   "the rank of a tid");
	ok(r && r->comms[1].size == 4 && r->comms[1].members[0] == 0 &&
	   r->comms[1].members[2] == -1, "a context is of all that use it");
	r = tape_trace_rank(t, 0);
	ok(r->groups[1].n == 3 && r->groups[1].ranks[1] == 524289,
	   "a group is one of tids");
	s = tape_trace_samples(t, &n);
	ok(n == 1 && s[0].domain == 1, "a clock by its name");
	tape_trace_close(t);
}

static void bad_definitions(void)
{
	static const struct {
		const char *file, *text, *says;
		int code;
	} cases[] = {
		{ "meta", "tape-trace 2\nranks 1\n", "newer", TAPE_EVERSION },
		{ "meta", "", "line 0", TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nranks 0\n", "line 2", TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nranks 2\nranks 2\n", "line 3",
		  TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nranks 2\ndomain 1 a b\n", "line 3",
		  TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nranks 2\nbase lunar\n", "line 3",
		  TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nranks 2\nbase global\ndomain 0 a b\n",
		  "no clock line", TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nranks 99999999999\n", "line 2",
		  TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\nrank 1\n", "line 2", TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\nsite 1 9999 1 a b\n", "line 2",
		  TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nversion 7.1\nclass send x\n",
		  "line 3", TAPE_EFORMAT },
		{ "meta", "tape-trace 1\nversion 7.1\nclass send peer:f64\n",
		  "Tape 7.1 wrote it", TAPE_EVERSION },
		{ "rank.0", "tape-rank 1\nsite 1 120 1 a b\n"
			    "site 1 120 1 a b\n", "line 3", TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\ncomm 1 1 0 0 x\n", "line 2",
		  TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\ncomm 1 1 2 0 x\ninter 1 2 1\n",
		  "line 3", TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\ninter 1 0 1\n", "line 2",
		  TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\ncomm 1 1 1 0 x\ninter 1 0 1\n"
			    "inter 1 0 1\n", "line 4", TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\nsources 1 0\n", "line 2",
		  TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\ngroup 1 0 x\n", "line 2",
		  TAPE_EFORMAT },
		{ "rank.0", "tape-rank 1\ngroup 99999999 0\n", "line 2",
		  TAPE_EFORMAT },
		{ "rank.1", "tape-rank 1\nregion 4294967297 x\n", "line 2",
		  TAPE_EFORMAT },
		{ "clocks", "sample before 9 1 2 3 4\n", "line 1",
		  TAPE_EFORMAT },
		{ "clocks", "sample before 0 1 2 3\n", "line 1", TAPE_EFORMAT },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tape_output *o;
		char name[32], why[600];
		int rc;

		snprintf(name, sizeof name, "bad%zu", i);
		o = begin(name, meta_two, 2);
		sends(o, 0, 0, 1, 100, 10, TAPE_END_FINALIZE);
		folder_write(tape_output_path(o, cases[i].file), cases[i].text,
			     strlen(cases[i].text));
		tape_output_commit(o);
		rc = open_code(name, why, sizeof why);
		ok(rc == cases[i].code && strstr(why, cases[i].file) &&
			   strstr(why, cases[i].says),
		   "refused: %s", why);
	}
}

/* Intercommunicators, neighbours, groups; and once more as written anew. */
static void groups(void)
{
	static const char *const rank[] = {
		"tape-rank 1\nrank 0\nhost a\npid 1\ndomain 0\n"
		"comm 1 1 2 0 w\nsources 1 1 0\nsources 1 1\n"
		"comm 2 f0 3 0 i\ninter 2 1 1\ngroup 1 1 0\ngroup 1 7\n"
		"group 3 1\n",
		"tape-rank 1\nrank 1\nhost a\npid 1\ndomain 0\n"
		"comm 1 1 2 1 w\ncomm 2 f0 1 1 i\ninter 2 0 3\n" };
	struct tape_output *o = begin("groups", meta_two, 0);
	struct tape_trace *t, *first;

	for (int i = 0; i < 2; i++)
		folder_write(tape_output_path(o, i ? "rank.1" : "rank.0"),
			     rank[i], strlen(rank[i]));
	tape_output_commit(o);
	first = t = must_open("groups");
	for (int i = 0; i < 2; i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, 0);
		const struct tape_comm_info *c = r->comms;
		const struct tape_rank_info *q = tape_trace_rank(t, 1);

		ok(c[1].side == -1 && c[1].own == c[1].members &&
			   c[1].n_sources == 3 && c[1].sources[2] == 1,
		   "%sone group, and its neighbours", i ? "again: " : "");
		/* three members cannot be in a world of two */
		ok(c[2].side == 1 && c[2].size == 2 && c[2].own_size == 1 &&
			   c[2].members[1] == 1 && c[2].members[0] == -1 &&
			   c[2].own[0] == 0,
		   "%stwo groups as rank 0 sees them", i ? "again: " : "");
		ok(q->comms[2].side == 0 && q->comms[2].size == 1 &&
			   q->comms[2].members == c[2].own &&
			   q->comms[2].own == c[2].members,
		   "%sand as rank 1 does", i ? "again: " : "");
		ok(r->n_groups > 3 && r->groups[1].n == 3 &&
			   r->groups[1].ranks[0] == 1 &&
			   r->groups[1].ranks[2] == -1 && !r->groups[2].n &&
			   r->groups[3].n == 1,
		   "%sgroups of ranks", i ? "again: " : "");
		if (i)
			break;
		o = begin("groups2", meta_two, 0);
		for (int k = 0; k < 2; k++)
			tape_write_rank(o, t, k, NULL, 0);
		tape_output_commit(o);
		t = must_open("groups2");
	}
	tape_trace_close(first);
	tape_trace_close(t);
}

/*
 * A world of 65536 in which only one rank says what communicators there are,
 * each of 65536 members: 256 of them make 2^24 members, which are free.
 */
static int large(const char *name, int comms)
{
	static const char world[] = "tape-trace 1\nranks 65536\nbase local\n"
				    "domain 0 d h\n";
	static char text[16384];
	struct tape_output *o = tape_output_begin(folder_path(name, NULL));
	int n = snprintf(text, sizeof text, "tape-rank 1\nrank 0\nhost a\n"
			 "pid 1\ndomain 0\n"), rc;
	char why[600];

	folder_write(tape_output_path(o, "meta"), world, strlen(world));
	for (int i = 1; i <= comms; i++)
		n += snprintf(text + n, sizeof text - (size_t)n,
			      "comm %d %x 65536 0 c\n", i, i);
	folder_write(tape_output_path(o, "rank.0"), text, (size_t)n);
	tape_output_commit(o);
	rc = open_code(name, why, sizeof why);
	ok(!rc || (strstr(why, name) && strstr(why, "more members than")),
	   "%d communicators of 65536 members: %s", comms, why);
	return rc;
}

static void hostile_groups(void)
{
	ok(!large("free", 256), "256 such communicators are free");
	ok(large("large", 257) == TAPE_EFORMAT, "one more asks for too much");
}

static void missing(void)
{
	struct tape_output *o = begin("norank", meta_two, 1);
	struct tape_trace *t;
	unsigned events;
	char why[600];
	int rc;

	sends(o, 0, 0, 2, 100, 10, TAPE_END_FINALIZE);
	tape_output_commit(o);
	t = must_open("norank");
	ok(tape_trace_rank(t, 1) && !tape_trace_rank(t, 1)->host &&
		   tape_trace_rank(t, 1)->n_sites == 0,
	   "a rank without a file has no definitions");
	ok(tape_trace_rank(t, 0)->comms[1].members[1] == -1,
	   "and is an unknown member");
	ok(!drain(t, 0, &events, why, sizeof why) && events == 2,
	   "the others are read");
	tape_trace_close(t);

	o = begin("nosite", meta_two, 1);
	sends(o, 1, 0, 2, 100, 10, TAPE_END_FINALIZE);
	tape_output_commit(o);
	t = must_open("nosite");
	rc = drain(t, 0, &events, why, sizeof why);
	ok(rc == TAPE_EFORMAT && !events, "its events refer to nothing: %s",
	   why);
	tape_trace_close(t);

	rc = open_code("nowhere", why, sizeof why);
	ok(rc == TAPE_EIO && strstr(why, "nowhere"), "no trace there: %s", why);
}

int main(void)
{
	folder_make();
	atexit(folder_remove);
	definitions();
	ends();
	merged();
	pieces();
	damaged();
	tasks();
	bad_definitions();
	groups();
	hostile_groups();
	missing();
	return done();
}
