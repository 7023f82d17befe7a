/* The tables of tapestat; see stat.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row_selection.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

const char *const stat_table_name[STAT_TABLES] = {
    [STAT_CALLS] = "calls",	  [STAT_NAMES] = "names",
    [STAT_REGIONS] = "regions",	  [STAT_RANKS] = "ranks",
    [STAT_WAITS] = "waits",	  [STAT_CAUSES] = "causes",
    [STAT_PATH] = "path",	  [STAT_PHASES] = "phases",
    [STAT_MESSAGES] = "messages", [STAT_HOSTS] = "hosts",
    [STAT_LEVELS] = "levels",	  [STAT_POSITIONS] = "positions",
    [STAT_SIZES] = "sizes",	  [STAT_COLLECTIVES] = "collectives",
    [STAT_COUNTERS] = "counters", [STAT_EFFICIENCY] = "efficiency",
    [STAT_OUTSIDE] = "outside",
};

static void put_place_name(struct sheet *h, const struct stats *s,
			   uint32_t activity)
{
	char text[TAPE_PLACE_BYTES];

	sheet_put_text(
	    h, tape_activity_text(s->places, activity, text, sizeof text));
}

static void put_flow_name(struct sheet *h, const struct stats *s, size_t flow)
{
	const struct tape_flow_info *f = tape_trace_flow(s->t, flow);
	char text[64];

	if (f->thread)
		snprintf(text, sizeof text, "%d thread %d", f->rank, f->thread);
	else
		snprintf(text, sizeof text, "%d", f->rank);
	sheet_put_text(h, text);
}

/* All time of all flows, of which shares are said. */
static double total_length(const struct stats *s)
{
	double sum = stats_all_lengths(s);

	return sum > 0 ? sum : NAN;
}

/* ---- places ---- */

/* One place, with the flow where it took longest. */
struct line {
	uint32_t place;
	double total_ns, most_ns;
	uint32_t flow;
	size_t flows;
};

