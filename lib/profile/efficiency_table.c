/* The table of run_efficiency.h: of the run, of regions, of phases. */
#include <math.h>
#include <stdlib.h>

#include "figure_checks.h"
#include "phases.h"
#include "run_efficiency.h"
#include "sort.h"
#include "tool.h"
#include "useful_time.h"

/* Factors of a part of the run, with their bounds; NAN: not known. */
struct part_factors {
	struct tape_efficiency e, from, to;
};

static void set_unknown_factors(struct part_factors *x)
{
	x->e = x->from = x->to = tape_efficiency_unknown;
}

/* Beside the factors the table has length, computing and part. */
static int has_bound_columns(const struct sheet *h)
{
	return sheet_count_columns(h) > STATS_FACTORS + 3;
}

static void put_line(struct sheet *h, const struct tape_efficiency_times *t,
		     const struct part_factors *x, const char *name)
{
	sheet_put_number(h, t->run_ns);
	sheet_put_number(h, t->sum_ns);
	sheet_put_number(h, x->e.load_balance);
	sheet_put_number(h, x->e.threads);
	sheet_put_number(h, x->e.processors);
	sheet_put_number(h, x->e.serialisation);
	sheet_put_number(h, x->e.transfer);
	sheet_put_number(h, x->e.communication);
	sheet_put_number(h, x->e.parallel);
	for (size_t i = 0; has_bound_columns(h) && i < STATS_FACTORS; i++) {
		sheet_put_number(h, stats_get_factor(&x->from, i));
		sheet_put_number(h, stats_get_factor(&x->to, i));
	}
	sheet_put_text(h, name);
}

static void put_run_line(struct sheet *h, const struct stats *s,
			 const struct tape_efficiency_times *t)
{
	struct part_factors x;

	set_unknown_factors(&x);
	stats_run_efficiency_bounds(s, &x.from, &x.to);
	x.e = stats_run_efficiency(s);
	if (!figure_factors_hold(&x.e, &x.from, &x.to))
		set_unknown_factors(&x);
	put_line(h, t, &x, "run");
}

/* Useful times are the middles of their bounds. */
static void set_useful_times(struct tape_efficiency_times *t,
			     const struct part_bounds *b)
{
	t->is_shared = b && b->least.is_shared;
	if (!t->is_shared)
		return;
	t->useful_sum_ns = b->useful_sum_ns;
	t->useful_max_ns = b->useful_max_ns;
}

/*
 * A part of the run; b NULL: it has no bounds. If ranks waited for processors
 * nothing is known then.
 */
static void put_part_line(struct sheet *h, const struct stats *s,
			  struct tape_efficiency_times *t,
			  struct part_bounds *b, const char *name)
{
	struct part_factors x;

