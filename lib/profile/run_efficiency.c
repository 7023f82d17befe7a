/* The efficiency of a run and of its parts; see run_efficiency.h. */
#include <math.h>
#include <stdlib.h>

#include "figure_checks.h"
#include "phases.h"
#include "run_efficiency.h"
#include "sort.h"
#include "stat.h"
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

	return !s->peers && tape_analysis_has_ideal(s->analysis) &&
	       !s->incomplete && !s->unsent &&
	       !(s->waited_ns[TAPE_WAIT_LOCK] > 0) &&
	       !tape_not_recorded_text(s->missing, text, sizeof text);
}

/* ---- the run ---- */

/* The middle of its bounds. */
static void add_useful(struct tape_efficiency_times *t, const struct stats *s,
		       size_t flow)
{
	double least, most, ns;

	if (!t->is_shared)
		return;
	stats_useful_bounds(s, flow, &least, &most);
	ns = (least + most) / 2;
	t->useful_sum_ns += ns;
	t->useful_max_ns = fmax(t->useful_max_ns, ns);
}

struct tape_efficiency_times stats_run_times(const struct stats *s)
{
	struct tape_efficiency_times t = {.ideal_ns = NAN,
					  .is_shared = stats_is_shared(s)};
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
		add_useful(&t, s, i);
		from = fmin(from, span->ideal_from.ns);
		to = fmax(to, span->ideal_to.ns);
	}
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

