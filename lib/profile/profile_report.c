/* The answer in a few lines; see stat.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "contention.h"
#include "duration_text.h"
#include "escape.h"
#include "figure_checks.h"
#include "interval.h"
#include "json.h"
#include "message_order.h"
#include "never_freed.h"
#include "outside_time.h"
#include "predicted.h"
#include "processor_waits.h"
#include "run_efficiency.h"
#include "stat.h"
#include "tool.h"

enum { RANKS_SAID = 6, UNPAIRED_SAID = 2 };

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

/* ---- how long, and what tracing cost ---- */

/* What tico wrote of the run: measured, without tracing, certainly between. */
struct total {
	double measured_ns, without_ns, from_ns, to_ns;
	int there, certain;
	int contradicts; /* the run without tracing is out of its bounds */
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
	t.contradicts =
	    t.certain && !(t.from_ns <= t.to_ns &&
			   figure_is_within(t.without_ns, t.from_ns, t.to_ns));
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
		stat_certain_text(t.from_ns, t.to_ns, certain, sizeof certain);
	if (t.contradicts)
		figure_error_text("the corrected run time is out of its bounds",
				  text, size);
	else if (t.there)
		snprintf(text, size,
			 "Tracing added %s (%.1f%%), including start-up and "
			 "finalisation. The corrected run takes %s%s",
			 tape_duration_text(t.measured_ns - t.without_ns, a,
					    sizeof a),
			 100 * (t.measured_ns - t.without_ns) / t.measured_ns,
			 tape_duration_text(t.without_ns, b, sizeof b),
			 certain);
	else if (sum > all)
		/* a part of it was before the first call, or after the last */
		snprintf(text, size, "Tracing added %s. To remove it, run tico",
			 tape_duration_text(sum, a, sizeof a));
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
		   ? fmax(0, 1 - (r->computing_ns + r->tracing_ns) /
				     r->length_ns)
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
	const char *noise = tape_trace_meta(s->t, "noise", 0);
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
	if (noise) {
		fprintf(f, "Calls were delayed at random (noise ");
		tape_put_clean(f, noise);
		fprintf(f, "): delays count as tracing\n");
	}
	if (s->incomplete)
		fprintf(f,
			"INCOMPLETE: %s. The figures cover the recorded part "
			"only\n",
			s->why);
}

void stat_certain_text(double from_ns, double to_ns, char *text, size_t size)
{
	struct tape_seconds x = tape_interval_seconds(from_ns, to_ns);

	if (x.exact)
		snprintf(text, size, " (certain: exactly %.*f s)", x.digits,
			 x.from_s);
	else
		snprintf(text, size, " (certain: %.*f to %.*f s)", x.digits,
			 x.from_s, x.digits, x.to_s);
}

int stat_contention_text(const struct stats *s, char *text, size_t size)
{
	const struct tape_trace *t = s->t;
	struct tape_contention c;

	if (!tape_contention(t, &c) && s->measured)
		t = s->measured->t;
	if (!tape_contention(t, &c))
		return 0;
	tape_contention_text(t, text, size);
	return c.of.waited_ns >= c.of.ns / 10 ? 2 : 1;
}

/* Calls that may have taken other messages than without tracing. */
static void print_order(const struct stats *s, FILE *f)
{
	struct tape_message_order o;

	if (tape_message_order_read(&o, s->t) && o.open + o.turned)
		fprintf(f, "%" PRIu64 " of %" PRIu64 " calls that take what "
			   "comes first might end otherwise without tracing: "
			   "see taperaces\n", o.open + o.turned, o.calls);
}

static void print_order_json(const struct stats *s, FILE *f)
{
	struct tape_message_order o;

	if (tape_message_order_read(&o, s->t))
		fprintf(f, ",\"message_order\":{\"calls\":%" PRIu64
			   ",\"open\":%" PRIu64 ",\"turned\":%" PRIu64 "}",
			o.calls, o.open, o.turned);
}

/* Is all of the run in the trace, so that what is not there did not happen? */
static int has_whole_run(const struct stats *s)
{
	char text[TAPE_PLACE_BYTES];

	return !s->incomplete &&
	       !tape_not_recorded_text(s->missing, text, sizeof text);
}

