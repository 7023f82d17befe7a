/*
 * Runs a program with the tracing library preloaded:
 *
 *	mpirun -np 4 taperun ./prog args
 *	taperun mpirun -np 4 ./prog args
 *
 * Checks the settings first, sets LD_PRELOAD (through mpirun's -x where it
 * starts mpirun) and becomes the program.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

static const char usage[] =
	"usage: taperun [-hV] [-c file] [-o directory] [-s setting=value] "
	"program [argument ...]\n";

__attribute__((noreturn)) static void fail(int status, const char *what,
					   const char *why)
{
	fprintf(stderr, "taperun: %s: %s\n", what, why);
	exit(status);
}

/* libtape-mpi.so as installed beside this program: ../lib. */
static void find_library(char *path, size_t n)
{
	char self[PATH_MAX];
	ssize_t got = readlink("/proc/self/exe", self, sizeof self - 1);
	char *end;

	self[got > 0 ? got : 0] = '\0';
	for (int i = 0; i < 2; i++)
		if ((end = strrchr(self, '/')))
			*end = '\0';
	if ((size_t)snprintf(path, n, "%s/lib/libtape-mpi.so", self) >= n ||
	    access(path, R_OK))
		fail(1, path, "the tracing library is not there");
}

static void absolute(const char *name, char *path, size_t n)
{
	char cwd[PATH_MAX] = "";

	if (*name != '/' && !getcwd(cwd, sizeof cwd))
		fail(1, "getcwd", strerror(errno));
	if ((size_t)snprintf(path, n, "%s%s%s", cwd, *cwd ? "/" : "", name) >=
	    n)
		fail(2, name, "the name is too long");
}

/* taperun -s key=value is TAPE_KEY=value in the environment. */
static void set(const char *text)
{
	char name[64] = "TAPE_";
	const char *eq = strchr(text, '=');
	size_t n = eq ? (size_t)(eq - text) : 0;

	if (!n || n > sizeof name - 6)
		fail(2, text, "expected setting=value");
	for (size_t i = 0; i < n; i++)
		name[5 + i] = (char)(text[i] >= 'a' && text[i] <= 'z'
					     ? text[i] - 'a' + 'A'
					     : text[i]);
	if (!tape_config_known(text, n))
		fail(2, text, "unknown setting");
	setenv(name, eq + 1, 1);
}

static int is_launcher(const char *program)
{
	static const char *const names[] = { "mpirun", "mpiexec", "orterun",
					     "mpirun.openmpi",
					     "mpiexec.openmpi", NULL };
	const char *base = strrchr(program, '/');

	base = base ? base + 1 : program;
	for (int i = 0; names[i]; i++)
		if (!strcmp(base, names[i]))
			return 1;
	return 0;
}

extern char **environ;

/* The value of LD_PRELOAD with the library first, after prefix. */
static char *preload(const char *library, const char *prefix)
{
	const char *old = getenv("LD_PRELOAD");
	char *text;

	if (asprintf(&text, "%s%s%s%s", prefix, library,
		     old && *old ? ":" : "", old ? old : "") < 0)
		fail(1, "taperun", strerror(errno));
	return text;
}

/* The options that hand the settings over; their number. */
static size_t put_options(char **to, char *value)
{
	size_t n = 0;

	to[n++] = (char *)"-x";
	to[n++] = value;
	for (char **e = environ; *e; e++) {
		if (strncmp(*e, "TAPE_", 5) || !strchr(*e, '='))
			continue;
		to[n++] = (char *)"-x";
		to[n] = strndup(*e, strcspn(*e, "="));
		if (!to[n++])
			fail(1, "taperun", strerror(errno));
	}
	return n;
}

/*
 * The launcher's arguments with "-x LD_PRELOAD=..." and so on: the launcher
 * itself stays as it is. Programs are separated by ":", each has its own -x.
 */
static char **with_options(char **argv, int argc, char *value)
{
	size_t settings = 1, programs = 1, n = 0;
	char **args;

	for (char **e = environ; *e; e++)
		settings += !strncmp(*e, "TAPE_", 5);
	for (int i = 1; i < argc; i++)
		programs += !strcmp(argv[i], ":");
	args = calloc((size_t)argc + 2 * settings * programs + 1, sizeof *args);
	if (!args)
		fail(1, "taperun", strerror(errno));
	for (int i = 0; i < argc; i++) {
		args[n++] = argv[i];
		if (!i || !strcmp(argv[i], ":"))
			n += put_options(args + n, value);
	}
	return args;
}

int main(int argc, char **argv)
{
	static struct tape_config config;
	char library[PATH_MAX], path[PATH_MAX], error[1200];
	int c;

	while ((c = getopt(argc, argv, "+hVc:o:s:")) != -1)
		switch (c) {
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			puts("taperun " TAPE_VERSION);
			return 0;
		case 'c':
			absolute(optarg, path, sizeof path);
			setenv("TAPE_CONF", path, 1);
			break;
		case 'o':
			absolute(optarg, path, sizeof path);
			setenv("TAPE_TRACE", path, 1);
			break;
		case 's':
			set(optarg);
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	if (optind == argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (tape_config_read(&config, error, sizeof error)) {
		fprintf(stderr, "taperun: %s\n", error);
		return 2;
	}
	find_library(library, sizeof library);
	argv += optind;
	argc -= optind;
	if (is_launcher(argv[0]))
		argv = with_options(argv, argc, preload(library, "LD_PRELOAD="));
	else
		setenv("LD_PRELOAD", preload(library, ""), 1);
	execvp(argv[0], argv);
	fail(errno == ENOENT ? 127 : 126, argv[0], strerror(errno));
}
