/* Waits for other processes of the job; see siblings.h. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "number_text.h"
#include "siblings.h"

enum { PAUSE_NS = 20000000, ENVIRONMENT = 1 << 18 };

/* Reads /proc/PID/NAME into to, n bytes with a final 0. Returns the number of
 * bytes; 0: the file does not exist. */
static size_t read_proc_file(long pid, const char *name, char *to, size_t n)
{
	char path[64];
	ssize_t got = 0;
	size_t all = 0;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && all < n - 1 &&
	       (got = read(fd, to + all, n - 1 - all)) > 0)
		all += (size_t)got;
	if (fd >= 0)
		close(fd);
	to[all] = '\0';
	return all;
}

/* Returns 1 if the process runs and has that parent. */
static int is_child(long pid, long parent)
{
	char text[1024], state = 'X', *end;
	long of = 0;

	if (!read_proc_file(pid, "stat", text, sizeof text))
		return 0;
	end = strrchr(text, ')'); /* its name may be anything */
	return end && sscanf(end + 1, " %c %ld", &state, &of) == 2 &&
	       of == parent && state != 'Z' && state != 'X';
}

/* Returns 1 if the process was started by mpirun. environment: a buffer. */
static int started_by_mpi(long pid, char *environment)
{
	static const char *const size[] = {"OMPI_COMM_WORLD_SIZE=",
					   "PMI_SIZE="};
	size_t n = read_proc_file(pid, "environ", environment, ENVIRONMENT);

	for (const char *v = environment; v < environment + n;
	     v += strlen(v) + 1)
		for (int i = 0; i < 2; i++)
			if (!strncmp(v, size[i], strlen(size[i])))
				return 1;
	return 0;
}

/* Returns 1 if the process runs the same program as this one. */
static int is_other_receiver(long pid)
{
	char path[64], other[4096], mine[4096];
	ssize_t n, m = readlink("/proc/self/exe", mine, sizeof mine);

	snprintf(path, sizeof path, "/proc/%ld/exe", pid);
	n = readlink(path, other, sizeof other);
	return n > 0 && n == m && !memcmp(mine, other, (size_t)n);
}

static int sibling_is_running(char *environment)
{
	long parent = getppid();
	int found = 0;
	struct dirent *e;
	DIR *d;

	d = parent > 1 ? opendir("/proc") : NULL;
	while (d && !found && (e = readdir(d))) {
		long pid = (long)tape_leading_number(e->d_name, 10);

		found = pid > 0 && pid != getpid() && is_child(pid, parent) &&
			!is_other_receiver(pid) &&
			started_by_mpi(pid, environment);
	}
	if (d)
		closedir(d);
	return found;
}

void siblings_wait(void)
{
	static const struct timespec pause = {0, PAUSE_NS};
	char *environment = malloc(ENVIRONMENT);

	while (environment && sibling_is_running(environment))
		nanosleep(&pause, NULL);
	free(environment);
}
