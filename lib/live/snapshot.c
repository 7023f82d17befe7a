/* Takes snapshots and writes them as JSON; see snapshot.h and live.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "escape.h"
#include "json.h"
#include "snapshot.h"
#include "snapshot_feed.h"
#include "sort.h"
#include "tool.h"

/* Rates over a shorter time are not computed. */
static const int64_t LEAST_RATE_NS = 50000000;

struct live_snapshot *live_snapshot_new(size_t number, const char *trace,
					const struct tape_plugins *plugins)
{
	struct live_snapshot *p = tape_must(calloc(1, sizeof *p));

	p->plugins = plugins;

	p->number = number;
	p->trace = trace;
	return p;
}

static void drop_snapshot_lists(struct live_snapshot *p)
{
	free(p->ranks);
	free(p->waits);
	free(p->calls);
	free(p->regions);
	free(p->pairs);
	free(p->by_rank);
	p->ranks = NULL;
	p->waits = NULL;
	p->calls = p->regions = NULL;
	p->pairs = NULL;
	p->by_rank = NULL;
	p->n_ranks = p->n_waits = p->n_calls = p->n_regions = p->n_pairs = 0;
}

void live_snapshot_free(struct live_snapshot *p)
{
	drop_snapshot_lists(p);
	live_answer_free(p->answer);
	free(p);
}

/* ---- taking a snapshot ---- */

static size_t at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

static int order_waits_by_time(const void *a, const void *b)
{
	const struct wait_line *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->late != y->late)
		return x->late - y->late;
	return x->call < y->call ? -1 : x->call > y->call;
}

static void take_waits(struct live_snapshot *p)
{
	const struct stats_waits *w;
	size_t at = 0, n = 0;
	uint64_t key;

	p->waits = tape_must(calloc(p->s->waits.used + 1, sizeof *p->waits));
	while ((w = tape_table_each(&p->s->waits, &at, &key)))
		p->waits[n++] = (struct wait_line){
		    tape_trace_flow(p->s->t, w->flow)->rank,
		    tape_trace_flow(p->s->t, w->late_flow)->rank,
		    w->call,
		    w->kind,
		    w->n,
		    w->ns};
	tape_sort(p->waits, n, sizeof *p->waits, order_waits_by_time);
	p->n_waits = at_most(n, SNAPSHOT_WAITS);
}

