/*
 * tapestat: where the time of a run went, who waited for whom and why, and
 * what made the run as long as it was.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "damage.h"
#include "resolve.h"
#include "tool.h"

static const char usage[] =
    "tapestat [-achjV] [-n lines] [-t table]... [--measured trace]\n"
    "                [--phase name] [--level name] trace\n"
    "       tapestat -d [-cj] [-l percent] [-n lines] before after";

/* More than a difference of that share, by itself, is reported. */
enum { LEAST_PERCENT = 2 };

/* Exit status where a place is slower: not that of a failure. */
enum { SLOWER = 3 };

struct options {
	struct stat_answer answer;
	int compare;
	double least;
	const char *measured, *level;
};

static double number(const char *text, double most)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 0 && v <= most))
		tape_die(TAPE_USAGE, "%s is not a number from 0 to %.0f", text,
			 most);
	return v;
}

static void options(struct options *o, int argc, char **argv)
{
	static const struct option longer[] = {
	    {"measured", required_argument, NULL, 'm'},
	    {"phase", required_argument, NULL, 'p'},
	    {"level", required_argument, NULL, 'L'},
	    {"help", no_argument, NULL, 'h'},
	    {"version", no_argument, NULL, 'V'},
	    {NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "acdhjl:n:t:V", longer, NULL)) !=
	       -1)
		if (c == 'm')
			o->measured = optarg;
		else if (c == 'p')
			o->answer.phase = optarg;
		else if (c == 'L')
			o->level = optarg;
		else if (c == 'a')
			o->answer.all = 1;
		else if (c == 'c')
			o->answer.format = SHEET_AS_CSV;
		else if (c == 'd')
			o->compare = 1;
		else if (c == 'j')
			o->answer.format = SHEET_AS_JSON;
		else if (c == 'l')
			o->least = number(optarg, 1e6) / 100;
		else if (c == 'n')
			o->answer.lines = (size_t)number(optarg, 1e9);
		else if (c == 't')
			stat_answer_want(&o->answer, optarg);
		else
			tape_usage(c, usage);
	if (optind != argc - 1 - o->compare)
		tape_usage('?', usage);
	if (o->compare && (o->measured || o->answer.phase || o->level))
		tape_usage('?', usage);
	if (!o->compare)
		stat_answer_check(&o->answer);
}

static struct tape_trace *open_trace(const char *path)
{
	struct tape_trace *t;

	if (tape_trace_open(path, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	tape_resolve(t);
	return t;
}

/* The run without tracing, s, and what was measured of it. */
static struct tape_trace *read_measured(struct stats *s, const char *path)
{
	struct tape_trace *m = open_trace(path);

	if (tape_trace_base(m) == TAPE_BASE_COMPENSATED)
		tape_die(TAPE_FAILED, "%s is not as measured: tracing is "
			 "taken out", path);
	if (tape_trace_ranks(m) != tape_trace_ranks(s->t))
		tape_die(TAPE_FAILED, "%s is of another run: %zu ranks, not "
			 "%zu", path, tape_trace_ranks(m),
			 tape_trace_ranks(s->t));
	stats_beside(s, stats_read(m, 1));
	tape_damage_warn(m);
	return m;
}

static void one(const char *path, const struct options *o)
{
	struct tape_trace *t = open_trace(path), *m = NULL;
	struct stats *s = stats_read(t, o->measured != NULL);

	tape_damage_warn(t);
	if (!s->events)
		tape_die(TAPE_FAILED, "%s: not one event is in it", path);
	if (o->level)
		s->level = stat_level(s, o->level);
	if (o->measured)
		m = read_measured(s, o->measured);
	stat_answer_print(s, &o->answer);
	stats_free(s);
	tape_trace_close(m);
	tape_trace_close(t);
}

static int two(const char *before, const char *after, const struct options *o)
{
	struct tape_trace *t = open_trace(before), *u = open_trace(after);
	struct stats *a = stats_read(t, 0), *b = stats_read(u, 0);
	size_t worse;
	struct sheet *h = stat_compare(a, b, o->least, &worse);
	int json = o->answer.format == SHEET_AS_JSON;

	tape_damage_warn(t);
	tape_damage_warn(u);
	if (json) {
		printf("{\"slower\":%zu", worse);
	} else if (o->answer.format == SHEET_AS_TEXT) {
		stat_compare_report(a, b, worse);
	}
	sheet_print(h, o->answer.format, o->answer.lines);
	if (json)
		printf("}\n");
	sheet_free(h);
	stats_free(a);
	stats_free(b);
	tape_trace_close(t);
	tape_trace_close(u);
	return worse ? SLOWER : TAPE_DONE;
}

int main(int argc, char **argv)
{
	struct options o = {.answer.lines = STAT_LINES,
			    .least = LEAST_PERCENT / 100.0};
	int rc = TAPE_DONE;

	tape_tool("tapestat");
	options(&o, argc, argv);
	if (o.compare)
		rc = two(argv[optind], argv[optind + 1], &o);
	else
		one(argv[optind], &o);
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	return rc;
}
