/* The table of phases; see phases.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "phases_state.h"
#include "run_efficiency.h"

static double computing_time(const struct phase_times *c)
{
	return fmax(0, c->length - c->calls - c->tracing);
}

/* "1-4", "before" */
static void line_numbers_text(const struct stats_phases *p, size_t line,
			      char *text, size_t size)
{
	uint64_t first = (line - 1) * p->per_line + 1;
	uint64_t last = line * p->per_line;

	if (last > p->phases)
		last = p->phases;
	if (!line)
		snprintf(text, size, "before");
	else if (line > p->lines)
		snprintf(text, size, "after");
	else if (first == last)
		snprintf(text, size, "%llu", (unsigned long long)first);
	else
		snprintf(text, size, "%llu-%llu", (unsigned long long)first,
			 (unsigned long long)last);
}

/* What is in it; "": regions do not begin its phases. */
static void line_name_text(const struct stats_phases *p, size_t line,
			   char text[TAPE_PLACE_BYTES + 16])
{
	*text = '\0';
	if (line && line <= p->lines && p->name[line]) {
		tape_activity_text(p->places, p->name[line], text,
				   TAPE_PLACE_BYTES);
		if (p->several[line])
			strcat(text, " and on");
	}
}

static void put_line_name(struct stats_phases *p, struct sheet *h, size_t line)
{
	char text[TAPE_PLACE_BYTES + 16];

	line_numbers_text(p, line, text, sizeof text);
	sheet_put_text(h, text);
	line_name_text(p, line, text);
	sheet_put_text(h, text);
}

/* Sums over the flows of a line; longest: the column of the flow that computes
 * longest, for most ns. */
struct line_sum {
	struct phase_times all;
	double computing, most;
	size_t flows, longest;
};

static struct line_sum sum_line(const struct stats_phases *p, size_t line)
{
	struct line_sum x = {.most = -1};

	for (size_t i = 0; i < p->width; i++) {
		const struct phase_times *c = &p->cell[line * p->width + i];

		if (!p->flow[i].marked)
			continue;
		x.flows++;
		phases_add_times(&x.all, c);
		x.computing += computing_time(c);
		if (computing_time(c) > x.most) {
			x.most = computing_time(c);
			x.longest = i;
		}
	}
	return x;
}

static int slowest_rank(const struct stats_phases *p, const struct line_sum *x)
{
	return tape_trace_flow(p->s->t, phases_real_flow(p, x->longest))->rank;
}

static void put_phase_line(struct stats_phases *p, struct sheet *h, size_t line)
{
	struct line_sum x = sum_line(p, line);

	if (x.all.length <= 0)
		return;
	put_line_name(p, h, line);
	if (p->from_ns[line] == INT64_MAX)
		sheet_put_none(h);
	else
		sheet_put_number(h, (double)(p->from_ns[line] - p->s->from_ns));
	sheet_put_number(h, x.all.length / (double)x.flows);
	sheet_put_number(h, x.computing);
	if (p->s->comparable) {
		sheet_put_number(h, fmax(0, x.all.calls - x.all.waiting));
		sheet_put_number(h, x.all.waiting);
	} else {
		sheet_put_number(h, x.all.calls);
		sheet_put_none(h);
	}
	sheet_put_number(h, x.all.tracing);
	sheet_put_number(
	    h, x.computing > 0 ? x.most * (double)x.flows / x.computing : NAN);
	sheet_put_number(h, slowest_rank(p, &x));
}

static void make_title(struct stats_phases *p)
{
	char name[TAPE_PLACE_BYTES];
	int n = 0;

	switch (p->marker.kind) {
	case MARKER_NONE:
		snprintf(p->title, sizeof p->title,
			 "Phases: none found. Name the call site or region "
			 "that begins a phase with --phase");
		return;
	case MARKER_CONTROL:
		n = snprintf(p->title, sizeof p->title,
			     "Phases: marked by MPI_Pcontrol or tape_on");
		break;
	case MARKER_OUTERMOST:
		n = snprintf(p->title, sizeof p->title,
			     "Phases: the outermost regions");
		break;
	case MARKER_PLACE:
		tape_activity_text(p->s->places, p->marker.place, name,
				   sizeof name);
		n = snprintf(p->title, sizeof p->title,
			     "Phases: from %s to the next one, %llu times",
			     name, (unsigned long long)p->phases);
		break;
	}
	if (p->per_line > 1)
		snprintf(p->title + n, sizeof p->title - (size_t)n,
			 ", %llu to a line", (unsigned long long)p->per_line);
}

static struct sheet *make_table(struct stats_phases *p)
{
	static const char *const spare[] = {"tracing", "begins",
					    "communicating", NULL};
	struct sheet *h;

