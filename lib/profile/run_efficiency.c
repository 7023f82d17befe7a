/* The efficiency of a run and of its parts; see run_efficiency.h. */
#include <math.h>

#include "figure_checks.h"
#include "run_efficiency.h"
#include "stat.h"
#include "tape_follow.h"
#include "tool.h"
#include "useful_time.h"

/* A factor is not known where the marks leave more than this open. */
static const double widest = 0.1;

/* Nothing is said where they leave more than this open. */
static const double widest_said = 0.2;

int stats_is_efficiency_known(const struct stats *s)
{
	return s->comparable;
}

int stats_is_ideal_known(const struct stats *s)
{
	char text[2200];

	/* tasks of PVM that come late begin late on an ideal clock, too */
	if (tape_trace_followed(s->t) && tape_trace_ranks(s->t) &&
	    tape_trace_rank(s->t, 0)->tid)
		return 0;
	return !s->peers && tape_analysis_has_ideal(s->analysis) &&
	       !s->incomplete && !s->unsent &&
	       !(s->waited_ns[TAPE_WAIT_LOCK] > 0) &&
	       !tape_not_recorded_text(s->missing, text, sizeof text);
}

/* ---- the run ---- */

/* The flows of a rank so far, which follow each other; and all ranks. */
struct rank_flows {
	int rank;
	size_t n;
	double longest_ns, sum_ns;
	int has_several;
};

static void end_rank(struct rank_flows *r)
{
	r->sum_ns += (double)r->n * r->longest_ns;
	r->has_several |= r->n > 1;
	r->n = 0;
	r->longest_ns = 0;
}

static void add_to_rank(struct rank_flows *r, int rank, double ns)
{
	if (r->n && r->rank != rank)
		end_rank(r);
	r->rank = rank;
	r->n++;
	r->longest_ns = fmax(r->longest_ns, ns);
}

static double sum_threads(struct rank_flows *r)
{
	end_rank(r);
	return r->has_several ? r->sum_ns : 0;
}

/* What of it is useful: of a shared processor the middle of the bounds. */
static double add_useful(struct tape_efficiency_times *t, const struct stats *s,
			 size_t flow)
{
	double least, most, ns;

	if (!t->is_shared)
		return stats_computing(s, flow);
	stats_useful_bounds(s, flow, &least, &most);
	ns = (least + most) / 2;
	t->useful_sum_ns += ns;
	t->useful_max_ns = fmax(t->useful_max_ns, ns);
	return ns;
}

struct tape_efficiency_times stats_run_times(const struct stats *s)
{
	struct tape_efficiency_times t = {.ideal_ns = NAN,
					  .is_shared = stats_is_shared(s)};
	struct rank_flows r = {0};
	double from = INFINITY, to = -INFINITY;

	t.run_ns = (double)(s->to_ns - s->from_ns);
	for (size_t i = 0; i < s->flows; i++) {
		const struct tape_span *span = &s->flow[i].span;
		double ns = stats_computing(s, i);

		if (!span->seen)
			continue;
		t.n++;
		t.sum_ns += ns;
		t.max_ns = fmax(t.max_ns, ns);
		add_to_rank(&r, tape_trace_flow(s->t, i)->rank,
			    add_useful(&t, s, i));
		from = fmin(from, span->ideal_from.ns);
		to = fmax(to, span->ideal_to.ns);
	}
	t.threads_ns = sum_threads(&r);
	if (stats_is_ideal_known(s))
		t.ideal_ns = to - from;
	return t;
}

/* Times when the run began and ended, at the earliest and at the latest. */
struct run_bounds {
	double from_least, from_most, to_least, to_most;
};

static void add_span_bounds(struct run_bounds *b, const struct stats *s,
			    size_t flow)
{
	const struct stats_flow *f = &s->flow[flow];
	const struct stats_error *m = &s->measured->flow[flow].start;
	double from = (double)(f->span.from_ns - s->from_ns);
	double to = (double)(f->span.to_ns - s->from_ns);

	b->from_least = fmin(b->from_least, from - f->start.less - m->less);
	b->from_most = fmin(b->from_most, from + f->start.more + m->more);
	b->to_least = fmax(b->to_least, to - f->last.less);
	b->to_most = fmax(b->to_most, to + f->last.more);
}

