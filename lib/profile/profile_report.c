/* The answer in a few lines; see stat.h. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contention.h"
#include "duration_text.h"
#include "escape.h"
#include "growing_array.h"
#include "interval.h"
#include "json.h"
#include "predicted.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

/* Call sites with waiting that the report speaks of; and how little it is
 * worth a line, as a share of all time. */
enum { WAITS_SAID = 3, RANKS_SAID = 6 };
static const double least_share = 0.01;

/* Waiting at one call site, of one kind. */
struct site {
	uint32_t call, kind;
	double ns;
	double *by_flow, *for_flow;
};

/* " (certain: 0.60 to 0.63 s)", of ns */
static void certain_text(double from, double to, char *text, size_t n)
{
	struct tape_seconds x = tape_interval_seconds(from, to);

	if (x.exact)
		snprintf(text, n, " (certain: exactly %.*f s)", x.digits,
			 x.from_s);
	else
		snprintf(text, n, " (certain: %.*f to %.*f s)", x.digits,
			 x.from_s, x.digits, x.to_s);
}

/* How many ranks in a row one word says: three or more, else one. */
static size_t consecutive_ranks(const int *ranks, size_t n, size_t i)
{
	size_t k = 1;

	while (i + k < n && ranks[i + k] == ranks[i] + (int)k)
		k++;
	return k > 2 ? k : 1;
}

void stat_rank_list(const int *ranks, size_t n, char *text, size_t size)
{
	size_t at, words = 0, k;

	at = (size_t)snprintf(text, size, n == 1 ? "rank " : "ranks ");
	for (size_t i = 0; i < n; i += k) {
		k = consecutive_ranks(ranks, n, i);
		if (++words > RANKS_SAID && i + k < n) {
			snprintf(text + at, size - at, " and %zu more", n - i);
			return;
		}
		at += (size_t)snprintf(text + at, size - at, "%s%d",
				       !i	   ? ""
				       : i + k < n ? ", "
						   : " and ",
				       ranks[i]);
		if (k > 1)
			at += (size_t)snprintf(text + at, size - at, "-%d",
					       ranks[i + k - 1]);
	}
}

/* ---- where ranks waited ---- */

