/* What made ranks wait, and what a balance would save; see answer.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "answer_state.h"
#include "causes.h"
#include "counter_ratios.h"
#include "duration_text.h"
#include "figure_checks.h"
#include "growing_array.h"
#include "json.h"
#include "outside_time.h"
#include "processor_waits.h"
#include "sort.h"
#include "stat.h"
#include "tied_ranks.h"
#include "tool.h"

/* Lines at most: of causes, and of call sites with waiting, or that grow. */
enum { CAUSES_SAID = 3, SITES_SAID = 2, GROWING_SAID = 2 };
/* Causes that are looked at for these lines. */
enum { CAUSES_SEEN = 20 };

static size_t find_largest(const double *v, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (v[i] > v[best])
			best = i;
	return best;
}

static int flow_rank(const struct answer *a, size_t flow)
{
	return tape_trace_flow(a->s->t, flow)->rank;
}

/* "Ranks 1-3" */
void answer_ranks_text(const struct tape_late_ranks *r, char *text, size_t size)
{
	stat_rank_list(r->rank, r->n, text, size);
	text[0] = (char)toupper((unsigned char)text[0]);
}

static int is_computing(const struct answer *a, uint32_t activity)
{
	return tape_place_get(a->s->places, activity)->kind ==
	       TAPE_ACTIVITY_COMPUTES;
}

/* ---- call sites with waiting ---- */

