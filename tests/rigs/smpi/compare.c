/*
 * What a correction is worth, event by event, where the truth is known:
 *
 *	compare [-v] [-j] T0 T Ta [Ta ...]
 *
 * T0 is the trace of the run whose tracer cost nothing, T that of the same
 * program with a tracer that cost something, and each Ta a correction of T.
 * Dates count from where the program begins, the end of MPI_Init and of what
 * the tracer did there. Each event has two, |ta - t0| of both is looked at.
 * Beside the corrections stand T itself and T less the costs that the flow
 * had paid up to there ("local").
 *
 * -v	by call, and the earliest event of the last Ta that is off by over 2 ns
 * -j	as one JSON object
 *
 * A flow that did other things in one of the runs (made another call, or more
 * of them) is counted, and has a part in the totals only. A receive that got
 * its message from another source is counted, too.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tape_reader.h"

enum { TRACES = 8, TRUTH = 0, TRACED = 1, CALLS = 1024, OFF_NS = 2 };

/* The errors of one way to date events; methods: T, local, each Ta. */
struct method {
	const char *name;
	double *error;
	uint16_t *call;
	size_t n, room;
	int64_t total_ns; /* from the begin to the last start of MPI_Finalize */
};

struct run {
	struct tape_trace *trace;
	struct tape_flow *flow;
	const struct tape_event *e;
	double begin; /* of this flow */
};

static struct run run[TRACES];
static struct method method[TRACES];
static int runs, methods, verbose, json, differ;
static struct {
	int rank;
	unsigned call;
	double t0, error;
} first;
static uint64_t events, reordered;
static int64_t truth_ns;
static double local; /* costs of the flow so far */

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "compare: %s\n", what);
	exit(1);
}

static void add(struct method *m, double error, uint16_t call)
{
	if (m->n == m->room) {
		m->room = 2 * m->room + 1024;
		m->error = realloc(m->error, m->room * sizeof *m->error);
		m->call = realloc(m->call, m->room * sizeof *m->call);
		if (!m->error || !m->call)
			die("out of memory");
	}
	m->error[m->n] = fabs(error);
	m->call[m->n++] = call;
}

/* The time of one end of the event in a run, from the program's start. */
static double date(const struct run *r, int end)
{
	return (double)((end ? r->e->end_ns : r->e->start_ns)) - r->begin;
}

/* Where errors come from: the earliest one. */
static void note(const struct tape_event *e, double t0, double error)
{
	if (fabs(error) <= OFF_NS || (first.error != 0 && t0 >= first.t0))
		return;
	first.rank = e->rank;
	first.call = e->call;
	first.t0 = t0;
	first.error = error;
}

static void compare(void)
{
	const struct tape_event *t = run[TRACED].e;

	local += t->alpha_before_ns;
	for (int end = 0; end < 2; end++) {
		double t0 = date(&run[TRUTH], end), of[TRACES];

		of[0] = date(&run[TRACED], end);
		of[1] = of[0] - local;
		for (int i = 2; i < methods; i++)
			of[i] = date(&run[i], end);
		for (int i = 0; i < methods; i++)
			add(&method[i], of[i] - t0, t->call);
		note(t, t0, of[methods - 1] - t0);
	}
	local += t->alpha_after_ns;
	events++;
	reordered += t->class_ == TAPE_CLASS_RECV &&
		     t->u.recv.actual_peer !=
			     run[TRUTH].e->u.recv.actual_peer;
}

/*
 * Takes the next event of each run: 1, 0 when all of them have ended, or -1
 * when they are not alike.
 */
static int next(void)
{
	int left = 0;

	for (int i = 0; i < runs; i++) {
		int rc = tape_flow_next(run[i].flow, &run[i].e);

		if (rc < 0)
			die(tape_flow_error(run[i].flow));
		left += rc;
	}
	if (left && left != runs)
		return -1;
	for (int i = 1; left && i < runs; i++)
		if (run[i].e->call != run[0].e->call)
			return -1;
	return left != 0;
}

/* Opens flow k of each run, and goes to where the program begins. */
static void begin(size_t k)
{
	double before;

	for (int i = 0; i < runs; i++)
		if (tape_flow_open(run[i].trace, k, &run[i].flow))
			die(tape_trace_error(run[i].trace));
	if (next() != 1 || run[0].e->call != TAPE_CALL_MPI_Init)
		die("a flow does not begin with MPI_Init");
	/* the rig pays all of an event's constant cost after MPI_Init */
	before = run[TRACED].e->alpha_before_ns;
	for (int i = 0; i < runs; i++) {
		run[i].begin = (double)run[i].e->end_ns +
			       run[i].e->alpha_after_ns;
		if (i != TRUTH)
			run[i].begin += before;
	}
	local = 0;
}

static void end(void)
{
	for (int i = 0; i < runs; i++)
		tape_flow_close(run[i].flow);
}

static void later(int64_t *most, double ns)
{
	if (llround(ns) > *most)
		*most = llround(ns);
}

