/* See live_in_job.h. */
#include <string.h>

#include "argument_list.h"
#include "called_programs.h"
#include "launcher_options.h"
#include "live_in_job.h"
#include "tool.h"

static void add_tracer(struct argument_list *job, const struct live_options *o)
{
	arguments_add(job, program_need("taperun"));
	arguments_add(job, "-s");
	arguments_add(job, "stream=mpi");
	if (o->settings.n)
		arguments_add_all(job, o->settings.word);
}

/* The user's command, with taperun ahead of each program. */
static void add_traced(struct argument_list *job, const struct live_options *o)
{
	int skip = 1, is_inside = 0;

	for (char **word = o->command; *word; word++) {
		if (!strcmp(*word, ":")) {
			is_inside = 0;
		} else if (is_inside || skip) {
			skip -= skip > 0;
		} else if (**word == '-') {
			skip = tape_launcher_values(*word);
			skip = skip == TAPE_LAUNCHER_UNKNOWN ? 0 : skip;
		} else {
			is_inside = 1;
			add_tracer(job, o);
		}
		arguments_add(job, *word);
	}
	if (!is_inside)
		tape_die(
		    TAPE_USAGE,
		    "live --receivers: no program found in the command "
		    "%s ...; expected a "
		    "launcher command such as mpirun -np 4 ./prog",
		    o->command[0]);
}

void live_in_job(const struct live_options *o)
{
	struct argument_list job = {0};

	add_traced(&job, o);
	arguments_add(&job, ":");
	arguments_add(&job, "-np");
	arguments_print(&job, "%ld", o->receivers);
	/* standard output is the program's own, and the launcher's ranks have
	 * no other redirection */
	arguments_add(&job, "sh");
	arguments_add(&job, "-c");
	if (o->output) {
		arguments_add(&job, "exec \"$@\" >>\"$0\"");
		arguments_add(&job, o->output);
	} else {
		arguments_add(&job, "exec \"$@\" >&2");
		arguments_add(&job, "sh");
	}
	arguments_add(&job, program_need("tapelive"));
	if (o->analyser.n)
		arguments_add_all(&job, o->analyser.word);
	program_become(job.word);
}
