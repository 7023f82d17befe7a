/*
 * tapestat: where the time of a run went, who waited for whom and why, and
 * what made the run as long as it was.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_number.h"
#include "output_options.h"
#include "contention.h"
#include "damage.h"
#include "escape.h"
#include "json.h"
#include "parallel_sums.h"
#include "job.h"
#include "measured_trace.h"
#include "plugins.h"
#include "program_options.h"
#include "run_scaling.h"
#include "tool.h"

/* More than a difference of that share, by itself, is reported. */
enum { LEAST_PERCENT = 2 };

/* Exit status where a place is slower, or a run less efficient than wanted: not
 * that of a failure. */
enum { SLOWER = 3, INEFFICIENT = 4 };

struct options {
	struct stat_answer answer;
	int compare, is_weak;
	double least, fail_below; /* 0: nothing fails */
	const char *baseline;	  /* NULL: the first trace */
	const char **measured; /* beside each run */
	size_t n_measured;
	const char *level;
	const char **plugin; /* as given */
	size_t plugins;
	struct tape_plugins_options each;
	int verbose;
	struct tape_peers *peers; /* with whom; NULL: alone */
};

static void add_plugin(struct options *o, const char *what)
{
	o->plugin =
	    tape_must(realloc(o->plugin, (o->plugins + 1) * sizeof *o->plugin));
	o->plugin[o->plugins++] = what;
}

/* traces: arguments that are no options. */
static void check_stat_options(const struct options *o, size_t traces)
{
	size_t runs = traces + (o->baseline != NULL);

	if (o->compare ? runs < 2 || !traces : runs != 1)
		tape_option_usage("tapestat");
	if (o->compare && (o->answer.phase || o->level))
		tape_option_usage("tapestat");
	if (o->n_measured && o->n_measured != runs)
		tape_option_usage("tapestat");
	if (!o->compare && (o->baseline || o->is_weak || o->fail_below > 0))
		tape_option_usage("tapestat");
	if (!o->compare)
		stat_output_check(&o->answer);
	if (o->plugins && o->peers)
		tape_die(TAPE_USAGE, "--plugin needs a single process: a "
				     "plug-in reads the whole trace");
	if (o->plugins && o->answer.format == SHEET_AS_CSV)
		tape_die(TAPE_USAGE, "--plugin cannot be combined with -c: "
				     "plug-in output is not a table");
}

static void parse_stat_options(struct options *o, int argc, char **argv)
{
	int c;

	o->measured = tape_must(calloc((size_t)argc + 1, sizeof *o->measured));
	while ((c = tape_option_next("tapestat", argc, argv)) != -1)
		if (c == OPTION_MEASURED)
			o->measured[o->n_measured++] = optarg;
		else if (c == OPTION_PHASE)
			o->answer.phase = optarg;
		else if (c == OPTION_LEVEL)
			o->level = optarg;
		else if (c == OPTION_BASELINE)
			o->baseline = optarg;
		else if (c == OPTION_WEAK)
			o->is_weak = 1;
		else if (c == OPTION_FAIL_BELOW)
			o->fail_below = tape_option_real(optarg, 0, 1e6);
		else if (c == OPTION_PLUGIN)
			add_plugin(o, optarg);
		else if (c == OPTION_PLUGIN_WAIT)
			o->each.wait_s = tape_option_real(optarg, 0, 1e6);
		else if (c == OPTION_PLUGIN_MEMORY)
			o->each.memory_mib = tape_option_real(optarg, 0, 1e9);
		else if (c == OPTION_WORKERS)
			o->each.workers = tape_plugins_workers(optarg);
		else if (c == 'a')
			o->answer.all = 1;
		else if (c == 'c')
			o->answer.format = SHEET_AS_CSV;
		else if (c == 'd')
			o->compare = 1;
		else if (c == 'j')
			o->answer.format = SHEET_AS_JSON;
		else if (c == 'l')
			o->least = tape_option_real(optarg, 0, 1e6) / 100;
		else if (c == 'n')
			o->answer.lines =
			    (size_t)tape_option_real(optarg, 0, 1e9);
		else if (c == 'v')
			o->verbose = 1;
		else if (c == 't')
			stat_output_add_table(&o->answer, optarg);
		else
			tape_option_refuse("tapestat", c);
	check_stat_options(o, (size_t)(argc - optind));
}

/* ---- plug-ins ---- */

/* All of them, and the traces that they see. */
struct plugged {
	struct tape_plugins *p;
	const char **name;
	uint32_t level; /* that is read now */
	size_t failed;
};