static int by_ns(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Sites with waiting, the longest first. */
static void list_wait_sites(struct answer *a)
{
	size_t at = 0, room = 0;
	const struct stats_waits *w;
	uint64_t key;

	while ((w = tape_table_each(&a->s->waits, &at, &key))) {
		size_t i = 0;

		while (i < a->sites && (a->site[i].call != w->call ||
					a->site[i].kind != w->kind))
			i++;
		if (i == a->sites) {
			a->site = tape_must(tape_grow_array(
			    a->site, &room, a->sites + 1, sizeof *a->site));
			a->site[a->sites++] =
			    (struct site){.call = w->call, .kind = w->kind};
		}
		a->site[i].ns += w->ns;
		a->site[i].ready.from_ns += w->ready.from_ns;
		a->site[i].ready.to_ns += w->ready.to_ns;
	}
	tape_sort(a->site, a->sites, sizeof *a->site, by_ns);
}

/* Who waited there, and for whom. */
void answer_sum_site_flows(const struct stats *s, struct site *k)
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

/* Writes " for rank 3", or "" if the report has a line with a cause. */
static void partner_text(const struct answer *a, const struct site *k,
			 char *text, size_t size)
{
	size_t late = find_largest(k->for_flow, a->s->flows);
	double share = k->ns > 0 ? k->for_flow[late] / k->ns : 0;

	*text = '\0';
	if (a->said)
		return;
	if (share >= 0.95)
		snprintf(text, size, " for rank %d", flow_rank(a, late));
	else if (share < 0.2)
		snprintf(text, size, " for many ranks");
	else
		snprintf(text, size,
			 " for several ranks, %.0f%% of the time for rank %d",
			 100 * share, flow_rank(a, late));
}

static void print_site(const struct answer *a, struct site *k, FILE *f)
{
	char who[200], what[TAPE_PLACE_BYTES], time[32], whom[80];
	struct tape_late_ranks r;

	answer_sum_site_flows(a->s, k);
	if (tape_late_ranks(k->by_flow, a->s->t, &r))
		tape_die_no_memory();
	answer_ranks_text(&r, who, sizeof who);
	free(r.rank);
	partner_text(a, k, whom, sizeof whom);
	fprintf(f, "%s waited %s in %s%s (%s)\n", who,
		tape_duration_text(k->ns, time, sizeof time),
		tape_activity_text(a->s->places, k->call, what, sizeof what),
		whom, tape_wait_name((enum tape_wait_kind)k->kind));
	free(k->by_flow);
	free(k->for_flow);
}

/* ---- causes ---- */

/* Times of ranks that differ by less do not matter, ns. */
static double least_difference(const struct answer *a)
{
	return ANSWER_LEAST_SHARE * a->all_ns / (double)a->ranks;
}

/* *tied: the waiting is that for one of the ranks, which are equally slow. */
static struct tape_late_ranks ranks_of_cause(const struct answer *a,
					     const struct tape_cause *c,
					     int *tied)
{
	struct tape_late_ranks r;
	int is_one;

	if (tape_cause_ranks(&a->s->delays, c, a->s->t, &r))
		tape_die_no_memory();
	is_one = r.n == 1;
	if (is_one && is_computing(a, c->activity))
		tied_ranks_add(a->rank, a->ranks, a->is_cause,
			       least_difference(a), &r);
	*tied = is_one && r.n > 1;
	return r;
}

static double share_of(double ns, double all_ns)
{
	return all_ns > 0 ? ns / all_ns : 0;
}

/* How many causes are large enough to be told. */
static size_t count_causes_said(const struct answer *a)
{
	size_t n = 0;

	while (n < a->causes && n < CAUSES_SEEN &&
	       a->cause[n].ns >= ANSWER_LEAST_SHARE * a->all_ns &&
	       a->cause[n].ns >= 0.05 * a->waiting_ns)
		n++;
	return n;
}

/* Marks the ranks that are a cause. Both lists are in the order of ranks. */
static void mark_causes(struct answer *a)
{
	a->is_cause = tape_must(calloc(a->ranks + 1, 1));
	for (size_t i = 0; i < a->said; i++) {
		struct tape_late_ranks r;
		size_t k = 0;

		if (tape_cause_ranks(&a->s->delays, &a->cause[i], a->s->t, &r))
			tape_die_no_memory();
		for (size_t j = 0; j < a->ranks && k < r.n; j++)
			if (a->rank[j].rank == r.rank[k]) {
				a->is_cause[j] = 1;
				k++;
			}
		free(r.rank);
	}
}

/* A line of the report: a cause, or all causes of one rank. */
struct line {
	const struct tape_cause *first; /* of these, the most expensive */
	char who[200];
	size_t ranks;
	int is_tied;	/* the ranks are equally slow */
	double ns;	/* of all of them */
	double most_ns; /* of the first, by the rank that caused most */
};

static int order_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Lines for the first n causes, in order. Returns how many. */
static size_t list_lines(const struct answer *a, struct line *line, size_t n)
{
	size_t lines = 0;

	for (size_t i = 0; i < n; i++) {
		struct line *x = &line[lines];
		int tied;
		struct tape_late_ranks r =
		    ranks_of_cause(a, &a->cause[i], &tied);
		size_t k = 0;

		*x = (struct line){.first = &a->cause[i],
				   .ranks = r.n,
				   .is_tied = tied,
				   .ns = a->cause[i].ns,
				   .most_ns = r.most_ns};
		answer_ranks_text(&r, x->who, sizeof x->who);
		free(r.rank);
		while (k < lines && ((x->ranks > 1 && !x->is_tied) ||
				     line[k].is_tied != x->is_tied ||
				     strcmp(line[k].who, x->who)))
			k++;
		if (k < lines)
			line[k].ns += x->ns;
		else
			lines++;
	}
	tape_sort(line, lines, sizeof *line, order_lines);
	return lines;
}

static void print_line(const struct answer *a, const struct line *x, FILE *f)
{
	const struct tape_cause *c = x->first;
	int tied;
	struct tape_late_ranks r = ranks_of_cause(a, c, &tied);
	char what[TAPE_PLACE_BYTES + 100], time[32], part[60] = "";
	char counted[200] = "";

	if (tied)
		snprintf(part, sizeof part, "; equally slow");
	else if (x->ranks > 1)
		snprintf(part, sizeof part, "; rank %d: %.0f%% of that",
			 flow_rank(a, c->flow),
			 100 * share_of(x->most_ns, c->ns));
	stats_outside_text(a->s, r.rank, r.n, c->activity, what, sizeof what);
	if (is_computing(a, c->activity))
		stats_counters_text(a->s, r.rank, r.n, counted, sizeof counted);
	free(r.rank);
	fprintf(f, "%s caused %.0f%% of the waiting (%s%s), ", x->who,
		100 * share_of(x->ns, a->waiting_ns),
		tape_duration_text(x->ns, time, sizeof time), part);
	if (x->ns > c->ns)
		fprintf(f, "%.0f%% of that ", 100 * share_of(c->ns, x->ns));
	fprintf(f, "%s%s\n", what, counted);
}

static void print_unexplained(const struct answer *a, FILE *f)
{
	double ns = a->s->delays.rest_ns;
	char time[32];

	if (ns < ANSWER_LEAST_SHARE * a->all_ns || ns < 0.1 * a->waiting_ns)
		return;
	fprintf(f,
		"No cause was found of %.0f%% of the waiting (%s): the delay "
		"began before the last synchronisation of the two ranks\n",
		100 * share_of(ns, a->waiting_ns),
		tape_duration_text(ns, time, sizeof time));
}

void answer_print(const struct answer *a, FILE *f)
{
	double least = ANSWER_LEAST_SHARE * a->all_ns;
	struct line line[CAUSES_SEEN];
	size_t lines;

	if (!a->s->comparable) {
		fprintf(f, "Waiting times are not available: the clocks of the "
			   "ranks are not synchronised. Run sba first\n");
		return;
	}
	if (a->waiting_ns < least || !a->sites) {
		fprintf(f,
			"No significant waiting: %.1f%% of the time of all "
			"ranks\n",
			100 * share_of(a->waiting_ns, a->all_ns));
		return;
	}
	if (stats_is_ready_told(a->s)) {
		answer_print_without_ready(a, f);
		return;
	}
	lines = list_lines(a, line, a->said);
	for (size_t i = 0; i < lines && i < CAUSES_SAID; i++)
		print_line(a, &line[i], f);
	print_unexplained(a, f);
	for (size_t i = 0; i < a->sites && i < SITES_SAID; i++)
		if (!i || a->site[i].ns >= least)
			print_site(a, &a->site[i], f);
}

/* ---- calls that grow ---- */

struct growing {
	uint32_t call;
	struct call_trend trend;
};

static int by_growth(const void *a, const void *b)
{
	const struct growing *x = a, *y = b;

	if (x->trend.more_ns != y->trend.more_ns)
		return x->trend.more_ns < y->trend.more_ns ? 1 : -1;
	return x->call < y->call ? -1 : x->call > y->call;
}

/* Lists call sites with an important growth, the largest first, at most
 * GROWING_SAID. Returns their number. */
static size_t list_growing(const struct answer *a, struct growing *list)
{
	size_t n = 0;

	for (uint32_t i = 0; a->s->comparable && i < a->s->n_places; i++) {
		struct growing x = {.call = i};

		if (!call_growth_find(&a->s->place[i].growth, &x.trend) ||
		    x.trend.more_ns < ANSWER_LEAST_SHARE * a->all_ns)
			continue;
		list[n++] = x;
		tape_sort(list, n, sizeof *list, by_growth);
		n -= n > GROWING_SAID;
	}
	return n;
}

void answer_print_growth(const struct answer *a, FILE *f)
{
	struct growing list[GROWING_SAID + 1];
	size_t n = list_growing(a, list);

	for (size_t i = 0; i < n; i++) {
		char what[TAPE_PLACE_BYTES], from[32], to[32];

		tape_duration_text(list[i].trend.from_ns, from, sizeof from);
		tape_duration_text(list[i].trend.to_ns, to, sizeof to);
		fprintf(f, "%s grows from %s to %s a call\n",
			tape_activity_text(a->s->places, list[i].call, what,
					   sizeof what),
			from, to);
	}
}

static void print_growth_json(const struct answer *a, FILE *f)
{
	struct growing list[GROWING_SAID + 1];
	size_t n = list_growing(a, list);
	char what[TAPE_PLACE_BYTES];

	fputs(",\"growing\":[", f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s{\"call\":", i ? "," : "");
		tape_json_put(f, tape_activity_text(a->s->places, list[i].call,
						    what, sizeof what));
		fprintf(f,
			",\"from_s\":%.15g,\"to_s\":%.15g,"
			"\"seconds\":%.15g}",
			list[i].trend.from_ns / 1e9, list[i].trend.to_ns / 1e9,
			list[i].trend.more_ns / 1e9);
	}
	fputs("]", f);
}

/* ---- balance ---- */

static double mean_computing(const struct answer *a)
{
	double sum = 0;

	for (size_t i = 0; i < a->ranks; i++)
		sum += a->rank[i].computing_ns;
	return a->ranks ? sum / (double)a->ranks : 0;
}

static size_t find_busiest(const struct answer *a)
{
	size_t best = 0;

	for (size_t i = 1; i < a->ranks; i++)
		if (a->rank[i].computing_ns > a->rank[best].computing_ns)
			best = i;
	return best;
}

/* What the longest rank computes above the mean, ns. */
static double longest_above_mean(const struct answer *a)
{
	return a->ranks
		   ? a->rank[find_busiest(a)].computing_ns - mean_computing(a)
		   : 0;
}

/*
 * What an even distribution of all computing certainly saves at least and at
 * most, ns: the longest less the mean, all others at the other end of their
 * intervals. 0: not known.
 */
static int balance_certain(const struct answer *a, double *from, double *to)
{
	double least = 0, most = 0, share = (double)a->ranks;

	for (size_t i = 0; i < a->ranks; i++) {
		least += a->rank[i].least_ns / share;
		most += a->rank[i].most_ns / share;
	}
	*from = *to = 0;
	for (size_t i = 0; i < a->ranks; i++) {
		double of_least = a->rank[i].least_ns / share;
		double of_most = a->rank[i].most_ns / share;

		*from = fmax(*from,
			     a->rank[i].least_ns - of_least - most + of_most);
		*to =
		    fmax(*to, a->rank[i].most_ns - of_most - least + of_least);
	}
	return isfinite(least) && isfinite(most);
}

/*
 * What ranks waited on average because others computed, ns: without that each
 * rank has its computing and its calls, and no more. 0: locks make ranks take
 * turns, whatever they compute.
 */
static double waiting_by_computing(const struct answer *a)
{
	double ns = 0;

	if (a->s->waited_ns[TAPE_WAIT_LOCK] > 0.1 * a->waiting_ns)
		return 0;
	for (size_t i = 0; i < a->causes; i++)
		if (is_computing(a, a->cause[i].activity))
			ns += a->cause[i].ns;
	return a->ranks ? ns / (double)a->ranks : 0;
}

/*
 * What a perfect balance saves at most, ns. Where the longest rank changes that
 * is more than the longest rank computes above the mean.
 */
static double balance_saving(const struct answer *a)
{
	double over = longest_above_mean(a);
	double in_steps = waiting_by_computing(a);

	return in_steps > 1.1 * over ? in_steps : over;
}

/*
 * Can balance_saving be true? Returns 1, with the bounds in *from and *to if it
 * is what the longest rank computes above the mean and these are known, else
 * NAN; 0: the saving is longer than the run, or out of its bounds.
 */
static int does_saving_hold(const struct answer *a, double *from, double *to)
{
	double saving = balance_saving(a);

	if (saving > longest_above_mean(a) || !balance_certain(a, from, to))
		*from = *to = NAN;
	else if (!figure_is_within(saving, *from, *to))
		return 0;
	return !a->s->comparable ||
	       figure_is_within(saving, 0,
				(double)(a->s->to_ns - a->s->from_ns));
}

/* "computes", if it is not known that one of n ranks did not. */
static const char *what_they_do(const struct answer *a,
				const struct stat_rank *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!stats_is_rank_computing(a->s, r[i].rank))
			return "is outside of calls";
	return "computes";
}

