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
#include "damage.h"
#include "parallel_sums.h"
#include "job.h"
#include "plugins.h"
#include "program_options.h"
#include "resolve.h"
#include "tool.h"

/* More than a difference of that share, by itself, is reported. */
enum { LEAST_PERCENT = 2 };

/* Exit status where a place is slower: not that of a failure. */
enum { SLOWER = 3 };

struct options {
	struct stat_answer answer;
	int compare;
	double least;
	const char *measured, *level;
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

static void parse_stat_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = tape_option_next("tapestat", argc, argv)) != -1)
		if (c == OPTION_MEASURED)
			o->measured = optarg;
		else if (c == OPTION_PHASE)
			o->answer.phase = optarg;
		else if (c == OPTION_LEVEL)
			o->level = optarg;
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
	if (optind != argc - 1 - o->compare)
		tape_option_usage("tapestat");
	if (o->compare && (o->measured || o->answer.phase || o->level))
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

/* ---- plug-ins ---- */

/* All of them, and the traces that they see. */
struct plugged {
	struct tape_plugins *p;
	const char *name[2];
	uint32_t level; /* that is read now */
	size_t failed;
};

static struct plugged open_plugins(const struct options *o, uint32_t levels)
{
	struct plugged g = {.p = NULL};

	if (!o->plugins)
		return g;
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

	if (peers)
		return stats_read_with(t, errors, peers);
	r = stats_open(t, errors);

	if (g->p) {
		g->name[g->level++] = tape_trace_path(t);
		tape_plugins_begin(g->p, g->level, t,
				   stats_watch(r, feed_plugins, g), NULL);
	}
	while (stats_step(r))
		;
	if (g->p)
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

static void finish_plugins(struct plugged *g)
{
	if (g->p)
		g->failed = tape_plugins_finish(g->p);
}

/* ---- one trace, two traces ---- */

static struct tape_trace *open_trace(const char *path)
{
	struct tape_trace *t;

	if (tape_trace_open(path, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	tape_resolve(t);
	return t;
}

/* The run without tracing, s, and what was measured of it. */
static struct tape_trace *read_measured(struct stats *s, const char *path,
					struct tape_peers *peers)
{
	struct tape_trace *m = open_trace(path);
	struct stats *beside;

	if (tape_trace_base(m) == TAPE_BASE_COMPENSATED)
		tape_die(TAPE_FAILED,
			 "--measured %s: this trace is already corrected. Give "
			 "the trace before tico",
			 path);
	if (tape_trace_ranks(m) != tape_trace_ranks(s->t))
		tape_die(TAPE_FAILED,
			 "%s is of another run: %zu ranks, not "
			 "%zu",
			 path, tape_trace_ranks(m), tape_trace_ranks(s->t));
	beside = stats_read_with(m, 1, peers);
	tape_analysis_clear_history(beside->analysis);
	stats_set_measured(s, beside);
	tape_damage_warn(m);
	return m;
}

static int report_trace(const char *path, struct options *o)
{
	struct plugged g = open_plugins(o, 1);
	struct tape_trace *t = open_trace(path), *m = NULL;
	struct stats *s = read_trace(t, o->measured != NULL, &g, o->peers);

	drop_history(s, o);
	finish_plugins(&g);
	tape_damage_warn(t);
	if (!s->events)
		tape_die(TAPE_FAILED, "%s: the trace contains no events", path);
	if (o->level)
		s->level = stat_find_level(s, o->level);
	if (o->measured)
		m = read_measured(s, o->measured, o->peers);
	o->answer.more = print_plugins;
	o->answer.self = &g;
	stat_output_print(s, &o->answer);
	if (o->verbose)
		stats_print_volume(s);
	tape_plugins_free(g.p);
	stats_free(s);
	tape_trace_close(m);
	tape_trace_close(t);
	return g.failed ? TAPE_FAILED : TAPE_DONE;
}

static int compare_traces(const char *before, const char *after,
			  const struct options *o)
{
	struct plugged g = open_plugins(o, 2);
	struct tape_trace *t = open_trace(before), *u = open_trace(after);
	struct stats *a = read_trace(t, 0, &g, o->peers), *b;
	int json = o->answer.format == SHEET_AS_JSON;
	struct sheet *h;
	size_t worse;

	drop_history(a, o);
	b = read_trace(u, 0, &g, o->peers);
	drop_history(b, o);
	h = stat_compare(a, b, o->least, &worse);
	finish_plugins(&g);
	tape_damage_warn(t);
	tape_damage_warn(u);
	if (json) {
		printf("{\"slower\":%zu", worse);
	} else if (o->answer.format == SHEET_AS_TEXT) {
		stat_compare_report(a, b, worse);
	}
	sheet_print(h, o->answer.format, o->answer.lines);
	print_plugins(&g, o->answer.format);
	if (json)
		printf("}\n");
	sheet_free(h);
	if (o->verbose) {
		stats_print_volume(a);
		stats_print_volume(b);
	}
	tape_plugins_free(g.p);
	stats_free(a);
	stats_free(b);
	tape_trace_close(t);
	tape_trace_close(u);
	if (g.failed)
		return TAPE_FAILED;
	return worse ? SLOWER : TAPE_DONE;
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
		rc = compare_traces(argv[optind], argv[optind + 1], &o);
	else
		rc = report_trace(argv[optind], &o);
	free(o.plugin);
	if (o.verbose)
		print_exchanged(o.peers);
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	return rc;
}
