/* What ranks did outside of calls; see outside_time.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "growing_array.h"
#include "outside_time.h"
#include "phases.h"
#include "processor_window.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

/* Activities of a window; the time of more of them is of unknown use. */
enum { PIECES = 256 };

/* Time of an activity, or in a region, since the last mark. */
struct piece {
	struct tape_table *in; /* outside or within of the sums */
	uint32_t place;
	double ns;
};

/* A flow since its last mark. */
struct outside_flow {
	int marked, tracing;
	struct tape_processor last;
	int64_t end_ns; /* of the last event, and the alpha after it */
	double alpha_ns;
	double ns; /* outside of calls */
	struct piece *piece;
	size_t n, room;
	uint32_t site, call; /* the last call; its activity in region */
	uint32_t region, computes;
};

struct stats_outside_flows {
	struct stats *s;
	struct outside_flow *flow;
	struct stats_outside *part; /* NULL: by activity and region */
	struct tape_table *table;   /* outside of s, or that of the caller */
};

/* ---- while the trace is read ---- */

struct stats_outside_flows *stats_outside_new(struct stats *s)
{
	struct stats_outside_flows *o = tape_must(calloc(1, sizeof *o));

	o->s = s;
	o->table = &s->outside;
	o->flow = tape_must(calloc(s->flows + 1, sizeof *o->flow));
	return o;
}

struct stats_outside_flows *stats_outside_new_parts(struct stats *s,
						    struct stats_outside *part)
{
	struct stats_outside_flows *o = stats_outside_new(s);

	o->part = part;
	return o;
}

struct stats_outside_flows *stats_outside_new_table(struct stats *s,
						    struct tape_table *table)
{
	struct stats_outside_flows *o = stats_outside_new(s);

	o->table = table;
	return o;
}

static int has_parts(const struct stats_outside_flows *o)
{
	return o->part || o->table != &o->s->outside;
}

static struct stats_outside *get_sum(struct stats_outside_flows *o,
				     struct tape_table *in, uint32_t place,
				     uint32_t flow)
{
	return o->part ? &o->part[place] : stats_get_record(in, place, flow);
}

void stats_outside_add(struct stats_outside *p, double ns,
		       const struct tape_processor_use *u)
{
	p->ns += ns;
	for (int i = 0; i < TAPE_PROCESSOR_STATES; i++) {
		p->use.from_ns[i] += u->from_ns[i];
		p->use.to_ns[i] += u->to_ns[i];
	}
}

/* Nothing is known of that time. */
static void add_unknown(struct stats_outside *p, double ns)
{
	stats_outside_add(
	    p, ns, &(struct tape_processor_use){{0, 0, 0}, {ns, ns, ns}});
}

static void add_piece(struct stats_outside_flows *o, uint32_t flow,
		      struct tape_table *in, uint32_t place, double ns)
{
	struct outside_flow *f = &o->flow[flow];
	size_t i = 0;

	while (i < f->n && (f->piece[i].place != place || f->piece[i].in != in))
		i++;
	if (i == PIECES) {
		add_unknown(get_sum(o, in, place, flow), ns);
		return;
	}
	if (i == f->n) {
		f->piece = tape_must(tape_grow_array(
		    f->piece, &f->room, f->n + 1, sizeof *f->piece));
		f->piece[f->n++] = (struct piece){in, place, 0};
	}
	f->piece[i].ns += ns;
}

static int is_among(const uint32_t *list, size_t n, uint32_t place)
{
	while (n && list[n - 1] != place)
		n--;
	return n > 0;
}

/* A region within itself counts once. */
static void add_path(struct stats_outside_flows *o, uint32_t flow,
		     const uint32_t *path, size_t n, double ns)
{
	for (size_t i = 0; i < n; i++)
		if (!is_among(path, i, path[i]))
			add_piece(o, flow, &o->s->within, path[i], ns);
}