/* "Rank 1 computes longest", "Ranks 1 and 2 compute longest". */
static void longest_text(const struct answer *a, char *text, size_t size)
{
	const struct stat_rank *most = &a->rank[find_busiest(a)];
	int *rank = tape_must(calloc(a->ranks + 1, sizeof *rank));
	const char *does = "compute";
	char who[200];
	size_t n = 0;

	for (size_t i = 0; i < a->ranks; i++) {
		if (!tied_ranks_compute_equally(most, &a->rank[i],
						least_difference(a)))
			continue;
		rank[n++] = a->rank[i].rank;
		if (!stats_is_rank_computing(a->s, a->rank[i].rank))
			does = "are outside of calls";
	}
	stat_rank_list(rank, n, who, sizeof who);
	free(rank);
	who[0] = (char)toupper((unsigned char)who[0]);
	snprintf(text, size, "%s %s longest", who,
		 n > 1 ? does : what_they_do(a, most, 1));
}

void answer_balance_text(const struct answer *a, char *text, size_t size)
{
	double mean = mean_computing(a), saving = balance_saving(a), from, to;
	char busy[32], saved[32], certain[100] = "", changes[500];
	const struct stat_rank *r;
	char longest[300];
	const char *each;
	double over;

	*text = '\0';
	/* what ranks compute has what they waited for a processor */
	if (a->ranks < 2 || mean <= 0 || stats_is_ready_told(a->s))
		return;
	if (!does_saving_hold(a, &from, &to)) {
		figure_error_text("what a balance saves is out of its bounds",
				  text, size);
		return;
	}
	r = &a->rank[find_busiest(a)];
	longest_text(a, longest, sizeof longest);
	each = what_they_do(a, a->rank, a->ranks);
	over = r->computing_ns - mean;
	tape_duration_text(saving, saved, sizeof saved);
	tape_duration_text(over < ANSWER_LEAST_SHARE * mean ? mean
							    : r->computing_ns,
			   busy, sizeof busy);
	if (a->slowest.n > 1) {
		slowest_ranks_text(&a->slowest, changes, sizeof changes);
		snprintf(text, size,
			 "T%s. Perfect balance in each step would save at most "
			 "%s",
			 changes + 1, saved);
	} else if (saving < ANSWER_LEAST_SHARE * mean)
		snprintf(text, size,
			 "The load is balanced: each rank %s about %s", each,
			 busy);
	else if (over < ANSWER_LEAST_SHARE * mean)
		snprintf(text, size,
			 "Each rank %s about %s in all, but not in step. "
			 "Perfect balance in each step would save at most %s",
			 each, busy, saved);
	else if (saving > over)
		snprintf(text, size,
			 "%s: %s, %.0f%% above the mean. "
			 "Perfect balance in each step would save at most %s",
			 longest, busy, 100 * over / mean, saved);
	else {
		if (!isnan(from))
			stat_certain_text(from, to, certain, sizeof certain);
		snprintf(text, size,
			 "%s: %s, %.0f%% above the mean. "
			 "Perfect balance would save at most %s%s",
			 longest, busy, 100 * over / mean, saved, certain);
	}
}