/* The flow's times at least or at most. Returns what of them is useful. */
static double add_bound(struct tape_efficiency_times *t, double ns,
			double useful_ns)
{
	t->sum_ns += ns;
	t->max_ns = fmax(t->max_ns, ns);
	if (!t->is_shared)
		return ns;
	t->useful_sum_ns += useful_ns;
	t->useful_max_ns = fmax(t->useful_max_ns, useful_ns);
	return useful_ns;
}

/* Adds all flows at least and at most; both are empty so far. */
static void add_flow_bounds(struct tape_efficiency_times *least,
			    struct tape_efficiency_times *most,
			    const struct stats *s)
{
	struct rank_flows short_ranks = {0}, long_ranks = {0};

	for (size_t i = 0; i < s->flows; i++) {
		double low = stats_computing(s, i), high = low, from, to;
		int rank = tape_trace_flow(s->t, i)->rank;

		if (!s->flow[i].span.seen)
			continue;
		stats_computing_bounds(s, i, &low, &high);
		stats_useful_bounds(s, i, &from, &to);
		add_to_rank(&short_ranks, rank, add_bound(least, low, from));
		add_to_rank(&long_ranks, rank, add_bound(most, high, to));
	}
	least->threads_ns = sum_threads(&short_ranks);
	most->threads_ns = sum_threads(&long_ranks);
}

/*
 * T_ideal without tracing is between that of the clocks of the trace as
 * measured that compute at least and at most. These begin when MPI_Init ended
 * there, so each rank is moved to when it ended without tracing. The last flow
 * is moved by no less than the least of these, and by no more than the most.
 */
struct ideal_bounds {
	double from_least, from_most, to_least, to_most;
	double moved_least, moved_most;
};

static int is_first_of_rank(const struct stats *s, size_t flow)
{
	return !flow || tape_trace_flow(s->t, flow - 1)->rank !=
			    tape_trace_flow(s->t, flow)->rank;
}

static void add_ideal_flow(struct ideal_bounds *b, const struct stats *s,
			   size_t flow)
{
	const struct stats_flow *f = &s->flow[flow];
	const struct tape_span *m = &s->measured->flow[flow].span;
	double moved;

	b->to_least = fmax(b->to_least, m->ideal_to.least_ns);
	b->to_most = fmax(b->to_most, m->ideal_to.most_ns);
	b->from_least = fmin(b->from_least, m->ideal_from.least_ns);
	b->from_most = fmin(b->from_most, m->ideal_from.most_ns);
	if (!is_first_of_rank(s, flow))
		return;
	moved = (double)(f->span.from_ns - s->from_ns) - m->ideal_from.ns;
	b->moved_least = fmin(b->moved_least, moved - f->start.less);
	b->moved_most = fmax(b->moved_most, moved + f->start.more);
}

static struct ideal_bounds find_ideal_bounds(const struct stats *s)
{
	struct ideal_bounds b = {INFINITY,  INFINITY, -INFINITY,
				 -INFINITY, INFINITY, -INFINITY};

	for (size_t i = 0; i < s->flows; i++)
		if (s->flow[i].span.seen)
			add_ideal_flow(&b, s, i);
	return b;
}

static void set_ideal_bounds(const struct stats *s, double ideal_ns,
			     struct tape_efficiency_times *least,
			     struct tape_efficiency_times *most)
{
	struct ideal_bounds b;
	double spread;

	if (isnan(ideal_ns) || !stats_is_ideal_known(s->measured))
		return;
	b = find_ideal_bounds(s);
	spread = b.moved_most - b.moved_least;
	least->ideal_ns = fmin(ideal_ns, b.to_least - b.from_most - spread);
	most->ideal_ns = fmax(ideal_ns, b.to_most - b.from_least + spread);
}