/* It was outside of calls for that long, in these n regions, or in a part. */
static void add_time(struct stats_outside_flows *o, const struct tape_event *e,
		     const uint32_t *path, size_t n, double ns)
{
	struct outside_flow *f = &o->flow[e->flow];
	uint32_t region = n ? path[n - 1] : 0;

	if (!f->marked || !(ns > 0))
		return;
	if (has_parts(o)) {
		if (region)
			add_piece(o, e->flow, o->table, region, ns);
		return;
	}
	if (!f->computes || region != f->region) {
		f->region = region;
		f->computes = tape_place_computing(
		    o->s->places, region,
		    f->call ? tape_place_from_site(o->s->places, e->rank,
						   f->site, f->call)
			    : 0);
		if (f->computes == UINT32_MAX)
			tape_die_no_memory();
	}
	f->ns += ns;
	add_piece(o, e->flow, &o->s->outside, f->computes, ns);
	if (region)
		add_piece(o, e->flow, &o->s->outside, region, ns);
	add_path(o, e->flow, path, n, ns);
}

static void add_counts(struct stats_outside *p, const struct tape_processor *a,
		       const struct tape_processor *b)
{
	p->minor += (double)(b->minor - a->minor);
	p->major += (double)(b->major - a->major);
	p->input += (double)(b->input - a->input);
	p->output += (double)(b->output - a->output);
}

/* To whole ns, so that sums do not depend on the order of flows. */
static void widen_use(struct tape_processor_use *u)
{
	for (int i = 0; i < TAPE_PROCESSOR_STATES; i++) {
		u->from_ns[i] = floor(u->from_ns[i]);
		u->to_ns[i] = ceil(u->to_ns[i]);
	}
}

/* The time since the last mark; w NULL: its use is unknown. */
static void close_window(struct stats_outside_flows *o, uint32_t flow,
			 const struct tape_processor_window *w)
{
	struct outside_flow *f = &o->flow[flow];

	for (size_t i = 0; i <= f->n; i++) {
		double ns = i < f->n ? f->piece[i].ns : f->ns;
		struct stats_outside *p =
		    i < f->n ? get_sum(o, f->piece[i].in, f->piece[i].place,
				       flow)
			     : get_sum(o, o->table, 0, flow);
		struct tape_processor_use u;

		if (!w) {
			add_unknown(p, o->part ? rint(ns) : ns);
			continue;
		}
		u = tape_processor_use(w, ns);
		if (o->part)
			widen_use(&u);
		stats_outside_add(p, o->part ? rint(ns) : ns, &u);
	}
	f->n = 0;
	f->ns = 0;
}

static void add_mark(struct stats_outside_flows *o, const struct tape_event *e)
{
	struct outside_flow *f = &o->flow[e->flow];
	const struct tape_processor *now = &e->u.processor;
	struct tape_processor_window w;

	if (f->marked && tape_processor_between(&w, &f->last, now)) {
		close_window(o, e->flow, &w);
		add_counts(get_sum(o, o->table, 0, e->flow), &f->last, now);
	} else {
		close_window(o, e->flow, NULL);
	}
	f->marked = 1;
	f->last = *now;
}

static void begin_event(struct stats_outside_flows *o,
			const struct tape_event *e, const uint32_t *region,
			size_t n)
{
	struct outside_flow *f = &o->flow[e->flow];

	if (f->tracing)
		add_time(o, e, region, n,
			 (double)(e->start_ns - f->end_ns) - f->alpha_ns -
			     tape_event_alpha_before(e));
	f->tracing =
	    e->class_ != TAPE_CLASS_OFF && e->call != TAPE_CALL_MPI_Finalize;
	f->end_ns = e->end_ns;
	f->alpha_ns = tape_event_alpha_after(e);
}