	make_title(p);
	h = sheet_new("phases", p->title);
	sheet_add_column(h, "phase", SHEET_NAME);
	sheet_add_rare_column(h, "name", SHEET_NAME);
	sheet_add_column(h, "begins", SHEET_SECONDS);
	sheet_add_column(h, "length", SHEET_SECONDS);
	sheet_add_column(h, "computing", SHEET_SECONDS);
	sheet_add_column(h, "communicating", SHEET_SECONDS);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	sheet_add_rare_column(h, "tracing", SHEET_SECONDS);
	sheet_add_column(h, "max/mean", SHEET_RATIO);
	sheet_add_column(h, "rank", SHEET_COUNT);
	sheet_set_spare(h, spare);
	for (size_t i = 0; p->cell && i < p->lines + 2; i++)
		put_phase_line(p, h, i);
	return h;
}

struct sheet *stat_phases_table(struct stats *s, const char *wanted,
				size_t lines)
{
	return make_table(stats_read_phases(s, wanted, lines));
}

int stat_phase_times(const struct stats_phases *p, size_t line,
		     struct tape_efficiency_times *times, char *name,
		     size_t size)
{
	char text[TAPE_PLACE_BYTES + 16], number[60];

	*times = (struct tape_efficiency_times){0};
	if (!p->cell || line >= p->lines + 2)
		return 0;
	for (size_t i = 0; i < p->width; i++) {
		const struct phase_times *c = &p->cell[line * p->width + i];

		if (!p->flow[i].marked)
			continue;
		times->n++;
		times->sum_ns += computing_time(c);
		times->max_ns = fmax(times->max_ns, computing_time(c));
		times->run_ns = fmax(times->run_ns, c->length);
		times->ideal_ns = fmax(times->ideal_ns, c->ideal.ns);
	}
	if (!(times->run_ns > 0))
		times->n = 0;
	line_numbers_text(p, line, number, sizeof number);
	line_name_text(p, line, text);
	snprintf(name, size, "%s%s%s", number, *text ? ": " : "", text);
	return 1;
}

int stat_phase_outside(const struct stats_phases *p, size_t line,
		       const struct stats_outside **o, char *name, size_t size)
{
	struct tape_efficiency_times times;

	if (!p->outside || !stat_phase_times(p, line, &times, name, size))
		return 0;
	*o = &p->outside[line + 1];
	return 1;
}

/*
 * m is the cell as measured, or NULL: c has no errors. Returns 1 if the flow
 * does as many phases in both.
 */
static int add_cell_bounds(struct part_bounds *b, const struct phase_times *c,
			   const struct phase_times *m,
			   const struct stats_outside *use, double spread)
{
	struct part_of_flow x = {.visits = c->parts,
				 .length_ns = c->length,
				 .computing_ns = computing_time(c),
				 .ideal_ns = c->ideal.ns,
				 .measured_ideal = c->ideal,
				 .use = use};

	if (m) {
		x.length = c->errors.sum;
		x.computing = m->errors.sum;
		x.edges_ns = m->errors.edges_ns;
		x.measured_ideal = m->ideal;
	}
	part_bounds_add_flow(b, &x, spread);
	return !m || c->parts == m->parts;
}

int stat_phase_bounds(const struct stats_phases *p, size_t line,
		      struct part_bounds *b)
{
	const struct stats_phases *m = p->measured;
	double spread = m ? stats_ideal_spread(p->s) : 0;

	*b = (struct part_bounds){0};
	if (!p->cell || line >= p->lines + 2 ||
	    (m ? m->lines != p->lines : !p->has_use || stats_is_certain(p->s)))
		return 0;
	b->least.is_shared = b->most.is_shared = p->has_use;
	for (size_t i = 0; i < p->width; i++) {
		size_t at = line * p->width + i;

		if (m && p->flow[i].marked != m->flow[i].marked)
			return 0;
		if (!p->flow[i].marked)
			continue;
		b->least.n = ++b->most.n;
		if (!add_cell_bounds(b, &p->cell[at], m ? &m->cell[at] : NULL,
				     stats_find_record(&p->use,
						       (uint32_t)line + 1,
						       (uint32_t)i),
				     spread))
			return 0;
	}
	return b->least.n > 0;
}

int stat_phase_slowest(const struct stats_phases *p, size_t line,
		       struct stat_slowest *slowest)
{
	struct line_sum x;
	double mean;

	if (!p->cell || line >= p->lines + 2)
		return 0;
	x = sum_line(p, line);
	mean = x.computing / (double)x.flows;
	*slowest = (struct stat_slowest){
	    .rank = x.computing > 0 ? slowest_rank(p, &x) : -1,
	    .ratio = x.most / mean,
	    .over_ns = x.most - mean,
	    .from_ns = (double)(p->from_ns[line] - p->s->from_ns)};
	return 1;
}
