/*
 * What global dates are worth, of a run whose clocks have a known error:
 *
 *	live [-v] TRUTH CORRECTED.tape     -v: each date that is outside
 *
 * Programs run under the clocks of tests/rigs/warp leave the true date of each
 * reading in TRUTH/readings.R. Every start and end of an event in the corrected
 * trace is compared with it, by clock domain and in total:
 *
 *	clock D dates N max_ns E width_ns W outside O missing M
 *	errors clock D P50 P95 E width_ns P50 P95 W past P
 *	total dates N max_ns E width_ns W outside O missing M
 *	errors total P50 P95 E width_ns P50 P95 W past P
 *	messages N violations V
 *	set_back N
 *
 * P50 and P95 are what half of them, and 95%, are within; P is by how much (ns)
 * the worst date is outside. The second line of the total is without the
 * reference. E is the largest error, W the widest guaranteed interval (-1:
 * without end), O the dates that are truly outside of theirs, M those without a
 * truth, V the messages that end before they begin. The last line counts the
 * readings of all ranks that show less than the one before: a tracer takes
 * events for as late as the ones before, then, and no clocks allow their
 * messages. The reference has to read the true date. Only the first thread of a
 * rank is looked at.
 *
 * Status 0, or 2 when there is nothing to compare.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "tape_reader.h"

struct reading {
	uint64_t shown;
	int64_t real;
};

/* The readings of a rank, and the one where its last time was found. */
struct truth {
	struct reading *r;
	size_t n, at;
};

struct result {
	uint64_t dates, outside, missing;
	int64_t max, width, past;
	double *error, *wide; /* of n dates */
	uint64_t n;
};

static int verbose;

__attribute__((noreturn, format(printf, 1, 2))) static void
fail(const char *format, ...)
{
	va_list ap;

	fputs("live: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static void *grown(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p;
	p = realloc(p, (n ? 2 * n : 1) * size);
	if (!p)
		fail("out of memory");
	return p;
}

/* Pairs of numbers, until the end or zeroes. */
static struct truth read_truth(const char *folder, int rank)
{
	struct truth t = { NULL, 0, 0 };
	struct reading r;
	char path[4200];
	FILE *in;

	snprintf(path, sizeof path, "%.4000s/readings.%d", folder, rank);
	in = fopen(path, "r");
	if (!in)
		fail("cannot open %s", path);
	while (fread(&r, sizeof r, 1, in) == 1 && r.real) {
		t.r = grown(t.r, t.n, sizeof *t.r);
		t.r[t.n++] = r;
	}
	fclose(in);
	return t;
}

/*
 * The true date at which a tick was read: 1, or 0. A clock that is set back
 * shows a tick twice; events are in order, so it is the next one.
 */
static int true_date(struct truth *t, uint64_t tick, int64_t *real)
{
	size_t i = t->at;

	while (i < t->n && t->r[i].shown != tick)
		i++;
	if (i == t->n)
		return 0;
	t->at = i;
	*real = t->r[i].real;
	return 1;
}

static uint64_t set_back(const struct truth *t)
{
	uint64_t n = 0;

	for (size_t i = 1; i < t->n; i++)
		n += t->r[i].shown < t->r[i - 1].shown;
	return n;
}

static void note(struct result *r, double error, double wide)
{
	r->error = grown(r->error, r->n, sizeof *r->error);
	r->wide = grown(r->wide, r->n, sizeof *r->wide);
	r->error[r->n] = error;
	r->wide[r->n++] = wide;
}

static void compare(const struct tape_trace *t, uint32_t domain, uint64_t tick,
		    struct truth *truth, struct result *r)
{
	int64_t date = tape_trace_date(t, domain, tick), real, later, lo, hi;
	int64_t past = 0;

	if (!true_date(truth, tick, &real)) {
		r->missing++;
		return;
	}
	later = real - date;
	tape_trace_interval(t, domain, tick, &lo, &hi);
	note(r, (double)llabs(later), (double)hi - (double)lo);
	r->dates++;
	/* times are whole ns, so each may be off by half a ns */
	if (later < lo - (lo > INT64_MIN))
		past = lo - later;
	else if (later > hi + (hi < INT64_MAX))
		past = later - hi;
	r->outside += past > 0;
	r->past = past > r->past ? past : r->past;
	if (verbose && past)
		printf("outside clock %u tick %" PRIu64 " date %" PRId64
		       " real %" PRId64 " interval %" PRId64 " %" PRId64
		       " past %" PRId64 "\n", domain, tick, date, later, lo,
		       hi, past);
	if (llabs(later) > r->max)
		r->max = llabs(later);
	if (r->width < 0 || lo == INT64_MIN || hi == INT64_MAX)
		r->width = -1;
	else if (hi - lo > r->width)
		r->width = hi - lo;
}

static void compare_rank(struct tape_trace *t, size_t flow,
			 struct truth *truth, uint32_t domain, struct result *r)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc;

	if (tape_flow_open(t, flow, &f))
		fail("%s", tape_trace_error(t));
	while ((rc = tape_flow_next(f, &e)) == 1) {
		compare(t, domain, e->start_tick, truth, r);
		if (e->end_tick != e->start_tick)
			compare(t, domain, e->end_tick, truth, r);
	}
	if (rc)
		fail("%s", tape_flow_error(f));
	tape_flow_close(f);
}

