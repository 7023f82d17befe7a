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

int main(int argc, char **argv)
{
	static struct tape_config config;
	char library[PATH_MAX], path[PATH_MAX], error[1200];
	int c, n = 0, settings = 0;
	char **args;

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
	for (char **e = environ; *e; e++)
		settings += !strncmp(*e, "TAPE_", 5);
	args = calloc((size_t)argc + 2 * (size_t)settings + 4, sizeof *args);
	if (!args)
		fail(1, "taperun", strerror(errno));
	if (is_launcher(argv[0])) {
		/* the launcher itself stays as it is */
		char *preload = malloc(strlen(library) + 4096);
		const char *old = getenv("LD_PRELOAD");

		if (!preload)
			fail(1, "taperun", strerror(errno));
		snprintf(preload, strlen(library) + 4096, "LD_PRELOAD=%s%s%.4000s",
			 library, old ? ":" : "", old ? old : "");
		args[n++] = argv[0];
		args[n++] = (char *)"-x";
		args[n++] = preload;
		for (char **e = environ; *e; e++)
			if (!strncmp(*e, "TAPE_", 5) && strchr(*e, '=')) {
				args[n++] = (char *)"-x";
				args[n++] = strndup(*e, strcspn(*e, "="));
			}
		for (int i = 1; i < argc; i++)
			args[n++] = argv[i];
	} else {
		const char *old = getenv("LD_PRELOAD");
		char *all = malloc(strlen(library) + (old ? strlen(old) : 0) + 2);

		if (!all)
			fail(1, "taperun", strerror(errno));
		sprintf(all, "%s%s%s", library, old && *old ? ":" : "",
			old ? old : "");
		setenv("LD_PRELOAD", all, 1);
		for (int i = 0; i < argc; i++)
			args[n++] = argv[i];
	}
	execvp(args[0], args);
	fail(errno == ENOENT ? 127 : 126, args[0], strerror(errno));
}