static int by_total(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Places of that kind that were used, the longest first; the caller frees. */
static struct line *list_lines(const struct stats *s,
			       enum tape_activity_kind kind, size_t *n)
{
	struct line *list = tape_must(calloc(s->n_places + 1, sizeof *list));
	const struct stats_part *p;
	size_t at = 0, used = 0;
	uint64_t key;

	while ((p = tape_table_each(&s->parts, &at, &key))) {
		struct line *l = &list[p->place];

		/* calls that were only counted have no time to compare */
		if (!p->calls && !(p->total_ns > 0) && !(p->waiting_ns > 0))
			continue;
		l->flows++;
		if (p->total_ns > l->most_ns ||
		    (p->total_ns == l->most_ns && p->flow < l->flow)) {
			l->most_ns = p->total_ns;
			l->flow = p->flow;
		}
	}
	for (size_t i = 0; i < s->n_places; i++) {
		const struct stats_place *q = &s->place[i];

		if (tape_place_get(s->places, (uint32_t)i)->kind != kind ||
		    (!q->calls && !q->counted))
			continue;
		list[used] = list[i];
		list[used].place = (uint32_t)i;
		list[used++].total_ns =
		    kind == TAPE_ACTIVITY_REGION ? q->own_ns : q->total_ns;
	}
	tape_sort(list, used, sizeof *list, by_total);
	*n = used;
	return list;
}

/* The most of a flow, as a multiple of the mean, and which. */
static void put_max_ratio(struct sheet *h, const struct stats *s,
			  const struct line *l)
{
	if (l->total_ns > 0 && l->flows) {
		sheet_put_number(h,
				 l->most_ns * (double)l->flows / l->total_ns);
		put_flow_name(h, s, l->flow);
	} else {
		sheet_put_none(h);
		sheet_put_none(h);
	}
}

/* The columns next to a total if the trace as measured was given, too. */
static void add_bounds_columns(struct sheet *h)
{
	sheet_add_rare_column(h, "measured", SHEET_SECONDS);
	sheet_add_rare_column(h, "at least", SHEET_SECONDS);
	sheet_add_rare_column(h, "at most", SHEET_SECONDS);
}

static void put_bounds(struct sheet *h, double measured, int certain,
		       double least, double most)
{
	sheet_put_number(h, measured);
	sheet_put_number(h, certain ? least : NAN);
	sheet_put_number(h, certain ? most : NAN);
}

static double mean_duration(const struct stats_place *p)
{
	return p->calls ? p->total_ns / (double)p->calls : NAN;
}

static double counted_time(const struct stats_place *p)
{
	return p->counted_ns > 0 ? p->counted_ns : NAN;
}

static struct sheet *calls_table(struct stats *s)
{
	static const char *const spare[] = {
	    "p50", "waiting measured", "processor most", "p99", "counted took",
	    "measured", "max", "bytes", "max/mean", "rank", "share",
	    "at least", "at most", NULL};
	struct sheet *h = sheet_new("calls", "By call site");
	double all = total_length(s), least = 0, most_ns = 0;
	struct line *list;
	size_t n;

	sheet_add_column(h, "total", SHEET_SECONDS);
	add_bounds_columns(h);
	sheet_add_column(h, "share", SHEET_PERCENT);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	sheet_add_rare_column(h, "waiting measured", SHEET_SECONDS);
	stat_add_processor_columns(h);
	sheet_add_column(h, "max/mean", SHEET_RATIO);
	sheet_add_column(h, "rank", SHEET_NAME);
	sheet_add_column(h, "calls", SHEET_COUNT);
	sheet_add_rare_column(h, "counted", SHEET_COUNT);
	sheet_add_rare_column(h, "counted took", SHEET_SECONDS);
	sheet_add_column(h, "mean", SHEET_MICROS);
	sheet_add_column(h, "p50", SHEET_MICROS);
	sheet_add_column(h, "p99", SHEET_MICROS);
	sheet_add_column(h, "max", SHEET_MICROS);
	sheet_add_column(h, "bytes", SHEET_BYTES);
	sheet_add_column(h, "call site", SHEET_NAME);
	sheet_set_spare(h, spare);
	list = list_lines(s, TAPE_ACTIVITY_CALL, &n);
	for (size_t i = 0; i < n; i++) {
		const struct stats_place *p = &s->place[list[i].place];
		const struct stats_place *m =
		    stats_as_measured(s, list[i].place);
		int certain =
		    stats_place_bounds(s, list[i].place, &least, &most_ns);

		sheet_put_number(h, p->total_ns);
		put_bounds(h, m ? m->total_ns : NAN, certain, least, most_ns);
		sheet_put_number(h, p->total_ns / all);
		if (s->comparable)
			sheet_put_number(h, p->waiting_ns);
		else
			sheet_put_none(h);
		sheet_put_number(h, m && s->measured->comparable ? m->waiting_ns
								 : NAN);
		stat_put_processor(h, s, &p->ready);
		put_max_ratio(h, s, &list[i]);
		sheet_put_number(h, (double)p->calls);
		sheet_put_number(h, (double)p->counted);
		sheet_put_number(h, counted_time(p));
		sheet_put_number(h, mean_duration(p));
		sheet_put_number(h, stats_quantile(p, 0.5));
		sheet_put_number(h, stats_quantile(p, 0.99));
		sheet_put_number(h, p->calls ? p->max_ns : NAN);
		sheet_put_number(h, p->bytes);
		put_place_name(h, s, list[i].place);
	}
	free(list);
	return h;
}

static struct sheet *names_table(struct stats *s)
{
	static const char *const spare[] = {
	    "counted took", "measured", "max", "bytes", "share", NULL};
	struct sheet *h = sheet_new("names", "By call");
	struct stats_place *sum =
	    tape_must(calloc(TAPE_CALL_COUNT, sizeof *sum));
	struct line *list = tape_must(calloc(TAPE_CALL_COUNT, sizeof *list));
	double *measured = tape_must(calloc(TAPE_CALL_COUNT, sizeof *measured));
	const struct stats_place *m;
	double all = total_length(s);
	size_t n = 0;

	for (size_t i = 0; i < s->n_places; i++) {
		const struct tape_activity *a =
		    tape_place_get(s->places, (uint32_t)i);

		if (a->kind != TAPE_ACTIVITY_CALL)
			continue;
		m = stats_as_measured(s, (uint32_t)i);
		measured[a->call] += m ? m->total_ns : 0;
		sum[a->call].calls += s->place[i].calls;
		sum[a->call].counted += s->place[i].counted;
		sum[a->call].counted_ns += s->place[i].counted_ns;
		sum[a->call].total_ns += s->place[i].total_ns;
		sum[a->call].waiting_ns += s->place[i].waiting_ns;
		sum[a->call].ready.from_ns += s->place[i].ready.from_ns;
		sum[a->call].ready.to_ns += s->place[i].ready.to_ns;
		sum[a->call].max_ns =
		    fmax(sum[a->call].max_ns, s->place[i].max_ns);
		sum[a->call].bytes += s->place[i].bytes;
	}
	for (uint32_t i = 0; i < TAPE_CALL_COUNT; i++)
		if (sum[i].calls || sum[i].counted)
			list[n++] = (struct line){.place = i,
						  .total_ns = sum[i].total_ns};
	tape_sort(list, n, sizeof *list, by_total);
	sheet_add_column(h, "total", SHEET_SECONDS);
	sheet_add_rare_column(h, "measured", SHEET_SECONDS);
	sheet_add_column(h, "share", SHEET_PERCENT);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	stat_add_processor_columns(h);
	sheet_add_column(h, "calls", SHEET_COUNT);
	sheet_add_rare_column(h, "counted", SHEET_COUNT);
	sheet_add_rare_column(h, "counted took", SHEET_SECONDS);
	sheet_add_column(h, "mean", SHEET_MICROS);
	sheet_add_column(h, "max", SHEET_MICROS);
	sheet_add_column(h, "bytes", SHEET_BYTES);
	sheet_add_column(h, "call", SHEET_NAME);
	sheet_set_spare(h, spare);
	for (size_t i = 0; i < n; i++) {
		const struct stats_place *p = &sum[list[i].place];

		sheet_put_number(h, p->total_ns);
		sheet_put_number(h,
				 s->measured ? measured[list[i].place] : NAN);
		sheet_put_number(h, p->total_ns / all);
		if (s->comparable)
			sheet_put_number(h, p->waiting_ns);
		else
			sheet_put_none(h);
		stat_put_processor(h, s, &p->ready);
		sheet_put_number(h, (double)p->calls);
		sheet_put_number(h, (double)p->counted);
		sheet_put_number(h, counted_time(p));
		sheet_put_number(h, mean_duration(p));
		sheet_put_number(h, p->calls ? p->max_ns : NAN);
		sheet_put_number(h, p->bytes);
		sheet_put_text(h, tape_call_name(list[i].place));
	}
	free(sum);
	free(measured);
	free(list);
	return h;
}

static struct sheet *regions_table(struct stats *s)
{
	static const char *const spare[] = {
	    "p50", "p99", "measured", "max", "in calls",
	    "at least", "at most", NULL};
	struct sheet *h = sheet_new("regions", "By region");
	double all = total_length(s);
	struct line *list;
	size_t n;

	sheet_add_column(h, "own", SHEET_SECONDS);
	sheet_add_rare_column(h, "measured", SHEET_SECONDS);
	sheet_add_column(h, "share", SHEET_PERCENT);
	sheet_add_column(h, "total", SHEET_SECONDS);
	sheet_add_column(h, "in calls", SHEET_SECONDS);
	sheet_add_column(h, "max/mean", SHEET_RATIO);
	sheet_add_column(h, "rank", SHEET_NAME);
	sheet_add_column(h, "entries", SHEET_COUNT);
	sheet_add_rare_column(h, "counted", SHEET_COUNT);
	sheet_add_column(h, "mean", SHEET_MICROS);
	sheet_add_column(h, "p50", SHEET_MICROS);
	sheet_add_column(h, "p99", SHEET_MICROS);
	sheet_add_column(h, "max", SHEET_MICROS);
	sheet_add_column(h, "region", SHEET_NAME);
	sheet_set_spare(h, spare);
	list = list_lines(s, TAPE_ACTIVITY_REGION, &n);
	for (size_t i = 0; i < n; i++) {
		const struct stats_place *p = &s->place[list[i].place];
		const struct stats_place *m =
		    stats_as_measured(s, list[i].place);

		sheet_put_number(h, p->own_ns);
		sheet_put_number(h, m ? m->own_ns : NAN);
		sheet_put_number(h, p->own_ns / all);
		sheet_put_number(h, p->total_ns);
		sheet_put_number(h, p->inside_ns);
		put_max_ratio(h, s, &list[i]);
		sheet_put_number(h, (double)p->calls);
		sheet_put_number(h, (double)p->counted);
		sheet_put_number(h, mean_duration(p));
		sheet_put_number(h, stats_quantile(p, 0.5));
		sheet_put_number(h, stats_quantile(p, 0.99));
		sheet_put_number(h, p->calls ? p->max_ns : NAN);
		put_place_name(h, s, list[i].place);
	}
	free(list);
	return h;
}

/* ---- ranks ---- */

const char *stat_host(const struct stats *s, int rank)
{
	const struct tape_rank_info *r = tape_trace_rank(s->t, rank);

	return r && r->host ? r->host : "?";
}

/* Ranks of a host come in rows, mostly: where one begins. */
struct row {
	const char *host;
	int rank;
};

static int by_host(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int d = strcmp(x->host, y->host);

	return d ? d : x->rank - y->rank;
}

int *stat_first_of_host(const struct stats *s)
{
	int *first = tape_must(calloc(s->ranks + 1, sizeof *first));
	struct row *rows = tape_must(calloc(s->ranks + 1, sizeof *rows));
	size_t n = 0;

	for (size_t i = 0; i < s->ranks; i++) {
		const char *host = stat_host(s, (int)i);

		first[i] = -1;
		if (!i || strcmp(host, stat_host(s, (int)i - 1)))
			rows[n++] = (struct row){host, (int)i};
	}
	tape_sort(rows, n, sizeof *rows, by_host);
	for (size_t i = 0; i < n; i++)
		first[rows[i].rank] =
		    i && !strcmp(rows[i].host, rows[i - 1].host)
			? first[rows[i - 1].rank]
			: rows[i].rank;
	for (size_t i = 0; i < s->ranks; i++)
		if (first[i] < 0)
			first[i] = first[i - 1];
	free(rows);
	return first;
}

/* What a flow adds to what is certain of its rank, and to what was measured. */
static void add_flow_bounds(const struct stats *s, size_t flow,
			    struct stat_rank *q)
{
	double least = NAN, most = NAN, computed = NAN, waited = NAN;

	stats_computing_bounds(s, flow, &least, &most);
	if (s->measured && s->measured->flows == s->flows)
		computed = stats_computing(s->measured, flow) +
			   s->measured->flow[flow].tracing_ns;
	if (s->measured && s->measured->flows == s->flows &&
	    s->measured->comparable)
		waited = s->measured->flow[flow].waiting_ns;
	q->waited_ns += waited;
	q->least_ns += least;
	q->most_ns += most;
	q->measured_ns += computed;
}

struct stat_rank *stat_ranks(const struct stats *s, size_t *n)
{
	/* flows that may still appear have ranks above the existing ones */
	struct stat_rank *r =
	    tape_must(calloc(tape_trace_ranks(s->t) + 1, sizeof *r));

	for (size_t i = 0; i < s->flows; i++) {
		struct stat_rank *q = &r[tape_trace_flow(s->t, i)->rank];

		q->length_ns += stats_length(s, i);
		q->computing_ns += stats_computing(s, i);
		q->mpi_ns += s->flow[i].mpi_ns;
		q->waiting_ns += s->flow[i].waiting_ns;
		q->ready.from_ns += s->flow[i].ready.from_ns;
		q->ready.to_ns += s->flow[i].ready.to_ns;
		q->tracing_ns += s->flow[i].tracing_ns;
		q->events += s->flow[i].events;
		if (s->path.flow_ns)
			q->path_ns += (double)s->path.flow_ns[i];
	}
	for (size_t i = 0; i < s->flows; i++)
		add_flow_bounds(s, i, &r[tape_trace_flow(s->t, i)->rank]);
	*n = 0;
	for (size_t i = 0; i < s->ranks; i++)
		if (r[i].events) {
			r[*n] = r[i];
			r[(*n)++].rank = (int)i;
		}
	return r;
}

static int by_computing(const void *a, const void *b)
{
	const struct stat_rank *x = a, *y = b;

	if (x->computing_ns != y->computing_ns)
		return x->computing_ns < y->computing_ns ? -1 : 1;
	return x->rank - y->rank;
}

static void rank_line(struct sheet *h, const struct stats *s,
		      const struct stat_rank *r, const char *what)
{
	/* what is waited for in MPI_Finalize is after the calls */
	double other =
	    r->length_ns - r->computing_ns - r->waiting_ns - r->tracing_ns;
	char text[80];

	if (r->ranks) {
		sheet_put_text(h, stat_group_name(s, r->rank));
		sheet_put_number(h, r->ranks);
	} else {
		snprintf(text, sizeof text, "%s%d", what, r->rank);
		sheet_put_text(h, text);
		sheet_put_text(h, stat_host(s, r->rank));
	}
	sheet_put_number(h, r->computing_ns);
	put_bounds(h, r->measured_ns, 1, r->least_ns, r->most_ns);
	sheet_put_number(h, r->computing_ns / r->length_ns);
	if (s->comparable) {
		sheet_put_number(h, other > 0 ? other : 0);
		sheet_put_number(h, r->waiting_ns);
		sheet_put_number(h, r->waited_ns);
		stat_put_processor(h, s, &r->ready);
		sheet_put_number(h, r->waiting_ns / r->length_ns);
		if (s->path.flow_ns)
			sheet_put_number(h, r->path_ns);
		else
			sheet_put_none(h);
	} else {
		sheet_put_number(h, r->mpi_ns);
		for (int i = 0; i < 6; i++)
			sheet_put_none(h);
	}
	sheet_put_number(h, r->tracing_ns);
	sheet_put_number(h, r->length_ns);
	sheet_put_number(h, (double)r->events);
}

static struct sheet *ranks_table(struct stats *s)
{
	static const char *const spare[] = {
	    "events", "waiting measured", "measured", "processor most",
	    "waiting of all",
	    "computing of all", "all", "at least", "at most", NULL};
	struct sheet *h = sheet_new("ranks", s->level ? "Time per group, "
							"over its ranks"
						      : "Time per rank");
	const char *what;
	size_t n;
	struct stat_rank *r = stat_ranks(s, &n);

	if (s->level) {
		r = stat_groups_sum(s, r, &n);
		sheet_add_column(h, "group", SHEET_NAME);
		sheet_add_column(h, "ranks", SHEET_COUNT);
	} else {
		sheet_add_column(h, "rank", SHEET_NAME);
		sheet_add_column(h, "host", SHEET_NAME);
	}
	sheet_add_column(h, "computing", SHEET_SECONDS);
	add_bounds_columns(h);
	sheet_add_column(h, "computing of all", SHEET_PERCENT);
	sheet_add_column(h, "communicating", SHEET_SECONDS);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	sheet_add_rare_column(h, "waiting measured", SHEET_SECONDS);
	stat_add_processor_columns(h);
	sheet_add_column(h, "waiting of all", SHEET_PERCENT);
	sheet_add_column(h, "critical path", SHEET_SECONDS);
	sheet_add_rare_column(h, "tracing", SHEET_SECONDS);
	sheet_add_column(h, "all", SHEET_SECONDS);
	sheet_add_column(h, "events", SHEET_COUNT);
	sheet_set_spare(h, spare);
	if (n > TAPE_SHOWN_ALL && !s->level)
		tape_sort(r, n, sizeof *r, by_computing);
	for (size_t k = 0; s->level && k < n; k++)
		rank_line(h, s, &r[k], "");
	for (size_t k = 0, i; !s->level && (what = tape_select_row(k, n, &i));
	     k++)
		rank_line(h, s, &r[i], what);
	free(r);
	return h;
}

/* ---- the rest ---- */

struct sheet *stat_table(struct stats *s, enum stat_table which)
{
	switch (which) {
	case STAT_CALLS:
		return calls_table(s);
	case STAT_NAMES:
		return names_table(s);
	case STAT_REGIONS:
		return regions_table(s);
	case STAT_RANKS:
		return ranks_table(s);
	case STAT_WAITS:
		return stat_waits(s);
	case STAT_CAUSES:
		return stat_causes(s);
	case STAT_PATH:
		return stat_path(s);
	case STAT_MESSAGES:
		return stat_messages(s);
	case STAT_HOSTS:
		return stat_hosts(s);
	case STAT_LEVELS:
		return stat_levels(s);
	case STAT_POSITIONS:
		return stat_positions(s);
	case STAT_SIZES:
		return stat_sizes(s);
	case STAT_COLLECTIVES:
		return stat_collectives(s);
	case STAT_COUNTERS:
		return stat_counters(s);
	case STAT_OUTSIDE:
	case STAT_PHASES:
	case STAT_EFFICIENCY:
	case STAT_TABLES:
		break;
	}
	return NULL;
}
