/* What a trace is, at a glance. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "number_text.h"
#include "call_parts.h"
#include "contention.h"
#include "drift.h"
#include "dump.h"
#include "escape.h"
#include "row_selection.h"
#include "sort.h"
#include "tool.h"
#include "not_recorded.h"

/* Flows that did not end in order, of many. */
enum { BAD_SHOWN = 8 };

struct tally {
	uint64_t events, polls;
	double inside_s;
};

/* What is said of a flow. */
struct flow_line {
	const struct tape_flow_info *info;
	uint64_t events, bytes, lost;
	double seconds;
	enum tape_end end;
	int damaged;
};

/* Calls by number, then marks by class. */
struct tallies {
	struct flow_line *line; /* of each flow */
	struct tally call[TAPE_CALL_COUNT], mark[TAPE_CLASS_COUNT];
	uint64_t events, bytes;
	struct tape_not_recorded *missing;
	struct dump_sites *sites;
	struct dump_counters *counters;
};

/* Prints a value of meta without its escapes. */
static void print_meta_line(const char *name, const char *value)
{
	char *text;
	size_t n;

	if (!value)
		return;
	n = strlen(value) + 1;
	printf("%-10s", name);
	text = tape_must(malloc(n));
	tape_put_clean(stdout, tape_unescape_value(value, text, n));
	putchar('\n');
	free(text);
}

