/* See live_options.h. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "called_programs.h"
#include "live_options.h"
#include "program_options.h"
#include "tool.h"
#include "trace_name.h"

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
	tape_option_usage("tape live");
}

/*
 * Adds to *n the options of a list whose name the word begins, as getopt_long()
 * does. Returns the last of them, or only the one that has the whole name.
 */
static const struct tape_option *find_in(const struct tape_option *list,
					 const char *word, size_t *n)
{
	size_t length = strcspn(word, "=");
	const struct tape_option *found = NULL;

	for (; list->name; list++) {
		if (strncmp(list->name, word, length))
			continue;
		if (!list->name[length]) {
			*n = 1;
			return list;
		}
		found = list;
		++*n;
	}
	return found;
}

/* Returns the long option, of tape live or tapelive, of a word; or NULL. */
static const struct tape_option *find_long(const char *word)
{
	static const char *const programs[] = {"tape live", "tapelive"};
	const struct tape_option *found = NULL, *o;
	size_t n = 0, before;

	if (strncmp(word, "--", 2))
		return NULL;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		before = n;
		o = find_in(tape_program_named(programs[i])->options, word + 2,
			    &n);
		if (o && n == 1 && !o->name[strcspn(word + 2, "=")])
			return o;
		if (n > before)
			found = o;
	}
	return n == 1 ? found : NULL;
}

/* Returns the option of tapelive with this letter, or NULL. */
static const struct tape_option *find_letter(char letter)
{
	const struct tape_option *o = tape_program_named("tapelive")->options;

	while (o->name && o->code != letter)
		o++;
	return o->name ? o : NULL;
}

static int needs_value(const struct tape_option *o)
{
	return o->argument && *o->argument != '[';
}

/* Returns 1 if tapelive takes the next argument for the option's value. */
static int takes_next(const char *word)
{
	const struct tape_option *o = find_long(word);

	if (o)
		return needs_value(o) && !strchr(word, '=');
	if (word[1] == '-')
		return 0;
	/* letters without values, and one whose value is what follows it */
	for (word++; *word; word++) {
		o = find_letter(*word);
		if (o && needs_value(o))
			return !word[1];
	}
	return 0;
}

static long parse_receiver_count(const char *text)
{
	int64_t n;

	if (*text < '1' || *text > '9' ||
	    tape_parse_whole(text, 1, MOST_RECEIVERS, &n, NULL))
		tape_die(
		    TAPE_USAGE,
		    "--receivers %s: expected how many ranks shall analyse",
		    text);
	return n;
}

/* The value of the option at argv[*i]: after "=", or the next argument. */
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

/*
 * Adds an option of tapelive, without its value if that is the next argument.
 * An old form is replaced here: tapelive would name the new one each time that
 * it runs.
 */
static void add_analyser_word(struct live_options *o, char *word)
{
	const struct tape_program *p = tape_program_named("tapelive");
	const struct tape_option *old = find_long(word), *now;

	if (old && old->old != OLD_NAME)
		old = NULL;
	else if (!old && word[1] != '-' && find_letter(word[1]) &&
		 find_letter(word[1])->old)
		old = find_letter(word[1]);
	if (!old) {
		arguments_add(&o->analyser, word);
		return;
	}
	now = tape_option_find(p, old->code);
	word += old->old == OLD_NAME ? strcspn(word, "=") : 2;
	tape_warn("live: --%s replaces an old form in the next version",
		  now->name);
	arguments_print(&o->analyser, "--%s%s%s", now->name,
			old->old == OLD_LETTER && *word ? "=" : "", word);
}

/*
 * Returns the code of the option of tape live that a word is, with or without
 * its value; 0: it is one of tapelive's. *name: the length of the option.
 */
static int find_own(const char *word, size_t *name)
{
	const struct tape_program *p = tape_program_named("tape live");
	const struct tape_option *o = find_long(word);

	*name = strncmp(word, "--", 2) ? 2 : strcspn(word, "=");
	for (const struct tape_option *i = p->options; i->name; i++)
		if (i == o ||
		    (i->code < OPTION_FIRST && word[1] == i->code && !word[2]))
			return i->code;
	return 0;
}

/* Names the replacement of -m, an old letter. */
static void name_old_letter(const char *word)
{
	if (!strcmp(word, "-m"))
		tape_warn("live: -m is an old form: --receivers replaces it in "
			  "the next version");
}

/* Reads the option argv[i]. Returns the index of its last word. */
static int read_option(struct live_options *o, char **argv, int i)
{
	char *word = argv[i];
	size_t name;

	switch (find_own(word, &name)) {
	case 'm':
		name_old_letter(word);
		o->receivers =
		    parse_receiver_count(get_option_value(argv, &i, name));
		break;
	case 'o':
		o->output = get_option_value(argv, &i, name);
		if (!*o->output)
			exit_with_live_usage(
			    "-o: the name of a file is missing");
		break;
	case 's':
		add_setting(o, get_option_value(argv, &i, name));
		break;
	default:
		add_analyser_word(o, word);
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
	const struct tape_option *option;
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
