/* taperun --simulate; see simulate.h. The parent of the simulation. */
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "number_text.h"
#include "config.h"
#include "installed_file.h"
#include "program_options.h"
#include "simulate.h"
#include "simulate_hosts.h"
#include "simulate_tools.h"

#define PACKAGE "SimGrid's, Debian's package libsimgrid-dev"

enum { MAX_CFG = 64 };

static struct {
	int ranks, round_robin, n_cfg;
	const char *platform, *hostfile, *bursts, *speed;
	char *cfg[MAX_CFG];
	char **program;
} run;

/* ---- the command line ---- */

int tape_simulate_asked(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--simulate"))
			return 1;
		if (strlen(argv[i]) == 2 && strchr("cmos", argv[i][1]))
			i++; /* its value */
	}
	return 0;
}

static int parse_rank_count(const char *text)
{
	int64_t n;

	if (tape_parse_whole(text, 1, 1 << 20, &n, NULL))
		tape_simulate_fail(
		    2, "-np %s: expected a number of ranks from 1 on", text);
	return (int)n;
}

static void set_absolute(const char *variable, const char *name)
{
	char path[PATH_MAX], cwd[PATH_MAX] = "";

	if (*name != '/' && !getcwd(cwd, sizeof cwd))
		tape_simulate_fail(1, "getcwd: %s", strerror(errno));
	if ((size_t)snprintf(path, sizeof path, "%s%s%s", cwd, *cwd ? "/" : "",
			     name) >= sizeof path)
		tape_simulate_fail(2, "%s: the name is too long", name);
	setenv(variable, path, 1);
}

/* -s key=value is TAPE_KEY=value in the environment. */
static void export_setting(const char *text)
{
	char name[64] = "TAPE_";
	size_t n = strcspn(text, "=");

	if (!text[n] || !n || n > sizeof name - 6)
		tape_simulate_fail(2, "%s: expected setting=value", text);
	if (!tape_config_known(text, n))
		tape_simulate_fail(2, "%s: unknown setting", text);
	for (size_t i = 0; i < n; i++)
		name[5 + i] = (char)(text[i] >= 'a' && text[i] <= 'z'
					     ? text[i] - 'a' + 'A'
					     : text[i]);
	setenv(name, text + n + 1, 1);
}

/* A number and a unit of SimGrid's: 2.5Gf, 1e9, 100Mflops. */
static const char *speed_of(const char *text)
{
	const char *end;
	double value;
	int rc = tape_parse_real(text, DBL_TRUE_MIN, 1e30, &value, &end);

	end = rc ? text : end;
	end += *end && strchr("kKMGTPEZY", *end) ? 1 : 0;
	end += *end == 'i';
	if (rc || (*end && strcmp(end, "f") && strcmp(end, "flops")))
		tape_simulate_fail(2,
				   "--host-speed %s: expected flop/s, as "
				   "2.5Gf",
				   text);
	return text;
}

static void add_cfg(const char *text)
{
	if (run.n_cfg == MAX_CFG)
		tape_simulate_fail(2, "--cfg=%s: more than %d of them", text,
				   MAX_CFG);
	if (!strchr(text, ':'))
		tape_simulate_fail(2, "--cfg=%s: expected key:value", text);
	if (asprintf(&run.cfg[run.n_cfg++], "--cfg=%s", text) < 0)
		tape_simulate_no_memory();
}

static void apply_option(int c)
{
	switch (c) {
	case OPTION_NP:
		run.ranks = parse_rank_count(optarg);
		break;
	case OPTION_PLATFORM:
		run.platform = optarg;
		break;
	case OPTION_HOSTFILE:
		run.hostfile = optarg;
		break;
	case OPTION_BURSTS:
		run.bursts = optarg;
		break;
	case OPTION_HOST_SPEED:
		run.speed = speed_of(optarg);
		break;
	case OPTION_CFG:
		add_cfg(optarg);
		break;
	case OPTION_ROUND_ROBIN:
		run.round_robin = 1;
		break;
	case 'c':
		set_absolute("TAPE_CONF", optarg);
		break;
	case 'o':
		set_absolute("TAPE_TRACE", optarg);
		break;
	case 's':
		export_setting(optarg);
		break;
	default: /* OPTION_SIMULATE */
		break;
	}
}

