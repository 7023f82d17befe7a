/*
 * `tape run`: runs a command with tracing, and reports on the traces that it
 * made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "argument_list.h"
#include "called_programs.h"
#include "commands.h"
#include "corrected_trace.h"
#include "first_of_job.h"
#include "joined_trace.h"
#include "program_options.h"
#include "tool.h"
#include "trace_name.h"
#include "traced_run.h"

/* ---- the command ---- */

struct options {
	struct argument_list settings; /* of taperun, which is the first word */
	const char *trace;
	int in_phases;
	char **command;
};

__attribute__((noreturn)) static void exit_without_command(void)
{
	tape_warn("run: the command to run is missing");
	tape_option_usage("tape run");
}

static void read_options(int argc, char **argv, struct options *o)
{
	const struct tape_program *p = tape_program_named("tape run");
	int c;

	o->trace = getenv("TAPE_TRACE");
	arguments_add(&o->settings, program_need("taperun"));
	while ((c = tape_option_next(p->name, argc, argv)) != -1) {
		if (c == 'o' && !*optarg)
			tape_option_refuse(p->name, c);
		if (c == 'o')
			o->trace = optarg;
		if (c == OPTION_PHASES) {
			o->in_phases = 1;
		} else if (c != 'o') {
			arguments_print(&o->settings, "--%s",
					tape_option_find(p, c)->name);
			arguments_add(&o->settings, optarg);
		}
	}
	if (optind == argc)
		exit_without_command();
	o->command = argv + optind;
}

/*
 * Runs the command with these settings too, which a NULL ends, into that trace;
 * NULL: its own name. Returns its status.
 */
static int run_once(const struct options *o, char *const *settings,
		    const char *trace, int *interrupted,
		    struct argument_list *traces)
{
	struct argument_list a = {0};
	int status;

	arguments_add_all(&a, o->settings.word);
	for (; *settings; settings++) {
		arguments_add(&a, "-s");
		arguments_add(&a, *settings);
	}
	if (trace) {
		arguments_add(&a, "-o");
		arguments_add(&a, trace);
	}
	arguments_add_all(&a, o->command);
	status = traced_run(a.word, trace, 0, interrupted, traces);
	free(a.word);
	return status;
}

/*
 * Records the order with the times of receives and completions, then runs in
 * that order with the settings of the user. *reference: the first trace; NULL:
 * there was no second run.
 */
static int run_in_phases(const struct options *o, int *interrupted,
			 struct argument_list *traces, const char **reference)
{
	char *light[] = {"record=both", "groups=p2p,completion", NULL};
	char *again[] = {NULL, NULL};
	const char *trace = o->trace ? o->trace : "phases";
	struct argument_list name = {0};
	int status;

	arguments_print(&name, "%.*s.order", (int)trace_stem_length(trace),
			trace);
	status = run_once(o, light, name.word[0], interrupted, traces);
	if (status || *interrupted || traces->n != 1) {
		tape_warn("run: no second run: the first one %s",
			  status || *interrupted
			      ? "failed"
			      : "made no trace, or several");
		return status;
	}
	*reference = traces->word[0];
	traces->n = 0;
	arguments_print(&name, "replay=%s", *reference);
	again[0] = name.word[1];
	return run_once(o, again, trace, interrupted, traces);
}

/* ---- the report ---- */

/* In which calls ranks were that did not end, when the run did. */
static void report_calls_in_progress(const char *trace)
{
	char *where[] = {(char *)program_need("tapewhere"), "--unfinished",
			 (char *)trace, NULL};

	program_run(where, STDERR_FILENO);
}

/* Reports on standard error: standard output is the program's own. */
static void report_trace(const char *trace, const char *reference)
{
	static char *none[] = {NULL};
	struct argument_list a = {0};
	struct stages s;

	stages_make_by(&s, trace, reference);
	stages_figures(&s, none, &a);
	fputc('\n', stderr);
	program_run(a.word, STDERR_FILENO);
	free(a.word);
}

/* Returns 1 if the trace has the order of messages only (record = order). */
static int has_order_only(const char *trace)
{
	char *path = NULL;
	int has_order;

	if (asprintf(&path, "%s/order.0", trace) < 0)
		path = NULL;
	has_order = !access(tape_must(path), F_OK);
	free(path);
	return has_order && trace_has_line(trace, "filter groups none");
}

/*
 * Reports on the traces, or says what they are for. reference: the first run of
 * two; NULL: there was one.
 */
static void report_traces(const struct argument_list *traces,
			  const char *reference)
{
	const char *first = NULL;

	for (size_t i = 0; i < traces->n; i++) {
		const char *trace = traces->word[i];

		if (has_order_only(trace)) {
			fprintf(stderr,
				"\n%s has the order of messages. To run in "
				"that order: tape run -s replay=%s command\n",
				trace, trace);
			continue;
		}
		report_trace(trace, reference);
		if (!first)
			first = trace;
	}
	if (first)
		fprintf(stderr,
			"\nAll of it: tape report %s; as a picture: tape view "
			"%s\n",
			first, first);
}

/* Corrects the first run of two, whose certificate then holds for it. */
static const char *correct_reference(const char *trace)
{
	struct stages s;

	stages_make(&s, trace);
	return stages_best(&s);
}

int run_command(int argc, char **argv)
{
	char *none[] = {NULL};
	struct argument_list traces = {0};
	struct options o = {0};
	const char *reference = NULL;
	int status, interrupted = 0;

	read_options(argc, argv, &o);
	program_need("tapestat");
	status = o.in_phases
		     ? run_in_phases(&o, &interrupted, &traces, &reference)
		     : run_once(&o, none, o.trace, &interrupted, &traces);
	if (!traces.n) {
		/* "mpirun tape run" starts a tape for each process, and the
		 * first one's has the trace */
		if (tape_is_first_of_job())
			tape_warn(
			    "no trace was written here: nothing to report");
		return status;
	}
	if (interrupted)
		fputc('\n', stderr);
	for (size_t i = 0; (interrupted || status) && i < traces.n; i++)
		report_calls_in_progress(traces.word[i]);
	traces_join(&traces);
	if (reference)
		reference = correct_reference(reference);
	report_traces(&traces, reference);
	return status;
}
