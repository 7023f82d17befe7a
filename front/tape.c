/*
 * tape: from a program to an answer by one command. It only calls the tools
 * in the same folder; see tape(1).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "called_programs.h"
#include "commands.h"
#include "shell_completion.h"
#include "tool.h"
#include "trace_name.h"
#include "verbs.h"

static const struct {
	const char *name;
	int (*run)(int, char **);
} commands[] = {
    {"run", run_command},
    {"repeat", repeat_command},
    {"live", live_command},
    {"report", report_command},
    {"view", view_command},
    {"correct", correct_command},
    {"compare", compare_command},
    {"page", page_command},
    {"help", help_command},
    {"completion", completion_command},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int find_command(const char *name)
{
	int i = 0;

	while (i < COMMANDS && strcmp(commands[i].name, name))
		i++;
	return i;
}

/* A man page of Tape's, as it is installed or built; NULL: it is not there. */
static char *find_page(const char *page)
{
	static const char *const places[] = {"share/man/man1",
					     "share/man/man5",
					     "share/man/man7",
					     "man",
					     "man",
					     "man"};
	static const char sections[] = "157157";
	char *path = NULL;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (asprintf(&path, "%s/%s/%s.%c", programs_beside(), places[i],
			     page, sections[i]) < 0)
			path = NULL;
		if (!access(tape_must(path), R_OK))
			return path;
		free(path);
	}
	return NULL;
}

int help_command(int argc, char **argv)
{
	const struct tape_program *p;
	char *local[] = {(char *)"man", (char *)"-l", NULL, NULL};
	char *man[] = {(char *)"man", NULL, NULL};

	if (argc < 2) {
		verbs_print(stdout);
		return TAPE_DONE;
	}
	p = verb_find(argv[1]);
	man[1] = p ? verb_program(p) : argv[1];
	local[2] = find_page(man[1]);
	if (local[2] &&
	    !program_run((char *[]){man[0], (char *)"-V", NULL}, -1))
		program_become(local);
	if (!program_run(man, STDOUT_FILENO))
		return TAPE_DONE;
	if (!p)
		tape_die(TAPE_FAILED, "no manual page for %s", argv[1]);
	tape_option_help(p, stdout);
	return TAPE_DONE;
}

int completion_command(int argc, char **argv)
{
	if (argc != 2 || completion_print(argv[1]))
		tape_option_usage("tape completion");
	return TAPE_DONE;
}

/*
 * What is opened gets no number that means standard input or output. What tape
 * was started without the programs that it calls are without, too.
 */
static void fill_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Says that there is no such verb, and which one may be meant. */
static int refuse_verb(const char *word)
{
	const char *near = verb_nearest(word);

	if (near)
		tape_warn("there is no verb %s; did you mean %s?", word, near);
	else
		tape_warn("there is no verb %s; tape help lists the verbs",
			  word);
	return TAPE_USAGE;
}

/* Runs a verb; argv[0] is the verb. Returns the exit status, or ends tape. */
static int run_verb(const struct tape_program *p, int argc, char **argv)
{
	const char *option = argc > 1 ? argv[1] : "";

	if (!verb_is_own(p))
		verb_become(p, argc, argv);
	if (!strcmp(option, "-h") || !strcmp(option, "--help")) {
		tape_option_help(p, stdout);
		return TAPE_DONE;
	}
	if (!strcmp(option, "--version")) {
		puts("tape " TAPE_VERSION);
		return TAPE_DONE;
	}
	return commands[find_command(p->verb)].run(argc, argv);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct tape_program *p = verb_find(word);

	tape_tool("tape");
	fill_standard();
	if (p)
		return run_verb(p, argc - 1, argv + 1);
	if (trace_is_named(word)) /* the name of a trace means its report */
		return report_command(argc, argv);
	if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
		verbs_print(stdout);
		return TAPE_DONE;
	}
	if (!strcmp(word, "-V") || !strcmp(word, "--version")) {
		puts("tape " TAPE_VERSION);
		return TAPE_DONE;
	}
	if (*word && *word != '-')
		return refuse_verb(word);
	if (*word)
		tape_warn("%s: there is no such option", word);
	fputs("usage: tape VERB [argument ...]; tape help lists the verbs\n",
	      stderr);
	return TAPE_USAGE;
}
