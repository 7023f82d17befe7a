/*
 * Actions of a trace: which event each belongs to, and whether it is inside it;
 * computations by time, processor time and operations; what a rank's own pace
 * does to the others: nothing.
 */
#include "action.h"
#include "folder.h"
#include "tap.h"
#include "writer.h"

enum { RANKS = 2, ROUNDS = 3000 };

/* ---- a trace ---- */

static struct tape_output *out;

static void definitions(void)
{
	static const char meta[] = "tape-trace 1\nranks 2\nbase global\n"
				   "domain 0 global host\nclock 0 0 0 1 0 0\n";

	folder_write(tape_output_path(out, "meta"), meta, strlen(meta));
	for (int r = 0; r < RANKS; r++) {
		char name[32], text[1024];

		snprintf(name, sizeof name, "rank.%d", r);
		snprintf(text, sizeof text,
			 "tape-rank 1\nrank %d\nhost h\npid 1\ndomain 0\n"
			 "site 1 %d 1 a.c main\nsite 2 %d 2 a.c main\n"
			 "site 3 %d 3 a.c main\nsite 4 %d 4 a.c main\n"
			 "site 5 %d 5 a.c main\nsite 6 %d 6 a.c main\n"
			 "comm 1 1 2 %d MPI_COMM_WORLD\nregion 1 step\n"
			 "counter 0 cpu ns events 7\n"
			 "counter 1 PAPI_FP_OPS count events 2\n",
			 r, TAPE_CALL_MPI_Init, TAPE_CALL_MPI_Send,
			 TAPE_CALL_MPI_Irecv, TAPE_CALL_MPI_Wait,
			 TAPE_CALL_MPI_Comm_rank, TAPE_CALL_MPI_Finalize, r);
		folder_write(tape_output_path(out, name), text, strlen(text));
	}
}

static int64_t now;
static struct tape_flow_writer *flow;

/* gap ns after the last one, which takes 10 ns; the tracer's are 3 and 4. */
static void event(unsigned call, uint32_t site, int64_t gap,
		  struct tape_event e)
{
	now += gap;
	e.call = (uint16_t)call;
	e.class_ = (uint16_t)(call ? tape_call_class(call) : e.class_);
	e.site = site;
	e.polls = 1;
	e.start_ns = e.sr_ns = now;
	e.end_ns = call ? now + 10 : now;
	e.inside_ns = e.end_ns - e.start_ns;
	e.alpha_before_ns = 3;
	e.alpha_after_ns = 4;
	/* of 30 ns the processor's time is 20, and 60 operations */
	e.n_counts = 2;
	e.counts[0] = (struct tape_count){gap ? gap - 10 : 0, call ? 9 : 0};
	e.counts[1] = (struct tape_count){2 * gap, call ? 8 : 0};
	tape_flow_writer_put(flow, &e);
	now = e.end_ns;
}

static void begin(int rank)
{
	now = 0;
	flow = tape_flow_writer_open(out, rank, 0, 0);
	event(TAPE_CALL_MPI_Init, 1, 0, (struct tape_event){0});
}

static void end(void)
{
	event(TAPE_CALL_MPI_Finalize, 6, 0, (struct tape_event){0});
	tape_flow_writer_close(flow, TAPE_END_FINALIZE, 0);
}

static void receive(uint64_t request, int32_t peer)
{
	event(
	    TAPE_CALL_MPI_Irecv, 3, 0,
	    (struct tape_event){
		.request = request,
		.u.irecv = {.peer = peer, .tag = 5, .bytes = 100, .comm = 1}});
}

static void wait(uint64_t request, int64_t gap)
{
	struct tape_done done = {.request = request,
				 .kind = TAPE_DONE_RECV,
				 .peer = 1,
				 .tag = 5,
				 .bytes = 8,
				 .arrived = 2};

	event(TAPE_CALL_MPI_Wait, 4, gap,
	      (struct tape_event){
		  .u.wait = {.n = 1}, .n_done = 1, .done = &done});
}

