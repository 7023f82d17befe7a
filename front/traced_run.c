/* See traced_run.h. */
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

#include "command.h"
#include "called_programs.h"
#include "corrected_trace.h"
#include "guard.h"
#include "pass_signals.h"
#include "tool.h"
#include "trace_name.h"
#include "traced_run.h"

enum { CHECK_MS = 1000 };

/*
 * Runs the command to its end. Returns its status. *interrupted: somebody sent
 * a signal, which the command got.
 */
static int run_to_end(char *const *argv, int empty_input, int *interrupted)
{
	struct guard guard;
	int signal, status = 0;
	pid_t pid;

	signals_hold();
	guard_start(&guard, NULL);
	pid = command_start(argv, empty_input);
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

static void new_id(char id[33])
{
	uint64_t number[2];

	if (getrandom(number, sizeof number, 0) != sizeof number)
		tape_die(TAPE_FAILED, "getrandom: %s", strerror(errno));
	snprintf(id, 33, "%016jx%016jx", (uintmax_t)number[0],
		 (uintmax_t)number[1]);
}

int traced_run(char *const *argv, const char *trace, int empty_input,
	       int *interrupted, struct argument_list *traces)
{
	char id[33];
	int status;

	new_id(id);
	setenv("TAPE_RUN_ID", id, 1);
	status = run_to_end(argv, empty_input, interrupted);
	find_traces(trace, id, traces);
	return status;
}