static void end_event(struct stats_outside_flows *o, const struct tape_event *e,
		      const uint32_t *region, size_t n)
{
	struct outside_flow *f = &o->flow[e->flow];

	if (e->class_ == TAPE_CLASS_PROCESSOR)
		add_mark(o, e);
	if (e->class_ == TAPE_CLASS_THREAD)
		f->marked = 0; /* its counts are another thread's */
	if (!e->call || e->class_ == TAPE_CLASS_BLOCK)
		return;
	if (e->polls > 1)
		add_time(o, e, region, n,
			 (double)(e->end_ns - e->start_ns - e->inside_ns) -
			     tape_event_alpha_within(e));
	if (e->site != f->site || e->call != f->call)
		f->computes = 0;
	f->site = e->site;
	f->call = e->call;
}

void stats_outside_event(struct stats_outside_flows *o,
			 const struct tape_event *e, const uint32_t *region,
			 size_t n)
{
	begin_event(o, e, region, n);
	end_event(o, e, region, n);
}

void stats_outside_begin_part(struct stats_outside_flows *o,
			      const struct tape_event *e, uint32_t part)
{
	begin_event(o, e, &part, 1);
}

void stats_outside_end_part(struct stats_outside_flows *o,
			    const struct tape_event *e, uint32_t part)
{
	end_event(o, e, &part, 1);
}

void stats_outside_close(struct stats_outside_flows *o)
{
	for (uint32_t i = 0; i < o->s->flows; i++) {
		if (o->part || stats_find_record(o->table, 0, i))
			close_window(o, i, NULL);
		free(o->flow[i].piece);
	}
	free(o->flow);
	free(o);
}

/* ---- sentences ---- */

