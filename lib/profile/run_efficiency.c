/* The efficiency of a run and of its parts; see run_efficiency.h. */
#include <math.h>
#include <stdlib.h>

#include "figure_checks.h"
#include "phases.h"
#include "run_efficiency.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

int stats_is_efficiency_known(const struct stats *s)
{
	char text[2200];

	return s->comparable && !stat_contention_text(s, text, sizeof text);
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

struct tape_efficiency_times stats_run_times(const struct stats *s)
{
	struct tape_efficiency_times t = {.ideal_ns = NAN};
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
		from = fmin(from, span->ideal_from_ns);
		to = fmax(to, span->ideal_to_ns);
	}
	if (stats_is_ideal_known(s))
		t.ideal_ns = to - from;
	return t;
}

struct tape_efficiency stats_run_efficiency(const struct stats *s)
{
	struct tape_efficiency_times t = stats_run_times(s);

	return stats_is_efficiency_known(s) ? tape_efficiency_factors(&t)
					    : tape_efficiency_unknown;
}

/* Times when the run began and ended, at the earliest and at the latest. */
struct run_bounds {
	double from_least, from_most, to_least, to_most;
};

static void add_span_bounds(struct run_bounds *b, const struct stats *s,
			    const struct stats_flow *f)
{
	double from = (double)(f->span.from_ns - s->from_ns);
	double to = (double)(f->span.to_ns - s->from_ns);

	b->from_least = fmin(b->from_least, from - f->start.less);
	b->from_most = fmin(b->from_most, from + f->start.more);
	b->to_least = fmax(b->to_least, to - f->last.less);
	b->to_most = fmax(b->to_most, to + f->last.more);
}

int stats_run_efficiency_bounds(const struct stats *s,
				struct tape_efficiency *from,
				struct tape_efficiency *to)
{
	struct tape_efficiency_times t = stats_run_times(s);
	struct tape_efficiency_times least = {t.n, 0, 0, 0, NAN}, most = least;
	struct run_bounds b = {INFINITY, INFINITY, -INFINITY, -INFINITY};

	if (!stats_is_efficiency_known(s) || !stats_is_certain(s))
		return 0;
	for (size_t i = 0; i < s->flows; i++) {
		double low, high;

		if (!s->flow[i].span.seen ||
		    !stats_computing_bounds(s, i, &low, &high))
			continue;
		least.sum_ns += low;
		least.max_ns = fmax(least.max_ns, low);
		most.sum_ns += high;
		most.max_ns = fmax(most.max_ns, high);
		add_span_bounds(&b, s, &s->flow[i]);
	}
	least.run_ns = fmax(b.to_least - b.from_most, 0);
	most.run_ns = b.to_most - b.from_least;
	tape_efficiency_bounds(&least, &most, from, to);
	return t.n > 0;
}

void stats_factors_text(const struct tape_efficiency *e, const char *certain,
			char *text, size_t size)
{
	char parts[80] = "";

	*text = '\0';
	if (isnan(e->parallel))
		return;
	if (!isnan(e->transfer))
		snprintf(parts, sizeof parts,
			 " (serialisation %.0f%%, transfer %.0f%%)",
			 100 * e->serialisation, 100 * e->transfer);
	snprintf(text, size,
		 "Parallel efficiency %.0f%%%s: load balance %.0f%%, "
		 "communication %.0f%%%s",
		 100 * e->parallel, certain, 100 * e->load_balance,
		 100 * e->communication, parts);
}

void stats_efficiency_text(const struct stats *s, char *text, size_t size)
{
	struct tape_efficiency e = stats_run_efficiency(s), from, to;
	int has_bounds = stats_run_efficiency_bounds(s, &from, &to);
	char certain[80] = "";
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < s->flows; i++)
		n += s->flow[i].span.seen != 0;
	if (n < 2 || isnan(e.parallel))
		return;
	if (!figure_factors_hold(&e, has_bounds ? &from : NULL, &to)) {
		figure_error_text("a factor of efficiency is out of its bounds",
				  text, size);
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
enum { FACTORS = 5 };
static const struct {
	const char *name;
	size_t offset;
} factor[FACTORS] = {
#define FACTOR(name) {#name, offsetof(struct tape_efficiency, name)}
    FACTOR(parallel),	   FACTOR(load_balance), FACTOR(communication),
    FACTOR(serialisation), FACTOR(transfer),
#undef FACTOR
};

static void put_factor(FILE *f, size_t i, const char *what,
		       const struct tape_efficiency *e)
{
	double share = *(const double *)((const char *)e + factor[i].offset);

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
	/* the last two have no bounds */
	for (size_t i = 0; certain && i < 3; i++) {
		fputs(",", f);
		put_factor(f, i, "_from", &from);
		fputs(",", f);
		put_factor(f, i, "_to", &to);
	}
	fputs("}", f);
}

/* ---- the table ---- */

static void put_part_line(struct sheet *h, const struct stats *s,
			  struct tape_efficiency_times *t, const char *name)
{
	struct tape_efficiency e = tape_efficiency_unknown;

	if (!stats_is_ideal_known(s))
		t->ideal_ns = NAN;
	if (stats_is_efficiency_known(s))
		e = tape_efficiency_factors(t);
	sheet_put_number(h, t->run_ns);
	sheet_put_number(h, t->sum_ns);
	sheet_put_number(h, e.load_balance);
	sheet_put_number(h, e.serialisation);
	sheet_put_number(h, e.transfer);
	sheet_put_number(h, e.communication);
	sheet_put_number(h, e.parallel);
	sheet_put_text(h, name);
}

/* A region, with all flows that were in it. */
struct part {
	uint32_t place;
	struct tape_efficiency_times times;
};

static int order_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->times.run_ns != y->times.run_ns)
		return x->times.run_ns < y->times.run_ns ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
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
	size_t at = 0, k = 0;
	uint64_t key;

	while ((q = tape_table_each(&s->regions, &at, &key))) {
		struct tape_efficiency_times *t = &list[q->place].times;

		t->n = flows;
		t->sum_ns += q->computing_ns;
		t->max_ns = fmax(t->max_ns, q->computing_ns);
		t->run_ns = fmax(t->run_ns, q->length_ns);
		t->ideal_ns = fmax(t->ideal_ns, q->ideal_ns);
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
		put_part_line(h, s, &list[i].times, name);
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
		put_part_line(h, s, &t, name);
	}
}

struct sheet *stat_efficiency_table(struct stats *s, const char *phase,
				    size_t lines)
{
	struct sheet *h = sheet_new(
	    "efficiencies", "Efficiency: of the run, of regions, of phases");
	struct tape_efficiency_times t = stats_run_times(s);
	size_t flows = t.n;

	sheet_add_column(h, "length", SHEET_SECONDS);
	sheet_add_column(h, "computing", SHEET_SECONDS);
	sheet_add_column(h, "balance", SHEET_PERCENT);
	sheet_add_column(h, "serialisation", SHEET_PERCENT);
	sheet_add_column(h, "transfer", SHEET_PERCENT);
	sheet_add_column(h, "communication", SHEET_PERCENT);
	sheet_add_column(h, "parallel", SHEET_PERCENT);
	sheet_add_column(h, "part", SHEET_NAME);
	put_part_line(h, s, &t, "run");
	put_region_lines(h, s, flows);
	if (lines != SIZE_MAX)
		put_phase_lines(h, s, stats_read_phases(s, phase, lines));
	return h;
}
