/* Starts tapelive and waits for it; see follower.h. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "follower.h"
#include "tool.h"

extern char **environ;

/* Finds DIR/bin/tapelive for DIR/libexec/X or DIR/libexec/tape/X. Returns 0, or
 * -1 if there is none. */
static int find_tapelive(char *path, size_t n)
{
	char self[4096];
	ssize_t got = readlink("/proc/self/exe", self, sizeof self - 1);
	char *end;

	if (got <= 0)
		return -1;
	self[got] = '\0';
	for (int up = 0; up < 3 && (end = strrchr(self, '/')); up++) {
		*end = '\0';
		snprintf(path, n, "%.3900s/bin/tapelive", self);
		if (!access(path, X_OK))
			return 0;
	}
	return -1;
}

/* Returns 1 if an environment variable describes an MPI job. */
static int is_job_variable(const char *variable)
{
	static const char *const heads[] = {"OMPI_", "PMIX_", "PMI_",	"PMIX",
					    "MPI_",  "MPIR_", "HYDRA_", "HYDI_",
					    "ORTE_", "PRTE_"};

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (!strncmp(variable, heads[i], strlen(heads[i])))
			return 1;
	return 0;
}

static size_t count_strings(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

int follower_start(char *const *args, char *const *dirs, int kept,
		   int processes, const cpu_set_t *where)
{
	size_t a = count_strings(args), d = count_strings(dirs), e = 0, n = 0;
	char **argv = calloc(a + d + 4, sizeof *argv);
	char number[40], spooled[] = "--spooled";
	cpu_set_t before;
	char **env = calloc(count_strings(environ) + 1, sizeof *env);
	posix_spawnattr_t attr;
	char path[4096];
	pid_t pid = 0;
	sigset_t none;
	int rc;

	if (!argv || !env || find_tapelive(path, sizeof path)) {
		free(argv);
		free(env);
		return 0;
	}
	argv[n++] = path;
	/* the user's options follow, and take precedence */
	snprintf(number, sizeof number, "--processes=%d", processes);
	argv[n++] = number;
	if (!kept)
		argv[n++] = spooled;
	memcpy(argv + n, args, a * sizeof *argv);
	memcpy(argv + n + a, dirs, d * sizeof *argv);
	for (char **v = environ; *v; v++)
		if (!is_job_variable(*v))
			env[e++] = *v;
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr,
				 POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	/* a child inherits the set of processors */
	if (!sched_getaffinity(0, sizeof before, &before))
		(void)sched_setaffinity(0, sizeof *where, where);
	else
		CPU_ZERO(&before);
	rc = posix_spawn(&pid, path, NULL, &attr, argv, env);
	(void)sched_setaffinity(0, sizeof before, &before);
	posix_spawnattr_destroy(&attr);
	if (rc)
		tape_warn("%s: %s", path, strerror(rc));
	free(argv);
	free(env);
	return rc ? 0 : (int)pid;
}

static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int follower_poll_status(int pid)
{
	int status;

	return waitpid(pid, &status, WNOHANG) == pid ? exit_status(status) : -1;
}

int follower_wait(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return 1;
	return exit_status(status);
}
