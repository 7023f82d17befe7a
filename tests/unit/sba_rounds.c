/*
 * Rounds of clock sampling as bounds, by hand: whichever clock asked, what a
 * clock that counts in steps read on receipt may be a step too early.
 */
#include "folder.h"
#include "output.h"
#include "clocks.h"
#include "tap.h"

static const char meta[] = "tape-trace 1\nranks 2\nbase local\n"
			   "domain 0 a host1\ndomain 1 b host2\n";

enum { ROUNDS = 20 };

/* Clock 0 counts in steps of 100, clock 1 in steps of 1000. */
static void write_trace(void)
{
	struct tape_output *o = tape_output_begin(folder_path("x", NULL));
	char text[4096];
	int n = 0;

	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	for (int r = 0; r < 2; r++) {
		n = snprintf(text, sizeof text, "tape-rank 1\nrank %d\nhost h\n"
			     "pid 1\ndomain %d\ntick_hz 1000000000\n", r, r);
		folder_write(tape_output_path(o, r ? "rank.1" : "rank.0"),
			     text, (size_t)n);
	}
	n = 0;
	for (int i = 0; i < ROUNDS; i++) {
		int t = 100000 * (i + 1);

		n += snprintf(text + n, sizeof text - (size_t)n,
			      i % 2 ? "sample before 0 %d %d %d %d 1\n"
				    : "sample before 1 %d %d %d %d 0\n",
			      i % 2 ? t + 6000 : t,
			      i % 2 ? t + 600 : t + 7000,
			      i % 2 ? t + 700 : t + 8000,
			      i % 2 ? t + 8000 : t + 1500);
	}
	folder_write(tape_output_path(o, "clocks"), text, (size_t)n);
	tape_output_commit(o);
}

static int is(struct tape_clock_round r, double s_ref, double r_j, double s_j,
	      double r_ref)
{
	return r.s_ref == s_ref && r.r_j == r_j && r.s_j == s_j &&
	       r.r_ref == r_ref && !r.after;
}

int main(void)
{
	const struct clock_pair *p;
	struct tape_trace *t;
	struct clocks k;

	folder_make();
	atexit(folder_remove);
	write_trace();
	if (tape_trace_open(folder_path("x", NULL), &t)) {
		ok(0, "the trace opens: %s", tape_trace_error(t));
		return 1;
	}
	clocks_open(&k, t);
	p = clocks_pair(&k, 0, 1);
	ok(p && p->n == ROUNDS && p == clocks_pair(&k, 1, 0),
	   "rounds asked either way are one pair's");
	ok(k.c[0].grain_ns == 100 && k.c[1].grain_ns == 1000,
	   "steps of both clocks");
	/* readings count from the first ones, 100000 and 107000 */
	ok(is(clocks_round(&k, p, 0, 0, 1), 0, 0 + 1000, 1000, 1500 + 100),
	   "clock 0 asked");
	ok(is(clocks_round(&k, p, 1, 0, 1), 100700, 101000 + 1000, 99000,
	      100600 + 100),
	   "clock 1 asked: the answer to it is the question of clock 0");
	ok(is(clocks_round(&k, p, 0, 1, 0), 1000, 1500 + 100, 0, 0 + 1000) &&
		   is(clocks_round(&k, p, 1, 1, 0), 99000, 100600 + 100,
		      100700, 101000 + 1000),
	   "the same two as rounds of clock 1's");
	clocks_close(&k);
	tape_trace_close(t);
	return done();
}
