/*
 * tapereport: traces -> one HTML file, with a comparison of the programs and a
 * chapter for each. lib/page writes the file.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "damage.h"
#include "file_output.h"
#include "program_options.h"
#include "report_html.h"
#include "resolve.h"
#include "result_name.h"
#include "tool.h"

/* The smallest difference that is reported, as in tapestat -d. */
static const double least_share = 0.02;

struct options {
	char output[4200];
	const char **name;
	int names, columns, differ, json, no_graphs, no_phases;
};

static int parse_columns(const char *text)
{
	int64_t n;

	if (tape_parse_whole(text, 1, 512, &n, NULL))
		tape_die(TAPE_USAGE,
			 "--columns %s: expected a number from 1 to 512", text);
	return (int)n;
}

static void parse_report_options(struct options *o, int argc, char **argv)
{
	int c;

	o->name = tape_must(calloc((size_t)argc + 1, sizeof *o->name));
	while ((c = tape_option_next("tapereport", argc, argv)) != -1)
		if (c == 'd')
			o->differ = 1;
		else if (c == 'j')
			o->json = 1;
		else if (c == 'n' && *optarg)
			o->name[o->names++] = optarg;
		else if (c == 'o' && *optarg &&
			 strlen(optarg) < sizeof o->output)
			strcpy(o->output, optarg);
		else if (c == OPTION_COLUMNS)
			o->columns = parse_columns(optarg);
		else if (c == OPTION_NO_GRAPHVIZ)
			o->no_graphs = 1;
		else if (c == OPTION_NO_PHASES)
			o->no_phases = 1;
		else
			tape_option_refuse("tapereport", c);
	if (optind == argc)
		tape_option_usage("tapereport");
	if (o->names > argc - optind)
		tape_die(TAPE_USAGE, "%d names for %d traces", o->names,
			 argc - optind);
	if (o->differ && argc - optind != 2)
		tape_die(TAPE_USAGE, "-d compares two traces: before and "
				     "after");
}

static struct stats *read_trace(const char *path)
{
	struct tape_trace *t;
	struct stats *s;

	if (tape_trace_open(path, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	tape_resolve(t);
	s = stats_read(t, 0);
	tape_analysis_clear_history(s->analysis);
	tape_damage_warn(t);
	if (!s->events)
		tape_die(TAPE_FAILED, "%s: the trace contains no events", path);
	return s;
}

static void close_trace(struct stats *s)
{
	struct tape_trace *t = s->t;

	stats_free(s);
	tape_trace_close(t);
}

/* Returns 1 if both traces are of the same program, by their meta files. */
static int is_same_program(const struct stats *a, const struct stats *b)
{
	const char *x = tape_trace_meta(a->t, "program", 0);
	const char *y = tape_trace_meta(b->t, "program", 0);

	return x && y && !strcmp(x, y);
}

static void write_report(const struct options *o, struct report_chapter **c,
			 size_t n, const struct report_runs *runs)
{
	FILE *f;

	if (o->json) {
		report_write_json(stdout, c, n, runs);
		if (fflush(stdout) || ferror(stdout))
			tape_die(TAPE_FAILED, "standard output: %s",
				 strerror(errno));
		return;
	}
	f = tape_file_begin(o->output);
	report_write(f, c, n, runs);
	tape_file_commit();
}

int main(int argc, char **argv)
{
	struct options o = {.names = 0};
	struct report_runs runs = {.least = least_share};
	struct report_chapter **c;
	struct stats *two[2] = {NULL, NULL};
	size_t n;

	tape_tool("tapereport");
	parse_report_options(&o, argc, argv);
	n = (size_t)(argc - optind);
	if (!*o.output)
		tape_result_name(argv[optind], ".tape", ".report.html",
				 o.output, sizeof o.output);
	c = tape_must(calloc(n + 1, sizeof *c));
	for (size_t i = 0; i < n; i++) {
		struct stats *s = read_trace(argv[optind + (int)i]);
		struct report_look look = {.name = o.name[i],
					   .columns = o.columns,
					   .phases = !o.no_phases,
					   .graphs = !o.no_graphs && !o.json,
					   .all = o.json};

		c[i] = report_chapter_new(s, &look);
		if (n == 2)
			two[i] = s; /* for the comparison of two runs */
		else
			close_trace(s);
	}
	if (n == 2 && (o.differ || is_same_program(two[0], two[1]))) {
		runs.before = two[0];
		runs.after = two[1];
	}
	write_report(&o, c, n, runs.before ? &runs : NULL);
	for (size_t i = 0; i < n; i++)
		report_chapter_free(c[i]);
	for (int i = 0; i < 2; i++)
		if (two[i])
			close_trace(two[i]);
	free(c);
	free(o.name);
	return TAPE_DONE;
}