static int compare_ranks(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * What the flows of these ranks, which are in order, did in an activity; 0: in
 * all. Returns 0 if none has marks.
 */
static int sum_ranks(const struct stats *s, const int *rank, size_t n,
		     uint32_t activity, struct stats_outside *sum)
{
	int known = 0;

	*sum = (struct stats_outside){0};
	for (uint32_t i = 0; i < s->flows; i++) {
		const struct stats_outside *p =
		    stats_find_record(&s->outside, activity, i);

		if (!p || !bsearch(&tape_trace_flow(s->t, i)->rank, rank, n,
				   sizeof *rank, compare_ranks))
			continue;
		known = 1;
		stats_outside_add(sum, p->ns, &p->use);
		sum->minor += p->minor;
		sum->major += p->major;
		sum->input += p->input;
		sum->output += p->output;
	}
	return known && sum->ns > 0;
}

/* "98%", "40 to 60%" */
static void share_text(const struct stats_outside *p, int state, char *text,
		       size_t size)
{
	double from = 100 * p->use.from_ns[state] / p->ns;
	double to = fmin(100, 100 * p->use.to_ns[state] / p->ns);

	if (rint(from) >= rint(to))
		snprintf(text, size, "%.0f%%", to);
	else
		snprintf(text, size, "%.0f to %.0f%%", from, to);
}

/*
 * What most of the time was: blocked, or ready without a processor; that it was
 * not on a processor; -1: the bounds do not tell.
 */
static int state_of_most(const struct stats_outside *p)
{
	const double half = p->ns / 2;

	if (p->use.from_ns[TAPE_PROCESSOR_BLOCKED] >= half)
		return TAPE_PROCESSOR_BLOCKED;
	if (p->use.from_ns[TAPE_PROCESSOR_READY] >= half)
		return TAPE_PROCESSOR_READY;
	return p->use.to_ns[TAPE_PROCESSOR_RUNS] < half ? TAPE_PROCESSOR_RUNS
							: -1;
}

/* The same; leaves_out: without the time that ranks were ready. */
static const char *write_outside(const struct stats *s, const int *rank,
				 size_t n, uint32_t activity, int leaves_out,
				 char *text, size_t size)
{
	const struct tape_activity *a = tape_place_get(s->places, activity);
	struct stats_outside p;
	char name[TAPE_PLACE_BYTES], share[40];
	size_t at;
	int state;

	if (a->kind != TAPE_ACTIVITY_COMPUTES ||
	    !sum_ranks(s, rank, n, activity, &p))
		return tape_cause_text(s->places, activity, text, size);
	if (leaves_out) {
		p.ns -= p.use.from_ns[TAPE_PROCESSOR_READY];
		p.use.from_ns[TAPE_PROCESSOR_READY] = 0;
	}
	if (p.use.from_ns[TAPE_PROCESSOR_RUNS] >= p.ns / 2)
		return tape_cause_text(s->places, activity, text, size);
	state = state_of_most(&p);
	tape_activity_text(s->places, activity, name, sizeof name);
	at = (size_t)snprintf(text, size, "outside %s %s%s",
			      tape_trace_rank(s->t, 0)->tid ? "PVM" : "MPI",
			      a->region	 ? "in "
			      : a->after ? ""
					 : "at ",
			      name);
	if (state < 0 || at >= size)
		return text;
	share_text(&p, state, share, sizeof share);
	snprintf(text + at, size - at, ", %s %s of that time%s",
		 state == TAPE_PROCESSOR_BLOCKED ? "blocked"
		 : state == TAPE_PROCESSOR_READY ? "waiting for a processor"
						 : "on a processor",
		 share,
		 state == TAPE_PROCESSOR_BLOCKED ? " (I/O or sleep)" : "");
	return text;
}

const char *stats_outside_text(const struct stats *s, const int *rank, size_t n,
			       uint32_t activity, char *text, size_t size)
{
	return write_outside(s, rank, n, activity, 0, text, size);
}

const char *stats_outside_text_without_ready(const struct stats *s,
					     const int *rank, size_t n,
					     uint32_t activity, char *text,
					     size_t size)
{
	return write_outside(s, rank, n, activity, 1, text, size);
}

int stats_is_rank_computing(const struct stats *s, int rank)
{
	struct stats_outside p;

	return !sum_ranks(s, &rank, 1, 0, &p) ||
	       p.use.from_ns[TAPE_PROCESSOR_RUNS] >= p.ns / 2;
}

/* ---- JSON ---- */

static const char *const state_name[TAPE_PROCESSOR_STATES] = {
    "on_processor", "waiting_for_processor", "blocked"};

void stats_print_outside_shares(const struct stats *s, const int *rank,
				size_t n, uint32_t activity, FILE *f)
{
	struct stats_outside p;
	int known = sum_ranks(s, rank, n, activity, &p);

	for (int i = 0; i < TAPE_PROCESSOR_STATES; i++) {
		fprintf(f, ",\"%s\":", state_name[i]);
		if (known)
			fprintf(f, "[%.6g,%.6g]", p.use.from_ns[i] / p.ns,
				p.use.to_ns[i] / p.ns);
		else
			fputs("null", f);
	}
}

void stats_print_outside_json(const struct stats *s, FILE *f)
{
	const char *before = "[";
	struct stats_outside p;

	fputs("\"outside_mpi\":", f);
	for (int r = 0; r < (int)s->ranks; r++) {
		if (!sum_ranks(s, &r, 1, 0, &p))
			continue;
		fprintf(f, "%s{\"rank\":%d,\"seconds\":%.15g", before, r,
			p.ns / 1e9);
		for (int i = 0; i < TAPE_PROCESSOR_STATES; i++)
			fprintf(f, ",\"%s_s\":[%.15g,%.15g]", state_name[i],
				p.use.from_ns[i] / 1e9, p.use.to_ns[i] / 1e9);
		fprintf(f,
			",\"minor_faults\":%.15g,\"major_faults\":%.15g,"
			"\"blocks_read\":%.15g,\"blocks_written\":%.15g}",
			p.minor, p.major, p.input, p.output);
		before = ",";
	}
	fputs(*before == '[' ? "null" : "]", f);
}

/* ---- the table ---- */

static void put_use(struct sheet *h, const struct stats_outside *p)
{
	sheet_put_number(h, p->ns);
	for (int i = 0; i < TAPE_PROCESSOR_STATES; i++) {
		sheet_put_number(h, p->use.from_ns[i]);
		sheet_put_number(h, p->use.to_ns[i]);
	}
}

static void put_part(struct sheet *h, const struct stats_outside *p,
		     const char *name)
{
	put_use(h, p);
	for (int i = 0; i < 4; i++)
		sheet_put_none(h);
	sheet_put_text(h, name);
}

/* All regions, in the order of their numbers; flows in theirs. */
static void put_regions(struct sheet *h, const struct stats *s)
{
	size_t n = tape_places_count(s->places);
	struct stats_outside *sum = tape_must(calloc(n + 1, sizeof *sum));
	char text[TAPE_PLACE_BYTES], name[TAPE_PLACE_BYTES + 16];

	for (uint32_t i = 0; i < n; i++) {
		if (tape_place_get(s->places, i)->kind != TAPE_ACTIVITY_REGION)
			continue;
		sum[i].place = i;
		for (uint32_t k = 0; k < s->flows; k++) {
			const struct stats_outside *p =
			    stats_find_record(&s->outside, i, k);

			if (p)
				stats_outside_add(&sum[i], p->ns, &p->use);
		}
		tape_activity_text(s->places, i, text, sizeof text);
		snprintf(name, sizeof name, "region %s", text);
		if (sum[i].ns > 0)
			put_part(h, &sum[i], name);
	}
	free(sum);
}

static void put_phases(struct sheet *h, const struct stats_phases *p)
{
	char text[TAPE_PLACE_BYTES + 100], name[TAPE_PLACE_BYTES + 116];
	const struct stats_outside *o;

	for (size_t i = 0; stat_phase_outside(p, i, &o, text, sizeof text);
	     i++) {
		snprintf(name, sizeof name, "phase %s", text);
		if (o->ns > 0)
			put_part(h, o, name);
	}
}

struct sheet *stat_outside_table(struct stats *s, const char *phase,
				 size_t lines)
{
	static const char *const spare[] = {"written", "read", "major faults",
					    "minor faults", NULL};
	struct sheet *h = sheet_new(
	    "outside_parts", "Outside of calls: on a processor, waiting for "
			     "one, blocked; at least, at most");
	struct stats_outside p;
	char name[40];

	sheet_add_column(h, "outside", SHEET_SECONDS);
	sheet_add_column(h, "ran", SHEET_SECONDS);
	sheet_add_column(h, "ran most", SHEET_SECONDS);
	sheet_add_column(h, "waited", SHEET_SECONDS);
	sheet_add_column(h, "waited most", SHEET_SECONDS);
	sheet_add_column(h, "blocked", SHEET_SECONDS);
	sheet_add_column(h, "blocked most", SHEET_SECONDS);
	sheet_add_column(h, "minor faults", SHEET_COUNT);
	sheet_add_column(h, "major faults", SHEET_COUNT);
	sheet_add_column(h, "read", SHEET_COUNT);
	sheet_add_column(h, "written", SHEET_COUNT);
	sheet_add_column(h, "part", SHEET_NAME);
	sheet_set_spare(h, spare);
	for (int r = 0; r < (int)s->ranks; r++) {
		if (!sum_ranks(s, &r, 1, 0, &p))
			continue;
		put_use(h, &p);
		sheet_put_number(h, p.minor);
		sheet_put_number(h, p.major);
		sheet_put_number(h, p.input);
		sheet_put_number(h, p.output);
		snprintf(name, sizeof name, "rank %d", r);
		sheet_put_text(h, name);
	}
	put_regions(h, s);
	if (lines != SIZE_MAX && s->outside.used)
		put_phases(h, stats_read_phases(s, phase, lines));
	return h;
}
