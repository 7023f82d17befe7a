/*
 * Runs a program with the tracing library preloaded:
 *
 *	mpirun -np 4 taperun ./prog args
 *	taperun mpirun -np 4 ./prog args
 *
 *	taperun ./master args            (PVM)
 *	taperun --simulate -np 4 --platform p.xml ./prog    (simulate.c)
 *
 * Checks the settings first, sets LD_PRELOAD to the library for the program's
 * MPI or PVM (through the launcher's own option where it starts a launcher) and
 * becomes the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "choose_family.h"
#include "config.h"
#include "program_options.h"
#include "remote_connect.h"
#include "launcher.h"
#include "installed_file.h"
#include "replayed_order.h"
#include "several_hosts.h"
#include "simulate.h"

__attribute__((noreturn)) static void
exit_with_error(int status, const char *what, const char *why)
{
	fprintf(stderr, "taperun: %s: %s\n", what, why);
	exit(status);
}

/* The family's library as installed with this program: ../lib. */
static int find_library(enum tape_family family, char *path, size_t n)
{
	return tape_find_installed("lib", tape_family_tracer(family), path,
				   n) ||
	       access(path, R_OK);
}

/*
 * The library for the program; family is what -m said. Without any sign it is
 * the first that is there: should a process then use the other family, the
 * library corrects that itself (runtime/mpi/abi_mismatch.c).
 */
static enum tape_family choose_library(char **argv, enum tape_family family,
				       char *library, size_t n)
{
	const char *name = argv[0];
	int is_static = 0, known;

	if (family == TAPE_FAMILY_NONE)
		family = tape_family_of_launcher(name);
	if (family == TAPE_FAMILY_NONE)
		family = tape_family_of_program(argv, &is_static);
	if (family == TAPE_FAMILY_BOTH)
		exit_with_error(
		    1, name,
		    "uses both Open MPI and MPICH; choose one with -m");
	if ((family & TAPE_FAMILY_PVM) && family != TAPE_FAMILY_PVM)
		exit_with_error(1, name,
				"uses both MPI and PVM; choose one with -m");
	if (is_static)
		fprintf(stderr,
			"taperun: %s: is linked statically: only the programs "
			"that it starts can be traced\n",
			name);
	known = family != TAPE_FAMILY_NONE;
	if (!known)
		family = TAPE_FAMILY_OPENMPI;
	if (!find_library(family, library, n))
		return family;
	if (!known && !find_library(TAPE_FAMILY_MPICH, library, n))
		return TAPE_FAMILY_MPICH;
	fprintf(stderr,
		"taperun: %s: uses %s, but the tracing library %s is not "
		"installed\n",
		name, tape_family_name(family), library);
	exit(1);
}

static void make_absolute(const char *name, char *path, size_t n)
{
	char cwd[PATH_MAX] = "";

	if (*name != '/' && !getcwd(cwd, sizeof cwd))
		exit_with_error(1, "getcwd", strerror(errno));
	if ((size_t)snprintf(path, n, "%s%s%s", cwd, *cwd ? "/" : "", name) >=
	    n)
		exit_with_error(2, name, "the name is too long");
}

/* taperun -s key=value is TAPE_KEY=value in the environment. */
static void export_variable(const char *text)
{
	char name[64] = "TAPE_";
	const char *eq = strchr(text, '=');
	size_t n = eq ? (size_t)(eq - text) : 0;

	if (!n || n > sizeof name - 6)
		exit_with_error(2, text, "expected setting=value");
	for (size_t i = 0; i < n; i++)
		name[5 + i] = (char)(text[i] >= 'a' && text[i] <= 'z'
					     ? text[i] - 'a' + 'A'
					     : text[i]);
	if (!tape_config_known(text, n))
		exit_with_error(2, text, "unknown setting");
	setenv(name, eq + 1, 1);
}

static enum tape_family family_option(const char *name)
{
	if (!strcmp(name, "openmpi"))
		return TAPE_FAMILY_OPENMPI;
	if (!strcmp(name, "mpich"))
		return TAPE_FAMILY_MPICH;
	if (strcmp(name, "pvm"))
		exit_with_error(2, name, "expected openmpi, mpich or pvm");
	return TAPE_FAMILY_PVM;
}

/*
 * The clock server of a PVM run is no child of its processes: the
 * program shall not find one that it did not start. Without it nothing is
 * sampled, and tasks of other hosts say so.
 */
