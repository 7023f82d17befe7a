/*
 * `tape repeat`: runs a command several times with tracing, and says how far
 * the runs differ: times, output, and the order of receiving.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argument_list.h"
#include "called_programs.h"
#include "commands.h"
#include "corrected_trace.h"
#include "joined_trace.h"
#include "number_text.h"
#include "program_options.h"
#include "order_hash.h"
#include "remove_tree.h"
#include "repeat_report.h"
#include "run_output.h"
#include "tool.h"
#include "trace_name.h"
#include "traced_run.h"

enum { RUNS_MOST = 10000 };

struct options {
	struct argument_list settings; /* of taperun */
	const char *trace;
	int keeps, json;
};

static void read_options(int argc, char **argv, struct options *o,
			 struct repeat *r)
{
	const struct tape_program *p = tape_program_named("tape repeat");
	int64_t runs;
	int c;

	if (argc < 2 || tape_parse_whole(argv[1], 2, RUNS_MOST, &runs, NULL)) {
		tape_warn("repeat: expected a number of runs from 2 to %d",
			  RUNS_MOST);
		tape_option_usage(p->name);
	}
	r->runs = (int)runs;
	while ((c = tape_option_next(p->name, argc - 1, argv + 1)) != -1) {
		if (c == OPTION_KEEP)
			o->keeps = 1;
		else if (c == 'j')
			o->json = 1;
		else if (c == OPTION_NOISE)
			r->noise = optarg ? optarg : "";
		else if (c == 'o' && *optarg)
			o->trace = optarg;
		else if (c == 'o')
			tape_option_refuse(p->name, c);
		else {
			arguments_print(&o->settings, "--%s",
					tape_option_find(p, c)->name);
			arguments_add(&o->settings, optarg);
		}
	}
	if (optind == argc - 1) {
		tape_warn("repeat: the command to run is missing");
		tape_option_usage(p->name);
	}
	r->command = argv + 1 + optind;
}

/* The command line of taperun for that run; *trace: its trace. */
static void make_command(const struct options *o, const struct repeat *r,
			 int run, struct argument_list *a, char **trace)
{
	const char *name = o->trace ? o->trace : "repeat";

	if (asprintf(trace, "%.*s.%d", (int)trace_stem_length(name), name,
		     run) < 0)
		tape_die_no_memory();
	arguments_add(a, program_need("taperun"));
	for (size_t i = 0; i < o->settings.n; i++)
		arguments_add(a, o->settings.word[i]);
	if (r->noise) {
		arguments_add(a, "--setting");
		arguments_print(a, "noise=%d%s%s", run, *r->noise ? ":" : "",
				r->noise);
	}
	arguments_add(a, "--output");
	arguments_add(a, *trace);
	arguments_add_all(a, r->command);
}

static void show_progress(int run, int runs)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (run > runs)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "\rtape: run %d of %d", run, runs);
}

static void remove_trace(const char *trace)
{
	if (tape_remove_tree(AT_FDCWD, trace, NULL))
		tape_warn("%s: %s", trace, strerror(errno));
}

/* Reads what the run left, and removes it unless it is to be kept. */
static void read_traces(struct repeat *r, int run, int keeps,
			struct argument_list *traces)
{
	struct argument_list recorded = {0};
	struct stages s;
	uint64_t hash;

	if (!traces->n)
		tape_die(TAPE_FAILED,
			 "run %d wrote no trace: nothing to compare", run);
	arguments_add_all(&recorded, traces->word);
	traces_join(traces);
	stages_make(&s, traces->word[0]);
	if (figures_add_run(&r->figures, &s) ||
	    order_hash_read(traces->word[0], &hash))
		exit(TAPE_FAILED);
	repeat_count_run(&r->orders, run, hash, 0, 0);
	for (size_t i = 0; !keeps && i < s.n; i++)
		remove_trace(s.trace[i]);
	for (size_t i = 0; !keeps && i < recorded.n; i++)
		if (strcmp(recorded.word[i], s.trace[0]) != 0)
			remove_trace(recorded.word[i]);
}

/* Returns the command's status; *interrupted: somebody ended it. */
static int run_once(struct repeat *r, const struct options *o,
		    struct run_outputs *outputs, int run, int *interrupted)
{
	struct argument_list command = {0}, traces = {0};
	uint64_t hash, line;
	char *trace;
	int status;

	make_command(o, r, run, &command, &trace);
	show_progress(run, r->runs);
	output_begin_run(outputs);
	status = traced_run(command.word, trace, 1, interrupted, &traces);
	line = output_end_run(outputs, &hash);
	if (!*interrupted) {
		repeat_count_run(&r->outputs, run, hash, status, line);
		read_traces(r, run, o->keeps, &traces);
		r->done++;
	}
	return status;
}

int repeat_command(int argc, char **argv)
{
	struct run_outputs outputs = {0};
	struct options o = {0};
	struct repeat r = {0};
	int status = 0, interrupted = 0;

	read_options(argc, argv, &o, &r);
	program_need("tapestat");
	for (int run = 1; run <= r.runs && !interrupted; run++) {
		int of = run_once(&r, &o, &outputs, run, &interrupted);

		status = status ? status : of;
	}
	show_progress(r.runs + 1, r.runs);
	if (!r.done)
		return status;
	figures_sort(&r.figures.calls);
	figures_sort(&r.figures.causes);
	if (o.json)
		repeat_print_json(&r);
	else
		repeat_print_text(&r);
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : status;
}
