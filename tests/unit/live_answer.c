/*
 * The answer so far as it goes from process to process, and the factors of an
 * interval: against a text by hand, and the formulas of efficiency.h.
 */
#include <math.h>
#include <string.h>

#include "live_answer.h"
#include "tap.h"

static const char answer[] = "SThe program ran 2 s\n"
			     "SRank 1 caused 92% of the waiting\n"
			     "KDeadlock: rank 0 waits for itself\n"
			     "WRank 0 is in MPI_Recv x.c:9\n"
			     "R2\t3.5\tMPI_Recv x.c:9\tin MPI_Recv x.c:9\n"
			     "R0\tnan\t\tnot in MPI\n"
			     "NParallel efficiency 61%\n"
			     "J,\"answer\":[]\n";

static void check_text(void)
{
	struct live_answer *a = live_answer_read(strdup(answer));

	ok(a->said.n == 2 && !strcmp(a->said.line[0], "The program ran 2 s") &&
	       !strcmp(a->said.line[1], "Rank 1 caused 92% of the waiting"),
	   "sentences of the report, in order");
	ok(a->stuck.n == 1 && a->ranks.n == 1 &&
	       !strcmp(a->stuck.line[0], "Deadlock: rank 0 waits for itself"),
	   "what can never end, and where ranks are");
	ok(!strcmp(a->now, "Parallel efficiency 61%") &&
	       !strcmp(a->json, ",\"answer\":[]"),
	   "the last interval, and JSON");
	ok(a->n_ranks == 3 && a->rank[2].for_s == 3.5 &&
	       !strcmp(a->rank[2].call, "MPI_Recv x.c:9") &&
	       !strcmp(a->rank[0].what, "not in MPI") &&
	       isnan(a->rank[0].for_s) && !a->rank[1].call,
	   "ranks, also those of which nothing is said");
	live_answer_free(a);
	a = live_answer_read(strdup("R1\t2"));
	ok(!a->n_ranks && !a->said.n && !*a->now, "a line that is cut");
	live_answer_free(a);
}

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void check_interval(void)
{
	struct live_progress *p[2];
	struct tape_efficiency e;

	live_progress_new(3, p);
	ok(isnan(live_interval_efficiency(p[0], p[0]).parallel),
	   "no interval yet");
	*p[0] = (struct live_progress){.at_ns = 1e9, .ideal_ns = 9e8, .n = 2};
	p[0]->computing_ns[0] = 5e8;
	p[0]->computing_ns[1] = 2e8;
	*p[1] = (struct live_progress){.at_ns = 2e9, .ideal_ns = 17e8, .n = 3};
	p[1]->computing_ns[0] = 9e8;
	p[1]->computing_ns[1] = 4e8;
	p[1]->computing_ns[2] = NAN;
	/* of 1 s: 0.4 and 0.2 s, and 0.8 s if messages took no time */
	e = live_interval_efficiency(p[0], p[1]);
	ok(is_near(e.load_balance, 0.75) && is_near(e.communication, 0.4) &&
	       is_near(e.parallel, 0.3),
	   "load balance 3/4, communication 2/5, parallel 3/10");
	ok(is_near(e.serialisation, 0.5) && is_near(e.transfer, 0.8),
	   "serialisation 1/2, transfer 4/5");
	p[1]->computing_ns[2] = 6e8;
	e = live_interval_efficiency(p[0], p[1]);
	ok(is_near(e.load_balance, 2.0 / 3) && is_near(e.communication, 0.6),
	   "a flow that has begun since computed all of its time in it");
	p[1]->ideal_ns = NAN;
	e = live_interval_efficiency(p[0], p[1]);
	ok(isnan(e.transfer) && is_near(e.communication, 0.6),
	   "without the ideal clock two factors are not known");
	p[1]->at_ns = p[0]->at_ns + 4e7;
	ok(isnan(live_interval_efficiency(p[0], p[1]).parallel),
	   "of less than 50 ms nothing is said");
}

int main(void)
{
	check_text();
	check_interval();
	return done();
}