static int order_places_by_time(const void *a, const void *b)
{
	const struct place_line *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Returns the calls or regions with the longest times, at most most. */
static struct place_line *take_places(const struct stats *s,
				      enum tape_activity_kind kind, size_t most,
				      size_t *n)
{
	struct place_line *list =
	    tape_must(calloc(s->n_places + 1, sizeof *list));

	*n = 0;
	for (uint32_t i = 0; i < s->n_places; i++) {
		const struct stats_place *q = &s->place[i];

		if (tape_place_get(s->places, i)->kind == kind &&
		    (q->calls || q->counted))
			list[(*n)++] = (struct place_line){
			    i, kind == TAPE_ACTIVITY_REGION ? q->own_ns
							    : q->total_ns};
	}
	tape_sort(list, *n, sizeof *list, order_places_by_time);
	*n = at_most(*n, most);
	return list;
}

/* Sums the time of each listed call by rank. */
static void take_calls_by_rank(struct live_snapshot *p)
{
	size_t n = at_most(p->n_ranks, SNAPSHOT_RANKS), at = 0;
	uint32_t *line = tape_must(calloc(p->s->n_places + 1, sizeof *line));
	uint32_t *column = tape_must(calloc(p->s->ranks + 1, sizeof *column));
	const struct stats_part *q;
	uint64_t key;

	p->by_rank = tape_must(calloc(p->n_calls * n + 1, sizeof(double)));
	for (size_t i = 0; i < p->n_calls; i++)
		line[p->calls[i].place] = (uint32_t)i + 1;
	for (size_t i = 0; i < n; i++)
		column[p->ranks[i].rank] = (uint32_t)i + 1;
	while ((q = tape_table_each(&p->s->parts, &at, &key))) {
		int rank = tape_trace_flow(p->s->t, q->flow)->rank;

		if (line[q->place] && column[rank])
			p->by_rank[(line[q->place] - 1) * n + column[rank] -
				   1] += q->total_ns;
	}
	free(line);
	free(column);
}

static void take_pairs(struct live_snapshot *p)
{
	const struct stats_pair *q;
	size_t at = 0, n = 0;
	uint64_t key;

	p->pairs = tape_must(calloc(p->s->pairs.used + 1, sizeof *p->pairs));
	while ((q = tape_table_each(&p->s->pairs, &at, &key)))
		p->pairs[n++] = *q;
	tape_sort(p->pairs, n, sizeof *p->pairs, stats_order_pairs);
	p->n_pairs = at_most(n, SNAPSHOT_PAIRS);
	p->bytes = 0;
	for (unsigned i = 0; i < 65; i++)
		p->bytes += p->s->size[i].bytes;
}

/* The times of a rank. To start tracing may take longer than the run so far. */
static struct times get_rank_times(const struct stat_rank *r)
{
	return (struct times){r->length_ns, r->computing_ns, r->mpi_ns,
			      r->waiting_ns, fmin(r->tracing_ns, r->length_ns)};
}

static void take_times(struct live_snapshot *p)
{
	p->ranks = stat_ranks(p->s, &p->n_ranks);
	for (size_t i = 0; i < p->n_ranks; i++) {
		struct times t = get_rank_times(&p->ranks[i]);

		p->times.all += t.all;
		p->times.computing += t.computing;
		p->times.mpi += t.mpi;
		p->times.waiting += t.waiting;
		p->times.tracing += t.tracing;
	}
}

/* Returns the error bound of the worst clock, s; NAN: not bounded. */
static double worst_clock_error_s(const struct stats *s)
{
	const struct tape_trace *t = s->t;
	double so_far, most = tape_analysis_clock_error(s->analysis, &so_far);

	if (most > 0)
		return isfinite(most) ? most / 1e9 : NAN;
	for (size_t i = 0; i < tape_trace_domains(t); i++) {
		int64_t lo, hi;

		tape_trace_interval(t, (uint32_t)i, UINT64_MAX, &lo, &hi);
		if (lo == INT64_MIN || hi == INT64_MAX)
			return NAN;
		most = fmax(most, ((double)hi - (double)lo) / 2);
	}
	return tape_trace_base(t) == TAPE_BASE_LOCAL &&
		       tape_trace_domains(t) > 1
		   ? NAN
		   : most / 1e9;
}

/*
 * Returns the time since the last event that was read, s. It is known only if
 * all timestamps are of this host's clock, after which the domain is named.
 * Else NAN.
 */
static double seconds_behind(const struct stats *s)
{
	char boot[64] = "", where[80];
	struct timespec t;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	double ns;

	if (f && fscanf(f, "%63s", boot) != 1)
		boot[0] = '\0';
	if (f)
		fclose(f);
	snprintf(where, sizeof where, ":%s", boot);
	if (!*boot || tape_trace_base(s->t) != TAPE_BASE_LOCAL ||
	    tape_trace_domains(s->t) != 1 ||
	    !strstr(tape_trace_domain(s->t, 0)->name, where))
		return NAN;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	ns = (double)t.tv_sec * 1e9 + (double)t.tv_nsec - (double)s->to_ns;
	return ns > 0 ? ns / 1e9 : 0;
}

static void take_trace_sums(struct live_snapshot *p,
			    const struct live_source *src)
{
	struct stats *s = p->s;
	const char *name = tape_trace_meta(s->t, "program", 0), *slash;
	int *first;

	stats_count_ranks(s); /* tasks of PVM start one by one */
	first = stat_first_of_host(s);
	slash = name ? strrchr(name, '/') : NULL;
	snprintf(p->name, sizeof p->name, "%s",
		 slash	? slash + 1
		 : name ? name
			: "");
	p->hosts = 0;
	for (size_t i = 0; i < s->ranks; i++)
		p->hosts += first[i] == (int)i;
	free(first);
	p->events = s->events;
	p->messages = s->messages;
	p->behind_bytes = live_source_unread_bytes(src);
	p->starved = live_source_is_starved(src);
	p->behind_s = seconds_behind(s);
	p->clock_s = worst_clock_error_s(s);
	take_times(p);
	take_waits(p);
	p->calls =
	    take_places(s, TAPE_ACTIVITY_CALL, SNAPSHOT_CALLS, &p->n_calls);
	p->regions = take_places(s, TAPE_ACTIVITY_REGION, SNAPSHOT_REGIONS,
				 &p->n_regions);
	take_calls_by_rank(p);
	take_pairs(p);
}

void live_snapshot_take(struct live_snapshot *p, const struct live_source *src,
			struct stats *stats, const char *state)
{
	int64_t now = live_now_ns();

	drop_snapshot_lists(p);
	/* rates are relative to the last snapshot that is old enough */
	if (p->shots < 2 || now - p->at >= LEAST_RATE_NS) {
		p->before = p->shots ? p->at : now;
		p->then = p->times;
		p->events_then = p->events;
		p->messages_then = p->messages;
		p->bytes_then = p->bytes;
	}
	p->at = now;
	p->shots++;
	p->state = state;
	p->times = (struct times){0};
	p->seen_s = src && live_source_start_ns(src)
			? (double)(p->at - live_source_start_ns(src)) / 1e9
			: 0;
	p->ended = src ? live_source_end_reason(src) : "";
	p->s = stats;
	if (stats)
		take_trace_sums(p, src);
}

/* ---- JSON ---- */

static void put_json_number(FILE *f, const char *name, double v)
{
	fprintf(f, ",\"%s\":", name);
	if (isfinite(v))
		fprintf(f, "%.9g", v);
	else
		fprintf(f, "null");
}

static void put_json_string(FILE *f, const char *name, const char *s)
{
	fprintf(f, ",\"%s\":", name);
	tape_json_put(f, s);
}

static double share_of(double part, double all)
{
	return all > 0 ? part / all : NAN;
}

double live_snapshot_rate(const struct live_snapshot *p, double now,
			  double then)
{
	int64_t ns = p->at - p->before;

	return ns >= LEAST_RATE_NS ? (now - then) / ((double)ns / 1e9) : NAN;
}

static void put_time_shares(FILE *f, const struct times *t)
{
	fprintf(f, "\"of_s\":%.9g", t->all / 1e9);
	put_json_number(f, "computing", share_of(t->computing, t->all));
	put_json_number(f, "mpi", share_of(t->mpi, t->all));
	put_json_number(f, "waiting", share_of(t->waiting, t->all));
	put_json_number(f, "tracing", share_of(t->tracing, t->all));
}

struct times live_snapshot_times_since(const struct live_snapshot *p)
{
	return (struct times){
	    p->times.all - p->then.all, p->times.computing - p->then.computing,
	    p->times.mpi - p->then.mpi, p->times.waiting - p->then.waiting,
	    p->times.tracing - p->then.tracing};
}

static const char *activity_text(const struct live_snapshot *p, uint32_t place,
				 char *text)
{
	return tape_activity_text(p->s->places, place, text, TAPE_PLACE_BYTES);
}

const struct live_rank_now *
live_snapshot_rank_now(const struct live_snapshot *p, int rank)
{
	const struct live_answer *a = p->answer;

	return a && (size_t)rank < a->n_ranks && a->rank[rank].call
		   ? &a->rank[rank]
		   : NULL;
}

const char *live_snapshot_current_call(const struct live_snapshot *p, int rank,
				       char *text)
{
	const struct live_rank_now *now = live_snapshot_rank_now(p, rank);
	const struct tape_event *e = NULL;

	*text = '\0';
	if (now) {
		snprintf(text, TAPE_PLACE_BYTES, "%s", now->call);
		return text;
	}
	if (p->s->doing && !tape_peers_owns_rank(p->s->peers, rank))
		return p->s->doing[rank]
			   ? activity_text(p, p->s->doing[rank], text)
			   : text;
	for (size_t i = 0; i < p->s->flows && !e; i++)
		if (tape_trace_flow(p->s->t, i)->rank == rank)
			e = tape_replay_current_event(
			    tape_analysis_replay(p->s->analysis), i);
	if (e && e->call)
		activity_text(p,
			      tape_place_from_site(p->s->places, e->rank,
						   e->site, e->call),
			      text);
	return text;
}

static void put_rank_now(const struct live_rank_now *now, FILE *f)
{
	put_json_number(f, "for_s", now ? now->for_s : NAN);
	put_json_string(f, "what", now ? now->what : "");
}

static void put_ranks(const struct live_snapshot *p, FILE *f)
{
	char text[TAPE_PLACE_BYTES];

	fprintf(f, ",\"ranks\":[");
	for (size_t i = 0; i < at_most(p->n_ranks, SNAPSHOT_RANKS); i++) {
		const struct stat_rank *r = &p->ranks[i];
		struct times t = get_rank_times(r);

		fprintf(f, "%s{\"rank\":%d,\"events\":%" PRIu64 ",",
			i ? "," : "", r->rank, r->events);
		put_time_shares(f, &t);
		put_json_string(f, "host", stat_host(p->s, r->rank));
		put_json_string(f, "doing",
				live_snapshot_current_call(p, r->rank, text));
		put_rank_now(live_snapshot_rank_now(p, r->rank), f);
		fprintf(f, "}");
	}
	fprintf(f, "]");
}

static void put_waits(const struct live_snapshot *p, FILE *f)
{
	char text[TAPE_PLACE_BYTES];

	fprintf(f, ",\"waits\":[");
	for (size_t i = 0; i < p->n_waits; i++) {
		const struct wait_line *w = &p->waits[i];

		fprintf(f,
			"%s{\"rank\":%d,\"for\":%d,\"s\":%.9g,\"n\":%" PRIu64,
			i ? "," : "", w->rank, w->late, w->ns / 1e9, w->n);
		put_json_string(f, "kind",
				tape_wait_name((enum tape_wait_kind)w->kind));
		put_json_string(f, "call", activity_text(p, w->call, text));
		fprintf(f, "}");
	}
	fprintf(f, "]");
}

static void put_calls(const struct live_snapshot *p, FILE *f)
{
	size_t n = at_most(p->n_ranks, SNAPSHOT_RANKS);
	char text[TAPE_PLACE_BYTES];

	fprintf(f, ",\"calls\":[");
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct stats_place *q = &p->s->place[p->calls[i].place];

		fprintf(f, "%s{\"calls\":%" PRIu64, i ? "," : "",
			q->calls + q->counted);
		put_json_number(f, "s", q->total_ns / 1e9);
		put_json_number(f, "waiting_s", q->waiting_ns / 1e9);
		put_json_number(f, "bytes", q->bytes);
		put_json_string(f, "call",
				activity_text(p, p->calls[i].place, text));
		fprintf(f, ",\"by_rank\":[");
		for (size_t k = 0; k < n; k++)
			fprintf(f, "%s%.6g", k ? "," : "",
				p->by_rank[i * n + k] / 1e9);
		fprintf(f, "]}");
	}
	fprintf(f, "],\"regions\":[");
	for (size_t i = 0; i < p->n_regions; i++) {
		const struct stats_place *q = &p->s->place[p->regions[i].place];

		fprintf(f, "%s{\"entries\":%" PRIu64, i ? "," : "",
			q->calls + q->counted);
		put_json_number(f, "s", q->total_ns / 1e9);
		put_json_number(f, "own_s", q->own_ns / 1e9);
		put_json_string(f, "region",
				activity_text(p, p->regions[i].place, text));
		fprintf(f, "}");
	}
	fprintf(f, "]");
}

