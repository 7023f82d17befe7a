/* The commands about traces that are there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argument_list.h"
#include "called_programs.h"
#include "commands.h"
#include "corrected_trace.h"
#include "program_options.h"
#include "tool.h"

__attribute__((noreturn)) static void
exit_with_report_usage(const char *command, const char *usage)
{
	tape_warn("%s: expected: tape %s %s", command, command, usage);
	exit(TAPE_USAGE);
}

/*
 * The trace is the first argument; or the last one, where options stand before
 * it. Takes it out of the arguments.
 */
static const char *take_trace(int argc, char **argv, const char *tool)
{
	int at = argc > 1 && *argv[1] == '-' ? argc - 1 : 1;
	const char *trace = argv[at];

	if (argc < 2)
		exit_with_report_usage(argv[0], "trace [option ...]");
	if (*trace == '-')
		tape_die(TAPE_USAGE,
			 "%s: no trace is named: tape %s trace %s ...; options "
			 "are those of %s(1)",
			 argv[0], argv[0], argv[1], tool);
	trace_must_be(trace);
	memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof *argv);
	return trace;
}

int report_command(int argc, char **argv)
{
	struct argument_list a = {0};
	struct stages s;

	program_need("tapestat");
	stages_make(&s, take_trace(argc, argv, "tapestat"));
	stages_figures(&s, argv + 1, &a);
	program_become(a.word);
}

int view_command(int argc, char **argv)
{
	struct argument_list a = {0};
	struct stages s;

	arguments_add(&a, program_need("tapeview"));
	stages_make(&s, take_trace(argc, argv, "tapeview"));
	arguments_add_all(&a, argv + 1);
	for (size_t i = 0; i < s.n; i++)
		arguments_add(&a, s.trace[i]);
	program_become(a.word);
}

int correct_command(int argc, char **argv)
{
	struct stages s;

	if (argc != 2)
		exit_with_report_usage(argv[0], "trace");
	trace_must_be(argv[1]);
	stages_make(&s, argv[1]);
	if (!stages_are_whole(&s))
		return TAPE_FAILED;
	puts(stages_best(&s));
	return TAPE_DONE;
}

/* Returns 1 if the word is an option of the program whose value is the next. */
static int takes_value(const char *program, const char *word)
{
	const struct tape_option *o = tape_program_named(program)->options;
	const char letter[] = {'-', word[1], '\0'};

	for (; o->name; o++)
		if (o->argument &&
		    (!strncmp(word, "--", 2)
			 ? !strcmp(word + 2, o->name)
			 : o->code == word[1] && !strcmp(word, letter)))
			return 1;
	return 0;
}

/* Runs to be compared: their best traces, and beside them what was measured,
 * which knows whether ranks waited for processors. */
struct compared {
	struct argument_list best, measured;
};

static void add_run(struct compared *c, const char *trace)
{
	struct stages s;

	stages_make(&s, trace);
	arguments_add(&c->best, stages_best(&s));
	arguments_add(&c->measured, "--measured");
	arguments_add(&c->measured, s.trace[s.n > 1 ? s.n - 2 : 0]);
}

/* The value of --baseline, which is this word or this word and the next. */
static const char *baseline_value(char **word)
{
	static const char baseline[] = "--baseline";
	const size_t length = sizeof baseline - 1;

	if (strncmp(*word, baseline, length) != 0)
		return NULL;
	if ((*word)[length] == '=')
		return *word + length + 1;
	return (*word)[length] ? NULL : word[1];
}

int compare_command(int argc, char **argv)
{
	struct argument_list options = {0}, traces = {0};
	struct compared runs = {0}, reference = {0};
	const char *baseline = NULL;

	arguments_add(&options, program_need("tapestat"));
	arguments_add(&options, "--compare");
	for (int i = 1; i < argc; i++) {
		const char *value = baseline_value(&argv[i]);

		if (value) {
			trace_must_be(value);
			baseline = value;
			i += value == argv[i + 1];
		} else if (*argv[i] != '-') {
			trace_must_be(argv[i]);
			arguments_add(&traces, argv[i]);
		} else {
			arguments_add(&options, argv[i]);
			if (takes_value("tapestat", argv[i]) && i + 1 < argc)
				arguments_add(&options, argv[++i]);
		}
	}
	if (!traces.n)
		exit_with_report_usage(argv[0],
				       "[option ...] before after ...");
	for (size_t i = 0; i < traces.n; i++)
		add_run(&runs, traces.word[i]);
	if (baseline) {
		add_run(&reference, baseline);
		arguments_add(&options, "--baseline");
		arguments_add(&options, reference.best.word[0]);
		arguments_add_all(&options, reference.measured.word);
	}
	arguments_add_all(&options, runs.measured.word);
	arguments_add_all(&options, runs.best.word);
	program_become(options.word);
}

int page_command(int argc, char **argv)
{
	static const char how[] = "[option ...] trace ...";
	struct argument_list options = {0}, traces = {0};
	struct stages s;

	arguments_add(&options, program_need("tapereport"));
	for (int i = 1; i < argc; i++) {
		if (*argv[i] != '-') {
			trace_must_be(argv[i]);
			arguments_add(&traces, argv[i]);
			continue;
		}
		arguments_add(&options, argv[i]);
		if (!takes_value("tapereport", argv[i]))
			continue;
		if (++i == argc)
			exit_with_report_usage(argv[0], how);
		arguments_add(&options, argv[i]);
	}
	if (!traces.n)
		exit_with_report_usage(argv[0], how);
	for (size_t i = 0; i < traces.n; i++) {
		stages_make(&s, traces.word[i]);
		arguments_add(&options, stages_best(&s));
	}
	program_become(options.word);
}