/* ---- JSON ---- */

static void print_cause_json(const struct answer *a, const struct tape_cause *c,
			     FILE *f)
{
	int tied;
	struct tape_late_ranks r = ranks_of_cause(a, c, &tied);
	char text[TAPE_PLACE_BYTES];
	uint32_t call;

	fputs("{\"ranks\":[", f);
	for (size_t i = 0; i < r.n; i++)
		fprintf(f, "%s%d", i ? "," : "", r.rank[i]);
	fprintf(f,
		"],\"most\":%d,\"most_share\":%.6g,\"tied\":%s,"
		"\"seconds\":%.15g,"
		"\"share\":%.6g,\"computing\":%s,\"activity\":",
		flow_rank(a, c->flow), share_of(r.most_ns, c->ns),
		tied ? "true" : "false", c->ns / 1e9,
		share_of(c->ns, a->waiting_ns),
		is_computing(a, c->activity) ? "true" : "false");
	tape_json_put(f, tape_activity_text(a->s->places, c->activity, text,
					    sizeof text));
	call = tape_cause_waiting_call(&a->s->delays, c->activity);
	fputs(",\"waiting_call\":", f);
	tape_json_put(
	    f, call ? tape_activity_text(a->s->places, call, text, sizeof text)
		    : "");
	stats_print_outside_shares(a->s, r.rank, r.n, c->activity, f);
	stats_print_ready_json(a->s, &c->ready, f);
	stats_print_counters_json(a->s, r.rank, r.n, f);
	fputs("}", f);
	free(r.rank);
}

