/*
 * tape: from a program to an answer by one command. It only calls the tools
 * that stand beside it; see tape(1).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "called_programs.h"
#include "commands.h"
#include "tool.h"
#include "trace_name.h"

static const char usage[] =
    "usage: tape run|live [option ...] command [argument ...]\n"
    "       tape report|view|correct|page trace [option ...]\n"
    "       tape compare before after\n"
    "       tape help [command]\n"
    "       tape [-hV]\n";

static const struct {
	const char *name;
	int (*run)(int, char **);
} commands[] = {
    {"run", run_command},	  {"live", live_command},
    {"report", report_command},	  {"view", view_command},
    {"correct", correct_command}, {"compare", compare_command},
    {"page", page_command},	  {"help", help_command},
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
	const char *page = argc > 1 ? argv[1] : "tape";
	char *local[] = {(char *)"man", (char *)"-l", NULL, NULL};
	char *man[] = {(char *)"man", NULL, NULL};

	if (find_command(page) < COMMANDS)
		page = "tape";
	local[2] = find_page(page);
	if (local[2])
		program_become(local);
	man[1] = (char *)page;
	if (!program_run(man, STDOUT_FILENO))
		return TAPE_DONE;
	if (strcmp(page, "tape"))
		tape_die(TAPE_FAILED, "no manual page for %s", page);
	fputs(usage, stdout);
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

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	int i = find_command(word);

	tape_tool("tape");
	fill_standard();
	if (i < COMMANDS)
		return commands[i].run(argc - 1, argv + 1);
	if (trace_is_named(word)) /* the name of a trace means its report */
		return report_command(argc, argv);
	if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
		fputs(usage, stdout);
		return TAPE_DONE;
	}
	if (!strcmp(word, "-V") || !strcmp(word, "--version")) {
		puts("tape " TAPE_VERSION);
		return TAPE_DONE;
	}
	if (*word && *word != '-')
		tape_warn("%s is none of run, live, report, view, correct, "
			  "compare, page, help",
			  word);
	else
		fputs(usage, stderr);
	return TAPE_USAGE;
}