double stats_ideal_spread(const struct stats *s)
{
	struct ideal_bounds b;

	if (!stats_is_certain(s))
		return NAN;
	b = find_ideal_bounds(s);
	return b.moved_most - b.moved_least;
}

int stats_run_efficiency_bounds(const struct stats *s,
				struct tape_efficiency *from,
				struct tape_efficiency *to)
{
	struct tape_efficiency_times t = stats_run_times(s);
	struct tape_efficiency_times least = {.n = t.n,
					      .run_ns = t.run_ns,
					      .ideal_ns = NAN,
					      .is_shared = t.is_shared};
	struct tape_efficiency_times most = least;
	struct run_bounds b = {INFINITY, INFINITY, -INFINITY, -INFINITY};
	int is_certain = stats_is_certain(s);

	if (!stats_is_efficiency_known(s) || !(is_certain || t.is_shared))
		return 0;
	add_flow_bounds(&least, &most, s);
	for (size_t i = 0; is_certain && i < s->flows; i++)
		if (s->flow[i].span.seen)
			add_span_bounds(&b, s, i);
	if (is_certain) {
		least.run_ns = fmax(b.to_least - b.from_most, 0);
		most.run_ns = b.to_most - b.from_least;
		set_ideal_bounds(s, t.ideal_ns, &least, &most);
	}
	tape_efficiency_bounds(&least, &most, from, to);
	return t.n > 0;
}

/* A factor whose bounds are wide is not known. */
static void drop_wide(double *factor, double from, double to)
{
	if (!(to - from <= widest))
		*factor = NAN;
}

void stats_drop_wide_factors(struct tape_efficiency *e,
			     const struct tape_efficiency *from,
			     const struct tape_efficiency *to)
{
	drop_wide(&e->parallel, from->parallel, to->parallel);
	drop_wide(&e->load_balance, from->load_balance, to->load_balance);
	drop_wide(&e->processors, from->processors, to->processors);
	drop_wide(&e->threads, from->threads, to->threads);
}

struct tape_efficiency stats_run_efficiency(const struct stats *s)
{
	struct tape_efficiency_times t = stats_run_times(s);
	struct tape_efficiency e = tape_efficiency_unknown, from, to;

	if (!stats_is_efficiency_known(s))
		return e;
	e = tape_efficiency_factors(&t);
	if (t.is_shared && stats_run_efficiency_bounds(s, &from, &to))
		stats_drop_wide_factors(&e, &from, &to);
	return e;
}

/* " (serialisation 98%, transfer 98%)", or "" where these are not known. */
static void parts_text(const struct tape_efficiency *e, char *text, size_t size)
{
	*text = '\0';
	if (!isnan(e->transfer))
		snprintf(text, size, " (serialisation %.0f%%, transfer %.0f%%)",
			 100 * e->serialisation, 100 * e->transfer);
}

void stats_factors_text(const struct tape_efficiency *e, const char *certain,
			char *text, size_t size)
{
	char parts[80], threads[40] = "";

	*text = '\0';
	if (isnan(e->parallel))
		return;
	parts_text(e, parts, sizeof parts);
	if (!isnan(e->threads))
		snprintf(threads, sizeof threads, " (threads %.0f%%)",
			 100 * e->threads);
	snprintf(text, size,
		 "Parallel efficiency %.0f%%%s: load balance %.0f%%%s, "
		 "communication %.0f%%%s",
		 100 * e->parallel, certain, 100 * e->load_balance, threads,
		 100 * e->communication, parts);
}

/* "33% (32.1 to 34.0%)"; "20.4 to 60.0%": the value is not known. */
static const char *bounded_text(double factor, double from, double to,
				char text[60])
{
	size_t at = 0;

	if (!isnan(factor))
		at = (size_t)snprintf(text, 60, "%.0f%% (", 100 * factor);
	snprintf(text + at, 60 - at, "%.1f to %.1f%%%s", 100 * from, 100 * to,
		 at ? ")" : "");
	return text;
}

