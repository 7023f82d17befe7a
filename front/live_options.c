/* See live_options.h. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "called_programs.h"
#include "live_options.h"
#include "tapelive_options.h"
#include "tool.h"
#include "trace_name.h"

static const char usage[] =
    "usage: tape live [-m ranks] [-o file] [-s setting=value]... "
    "[option of tapelive]... command [argument ...]\n";

enum { MOST_RECEIVERS = 999999 };

__attribute__((noreturn, format(printf, 1, 2))) static void
exit_with_live_usage(const char *format, ...)
{
	char text[5000];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	tape_warn("live: %s", text);
	fputs(usage, stderr);
	exit(TAPE_USAGE);
}

/* Returns the long option that the word begins, as getopt_long(); or NULL. */
static const struct option *find_long(const char *word)
{
#define OPTION(name, argument, code) {name, argument, NULL, 0},
	static const struct option list[] = {
	    TAPELIVE_LONG(OPTION) {"trace", required_argument, NULL, 0}};
#undef OPTION
	const struct option *found = NULL;
	size_t n = strcspn(word, "="), n_found = 0;

	if (strncmp(word, "--", 2))
		return NULL;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		if (strncmp(list[i].name, word + 2, n - 2))
			continue;
		if (!list[i].name[n - 2])
			return &list[i];
		found = &list[i];
		n_found++;
	}
	return n_found == 1 ? found : NULL;
}

/* Returns 1 if tapelive takes the next argument for the option's value. */
static int takes_next(const char *word)
{
	const struct option *o = find_long(word);
	const char *known;

	if (o)
		return o->has_arg == required_argument && !strchr(word, '=');
	if (word[1] == '-')
		return 0;
	/* letters without values, and one whose value is what follows it */
	for (word++; *word; word++) {
		known = strchr(TAPELIVE_SHORT, *word);
		if (known && known[1] == ':')
			return !word[1];
	}
	return 0;
}

static long parse_receiver_count(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*text < '1' || *text > '9' || *end || n > MOST_RECEIVERS)
		tape_die(TAPE_USAGE,
			 "-m %s: expected how many ranks shall analyse", text);
	return n;
}

/* The value of the option at argv[*i]: behind "=", or the next argument. */
static char *get_option_value(char **argv, int *i, size_t name)
{
	if (argv[*i][name] == '=')
		return argv[*i] + name + 1;
	if (!argv[*i + 1])
		exit_with_live_usage("%s: its value is missing", argv[*i]);
	return argv[++*i];
}

/* The name of the trace with the ending ".tape". */
static char *full_name(const char *name)
{
	char *full = NULL;

	if (asprintf(&full, "%.*s.tape", (int)trace_stem_length(name), name) <
	    0)
		full = NULL;
	return tape_must(full);
}

static char *absolute_path(const char *path)
{
	char *cwd = *path == '/' ? NULL : getcwd(NULL, 0), *absolute = NULL;

	if (!cwd && *path != '/')
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	if (asprintf(&absolute, "%s%s%s", cwd ? cwd : "", cwd ? "/" : "",
		     path) < 0)
		absolute = NULL;
	free(cwd);
	return tape_must(absolute);
}

/*
 * Adds the options of the window to those of tapelive. The path of its trace is
 * absolute: in an MPI job tapelive may run in another directory.
 */
static void add_window(struct live_options *o, char *window, char *trace)
{
	char *name;

	if (!window) {
		if (trace)
			exit_with_live_usage(
			    "--trace names what --window keeps");
		return;
	}
	name = full_name(trace ? trace : "window");
	if (!access(name, F_OK))
		tape_die(TAPE_FAILED, "%s exists already", name);
	arguments_add(&o->analyser, "--window");
	arguments_add(&o->analyser, window);
	arguments_add(&o->analyser, "-o");
	arguments_add(&o->analyser, absolute_path(name));
	free(name);
}

static void add_setting(struct live_options *o, char *setting)
{
	arguments_add(&o->settings, "-s");
	arguments_add(&o->settings, setting);
	o->stream_lost |= !strncmp(setting, "stream_lost=", 12);
}

/* Reads the option argv[i]. Returns the index of its last word. */
static int read_option(struct live_options *o, char **argv, int i)
{
	char *word = argv[i];

	if (!strcmp(word, "-m")) {
		o->receivers =
		    parse_receiver_count(get_option_value(argv, &i, 2));
	} else if (!strcmp(word, "-o")) {
		o->output = get_option_value(argv, &i, 2);
		if (!*o->output)
			exit_with_live_usage(
			    "-o: the name of a file is missing");
	} else if (!strcmp(word, "-s")) {
		add_setting(o, get_option_value(argv, &i, 2));
	} else {
		arguments_add(&o->analyser, word);
		o->top |= !strcmp(word, "--top");
		if (takes_next(word))
			arguments_add(&o->analyser,
				      get_option_value(argv, &i, strlen(word)));
	}
	return i;
}

/* Has tapelive check its options, before anything runs. */
static void check_analyser(const struct live_options *o)
{
	struct argument_list check = {0};
	int status;

	arguments_add(&check, program_need("tapelive"));
	if (o->analyser.n)
		arguments_add_all(&check, o->analyser.word);
	arguments_add(&check, "-V");
	status = program_run(check.word, -1);
	free(check.word);
	if (status)
		exit(status);
}

static void open_output(struct live_options *o)
{
	char *path;

	o->output_fd = STDERR_FILENO;
	if (!o->output)
		return;
	o->output_fd =
	    open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->output_fd < 0)
		tape_die(TAPE_FAILED, "%s: %s", o->output, strerror(errno));
	path = realpath(o->output, NULL);
	if (path)
		o->output = path;
}

void live_options_read(struct live_options *o, int argc, char **argv)
{
	char *window = NULL, *trace = NULL;
	const struct option *option;
	int i;

	*o = (struct live_options){0};
	for (i = 1; i < argc && *argv[i] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		option = find_long(argv[i]);
		if (option && !strcmp(option->name, "window"))
			window =
			    get_option_value(argv, &i, strcspn(argv[i], "="));
		else if (option && !strcmp(option->name, "trace"))
			trace =
			    get_option_value(argv, &i, strcspn(argv[i], "="));
		else
			i = read_option(o, argv, i);
	}
	if (i == argc)
		exit_with_live_usage("the command to run is missing");
	o->command = argv + i;
	program_need("taperun");
	program_need("tapelive");
	add_window(o, window, trace);
	check_analyser(o);
	open_output(o);
}