static void read_arguments(int argc, char **argv)
{
	static struct tape_config config;
	char error[1200];
	int c;

	while ((c = tape_option_next("taperun --simulate", argc, argv)) != -1)
		apply_option(c);
	run.program = argv + optind;
	if (optind == argc)
		tape_option_usage("taperun --simulate");
	if (!run.ranks)
		tape_simulate_fail(
		    2, "--simulate needs the number of ranks: -np ranks");
	if (!run.platform)
		tape_simulate_fail(
		    2, "--simulate needs the machine: --platform file");
	if (tape_config_read(&config, error, sizeof error))
		tape_simulate_fail(2, "%s", error);
}

/* ---- what is needed ---- */

/* The wrappers have their mark in it (runtime/simulated/life.c). */
static int is_built_for_it(const char *name)
{
	static const char start[] = "tape-smpi", end[] = " runtime";
	char mark[40];
	struct stat st;
	int fd = open(name, O_RDONLY | O_CLOEXEC), found = 0;
	void *text;

	/* put together here: it shall not be in this program, too */
	snprintf(mark, sizeof mark, "%s%s", start, end);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		tape_simulate_fail(127, "%s: %s", name,
				   fd < 0 ? strerror(errno)
					  : "is not a program");
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text != MAP_FAILED) {
		found = memmem(text, (size_t)st.st_size, mark,
			       strlen(mark)) != NULL;
		munmap(text, (size_t)st.st_size);
	}
	close(fd);
	return found;
}

static void check_inputs(void)
{
	struct stat file;

	if (!tape_simulate_finds("smpirun"))
		tape_simulate_fail(1,
				   "smpirun is not installed: it is " PACKAGE);
	if (access(run.platform, R_OK) || stat(run.platform, &file))
		tape_simulate_fail(1, "%s: %s", run.platform, strerror(errno));
	/* SimGrid would wait for a pipe */
	if (!S_ISREG(file.st_mode))
		tape_simulate_fail(1, "%s: not a plain file", run.platform);
	if (run.hostfile && access(run.hostfile, R_OK))
		tape_simulate_fail(1, "%s: %s", run.hostfile, strerror(errno));
	if (!is_built_for_it(run.program[0]))
		tape_simulate_fail(1,
				   "%s: was not built with tapecc --simulate",
				   run.program[0]);
}

/* ---- bursts ---- */

static int is_bursts(const char *word)
{
	return run.bursts && !strcmp(run.bursts, word);
}

/* The files of an earlier run's bursts, where the runtime looks for them. */
static void prepare_bursts(void)
{
	char program[PATH_MAX], to[PATH_MAX + 16], last[PATH_MAX + 48];
	char o[] = "-o";
	char *argv[] = { program, o, to, (char *)(uintptr_t)run.bursts, NULL };
	int ranks = 0;

	tape_find_installed("bin", "tapebursts", program, sizeof program);
	snprintf(to, sizeof to, "%s/bursts", tape_simulate_own);
	if (tape_simulate_call(argv, -1, -1))
		tape_simulate_fail(1, "%s: the bursts cannot be used",
				   run.bursts);
	do
		snprintf(last, sizeof last, "%s/rank.%d", to, ranks);
	while (!access(last, F_OK) && ++ranks);
	if (ranks != run.ranks)
		tape_simulate_fail(1, "%s has %d ranks, but -np is %d",
				   run.bursts, ranks, run.ranks);
	setenv("TAPE_BURSTS", to, 1);
	if (run.speed)
		setenv("TAPE_BURSTS_RATED", "1", 1);
}

/* ---- the run ---- */

static int has_cfg(const char *key)
{
	for (int i = 0; i < run.n_cfg; i++)
		if (!strncmp(run.cfg[i] + 6, key, strlen(key)) &&
		    run.cfg[i][6 + strlen(key)] == ':')
			return 1;
	return 0;
}

/* Does a platform's <config> set it? What is included by it does not count. */
static int platform_sets(const char *key)
{
	FILE *f = fopen(run.platform, "r");
	char *line = NULL;
	size_t room = 0;
	int found = 0;

	while (f && !found && getline(&line, &room, f) > 0)
		found = strstr(line, key) != NULL;
	free(line);
	if (f)
		fclose(f);
	return found;
}