/* The sentence of a run whose ranks waited for processors. */
static void shared_text(const struct tape_efficiency *e,
			const struct tape_efficiency *from,
			const struct tape_efficiency *to, char *text,
			size_t size)
{
	char all[60], balance[60], processors[60], parts[80];

	parts_text(e, parts, sizeof parts);
	snprintf(text, size,
		 "Parallel efficiency %s: load balance %s, processors %s, "
		 "communication %.0f%%%s",
		 bounded_text(e->parallel, from->parallel, to->parallel, all),
		 bounded_text(e->load_balance, from->load_balance,
			      to->load_balance, balance),
		 bounded_text(e->processors, from->processors, to->processors,
			      processors),
		 100 * e->communication, parts);
}

static size_t count_seen_flows(const struct stats *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->flows; i++)
		n += s->flow[i].span.seen != 0;
	return n;
}

void stats_efficiency_text(const struct stats *s, char *text, size_t size)
{
	struct tape_efficiency e = stats_run_efficiency(s), from, to;
	int has_bounds = stats_run_efficiency_bounds(s, &from, &to);
	int is_shared = stats_is_shared(s);
	char certain[80] = "";

	*text = '\0';
	if (count_seen_flows(s) < 2 || isnan(e.communication) ||
	    (isnan(e.parallel) && !is_shared))
		return;
	if (!figure_factors_hold(&e, has_bounds ? &from : NULL, &to)) {
		figure_error_text("a factor of efficiency is out of its bounds",
				  text, size);
		return;
	}
	if (is_shared && has_bounds) {
		if (to.parallel - from.parallel <= widest_said)
			shared_text(&e, &from, &to, text, size);
		return;
	}
	if (has_bounds)
		snprintf(certain, sizeof certain,
			 " (certain: %.1f to %.1f%%)", 100 * from.parallel,
			 100 * to.parallel);
	stats_factors_text(&e, certain, text, size);
}

/* ---- JSON ---- */

/* The factors in the order in which they are written. */
static const struct {
	const char *name;
	size_t offset;
} factor[STATS_FACTORS] = {
#define FACTOR(name) {#name, offsetof(struct tape_efficiency, name)}
    FACTOR(parallel),	FACTOR(load_balance),  FACTOR(threads),
    FACTOR(processors), FACTOR(communication), FACTOR(serialisation),
    FACTOR(transfer),
#undef FACTOR
};

double stats_get_factor(const struct tape_efficiency *e, size_t i)
{
	return *(const double *)((const char *)e + factor[i].offset);
}

static void put_factor(FILE *f, size_t i, const char *what,
		       const struct tape_efficiency *e)
{
	double share = stats_get_factor(e, i);

	fprintf(f, "\"%s%s\":", factor[i].name, what);
	if (isnan(share))
		fputs("null", f);
	else
		fprintf(f, "%.6g", share);
}

void stats_print_factors_json(const struct tape_efficiency *e, FILE *f)
{
	for (size_t i = 0; i < STATS_FACTORS; i++) {
		fputs(i ? "," : "{", f);
		put_factor(f, i, "", e);
	}
	fputs("}", f);
}

void stats_print_efficiency_json(const struct stats *s, FILE *f)
{
	struct tape_efficiency e = stats_run_efficiency(s), from, to;
	int certain = stats_run_efficiency_bounds(s, &from, &to);

	if (!figure_factors_hold(&e, certain ? &from : NULL, &to)) {
		e = tape_efficiency_unknown;
		certain = 0;
	}
	fputs("\"efficiency\":{", f);
	for (size_t i = 0; i < STATS_FACTORS; i++) {
		if (i)
			fputs(",", f);
		put_factor(f, i, "", &e);
	}
	for (size_t i = 0; certain && i < STATS_FACTORS; i++) {
		if (isnan(stats_get_factor(&from, i)))
			continue;
		fputs(",", f);
		put_factor(f, i, "_from", &from);
		fputs(",", f);
		put_factor(f, i, "_to", &to);
	}
	fputs("}", f);
}