static struct plugged open_plugins(const struct options *o, uint32_t levels)
{
	struct plugged g = {.p = NULL};

	if (!o->plugins)
		return g;
	g.name = tape_must(calloc(levels, sizeof *g.name));
	g.p = tape_plugins_new(levels, &o->each);
	for (size_t i = 0; i < o->plugins; i++)
		tape_plugins_add(g.p, o->plugin[i]);
	return g;
}

static void feed_plugins(void *self, const struct tape_found *f)
{
	const struct plugged *g = self;

	tape_plugins_feed(g->p, g->level, f);
}

/* As stats_read; plug-ins see what is found. */
static struct stats *read_trace(struct tape_trace *t, int errors,
				struct plugged *g, struct tape_peers *peers)
{
	struct stats_reading *r;

	if (peers || !g->p)
		return stats_read_with(t, errors, peers);
	r = stats_open(t, errors);
	g->name[g->level++] = tape_trace_path(t);
	tape_plugins_begin(g->p, g->level, t, stats_watch(r, feed_plugins, g),
			   NULL);
	while (stats_step(r))
		;
	tape_plugins_end_level(g->p, g->level);
	return stats_close(r);
}

/* What the flows did, of which all is found; -v counts it. */
static void drop_history(const struct stats *s, const struct options *o)
{
	if (!o->verbose)
		tape_analysis_clear_history(s->analysis);
}

static void print_plugins(void *self, enum sheet_format format)
{
	const struct plugged *g = self;

	if (!g->p)
		return;
	if (format == SHEET_AS_JSON)
		tape_plugins_json(g->p, stdout, g->name);
	else
		tape_plugins_print(g->p, stdout, g->name);
}

static void free_plugins(struct plugged *g)
{
	tape_plugins_free(g->p);
	free(g->name);
}

static void finish_plugins(struct plugged *g)
{
	if (g->p)
		g->failed = tape_plugins_finish(g->p);
}

/* ---- one trace ---- */

static void close_stats(struct stats *s)
{
	struct tape_trace *t = s->t;

	stats_free(s);
	tape_trace_close(t);
}

static int report_trace(const char *path, struct options *o)
{
	struct plugged g = open_plugins(o, 1);
	struct tape_trace *t = stats_open_trace(path);
	struct measured_trace *m =
	    o->n_measured ? measured_trace_open(o->measured[0], t, o->peers)
			  : NULL;
	struct stats *s = read_trace(t, m != NULL, &g, o->peers);

	drop_history(s, o);
	finish_plugins(&g);
	tape_damage_warn(t);
	if (!s->events)
		tape_die(TAPE_FAILED, "%s: the trace contains no events", path);
	if (o->level)
		s->level = stat_find_level(s, o->level);
	if (m)
		measured_trace_read(m, s);
	o->answer.more = print_plugins;
	o->answer.self = &g;
	stat_output_print(s, &o->answer);
	if (o->verbose)
		stats_print_volume(s);
	free_plugins(&g);
	close_stats(s);
	measured_trace_close(m);
	return g.failed ? TAPE_FAILED : TAPE_DONE;
}

/* ---- several traces ---- */

/* The runs that are compared; the first is the reference. */
struct runs {
	struct run_figures *figures;
	size_t n;
	struct stats *two[2]; /* of two traces; else NULL */
};

/* The trace as measured says whether ranks waited for processors. */
static void check_contention(struct run_figures *r, const char *measured)
{
	struct tape_trace *t = stats_open_trace(measured);
	char text[500];

	if (tape_contention_text(t, text, sizeof text)) {
		r->factors = tape_efficiency_unknown;
		tape_warn("%s: %s. Its efficiency is unknown", r->name, text);
	}
	tape_trace_close(t);
}

/* Of more than two traces only the figures stay. */
static void read_runs(struct runs *r, const char **path,
		      const struct options *o, struct plugged *g)
{
	r->figures = tape_must(calloc(r->n + 1, sizeof *r->figures));
	for (size_t i = 0; i < r->n; i++) {
		struct stats *s =
		    read_trace(stats_open_trace(path[i]), 0, g, o->peers);

		drop_history(s, o);
		tape_damage_warn(s->t);
		run_figures_get(&r->figures[i], s, path[i]);
		if (o->n_measured)
			check_contention(&r->figures[i], o->measured[i]);
		if (r->n == 2)
			r->two[i] = s;
		else
			close_stats(s);
	}
}