static int by_ns(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Sites with waiting, the longest first; the caller frees it. */
static struct site *list_wait_sites(const struct stats *s, size_t *n)
{
	size_t at = 0, room = 0;
	struct site *list = NULL;
	const struct stats_waits *w;
	uint64_t key;

	*n = 0;
	while ((w = tape_table_each(&s->waits, &at, &key))) {
		size_t i = 0;

		while (i < *n &&
		       (list[i].call != w->call || list[i].kind != w->kind))
			i++;
		if (i == *n) {
			list = tape_must(
			    tape_grow_array(list, &room, *n + 1, sizeof *list));
			list[(*n)++] =
			    (struct site){w->call, w->kind, 0, NULL, NULL};
		}
		list[i].ns += w->ns;
	}
	tape_sort(list, *n, sizeof *list, by_ns);
	return list;
}

/* Who waited there, and for whom. */
static void sum_site_flows(const struct stats *s, struct site *k)
{
	const struct stats_waits *w;
	size_t at = 0;
	uint64_t key;

	k->by_flow = tape_must(calloc(s->flows + 1, sizeof *k->by_flow));
	k->for_flow = tape_must(calloc(s->flows + 1, sizeof *k->for_flow));
	while ((w = tape_table_each(&s->waits, &at, &key)))
		if (w->call == k->call && w->kind == k->kind) {
			k->by_flow[w->flow] += w->ns;
			k->for_flow[w->late_flow] += w->ns;
		}
}

static size_t find_largest(const double *v, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (v[i] > v[best])
			best = i;
	return best;
}

/* "Ranks 1-3": those with a part of it that is worth speaking of. */
static void waiting_ranks(const struct stats *s, const struct site *k,
			  char *text, size_t size)
{
	int *ranks = tape_must(calloc(s->flows + 1, sizeof *ranks));
	double most = k->by_flow[find_largest(k->by_flow, s->flows)];
	size_t n = 0;

	for (size_t i = 0; i < s->flows; i++) {
		int rank = tape_trace_flow(s->t, i)->rank;

		if (k->by_flow[i] >= most / 20 && (!n || ranks[n - 1] != rank))
			ranks[n++] = rank;
	}
	stat_rank_list(ranks, n, text, size);
	text[0] = (char)toupper((unsigned char)text[0]);
	free(ranks);
}

/* What the late one did meanwhile: ", which was computing after ..." */
static void cause_text(const struct stats *s, const struct site *k, size_t late,
		       char *text, size_t size)
{
	const struct tape_blame *best = NULL;
	const struct tape_activity *a;
	char name[TAPE_PLACE_BYTES];

	*text = '\0';
	for (size_t i = 0; i < s->delays.n_blames; i++) {
		const struct tape_blame *b = &s->delays.blame[i];

		if (b->call == k->call && b->flow == late &&
		    (!best || b->ns > best->ns))
			best = b;
	}
	if (!best)
		return;
	a = tape_place_get(s->places, best->activity);
	tape_activity_text(s->places, best->activity, name, sizeof name);
	snprintf(text, size, ", which was %s %s",
		 a->kind != TAPE_ACTIVITY_COMPUTES ? "in"
		 : a->region			   ? "computing in"
						   : "computing",
		 name);
}

static void site_text(const struct stats *s, struct site *k, char *text,
		      size_t size)
{
	char who[200], what[TAPE_PLACE_BYTES], time[32], why[600];
	char whom[64];
	size_t late;
	double share;

	sum_site_flows(s, k);
	waiting_ranks(s, k, who, sizeof who);
	late = find_largest(k->for_flow, s->flows);
	share = k->ns > 0 ? k->for_flow[late] / k->ns : 0;
	*why = '\0';
	if (share >= 0.2)
		cause_text(s, k, late, why, sizeof why);
	if (share >= 0.95)
		snprintf(whom, sizeof whom, "rank %d",
			 tape_trace_flow(s->t, late)->rank);
	else if (share < 0.2)
		snprintf(whom, sizeof whom, "many ranks");
	else
		snprintf(whom, sizeof whom,
			 "several ranks, %.0f%% of the time for rank %d",
			 100 * share, tape_trace_flow(s->t, late)->rank);
	snprintf(text, size, "%s waited %s in %s for %s%s (%s)", who,
		 tape_duration_text(k->ns, time, sizeof time),
		 tape_activity_text(s->places, k->call, what, sizeof what),
		 whom, why, tape_wait_name((enum tape_wait_kind)k->kind));
	free(k->by_flow);
	free(k->for_flow);
}

/* ---- who computes longest ---- */

static double mean_computing(const struct stat_rank *r, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += r[i].computing_ns;
	return n ? sum / (double)n : 0;
}

static size_t find_busiest(const struct stat_rank *r, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (r[i].computing_ns > r[best].computing_ns)
			best = i;
	return best;
}

/*
 * What an even balance certainly saves at least and at most, ns: the longest
 * less the mean, all others at the other end of their intervals. 0: not known.
 */
static int balance_certain(const struct stat_rank *r, size_t n, double *from,
			   double *to)
{
	double least = 0, most = 0, share = (double)n;

	for (size_t i = 0; i < n; i++) {
		least += r[i].least_ns / share;
		most += r[i].most_ns / share;
	}
	*from = *to = 0;
	for (size_t i = 0; i < n; i++) {
		double of_least = r[i].least_ns / share;
		double of_most = r[i].most_ns / share;

		*from = fmax(*from, r[i].least_ns - of_least - most + of_most);
		*to = fmax(*to, r[i].most_ns - of_most - least + of_least);
	}
	return isfinite(least) && isfinite(most);
}

static void balance_text(const struct stat_rank *r, size_t n, char *text,
			 size_t size)
{
	double mean = mean_computing(r, n), from, to;
	size_t k = find_busiest(r, n);
	double over = r[k].computing_ns - mean;
	char a[32], b[32], certain[100] = "";

	if (balance_certain(r, n, &from, &to))
		certain_text(from, to, certain, sizeof certain);
	if (n < 2 || mean <= 0)
		*text = '\0';
	else if (over < least_share * mean)
		snprintf(text, size,
			 "The load is balanced: each rank computes about %s",
			 tape_duration_text(mean, a, sizeof a));
	else
		snprintf(text, size,
			 "Rank %d computes longest: %s, %.0f%% above the mean. "
			 "Perfect balance would save at most %s%s",
			 r[k].rank,
			 tape_duration_text(r[k].computing_ns, a, sizeof a),
			 100 * over / mean,
			 tape_duration_text(over, b, sizeof b), certain);
}

/* ---- how long, and what tracing cost ---- */

/* What tico wrote of the run: measured, without tracing, certainly between. */
struct total {
	double measured_ns, without_ns, from_ns, to_ns;
	int there, certain;
};

static struct total read_total(const struct stats *s)
{
	const char *line = tape_trace_meta(s->t, "total", 0);
	struct total t = {0};
	int n = line ? sscanf(line, "%lf %lf %lf %lf", &t.measured_ns,
			      &t.without_ns, &t.from_ns, &t.to_ns)
		     : 0;

	t.there = n >= 2 && t.measured_ns > 0;
	t.certain = n == 4;
	return t;
}

static void tracing_text(const struct stats *s, char *text, size_t size)
{
	struct total t = read_total(s);
	double sum = 0, all = stats_all_lengths(s);
	char a[32], b[32], certain[100] = "";

	*text = '\0';
	for (size_t i = 0; i < s->flows; i++)
		sum += s->flow[i].tracing_ns;
	if (t.certain)
		certain_text(t.from_ns, t.to_ns, certain, sizeof certain);
	if (t.there)
		snprintf(text, size,
			 "Tracing added %s (%.1f%%), including start-up and "
			 "finalisation. The corrected run takes %s%s",
			 tape_duration_text(t.measured_ns - t.without_ns, a,
					    sizeof a),
			 100 * (t.measured_ns - t.without_ns) / t.measured_ns,
			 tape_duration_text(t.without_ns, b, sizeof b),
			 certain);
	else if (sum > 0)
		snprintf(text, size,
			 "Tracing added %s (%.1f%% of the time of all ranks). "
			 "To remove it, run tico",
			 tape_duration_text(sum, a, sizeof a),
			 all > 0 ? 100 * sum / all : 0);
}

static size_t count_run_hosts(const struct stats *s)
{
	int *first = stat_first_of_host(s);
	size_t n = 0;

	for (size_t i = 0; i < s->ranks; i++)
		n += first[i] == (int)i;
	free(first);
	return n;
}

/* text: for a sentence that is made. */
static const char *base_text(const struct stats *s, char *text, size_t size)
{
	const char *machine = tape_predicted(s->t);
	char name[400];

	if (machine) {
		snprintf(text, size, "predicted for %s",
			 tape_clean(machine, name, sizeof name));
		return text;
	}
	switch (tape_trace_base(s->t)) {
	case TAPE_BASE_LOCAL:
		return s->comparable ? "as measured"
				     : "as measured, local times of several "
				       "clocks";
	case TAPE_BASE_GLOBAL:
		return "as measured";
	case TAPE_BASE_COMPENSATED:
		return "without tracing";
	}
	return "";
}

static const char *base_name(const struct tape_trace *t)
{
	static const char *const names[] = {"local", "global", "compensated"};

	return names[tape_trace_base(t)];
}

/* Share of its time that a rank is inside of calls, or waits at the end. */
static double share_in_calls(const struct stat_rank *r)
{
	return r->length_ns > 0
		   ? 1 - (r->computing_ns + r->tracing_ns) / r->length_ns
		   : 0;
}

static void length_text(const struct stats *s, const struct stat_rank *r,
			size_t n, char *text, size_t size)
{
	double all = 0, in = 0;
	size_t least = 0, most = 0;
	char a[32];
	int pvm = n && tape_trace_rank(s->t, r[0].rank)->tid;

	for (size_t i = 0; i < n; i++) {
		all += r[i].length_ns;
		in += share_in_calls(&r[i]) * r[i].length_ns;
		if (share_in_calls(&r[i]) < share_in_calls(&r[least]))
			least = i;
		if (share_in_calls(&r[i]) > share_in_calls(&r[most]))
			most = i;
	}
	tape_duration_text((double)(s->to_ns - s->from_ns), a, sizeof a);
	if (!s->comparable)
		tape_duration_text(n ? all / (double)n : 0, a, sizeof a);
	if (all <= 0)
		snprintf(text, size, "The trace covers no time");
	else if (n < 2)
		snprintf(text, size, "The program ran %s, %.0f%% of it in %s",
			 a, 100 * in / all, pvm ? "PVM" : "MPI");
	else if (least == most)
		snprintf(
		    text, size,
		    "The program ran %s%s, %.0f%% of it in %s on each rank", a,
		    pvm ? "" : " after MPI_Init", 100 * in / all,
		    pvm ? "PVM" : "MPI");
	else
		snprintf(text, size,
			 "The program ran %s%s, %.0f%% of it in %s (least: "
			 "rank %d, %.0f%%; most: rank %d, %.0f%%)",
			 a, pvm ? "" : " after MPI_Init", 100 * in / all,
			 pvm ? "PVM" : "MPI", r[least].rank,
			 100 * share_in_calls(&r[least]), r[most].rank,
			 100 * share_in_calls(&r[most]));
}

/* ---- all of it ---- */

static void print_head(struct stats *s, FILE *f)
{
	char text[500];
	size_t n = count_run_hosts(s);

	tape_unescape_value(tape_trace_meta(s->t, "library", 0), text,
			    sizeof text);
	tape_put_clean(f, tape_trace_path(s->t));
	fprintf(f, "  %zu rank%s on %zu host%s", s->ranks,
		s->ranks == 1 ? "" : "s", n, n == 1 ? "" : "s");
	if (*text) {
		fprintf(f, ", ");
		tape_put_clean(f, text);
	}
	fprintf(f, ", %s\n", base_text(s, text, sizeof text));
	if (s->incomplete)
		fprintf(f,
			"INCOMPLETE: %s. The figures cover the recorded part "
			"only\n",
			s->why);
}

void stat_print_report(struct stats *s, FILE *f)
{
	size_t n, ranks;
	struct stat_rank *r = stat_ranks(s, &ranks);
	double all = 0, waited = 0;
	char text[2200];
	struct site *list;

	print_head(s, f);
	length_text(s, r, ranks, text, sizeof text);
	fprintf(f, "%s\n", text);
	for (size_t i = 0; i < ranks; i++) {
		all += r[i].length_ns;
		waited += r[i].waiting_ns;
	}
	list = list_wait_sites(s, &n);
	for (size_t i = 0; i < n && i < WAITS_SAID; i++) {
		if (list[i].ns < least_share * all)
			break;
		site_text(s, &list[i], text, sizeof text);
		fprintf(f, "%s\n", text);
	}
	if (!s->comparable)
		fprintf(f, "Waiting times are not available: the clocks of the "
			   "ranks are not synchronised. Run sba first\n");
	else if (!n || list[0].ns < least_share * all)
		fprintf(
		    f,
		    "No significant waiting: %.1f%% of the time of all ranks\n",
		    all > 0 ? 100 * waited / all : 0);
	stat_levels_text(s, least_share * all, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
	balance_text(r, ranks, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
	tracing_text(s, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
	if (tape_not_recorded_text(s->missing, text, sizeof text))
		fprintf(f, "Not recorded: %s\n", text);
	if (tape_contention_text(s->t, text, sizeof text))
		fprintf(f, "Warning: %s\n", text);
	free(list);
	free(r);
}

/* A member of a JSON object, of ns: 15 digits are exact. */
static void print_seconds(FILE *f, const char *name, double ns)
{
	fprintf(f, ",\"%s\":%.15g", name, ns / 1e9);
}

void stat_print_report_json(struct stats *s, FILE *f)
{
	size_t n;
	struct stat_rank *r = stat_ranks(s, &n);
	struct total total = read_total(s);
	double all = 0, waited = 0, in = 0, computing = 0, tracing = 0;

	for (size_t i = 0; i < n; i++) {
		all += r[i].length_ns;
		in += share_in_calls(&r[i]) * r[i].length_ns;
		waited += r[i].waiting_ns;
		computing += r[i].computing_ns;
		tracing += r[i].tracing_ns;
	}
	fprintf(f, "\"trace\":");
	tape_json_put(f, tape_trace_path(s->t));
	fprintf(f,
		",\"base\":\"%s\",\"ranks_number\":%zu,\"hosts_number\":%zu,"
		"\"complete\":%s,\"comparable\":%s,\"events\":%" PRIu64
		",\"messages_matched\":%" PRIu64
		",\"messages_unmatched\":%" PRIu64 ",\"rounds\":%" PRIu64,
		base_name(s->t), s->ranks, count_run_hosts(s),
		s->incomplete ? "false" : "true",
		s->comparable ? "true" : "false", s->events, s->messages,
		s->unmatched, s->rounds);
	print_seconds(f, "run_s", (double)(s->to_ns - s->from_ns));
	print_seconds(f, "critical_path_s",
		      (double)(s->path.to_ns - s->path.from_ns));
	print_seconds(f, "all_ranks_s", all);
	print_seconds(f, "computing_s", computing);
	print_seconds(f, "in_calls_s", in);
	print_seconds(f, "waiting_s", waited);
	print_seconds(f, "tracing_s", tracing);
	if (total.there) {
		print_seconds(f, "measured_s", total.measured_ns);
		print_seconds(f, "without_tracing_s", total.without_ns);
	}
	if (total.certain) {
		print_seconds(f, "certain_from_s", total.from_ns);
		print_seconds(f, "certain_to_s", total.to_ns);
	}
	free(r);
}

void stat_report(struct stats *s)
{
	stat_print_report(s, stdout);
}

void stat_report_json(struct stats *s)
{
	stat_print_report_json(s, stdout);
}