static void start_server(const char *library)
{
	char path[PATH_MAX], pid[24], name[64];
	int null;
	pid_t child;

	snprintf(path, sizeof path, "%.*s/tape-pvm-clock",
		 (int)(strrchr(library, '/') - library), library);
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	snprintf(name, sizeof name, "tape-clock.%s.%lld", pid,
		 (long long)time(NULL));
	child = fork();
	if (!child) {
		if (fork())
			_exit(0);
		setsid();
		null = open("/dev/null", O_RDWR);
		for (int i = 0; i < 3; i++)
			dup2(null, i);
		execl(path, path, pid, name, (char *)NULL);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	setenv("TAPE_CLOCKS", name, 1);
}

/*
 * Sets the variable by which the first process of the run reports that it was
 * no MPI or PVM program (no_trace_notice.c). The first process is this process,
 * or one that the launcher will start.
 */
static void name_first_process(enum tape_family launcher)
{
	char text[24];

	snprintf(text, sizeof text, "%010ld",
		 launcher == TAPE_FAMILY_NONE ? (long)getpid() : 0);
	setenv("TAPE_FIRST", text, 1);
}

/*
 * The tasks of a PVM program run where the daemon starts them: what this one's
 * directory says holds for them by an absolute name. It is a run of its own.
 */
static void prepare_tasks(void)
{
	const char *name = getenv("TAPE_CONF");
	char path[PATH_MAX];

	if (name || !access("tape.conf", F_OK)) {
		make_absolute(name ? name : "tape.conf", path, sizeof path);
		setenv("TAPE_CONF", path, 1);
	}
	unsetenv("TAPE_RUN");
	unsetenv("TAPE_TASK");
}

/*
 * Events go to other processes of the same MPI job: what the tracing library
 * has to know ahead of MPI_Init, without another reading of the settings. The
 * command line is that of this process, for the program's may differ from rank
 * to rank; one that goes to a launcher is of all programs alike.
 */
static void name_partition(const struct tape_config *config, char **argv,
			   int launches)
{
	size_t n = 1;
	char *text;

	if (config->stream != TAPE_STREAM_MPI) {
		unsetenv("TAPE_PARTITIONED");
		return;
	}
	setenv("TAPE_PARTITIONED", config->partition, 1);
	unsetenv("TAPE_COMMAND");
	if (launches)
		return;
	for (int i = 0; argv[i]; i++)
		n += strlen(argv[i]) + 1;
	if (!(text = calloc(n, 1)))
		return;
	for (int i = 0; argv[i]; i++)
		strcat(strcat(text, i ? " " : ""), argv[i]);
	setenv("TAPE_COMMAND", text, 1);
	free(text);
}

/*
 * A run that is followed on this host, by processes of this and, it may be, of
 * other hosts: these are to reach it (catalogue/gather_protocol.h).
 */
static void prepare_hosts(const struct tape_config *config, char **argv,
			  enum tape_family launcher, enum tape_family family)
{
	char error[1200];

	if (config->stream == TAPE_STREAM_NODE && tape_remote_is_local() &&
	    tape_may_be_several_hosts(argv, launcher, family) &&
	    tape_remote_admit_hosts(error, sizeof error))
		fprintf(stderr,
			"taperun: processes on other hosts will not be traced: "
			"%s\n",
			error);
}

/* Becomes the program, or the launcher, with the library preloaded. */
__attribute__((noreturn)) static void
run_program(char **argv, int argc, enum tape_family asked,
	    const struct tape_config *config)
{
	enum tape_family launcher = tape_family_of_launcher(argv[0]), family;
	char library[PATH_MAX];

	family = choose_library(argv, asked, library, sizeof library);
	prepare_hosts(config, argv, launcher, family);
	if (family == TAPE_FAMILY_PVM) {
		prepare_tasks();
		start_server(library);
	}
	name_first_process(launcher);
	name_partition(config, argv, launcher != TAPE_FAMILY_NONE);
	if (launcher == TAPE_FAMILY_NONE)
		tape_launcher_set_environment(library);
	else
		argv = tape_launcher_arguments(argv, argc, launcher, library);
	if (!argv)
		exit_with_error(1, "taperun", strerror(errno));
	execvp(argv[0], argv);
	exit_with_error(errno == ENOENT ? 127 : 126, argv[0], strerror(errno));
}

int main(int argc, char **argv)
{
	static struct tape_config config;
	enum tape_family family = TAPE_FAMILY_NONE;
	char path[PATH_MAX], error[1200];
	int c;

	if (tape_simulate_asked(argc, argv))
		return tape_simulate(argc, argv);
	while ((c = tape_option_next("taperun", argc, argv)) != -1)
		switch (c) {
		case 'c':
			make_absolute(optarg, path, sizeof path);
			setenv("TAPE_CONF", path, 1);
			break;
		case 'm':
			family = family_option(optarg);
			break;
		case 'o':
			make_absolute(optarg, path, sizeof path);
			setenv("TAPE_TRACE", path, 1);
			break;
		case 's':
			export_variable(optarg);
			break;
		}
	if (optind == argc)
		tape_option_usage("taperun");
	if (tape_config_read(&config, error, sizeof error)) {
		fprintf(stderr, "taperun: %s\n", error);
		return 2;
	}
	tape_make_order(config.replay);
	run_program(argv + optind, argc - optind, family, &config);
}