/* A sentence for each run that falls short. Returns how many do. */
static size_t print_short_runs(const struct runs *r, const struct options *o)
{
	int json = o->answer.format == SHEET_AS_JSON;
	size_t found = 0;
	char text[1400];

	if (json)
		printf(",\"falls_short\":[");
	for (size_t i = 1; i < r->n; i++) {
		int falls = run_scaling_falls_short(
		    &r->figures[0], &r->figures[i], o->is_weak, o->fail_below,
		    text, sizeof text);

		if (falls < 0)
			tape_die(TAPE_FAILED, "--fail-below: %s", text);
		if (falls && json && found)
			putchar(',');
		if (falls && json)
			tape_json_put(stdout, text);
		else if (falls)
			printf("%s\n", text);
		found += falls != 0;
	}
	if (json)
		printf("]");
	return found;
}

static void print_runs(const struct runs *r, const struct options *o)
{
	int text = o->answer.format == SHEET_AS_TEXT;
	struct sheet *h =
	    run_scaling_table(r->figures, r->n, o->is_weak, !text);

	for (size_t i = 0; text && i < r->n; i++) {
		printf("Run %zu: ", i + 1);
		tape_put_clean(stdout, r->figures[i].name);
		putchar('\n');
	}
	/* CSV has room for one table */
	if (r->n > 2 || o->answer.format != SHEET_AS_CSV)
		sheet_print(h, o->answer.format, o->answer.lines);
	sheet_free(h);
}

static int compare_traces(const char **path, size_t n, const struct options *o)
{
	struct plugged g = open_plugins(o, (uint32_t)n);
	int json = o->answer.format == SHEET_AS_JSON;
	struct runs r = {.n = n};
	struct sheet *h = NULL;
	size_t worse = 0, inefficient = 0;

	read_runs(&r, path, o, &g);
	finish_plugins(&g);
	if (n == 2)
		h = stat_compare(r.two[0], r.two[1], o->least, &worse);
	if (json)
		printf("{\"traces\":%zu,\"slower\":%zu", n, worse);
	else if (h && o->answer.format == SHEET_AS_TEXT)
		stat_compare_report(r.two[0], r.two[1], worse);
	if (o->fail_below > 0 && o->answer.format != SHEET_AS_CSV)
		inefficient = print_short_runs(&r, o);
	print_runs(&r, o);
	if (h)
		sheet_print(h, o->answer.format, o->answer.lines);
	print_plugins(&g, o->answer.format);
	if (json)
		printf("}\n");
	sheet_free(h);
	for (int i = 0; i < 2 && r.two[i]; i++) {
		if (o->verbose)
			stats_print_volume(r.two[i]);
		close_stats(r.two[i]);
	}
	free_plugins(&g);
	free(r.figures);
	if (g.failed)
		return TAPE_FAILED;
	if (o->fail_below > 0)
		return inefficient ? INEFFICIENT : TAPE_DONE;
	return worse ? SLOWER : TAPE_DONE;
}

/* The arguments, behind the baseline. */
static int compare_arguments(int argc, char **argv, const struct options *o)
{
	const char **path =
	    tape_must(calloc((size_t)argc + 1, sizeof *path));
	size_t n = 0;
	int rc;

	if (o->baseline)
		path[n++] = o->baseline;
	for (int i = optind; i < argc; i++)
		path[n++] = argv[i];
	rc = compare_traces(path, n, o);
	free(path);
	return rc;
}

/* What was exchanged, in a line on stderr; alone: nothing. */
static void print_exchanged(const struct tape_peers *p)
{
	uint64_t events = p ? tape_peers_all_events(p) : 0;
	uint64_t bytes = p ? tape_peers_all_bytes(p) : 0;

	if (!p)
		return;
	fprintf(stderr,
		"tapestat: %d processes, %" PRIu64 " events read, %" PRIu64
		" bytes between processes, %.2f an event, %" PRIu64
		" exchanges\n",
		p->n, events, bytes,
		events ? (double)bytes / (double)events : 0, p->swaps);
}

int main(int argc, char **argv)
{
	struct options o = {.answer.lines = STAT_LINES,
			    .least = LEAST_PERCENT / 100.0};
	int rc = TAPE_DONE;

	tape_tool("tapestat");
	o.peers = tape_job(argc, argv, "tapestat", stats_dismiss);
	if (o.peers && o.peers->me) {
		stats_serve(o.peers);
		tape_job_finish(o.peers);
	}
	parse_stat_options(&o, argc, argv);
	if (o.compare)
		rc = compare_arguments(argc, argv, &o);
	else
		rc = report_trace(argv[optind], &o);
	free(o.plugin);
	free(o.measured);
	if (o.verbose)
		print_exchanged(o.peers);
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	return rc;
}