static void make(void)
{
	out = tape_output_begin(folder_path("t.tape", NULL));
	definitions();
	begin(0);
	event(TAPE_CALL_MPI_Comm_rank, 5, 30, (struct tape_event){0});
	event(0, 0, 30,
	      (struct tape_event){.class_ = TAPE_CLASS_ENTER, .region = 1});
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		receive(i, TAPE_ANY_SOURCE);
		wait(i, 30);
	}
	event(0, 0, 0,
	      (struct tape_event){.class_ = TAPE_CLASS_LEAVE, .region = 1});
	end();
	begin(1);
	for (int i = 0; i < ROUNDS; i++)
		event(TAPE_CALL_MPI_Send, 2, i ? 0 : 30,
		      (struct tape_event){
			  .u.send = {
			      .peer = 0, .tag = 5, .bytes = 8, .comm = 1}});
	end();
	tape_output_commit(out);
}

/*
 * Receives of anybody that are posted first: one ends last, one never, one is
 * cancelled last; thousands of others are over in between.
 */
static void make_late(void)
{
	struct tape_done done = {.request = 3, .kind = TAPE_DONE_CANCELLED};

	out = tape_output_begin(folder_path("late.tape", NULL));
	definitions();
	begin(0);
	for (uint64_t i = 1; i <= 3; i++)
		receive(i, TAPE_ANY_SOURCE);
	for (uint64_t i = 4; i <= 3 + ROUNDS; i++) {
		receive(i, TAPE_ANY_SOURCE);
		wait(i, 30);
	}
	event(TAPE_CALL_MPI_Wait, 4, 0,
	      (struct tape_event){
		  .u.wait = {.n = 1}, .n_done = 1, .done = &done});
	wait(1, 0);
	end();
	begin(1);
	for (int i = 0; i < ROUNDS + 1; i++)
		event(TAPE_CALL_MPI_Send, 2, 0,
		      (struct tape_event){
			  .u.send = {
			      .peer = 0, .tag = 5, .bytes = 8, .comm = 1}});
	end();
	tape_output_commit(out);
}

/* ---- its actions ---- */

static struct tape_trace *t;

static struct tape_actions *open_by(const char *measure, double rate)
{
	struct tape_actions_how how = {.measure = measure, .rate = rate};
	struct tape_actions *s;

	if (tape_actions_open_trace(t, &how, &s))
		printf("# %s\n", tape_actions_error(s));
	return s;
}

static const struct expected {
	enum tape_action_kind kind;
	uint64_t event;
	int inside;
	double time, cpu, operations;
} expected[] = {
    {TAPE_ACTION_INIT, 1, 1, 0, 0, 0},
    /* 30 - 4 of the last one - 3; 20, for the counter stands still in what
     * is measured of the tracer; twice 30 */
    {TAPE_ACTION_COMPUTE, 2, 0, 23, 20, 60},
    /* the call: 10; 9 less 7 of the readings; 8 less 2 */
    {TAPE_ACTION_COMPUTE, 2, 1, 10, 2, 6},
    {TAPE_ACTION_COMPUTE, 3, 0, 23, 20, 60},
    {TAPE_ACTION_IRECV, 4, 1, 0, 0, 0},
    {TAPE_ACTION_COMPUTE, 5, 0, 23, 20, 60},
    {TAPE_ACTION_WAIT, 5, 1, 0, 0, 0},
    {TAPE_ACTION_IRECV, 6, 1, 0, 0, 0},
};

static void check_first(const char *measure, const char *is, double rate)
{
	struct tape_actions *s = open_by(measure, rate);
	const struct tape_action *a;
	int wrong = 0;

	ok(!strcmp(tape_actions_measure(s), is), "%s is what it goes by", is);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct expected *x = &expected[i];
		double amount = !strcmp(is, "time")  ? x->time * rate / 1e9
				: !strcmp(is, "cpu") ? x->cpu * rate / 1e9
						     : x->operations;

		if (tape_actions_next(s, 0, &a) != 1)
			break;
		wrong += a->kind != x->kind || a->event != x->event ||
			 a->inside != x->inside || a->amount < amount - 1e-9 ||
			 a->amount > amount + 1e-9;
		if (wrong)
			printf("# %zu: kind %d event %d inside %d amount %g\n",
			       i, (int)a->kind, (int)a->event, a->inside,
			       a->amount);
	}
	ok(!wrong, "%s: events, and how much is computed", is);
	tape_actions_close(s);
}