static void put_pairs(const struct live_snapshot *p, FILE *f)
{
	fprintf(f, ",\"pairs\":[");
	for (size_t i = 0; i < p->n_pairs; i++) {
		const struct stats_pair *q = &p->pairs[i];

		fprintf(f, "%s{\"from\":%d,\"to\":%d,\"messages\":%" PRIu64,
			i ? "," : "", q->from, q->to, q->messages);
		put_json_number(f, "bytes", q->bytes);
		put_json_number(f, "late_s", q->late_ns / 1e9);
		fprintf(f, "}");
	}
	fprintf(f, "]");
}

static void put_plugins(const struct live_snapshot *p, FILE *f)
{
	char text[TAPE_PLUGINS_STATUS];
	const char *file;

	fprintf(f, ",\"plugins\":[");
	for (size_t i = 0;
	     p->plugins && (file = tape_plugins_file(p->plugins, i)); i++) {
		tape_plugins_status(p->plugins, i, (uint32_t)p->number + 1,
				    text, sizeof text);
		fprintf(f, "%s{\"file\":", i ? "," : "");
		tape_json_put(f, file);
		put_json_string(f, "status", text);
		fprintf(f, "}");
	}
	fprintf(f, "]");
}

/* Writes the members that need events. */
static void put_trace_sums(const struct live_snapshot *p, FILE *f)
{
	struct times now = live_snapshot_times_since(p);

	put_json_number(f, "run_s",
			(double)(p->s->to_ns - p->s->from_ns) / 1e9);
	fprintf(f,
		",\"ranks_number\":%zu,\"hosts_number\":%zu,\"events\":%" PRIu64
		",\"messages\":%" PRIu64,
		p->s->ranks, p->hosts, p->events, p->messages);
	put_json_number(f, "bytes", p->bytes);
	put_json_number(
	    f, "events_per_s",
	    live_snapshot_rate(p, (double)p->events, (double)p->events_then));
	put_json_number(f, "messages_per_s",
			live_snapshot_rate(p, (double)p->messages,
					   (double)p->messages_then));
	put_json_number(f, "bytes_per_s",
			live_snapshot_rate(p, p->bytes, p->bytes_then));
	put_json_number(f, "behind_s", p->behind_s);
	fprintf(f, ",\"behind_bytes\":%" PRIu64 ",\"hungry\":%d",
		p->behind_bytes, p->starved);
	fprintf(f, ",\"comparable\":%d", p->s->comparable);
	put_json_number(f, "clock_s", p->clock_s);
	fprintf(f, ",");
	put_time_shares(f, &p->times);
	fprintf(f, ",\"now\":{");
	put_time_shares(f, &now);
	fprintf(f, "}");
	put_ranks(p, f);
	put_waits(p, f);
	put_calls(p, f);
	put_pairs(p, f);
	put_plugins(p, f);
	if (p->answer)
		fputs(p->answer->json, f);
}

void live_snapshot_put_json(const struct live_snapshot *p, FILE *f)
{
	fprintf(f, "{\"program\":%zu", p->number);
	put_json_string(f, "trace", p->trace);
	put_json_string(f, "name", p->name);
	put_json_string(f, "state", p->state);
	put_json_string(f, "ended", p->ended);
	fprintf(f, ",\"number\":%" PRIu64 ",\"date\":%lld", p->shots - 1,
		(long long)time(NULL));
	put_json_number(f, "seen_s", p->seen_s);
	if (p->s)
		put_trace_sums(p, f);
	fprintf(f, "}\n");
}