/* Messages and receives without a partner, and what was never freed. */
static void print_unpaired(const struct stats *s, FILE *f)
{
	struct tape_unmatched_line *list;
	char text[TAPE_PLACE_BYTES + 200];
	size_t n, said = 0;

	if (!has_whole_run(s))
		return;
	list = tape_must(tape_unmatched_list(s->unpaired, &n));
	for (size_t i = 0; i < n && said < UNPAIRED_SAID; i++) {
		int peer = tape_peer_rank(s->t, list[i].where.rank,
					  list[i].where.comm, list[i].peer);

		if (peer < 0 && list[i].peer != TAPE_ANY_SOURCE)
			continue; /* of another job */
		tape_unmatched_sentence(&list[i], s->t, text, sizeof text);
		fprintf(f, "%s\n", text);
		said++;
	}
	if (n > UNPAIRED_SAID && said)
		fprintf(f, "tico lists all %zu kinds of such messages\n", n);
	free(list);
	stats_print_left(s, f);
}

/* How long the run took, who made others wait, and what a balance saves. */
static void print_answer(struct stats *s, FILE *f)
{
	size_t ranks;
	struct stat_rank *r = stat_ranks(s, &ranks);
	struct answer *a = answer_new(s);
	double all = 0;
	char text[2200];

	length_text(s, r, ranks, text, sizeof text);
	fprintf(f, "%s\n", text);
	for (size_t i = 0; i < ranks; i++)
		all += r[i].length_ns;
	answer_print(a, f);
	answer_print_growth(a, f);
	stat_levels_text(s, ANSWER_LEAST_SHARE * all, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
	answer_balance_text(a, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
	answer_free(a);
	free(r);
}

/* Returns as stat_contention_text. */
static int print_contention(const struct stats *s, FILE *f)
{
	char text[2200];
	char without[200];
	int contention = stat_contention_text(s, text, sizeof text);

	stats_ready_text(s, without, sizeof without);
	if (contention > 1)
		fprintf(f, "Warning: %s%s\n", text,
			*without ? ""
				 : ". What follows says little of the program");
	if (*without)
		fprintf(f, "%s. Causes and waits are without that\n", without);
	return contention;
}

void stat_print_so_far(struct stats *s, FILE *f)
{
	char text[2200];

	print_contention(s, f);
	print_answer(s, f);
	stats_efficiency_text(s, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
}

void stat_print_report(struct stats *s, FILE *f)
{
	print_head(s, f);
	stat_print_findings(s, f);
}

void stat_print_findings(struct stats *s, FILE *f)
{
	char text[2200];
	int contention = print_contention(s, f);

	print_answer(s, f);
	print_unpaired(s, f);
	tracing_text(s, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
	print_order(s, f);
	stats_efficiency_text(s, text, sizeof text);
	if (*text)
		fprintf(f, "%s\n", text);
	if (tape_not_recorded_text(s->missing, text, sizeof text))
		fprintf(f, "Not recorded: %s\n", text);
	if (contention == 1 && stat_contention_text(s, text, sizeof text))
		fprintf(f, "Warning: %s\n", text);
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
	struct answer *a = answer_new(s);
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
	if (tape_trace_meta(s->t, "noise", 0)) {
		fprintf(f, ",\"noise\":");
		tape_json_put(f, tape_trace_meta(s->t, "noise", 0));
	}
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
	if (total.there && !total.contradicts) {
		print_seconds(f, "measured_s", total.measured_ns);
		print_seconds(f, "without_tracing_s", total.without_ns);
	}
	if (total.certain && !total.contradicts) {
		print_seconds(f, "certain_from_s", total.from_ns);
		print_seconds(f, "certain_to_s", total.to_ns);
	}
	answer_print_json(a, f);
	fputs(",", f);
	stats_print_efficiency_json(s, f);
	fputs(",", f);
	stats_print_outside_json(s, f);
	print_order_json(s, f);
	fputs(",\"unmatched\":", f);
	tape_unmatched_json(s->unpaired, s->t, f);
	fputs(",\"never_freed\":", f);
	if (has_whole_run(s))
		stats_print_left_json(s, f);
	else
		fputs("null", f);
	answer_free(a);
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