/* So many of a rank, then of the other: both are what they are alone. */
static void check_paces(void)
{
	struct tape_actions *s = open_by("time", 0);
	const struct tape_action *a;
	uint64_t n[RANKS] = {0}, last[RANKS] = {0}, waited = 0;
	int over = 0, wrong = 0;

	for (unsigned turn = 0; over < RANKS; turn++) {
		int r = turn % 2, rc = 1;

		for (unsigned i = 0; i <= turn % 7 && rc == 1; i++) {
			rc = tape_actions_next(s, r, &a);
			if (rc != 1)
				break;
			n[r]++;
			wrong += a->event < last[r];
			last[r] = a->event;
			if (a->kind == TAPE_ACTION_IRECV)
				wrong += a->peer != 1 || a->tag != 5 ||
					 a->bytes != 8 ||
					 a->request != waited + 1;
			if (a->kind == TAPE_ACTION_WAIT)
				wrong +=
				    a->n_waits != 1 || a->waits[0] != ++waited;
		}
		over += rc == 0 && n[r] != 0;
		if (rc < 0 || turn > 10 * ROUNDS) {
			wrong++;
			break;
		}
		if (rc == 0)
			n[r] = 0;
	}
	ok(!wrong && waited == ROUNDS, "pulled in turns: %u waits",
	   (unsigned)waited);
	ok(last[0] == 3 + 2 * ROUNDS + 2 && last[1] == ROUNDS + 2,
	   "the last events");
	ok(tape_actions_next(s, 0, &a) == 0 && tape_actions_next(s, 0, &a) == 0,
	   "the end stays the end");
	ok(tape_actions_next(s, 2, &a) == TAPE_ERANGE &&
	       tape_actions_next(s, -1, &a) == TAPE_ERANGE,
	   "there is no such rank");
	tape_actions_close(s);
}

static void check_late(void)
{
	struct tape_actions_how how = {.measure = "time"};
	const struct tape_action *a;
	struct tape_actions *s;
	uint64_t posted = 0, waited = 0, last = 0;
	struct tape_trace *late;
	int wrong = 0, rc;

	if (tape_trace_open(folder_path("late.tape", NULL), &late) ||
	    tape_actions_open_trace(late, &how, &s)) {
		ok(0, "a trace with late ends");
		return;
	}
	while ((rc = tape_actions_next(s, 0, &a)) == 1) {
		if (a->kind == TAPE_ACTION_IRECV) {
			posted++;
			wrong += a->peer != 1 || a->tag != 5 || a->bytes != 8;
			/* the second and the third are none */
			wrong += a->request != (posted == 1 ? 1 : posted + 2);
		}
		if (a->kind == TAPE_ACTION_WAIT) {
			waited++;
			wrong += a->n_waits != 1;
			last = a->waits[0];
			wrong += last != (waited <= ROUNDS ? waited + 3 : 1);
		}
	}
	ok(!rc && !wrong && posted == ROUNDS + 1 && waited == ROUNDS + 1,
	   "ends that are far away: %u posted, %u waits, %d wrong",
	   (unsigned)posted, (unsigned)waited, wrong);
	ok(last == 1 && tape_actions_left_out(s) == 1,
	   "the first is over at the end, one never is");
	tape_actions_close(s);
	tape_trace_close(late);
}

static void check_members(void)
{
	struct tape_actions *s = open_by(NULL, 0);
	int size = 0;
	const int *m = tape_actions_members(s, 0, &size);

	ok(m && size == 2 && m[0] == 0 && m[1] == 1, "members of the world");
	ok(!tape_actions_members(s, 1, &size), "there is no other one");
	tape_actions_close(s);
}

int main(void)
{
	struct tape_actions *s;

	folder_make();
	make();
	make_late();
	ok(!tape_trace_open(folder_path("t.tape", NULL), &t), "a trace");
	check_first("time", "time", 2e9);
	check_first("cpu", "cpu", 1e9);
	check_first(NULL, "PAPI_FP_OPS", 5e9);
	check_paces();
	check_late();
	check_members();
	s = open_by("time", -1);
	ok(*tape_actions_error(s), "a rate that is none");
	tape_actions_close(s);
	tape_trace_close(t);
	folder_remove();
	return done();
}