/* When the program ends on this flow, in a run. */
static void total(int i)
{
	int rc;

	while ((rc = tape_flow_next(run[i].flow, &run[i].e)) == 1) {
		local += i == TRACED ? run[i].e->alpha_before_ns : 0;
		if (run[i].e->call == TAPE_CALL_MPI_Finalize)
			break;
		local += i == TRACED ? run[i].e->alpha_after_ns : 0;
	}
	if (rc != 1)
		die("a flow does not reach MPI_Finalize");
	if (i == TRUTH)
		later(&truth_ns, date(&run[i], 0));
	else
		later(&method[i == TRACED ? 0 : i].total_ns, date(&run[i], 0));
	if (i == TRACED)
		later(&method[1].total_ns, date(&run[i], 0) - local);
}

static void compare_flow(size_t k)
{
	size_t had = method[0].n;
	int rc;

	begin(k);
	for (int i = 0; i < runs; i++)
		total(i);
	end();
	begin(k);
	while ((rc = next()) == 1)
		compare();
	end();
	if (!rc)
		return;
	differ++;
	for (int i = 0; i < methods; i++)
		method[i].n = had;
}

/* ---- results ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct spread {
	double p50, p99, max;
	double exact; /* percent of the times that are at most 1 ns off */
};

static struct spread spread(double *v, size_t n)
{
	size_t exact = 0;

	if (!n)
		return (struct spread){ 0 };
	qsort(v, n, sizeof *v, by_size);
	while (exact < n && v[exact] <= 1)
		exact++;
	return (struct spread){ v[n / 2], v[(n - 1) * 99 / 100], v[n - 1],
				100 * (double)exact / (double)n };
}

static void by_call(const struct method *m)
{
	double *v = malloc(m->n * sizeof *v + 1);

	if (!v)
		die("out of memory");
	for (unsigned c = 0; c < CALLS; c++) {
		struct spread s;
		size_t n = 0;

		for (size_t i = 0; i < m->n; i++)
			if (m->call[i] == c)
				v[n++] = m->error[i];
		s = spread(v, n);
		if (n)
			printf("%s %s %zu: p50 %.1f p99 %.1f max %.1f\n",
			       m->name, tape_call_name(c), n, s.p50, s.p99,
			       s.max);
	}
	free(v);
}

static void print(struct method *m)
{
	double off = 100 * (double)(m->total_ns - truth_ns) / (double)truth_ns;
	struct spread s;

	if (verbose)
		by_call(m);
	s = spread(m->error, m->n);
	if (json)
		printf(",\"%s\":{\"p50\":%.1f,\"p99\":%.1f,\"max\":%.1f,"
		       "\"exact\":%.2f,\"total\":%.6f}", m->name, s.p50,
		       s.p99, s.max, s.exact, off);
	else
		printf("%-8s p50 %10.1f p99 %10.1f max %10.1f ns, %6.2f %% "
		       "exact, total %+.6f %%\n", m->name, s.p50, s.p99,
		       s.max, s.exact, off);
}

int main(int argc, char **argv)
{
	static char name[TRACES][16];
	int c;

	while ((c = getopt(argc, argv, "jv")) != -1) {
		json |= c == 'j';
		verbose |= c == 'v';
		if (c == '?')
			return 2;
	}
	methods = runs = argc - optind;
	if (runs < 3 || runs > TRACES)
		die("usage: compare [-jv] T0 T Ta [Ta ...]");
	for (int i = 0; i < runs; i++) {
		if (tape_trace_open(argv[optind + i], &run[i].trace))
			die(tape_trace_error(run[i].trace));
		if (tape_trace_flows(run[i].trace) !=
		    tape_trace_flows(run[0].trace))
			die("the runs have different numbers of flows");
		if (i == 2)
			strcpy(name[i], "tico");
		else
			snprintf(name[i], sizeof name[i], "tico%d", i - 1);
		method[i].name = name[i];
	}
	method[0].name = "none";
	method[1].name = "local";
	for (size_t k = 0; k < tape_trace_flows(run[0].trace); k++)
		compare_flow(k);
	if (json)
		printf("{\"events\":%" PRIu64 ",\"reordered\":%" PRIu64
		       ",\"differ\":%d,\"t0\":%" PRId64, events, reordered,
		       differ, truth_ns);
	else
		printf("%" PRIu64 " events, %" PRIu64 " from another source, "
		       "%d flows did other things, %.3f us\n", events,
		       reordered, differ, (double)truth_ns / 1e3);
	for (int i = 0; i < methods; i++)
		print(&method[i]);
	if (verbose && first.error != 0)
		printf("first off: rank %d %s at %.0f ns by %+.1f ns\n",
		       first.rank, tape_call_name(first.call), first.t0,
		       first.error);
	if (json)
		printf("}\n");
	for (int i = 0; i < runs; i++)
		tape_trace_close(run[i].trace);
	for (int i = 0; i < methods; i++) {
		free(method[i].error);
		free(method[i].call);
	}
	return 0;
}
