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
#include "traced_run.h"

/* ---- the command ---- */

__attribute__((noreturn)) static void exit_without_command(void)
{
	tape_warn("run: the command to run is missing");
	tape_option_usage("tape run");
}

/* Reads the options into a command line of taperun; *trace: the value of -o. */
static void read_options(int argc, char **argv, struct argument_list *a,
			 const char **trace)
{
	const struct tape_program *p = tape_program_named("tape run");
	int c;

	arguments_add(a, program_need("taperun"));
	while ((c = tape_option_next(p->name, argc, argv)) != -1) {
		if (c == 'o' && !*optarg)
			tape_option_refuse(p->name, c);
		arguments_print(a, "--%s", tape_option_find(p, c)->name);
		arguments_add(a, optarg);
		if (c == 'o')
			*trace = optarg;
	}
	if (optind == argc)
		exit_without_command();
	arguments_add_all(a, argv + optind);
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
static void report_trace(const char *trace)
{
	static char *none[] = {NULL};
	struct argument_list a = {0};
	struct stages s;

	stages_make(&s, trace);
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

/* Reports on the traces, or says what they are for. */
static void report_traces(const struct argument_list *traces)
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
		report_trace(trace);
		if (!first)
			first = trace;
	}
	if (first)
		fprintf(stderr,
			"\nAll of it: tape report %s; as a picture: tape view "
			"%s\n",
			first, first);
}

int run_command(int argc, char **argv)
{
	struct argument_list command = {0}, traces = {0};
	const char *trace = getenv("TAPE_TRACE");
	int status, interrupted = 0;

	read_options(argc, argv, &command, &trace);
	program_need("tapestat");
	status = traced_run(command.word, trace, 0, &interrupted, &traces);
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
	report_traces(&traces);
	return status;
}