	set_unknown_factors(&x);
	if (!stats_is_ideal_known(s))
		t->ideal_ns = NAN;
	set_useful_times(t, b);
	if (b && (isnan(t->ideal_ns) || !stats_is_certain(s) ||
		  !stats_is_ideal_known(s->measured)))
		b->least.ideal_ns = b->most.ideal_ns = NAN;
	if (stats_is_efficiency_known(s) &&
	    t->is_shared == stats_is_shared(s)) {
		x.e = tape_efficiency_factors(t);
		if (b)
			tape_efficiency_bounds(&b->least, &b->most, &x.from,
					       &x.to);
		if (t->is_shared)
			stats_drop_wide_factors(&x.e, &x.from, &x.to);
	}
	if (!figure_factors_hold(&x.e, &x.from, &x.to))
		set_unknown_factors(&x);
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
 * Adds what a flow did in a region, at least and at most: without tracing, and
 * without waiting for processors. Spread: by how much ranks began earlier or
 * later, compared with each other, than on the ideal clock of the trace as
 * measured.
 */
static void add_region_bounds(struct part *p, const struct stats *s,
			      const struct stats_region *q, double spread)
{
	const struct stats_region *m =
	    stats_is_certain(s) ? find_measured_region(s, q) : NULL;
	struct part_of_flow x = {.visits = (double)q->visits,
				 .length_ns = q->length_ns,
				 .computing_ns = q->computing_ns,
				 .ideal_ns = q->ideal.ns,
				 .measured_ideal = q->ideal};

	x.use = stats_find_record(&s->within, q->place, q->flow);
	if (stats_is_certain(s)) {
		if (!m || m->visits != q->visits) {
			p->has_bounds = 0;
			return;
		}
		x.length = q->error;
		x.computing = m->error;
		x.measured_ideal = m->ideal;
	}
	part_bounds_add_flow(&p->bounds, &x, spread);
}

/* Flows are added to the part afterwards; others of the n spent no time. */
static void begin_part(struct part *p, const struct stats *s, size_t n)
{
	if (p->times.n)
		return;
	p->bounds.least.is_shared = p->bounds.most.is_shared =
	    stats_is_shared(s);
	p->has_bounds = stats_is_certain(s) || p->bounds.least.is_shared;
	p->times.n = p->bounds.least.n = p->bounds.most.n = n;
}

/*
 * The regions, the longest first. A flow that was never in a region computes
 * nothing there.
 */
static struct part *list_regions(const struct stats *s, size_t flows, size_t *n)
{
	struct part *list = tape_must(calloc(s->n_places + 1, sizeof *list));
	const struct stats_region *q;
	double spread = stats_is_certain(s) ? stats_ideal_spread(s) : 0;
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
			    struct stats_phases *p)
{
	char text[TAPE_PLACE_BYTES + 100], name[TAPE_PLACE_BYTES + 116];
	struct tape_efficiency_times t;
	struct part_bounds b;

	if (has_bound_columns(h))
		stats_read_measured_phases(p);
	for (size_t i = 0; stat_phase_times(p, i, &t, text, sizeof text); i++) {
		if (!t.n)
			continue;
		snprintf(name, sizeof name, "phase %s", text);
		put_part_line(h, s, &t,
			      stat_phase_bounds(p, i, &b) ? &b : NULL, name);
	}
}

/*
 * The bounds of the factors, in the order of these. They are spare, and so is
 * the computing time.
 */
static const char *const bound_column[2 * STATS_FACTORS + 2] = {
    "parallel from",	"parallel to",	      "balance from",
    "balance to",	"threads from",	      "threads to",
    "processors from",	"processors to",      "communication from",
    "communication to", "serialisation from", "serialisation to",
    "transfer from",	"transfer to",	      "computing", NULL};

struct sheet *stat_efficiency_table(struct stats *s, const char *phase,
				    size_t lines, int has_bounds)
{
	struct sheet *h = sheet_new(
	    "efficiencies", "Efficiency: of the run, of regions, of phases");
	struct tape_efficiency_times t = stats_run_times(s);

	sheet_add_column(h, "length", SHEET_SECONDS);
	sheet_add_column(h, "computing", SHEET_SECONDS);
	sheet_add_column(h, "balance", SHEET_PERCENT);
	sheet_add_rare_column(h, "threads", SHEET_PERCENT);
	sheet_add_rare_column(h, "processors", SHEET_PERCENT);
	sheet_add_column(h, "serialisation", SHEET_PERCENT);
	sheet_add_column(h, "transfer", SHEET_PERCENT);
	sheet_add_column(h, "communication", SHEET_PERCENT);
	sheet_add_column(h, "parallel", SHEET_PERCENT);
	for (size_t i = 0; has_bounds && i < 2 * STATS_FACTORS; i++)
		sheet_add_rare_column(h, bound_column[i], SHEET_PERCENT);
	sheet_add_column(h, "part", SHEET_NAME);
	sheet_set_spare(h, bound_column);
	put_run_line(h, s, &t);
	put_region_lines(h, s, t.n);
	if (lines != SIZE_MAX)
		put_phase_lines(h, s, stats_read_phases(s, phase, lines));
	return h;
}
