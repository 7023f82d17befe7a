/*
 * `tape run`: runs a command with tracing, and reports on the traces that it
 * made. The tracing library writes the run's number, TAPE_RUN_ID, into meta:
 * traces of other runs in the same directory have another number.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "argument_list.h"
#include "called_programs.h"
#include "command.h"
#include "commands.h"
#include "corrected_trace.h"
#include "first_of_job.h"
#include "guard.h"
#include "joined_trace.h"
#include "pass_signals.h"
#include "program_options.h"
#include "tool.h"
#include "trace_name.h"

enum { CHECK_MS = 1000 };

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

/*
 * Runs the command to its end. Returns its status. *interrupted: somebody sent
 * a signal, which the command got.
 */
static int run_to_end(char *const *argv, int *interrupted)
{
	struct guard guard;
	int signal, status = 0;
	pid_t pid;

	signals_hold();
	guard_start(&guard, NULL);
	pid = command_start(argv, 0);
	while (!waitpid(pid, &status, WNOHANG)) {
		signal = signals_wait(CHECK_MS);
		if (!signal || signal == SIGCHLD)
			continue;
		*interrupted = 1;
		command_pass(pid, signal, &guard);
	}
	guard_stop(&guard);
	/* after an interrupt the report shows how far the command came */
	for (int s = 1; s < NSIG; s++)
		if (sigismember(signals_held(), s) == 1)
			signals_take(s);
	signals_as_before();
	return program_status(status);
}

/* ---- its traces ---- */

/* Where the traces of a run are: FOLDERNAME.tape, FOLDERNAME.2.tape ... */
struct place {
	char *folder;  /* with its slash, or empty */
	char *pattern; /* for the name */
};

/* Returns a pattern of fnmatch() that matches the name only. */
static char *quote_pattern(const char *name, size_t n)
{
	char *out = tape_must(malloc(2 * n + 1)), *p = out;

	for (size_t i = 0; i < n; i++) {
		if (strchr("*?[]\\", name[i]))
			*p++ = '\\';
		*p++ = name[i];
	}
	*p = '\0';
	return out;
}

static void find_trace_place(const char *trace, struct place *p)
{
	const char *slash;
	size_t n;

	*p = (struct place){(char *)"", (char *)"*"};
	if (!trace || !*trace)
		return;
	n = trace_stem_length(trace);
	slash = memrchr(trace, '/', n);
	if (slash) {
		p->folder =
		    tape_must(strndup(trace, (size_t)(slash + 1 - trace)));
		n -= (size_t)(slash + 1 - trace);
	}
	p->pattern = quote_pattern(slash ? slash + 1 : trace, n);
}

/* Returns 1 for NAME.tape and NAME.2.tape, 0 for results of tools. */
static int is_called_so(const char *name, const char *pattern)
{
	char first[1024], later[1024];

	snprintf(first, sizeof first, "%s.tape", pattern);
	snprintf(later, sizeof later, "%s.[0-9]*.tape", pattern);
	return (!fnmatch(first, name, 0) || !fnmatch(later, name, 0)) &&
	       fnmatch("*.sba.tape", name, 0) &&
	       fnmatch("*.tico.tape", name, 0);
}

static void find_traces(const char *trace, const char *id,
			struct argument_list *found)
{
	struct dirent **list;
	struct place p;
	char line[64];
	int n;

	find_trace_place(trace, &p);
	snprintf(line, sizeof line, "run_id %s", id);
	n = scandir(*p.folder ? p.folder : ".", &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		char *path = NULL;

		if (asprintf(&path, "%s%s", p.folder, name) < 0)
			path = NULL;
		tape_must(path);
		if (is_called_so(name, p.pattern) && trace_has_line(path, line))
			arguments_add(found, path);
		else
			free(path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
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

/*
 * Returns 1 in the first process of a job. "mpirun tape run" starts a tape for
 * each process, and the first one's has the trace.
 */
static void new_id(char id[33])
{
	uint64_t number[2];

	if (getrandom(number, sizeof number, 0) != sizeof number)
		tape_die(TAPE_FAILED, "getrandom: %s", strerror(errno));
	snprintf(id, 33, "%016jx%016jx", (uintmax_t)number[0],
		 (uintmax_t)number[1]);
}

int run_command(int argc, char **argv)
{
	struct argument_list command = {0}, traces = {0};
	const char *trace = getenv("TAPE_TRACE");
	char id[33];
	int status, interrupted = 0;

	read_options(argc, argv, &command, &trace);
	program_need("tapestat");
	new_id(id);
	setenv("TAPE_RUN_ID", id, 1);
	status = run_to_end(command.word, &interrupted);
	find_traces(trace, id, &traces);
	if (!traces.n) {
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
	for (size_t i = 0; i < traces.n; i++)
		report_trace(traces.word[i]);
	fprintf(stderr,
		"\nAll of it: tape report %s; as a picture: tape view %s\n",
		traces.word[0], traces.word[0]);
	return status;
}