static void add_flow_bounds(struct tape_efficiency_times *least,
			    struct tape_efficiency_times *most,
			    const struct stats *s, size_t flow)
{
	double low = stats_computing(s, flow), high = low;

	stats_computing_bounds(s, flow, &low, &high);
	least->sum_ns += low;
	least->max_ns = fmax(least->max_ns, low);
	most->sum_ns += high;
	most->max_ns = fmax(most->max_ns, high);
	if (!least->is_shared)
		return;
	stats_useful_bounds(s, flow, &low, &high);
	least->useful_sum_ns += low;
	least->useful_max_ns = fmax(least->useful_max_ns, low);
	most->useful_sum_ns += high;
	most->useful_max_ns = fmax(most->useful_max_ns, high);
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
	for (size_t i = 0; i < s->flows; i++) {
		if (!s->flow[i].span.seen)
			continue;
		add_flow_bounds(&least, &most, s, i);
		if (is_certain)
			add_span_bounds(&b, s, i);
	}
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

struct tape_efficiency stats_run_efficiency(const struct stats *s)
{
	struct tape_efficiency_times t = stats_run_times(s);
	struct tape_efficiency e = tape_efficiency_unknown, from, to;

	if (!stats_is_efficiency_known(s))
		return e;
	e = tape_efficiency_factors(&t);
	if (t.is_shared && stats_run_efficiency_bounds(s, &from, &to)) {
		drop_wide(&e.parallel, from.parallel, to.parallel);
		drop_wide(&e.load_balance, from.load_balance, to.load_balance);
		drop_wide(&e.processors, from.processors, to.processors);
	}
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
	char parts[80];

	*text = '\0';
	if (isnan(e->parallel))
		return;
	parts_text(e, parts, sizeof parts);
	snprintf(text, size,
		 "Parallel efficiency %.0f%%%s: load balance %.0f%%, "
		 "communication %.0f%%%s",
		 100 * e->parallel, certain, 100 * e->load_balance,
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
enum { FACTORS = 6 };
static const struct {
	const char *name;
	size_t offset;
} factor[FACTORS] = {
#define FACTOR(name) {#name, offsetof(struct tape_efficiency, name)}
    FACTOR(parallel),	   FACTOR(load_balance),  FACTOR(processors),
    FACTOR(communication), FACTOR(serialisation), FACTOR(transfer),
#undef FACTOR
};

static double get_factor(const struct tape_efficiency *e, size_t i)
{
	return *(const double *)((const char *)e + factor[i].offset);
}

static void put_factor(FILE *f, size_t i, const char *what,
		       const struct tape_efficiency *e)
{
	double share = get_factor(e, i);

	fprintf(f, "\"%s%s\":", factor[i].name, what);
	if (isnan(share))
		fputs("null", f);
	else
		fprintf(f, "%.6g", share);
}

void stats_print_factors_json(const struct tape_efficiency *e, FILE *f)
{
	for (size_t i = 0; i < FACTORS; i++) {
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
	for (size_t i = 0; i < FACTORS; i++) {
		if (i)
			fputs(",", f);
		put_factor(f, i, "", &e);
	}
	for (size_t i = 0; certain && i < FACTORS; i++) {
		if (isnan(get_factor(&from, i)))
			continue;
		fputs(",", f);
		put_factor(f, i, "_from", &from);
		fputs(",", f);
		put_factor(f, i, "_to", &to);
	}
	fputs("}", f);
}

/* ---- the table ---- */

/* Factors of a part of the run, with their bounds; NAN: not known. */
struct part_factors {
	struct tape_efficiency e, from, to;
};

static const struct part_factors *unknown_factors(struct part_factors *x)
{
	x->e = x->from = x->to = tape_efficiency_unknown;
	return x;
}

/* Beside the factors the table has length, computing and part. */
static int has_bound_columns(const struct sheet *h)
{
	return sheet_count_columns(h) > FACTORS + 3;
}

static void put_line(struct sheet *h, const struct tape_efficiency_times *t,
		     const struct part_factors *x, const char *name)
{
	sheet_put_number(h, t->run_ns);
	sheet_put_number(h, t->sum_ns);
	sheet_put_number(h, x->e.load_balance);
	sheet_put_number(h, x->e.processors);
	sheet_put_number(h, x->e.serialisation);
	sheet_put_number(h, x->e.transfer);
	sheet_put_number(h, x->e.communication);
	sheet_put_number(h, x->e.parallel);
	for (size_t i = 0; has_bound_columns(h) && i < FACTORS; i++) {
		sheet_put_number(h, get_factor(&x->from, i));
		sheet_put_number(h, get_factor(&x->to, i));
	}
	sheet_put_text(h, name);
}

static void put_run_line(struct sheet *h, const struct stats *s,
			 const struct tape_efficiency_times *t)
{
	struct part_factors x;

	unknown_factors(&x);
	stats_run_efficiency_bounds(s, &x.from, &x.to);
	x.e = stats_run_efficiency(s);
	if (!figure_factors_hold(&x.e, &x.from, &x.to))
		unknown_factors(&x);
	put_line(h, t, &x, "run");
}

/* Times of a part, at least and at most. */
struct part_bounds {
	struct tape_efficiency_times least, most;
};

/*
 * A part of the run; b NULL: it has no bounds. Of runs whose ranks waited for
 * processors nothing is known.
 */
static void put_part_line(struct sheet *h, const struct stats *s,
			  struct tape_efficiency_times *t,
			  struct part_bounds *b, const char *name)
{
	struct part_factors x;

	unknown_factors(&x);
	if (!stats_is_ideal_known(s))
		t->ideal_ns = NAN;
	if (b && (isnan(t->ideal_ns) || !stats_is_ideal_known(s->measured)))
		b->least.ideal_ns = b->most.ideal_ns = NAN;
	if (stats_is_efficiency_known(s) && !stats_is_shared(s)) {
		x.e = tape_efficiency_factors(t);
		if (b)
			tape_efficiency_bounds(&b->least, &b->most, &x.from,
					       &x.to);
	}
	if (!figure_factors_hold(&x.e, &x.from, &x.to))
		unknown_factors(&x);
	put_line(h, t, &x, name);
}

/* A region, with all flows that were in it. */
struct part {
	uint32_t place;
	struct tape_efficiency_times times;
	struct part_bounds bounds;
	int has_bounds;
};

static int order_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->times.run_ns != y->times.run_ns)
		return x->times.run_ns < y->times.run_ns ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static const struct stats_region *
find_measured_region(const struct stats *s, const struct stats_region *q)
{
	uint32_t place = s->as_measured[q->place];

	return place == STATS_NONE
		   ? NULL
		   : stats_find_record(&s->measured->regions, place, q->flow);
}

/*
 * Adds what a flow did in a region without tracing, at least and at most.
 * Spread: by how much ranks began earlier or later, compared with each other,
 * than on the ideal clock of the trace as measured.
 */
static void add_region_bounds(struct part *p, const struct stats *s,
			      const struct stats_region *q, double spread)
{
	const struct stats_region *m = find_measured_region(s, q);
	struct tape_efficiency_times *least = &p->bounds.least;
	struct tape_efficiency_times *most = &p->bounds.most;
	double low, high;

	if (!m || m->visits != q->visits) {
		p->has_bounds = 0;
		return;
	}
	low = fmax(0, q->computing_ns - m->error.more);
	high = q->computing_ns + m->error.less;
	least->sum_ns += low;
	least->max_ns = fmax(least->max_ns, low);
	most->sum_ns += high;
	most->max_ns = fmax(most->max_ns, high);
	least->run_ns =
	    fmax(least->run_ns, fmax(low, q->length_ns - q->error.less));
	most->run_ns = fmax(most->run_ns, q->length_ns + q->error.more);
	spread *= (double)q->visits;
	low = fmin(q->ideal.ns, m->ideal.least_ns - spread);
	high = fmax(q->ideal.ns, m->ideal.most_ns + spread);
	least->ideal_ns = fmax(least->ideal_ns, low);
	most->ideal_ns = fmax(most->ideal_ns, high);
}

static double find_spread(const struct stats *s)
{
	struct ideal_bounds b;

	if (!stats_is_certain(s))
		return NAN;
	b = find_ideal_bounds(s);
	return b.moved_most - b.moved_least;
}

/* n flows, of which those that follow are added. */
static void begin_part(struct part *p, const struct stats *s, size_t n)
{
	if (p->times.n)
		return;
	p->has_bounds = stats_is_certain(s);
	p->times.n = p->bounds.least.n = p->bounds.most.n = n;
}

/*
 * The regions, the longest first. A flow that was never in a region computes
 * nothing there.
 */
static struct part *list_regions(const struct stats *s, size_t flows,
				 size_t *n)
{
	struct part *list = tape_must(calloc(s->n_places + 1, sizeof *list));
	const struct stats_region *q;
	double spread = find_spread(s);
	size_t at = 0, k = 0;
	uint64_t key;

	while ((q = tape_table_each(&s->regions, &at, &key))) {
		struct tape_efficiency_times *t = &list[q->place].times;

		begin_part(&list[q->place], s, flows);
		if (list[q->place].has_bounds)
			add_region_bounds(&list[q->place], s, q, spread);
		t->sum_ns += q->computing_ns;
		t->max_ns = fmax(t->max_ns, q->computing_ns);
		t->run_ns = fmax(t->run_ns, q->length_ns);
		t->ideal_ns = fmax(t->ideal_ns, q->ideal.ns);
	}
	for (uint32_t i = 0; i < s->n_places; i++)
		if (list[i].times.n) {
			list[k] = list[i];
			list[k++].place = i;
		}
	*n = k;
	tape_sort(list, k, sizeof *list, order_parts);
	return list;
}

static void put_region_lines(struct sheet *h, struct stats *s, size_t flows)
{
	char text[TAPE_PLACE_BYTES], name[TAPE_PLACE_BYTES + 16];
	size_t n;
	struct part *list = list_regions(s, flows, &n);

	for (size_t i = 0; i < n; i++) {
		tape_activity_text(s->places, list[i].place, text, sizeof text);
		snprintf(name, sizeof name, "region %s", text);
		put_part_line(h, s, &list[i].times,
			      list[i].has_bounds ? &list[i].bounds : NULL,
			      name);
	}
	free(list);
}

static void put_phase_lines(struct sheet *h, struct stats *s,
			    const struct stats_phases *p)
{
	char text[TAPE_PLACE_BYTES + 100], name[TAPE_PLACE_BYTES + 116];
	struct tape_efficiency_times t;

	for (size_t i = 0; stat_phase_times(p, i, &t, text, sizeof text); i++) {
		if (!t.n)
			continue;
		snprintf(name, sizeof name, "phase %s", text);
		put_part_line(h, s, &t, NULL, name);
	}
}

/* The bounds of the factors, in the order of these; text has no room. */
static const char *const bound_column[2 * FACTORS + 1] = {"parallel from",
							  "parallel to",
							  "balance from",
							  "balance to",
							  "processors from",
							  "processors to",
							  "communication from",
							  "communication to",
							  "serialisation from",
							  "serialisation to",
							  "transfer from",
							  "transfer to",
							  NULL};

struct sheet *stat_efficiency_table(struct stats *s, const char *phase,
				    size_t lines, int has_bounds)
{
	struct sheet *h = sheet_new(
	    "efficiencies", "Efficiency: of the run, of regions, of phases");
	struct tape_efficiency_times t = stats_run_times(s);

	sheet_add_column(h, "length", SHEET_SECONDS);
	sheet_add_column(h, "computing", SHEET_SECONDS);
	sheet_add_column(h, "balance", SHEET_PERCENT);
	sheet_add_rare_column(h, "processors", SHEET_PERCENT);
	sheet_add_column(h, "serialisation", SHEET_PERCENT);
	sheet_add_column(h, "transfer", SHEET_PERCENT);
	sheet_add_column(h, "communication", SHEET_PERCENT);
	sheet_add_column(h, "parallel", SHEET_PERCENT);
	for (size_t i = 0; has_bounds && i < 2 * FACTORS; i++)
		sheet_add_rare_column(h, bound_column[i], SHEET_PERCENT);
	sheet_add_column(h, "part", SHEET_NAME);
	sheet_set_spare(h, bound_column);
	put_run_line(h, s, &t);
	put_region_lines(h, s, t.n);
	if (lines != SIZE_MAX)
		put_phase_lines(h, s, stats_read_phases(s, phase, lines));
	return h;
}