static void print_run_facts(const struct tape_trace *t)
{
	static const char *const bases[] = { "local", "global",
					     "compensated" };
	const char *date = tape_trace_meta(t, "date", 0), *h;
	time_t when = (time_t)tape_leading_number(date, 10);
	char text[64];
	struct tm tm;

	print_meta_line("program", tape_trace_meta(t, "program", 0));
	print_meta_line("command", tape_trace_meta(t, "command", 0));
	if (date && localtime_r(&when, &tm) &&
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		print_meta_line("date", text);
	print_meta_line("library", tape_trace_meta(t, "library", 0));
	printf("ranks     %zu\nclocks    %zu\nbase      %s\n",
	       tape_trace_ranks(t), tape_trace_domains(t),
	       bases[tape_trace_base(t)]);
	for (size_t i = 0; (h = tape_trace_meta(t, "history", i)); i++)
		print_meta_line("history", h);
}

/* Calls that are known by their number only, or enters and leaves. */
static void count_block(const struct tape_trace *t, struct tallies *s,
			const struct tape_event *e)
{
	const struct tape_block *b = &e->u.block;

	if (b->site)
		s->call[tape_trace_rank(t, e->rank)->sites[b->site].call]
			.polls += b->calls;
	if (!b->region)
		return;
	s->mark[TAPE_CLASS_ENTER].polls += b->calls;
	s->mark[TAPE_CLASS_LEAVE].polls += b->events - b->calls;
}

static void count_event(const struct tape_trace *t, struct tallies *s,
			const struct tape_event *e)
{
	struct tally *y = e->call ? &s->call[e->call] : &s->mark[e->class_];

	y->events++;
	y->polls += tape_calls_ended(e);
	y->inside_s += (double)e->inside_ns / 1e9;
	s->call[e->also_polls ? e->also_call : 0].polls += e->also_polls;
	if (e->class_ == TAPE_CLASS_BLOCK)
		count_block(t, s, e);
	dump_sites_count(s->sites, e);
}

static void read_flow_summary(struct tape_trace *t, size_t index,
			      struct tallies *s)
{
	const struct tape_flow_info *info = tape_trace_flow(t, index);
	int64_t first = 0, last = 0;
	const struct tape_event *e;
	uint64_t n = 0, lost = 0, bytes;
	enum tape_end end;
	struct tape_flow *f;
	int rc;

	if (tape_flow_open(t, index, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	dump_counters_flow(s->counters, info->rank);
	while ((rc = tape_flow_next(f, &e)) > 0) {
		if (!n++)
			first = e->start_ns;
		last = e->end_ns;
		count_event(t, s, e);
		if (tape_not_recorded_matters(e))
			tape_not_recorded_event(s->missing, e);
		dump_counters_add(s->counters, e);
		if (!(n & 0xfffff))
			tape_progress(s->events + n, 0);
	}
	if (rc == TAPE_ENOMEM)
		tape_die_no_memory();
	end = tape_flow_end(f, &lost);
	bytes = tape_flow_bytes(f);
	s->line[index] = (struct flow_line){
	    info, n, bytes, lost, (double)(last - first) / 1e9, end, rc != 0 };
	s->events += n;
	s->bytes += bytes;
	tape_flow_close(f);
}

static int by_seconds(const void *a, const void *b)
{
	const struct flow_line *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? -1 : 1;
	return (x->info > y->info) - (x->info < y->info);
}

static void print_flow_row(const struct flow_line *l, const char *word)
{
	printf("%s%4d %6d %12" PRIu64 " %15.9f %12" PRIu64 " %6.2f  %s", word,
	       l->info->rank, l->info->thread, l->events, l->seconds,
	       l->bytes,
	       l->events ? (double)l->bytes / (double)l->events : 0,
	       l->damaged ? "damaged" : dump_end_name(l->end));
	if (l->lost)
		printf(", %" PRIu64 " events missing", l->lost);
	putchar('\n');
}

/* The line, and how the flow ended as a message on stderr. */
static void print_flow_and_warn(const struct flow_line *l, const char *word)
{
	print_flow_row(l, word);
	if (!l->damaged)
		dump_end_warn(l->info, l->end, l->lost);
}

static int is_ended_in_order(const struct flow_line *l)
{
	return !l->damaged && !l->lost &&
	       (l->end == TAPE_END_FINALIZE ||
		(l->end == TAPE_END_EXIT && l->info->thread));
}

/* Of many flows the quantiles, and those that did not end in order. */
static void print_flow_table(struct tallies *s, size_t n, int all)
{
	int many = n > TAPE_SHOWN_ALL && !all;
	size_t bad = 0;
	char text[16];
	const char *word;

	printf("\n%srank thread       events       seconds        bytes  "
	       "/event  end\n", many ? "        " : "");
	for (size_t i = 0; !many && i < n; i++)
		print_flow_and_warn(&s->line[i], "");
	if (!many)
		return;
	for (size_t i = 0; i < n; i++)
		if (!is_ended_in_order(&s->line[i]) && bad++ < BAD_SHOWN)
			print_flow_and_warn(&s->line[i], "end:    ");
	if (bad > BAD_SHOWN)
		printf("end:    and %zu more flows that did not end normally\n",
		       bad - BAD_SHOWN);
	tape_sort(s->line, n, sizeof *s->line, by_seconds);
	for (size_t k = 0, i; (word = tape_select_row(k, n, &i)); k++) {
		snprintf(text, sizeof text, "%-8s", word);
		print_flow_row(&s->line[i], text);
	}
}

static void print_tally(const char *name, const struct tally *y)
{
	if (y->events || y->polls)
		printf("%-26s %12" PRIu64 " %12" PRIu64 " %15.9f\n", name,
		       y->events, y->polls, y->inside_s);
}

static void print_summary(struct tape_trace *t, int all)
{
	size_t n = tape_trace_flows(t);
	struct tallies *s = tape_must(calloc(1, sizeof *s));
	char text[1024];

	s->line = tape_must(calloc(n + 1, sizeof *s->line));
	s->missing = tape_not_recorded_new(t);
	s->sites = dump_sites_new(t);
	s->counters = dump_counters_new(t);
	print_run_facts(t);
	for (size_t i = 0; i < n; i++)
		read_flow_summary(t, i, s);
	tape_progress(s->events, 1);
	print_flow_table(s, n, all);
	printf("%s all        %12" PRIu64 " %15s %12" PRIu64 " %6.2f\n",
	       n > TAPE_SHOWN_ALL && !all ? "        " : "", s->events, "",
	       s->bytes,
	       s->events ? (double)s->bytes / (double)s->events : 0);
	printf("\ncall                             events        calls"
	       "  seconds inside\n");
	for (unsigned i = 1; i < TAPE_CALL_COUNT; i++)
		print_tally(tape_call_name(i), &s->call[i]);
	for (unsigned i = 0; i < TAPE_CLASS_COUNT; i++)
		print_tally(tape_class_name(i), &s->mark[i]);
	dump_sites_print(s->sites);
	dump_sites_free(s->sites);
	dump_counters_print(s->counters);
	dump_counters_free(s->counters);
	tape_not_recorded_print(s->missing);
	if (tape_not_recorded_text(s->missing, text, sizeof text))
		printf("\nnot recorded: %s\n", text);
	if (tape_contention_text(t, text, sizeof text))
		printf("\nprocessors: %s\n", text);
	if (tape_drift_text(t, text, sizeof text))
		printf("\ncalibration: %s\n", text);
	tape_not_recorded_free(s->missing);
	free(s->line);
	free(s);
}

void dump_summary(struct tape_trace *t, int unused)
{
	(void)unused;
	print_summary(t, 0);
}

void dump_summary_all(struct tape_trace *t, int unused)
{
	(void)unused;
	print_summary(t, 1);
}