static void causality(struct tape_trace *t)
{
	uint64_t messages = 0, violations = 0;
	const struct tape_item *i;
	struct tape_replay *r;

	if (tape_replay_open(t, TAPE_REPLAY_MESSAGES, &r))
		fail("%s", tape_trace_error(t));
	while (tape_replay_next(r, &i) == 1) {
		const struct tape_message *m = i->message;

		if (m->state != TAPE_MATCHED || !m->ended.event)
			continue;
		messages++;
		violations += m->ended_ns < m->sent_ns;
	}
	tape_replay_close(r);
	printf("messages %" PRIu64 " violations %" PRIu64 "\n", messages,
	       violations);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Half of them, 95%, and all. */
static void print_ranks(const char *name, double *v, uint64_t n)
{
	qsort(v, n, sizeof *v, ascending);
	printf("%s %.0f %.0f %.0f ", name, n ? v[(n - 1) / 2] : 0,
	       n ? v[(uint64_t)(0.95 * (double)(n - 1))] : 0,
	       n ? v[n - 1] : 0);
}

static void print(const char *name, const struct result *r)
{
	printf("errors %s", name);
	print_ranks("", r->error, r->n);
	print_ranks("width_ns", r->wide, r->n);
	printf("past %" PRId64 "\n%s ", r->past, name);

	printf("dates %" PRIu64 " max_ns %" PRId64 " width_ns %" PRId64
	       " outside %" PRIu64 " missing %" PRIu64 "\n", r->dates, r->max,
	       r->width, r->outside, r->missing);
}

static void add(struct result *sum, const struct result *r)
{
	sum->dates += r->dates;
	sum->past = r->past > sum->past ? r->past : sum->past;
	sum->outside += r->outside;
	sum->missing += r->missing;
	if (r->max > sum->max)
		sum->max = r->max;
	if (r->width < 0 || sum->width < 0)
		sum->width = -1;
	else if (r->width > sum->width)
		sum->width = r->width;
}

int main(int argc, char **argv)
{
	struct result *of, total = { 0 };
	struct tape_trace *t;
	uint64_t back = 0;
	size_t n;

	verbose = argc == 4 && !strcmp(argv[1], "-v");
	argv += verbose;
	if (argc != 3 + verbose)
		fail("usage: live [-v] TRUTH CORRECTED.tape");
	if (tape_trace_open(argv[2], &t))
		fail("%s", tape_trace_error(t));
	n = tape_trace_domains(t);
	of = calloc(n, sizeof *of);
	if (!of)
		fail("out of memory");
	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		const struct tape_flow_info *f = tape_trace_flow(t, i);
		uint32_t d = tape_trace_rank(t, f->rank)->domain;
		struct truth truth;

		if (f->thread)
			continue;
		truth = read_truth(argv[1], f->rank);
		for (size_t k = 0; !d && k < truth.n; k++)
			if ((int64_t)truth.r[k].shown != truth.r[k].real)
				fail("the reference, rank %d, has an error",
				     f->rank);
		back += set_back(&truth);
		compare_rank(t, i, &truth, d, &of[d]);
		free(truth.r);
	}
	for (size_t d = 0; d < n; d++) {
		char name[32];

		snprintf(name, sizeof name, "clock %zu", d);
		print(name, &of[d]);
		add(&total, &of[d]);
		for (uint64_t i = 0; d && i < of[d].n; i++)
			note(&total, of[d].error[i], of[d].wide[i]);
	}
	print("total", &total);
	causality(t);
	printf("set_back %" PRIu64 "\n", back);
	tape_trace_close(t);
	free(of);
	return total.dates ? 0 : 2;
}