void answer_print_json(const struct answer *a, FILE *f)
{
	double from, to;

	fprintf(f,
		",\"answer\":{\"waiting_s\":%.15g,\"unexplained_s\":%.15g,"
		"\"balance_saves_s\":",
		a->waiting_ns / 1e9, a->s->delays.rest_ns / 1e9);
	if (!stats_is_ready_told(a->s) && does_saving_hold(a, &from, &to))
		fprintf(f, "%.15g", balance_saving(a) / 1e9);
	else
		fputs("null", f);
	stats_print_ready_json(a->s, &a->s->ready, f);
	fputs(",", f);
	slowest_ranks_json(&a->slowest, f);
	fputs(",\"causes\":[", f);
	for (size_t i = 0; i < a->said; i++) {
		if (i)
			fputs(",", f);
		print_cause_json(a, &a->cause[i], f);
	}
	fputs("]", f);
	print_growth_json(a, f);
	fputs("}", f);
}

/* ---- all of it ---- */

struct answer *answer_new(struct stats *s)
{
	struct answer *a = tape_must(calloc(1, sizeof *a));

	a->s = s;
	a->rank = stat_ranks(s, &a->ranks);
	for (size_t i = 0; i < a->ranks; i++) {
		a->all_ns += a->rank[i].length_ns;
		a->waiting_ns += a->rank[i].waiting_ns;
	}
	a->cause = tape_must(tape_causes_list(&s->delays, &a->causes));
	a->said = count_causes_said(a);
	mark_causes(a);
	list_wait_sites(a);
	if (balance_saving(a) > longest_above_mean(a))
		a->slowest = slowest_ranks_find(s);
	return a;
}

void answer_free(struct answer *a)
{
	free(a->rank);
	free(a->is_cause);
	free(a->cause);
	free(a->site);
	slowest_ranks_free(&a->slowest);
	free(a);
}