/*
 * What libraries do unless the user sets another value, as for tapesim:
 * messages of less than 64 KiB do not wait for their receive, which SMPI's do,
 * and the collectives are Open MPI's. And dates are as fine as there.
 */
static void add_usual(void)
{
	static const char *const usual[][2] = {
	    {"smpi/async-small-thresh", "65536"},
	    {"smpi/send-is-detached-thresh", "65536"},
	    {"smpi/coll-selector", "ompi"},
	    /* smpirun's 1e-9 makes events of a nanosecond one */
	    {"surf/precision", "1e-11"},
	};
	char text[80];

	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (!has_cfg(usual[i][0]) && !platform_sets(usual[i][0])) {
			snprintf(text, sizeof text, "%s:%s", usual[i][0],
				 usual[i][1]);
			add_cfg(text);
		}
}

/*
 * The options of SMPI that bursts need, and the hosts. This
 * machine is as fast as the first host, where nobody says how fast; an earlier
 * run's bursts last as long.
 */
static void configure_run(void)
{
	const int measured = !run.bursts || is_bursts("measured");
	struct tape_simulate_hosts hosts = {.platform = run.platform,
					    .hostfile = run.hostfile,
					    .options = run.cfg,
					    .n_options = run.n_cfg,
					    .ranks = run.ranks,
					    .round_robin = run.round_robin};
	char text[160];

	run.hostfile = tape_simulate_hosts(&hosts);
	add_usual();
	if (!measured)
		add_cfg("smpi/simulate-computation:no");
	if (run.speed || (measured && !has_cfg("smpi/host-speed"))) {
		snprintf(text, sizeof text, "smpi/host-speed:%.120s%s",
			 run.speed ? run.speed : hosts.speed,
			 run.speed ? "" : "f");
		add_cfg(text);
	}
	if (!measured && !is_bursts("none"))
		prepare_bursts();
}

/* Each rank has its files open, all of them in one process. */
static void allow_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

static char **build_arguments(char *np)
{
	char **argv = calloc(16 + MAX_CFG + 1, sizeof *argv), **grown;
	size_t n = 0, more = 0;
	char *const fixed[] = {"smpirun", "-quiet", "-np", np, "-platform",
			       (char *)(uintptr_t)run.platform, "-hostfile",
			       (char *)(uintptr_t)run.hostfile,
			       /* not that the options above were given */
			       "--log=xbt_cfg.thresh:warning",
			       "--log=smpi_config.thresh:warning",
			       "--log=smpi_coll.thresh:warning"};

	while (run.program[more])
		more++;
	grown = argv ? realloc(argv, (16 + MAX_CFG + more + 1) * sizeof *argv)
		     : NULL;
	if (!grown)
		tape_simulate_no_memory();
	for (; n < sizeof fixed / sizeof *fixed; n++)
		grown[n] = fixed[n];
	for (int i = 0; i < run.n_cfg; i++)
		grown[n++] = run.cfg[i];
	for (size_t i = 0; i <= more; i++)
		grown[n++] = run.program[i];
	return grown;
}

static pid_t simulation;

static void forward_signal(int signal_)
{
	if (simulation > 0)
		kill(simulation, signal_);
}

/*
 * Signals that end the simulation do not end this process, which cleans up:
 * those of the keyboard come to both, the others are passed on.
 */
static void divert_signals(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, forward_signal);
	signal(SIGHUP, forward_signal);
}

static int run_simulation(void)
{
	char np[16];
	char **argv;
	int status = 0;

	snprintf(np, sizeof np, "%d", run.ranks);
	argv = build_arguments(np);
	divert_signals();
	simulation = fork();
	if (!simulation) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (simulation < 0)
		tape_simulate_fail(1, "fork: %s", strerror(errno));
	while (waitpid(simulation, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 128 + WTERMSIG(status);
}

int tape_simulate(int argc, char **argv)
{
	read_arguments(argc, argv);
	check_inputs();
	tape_simulate_folder();
	configure_run();
	allow_files();
	return run_simulation();
}
