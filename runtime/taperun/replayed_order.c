/* Has order files made of events; see replayed_order.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "installed_file.h"
#include "replayed_order.h"

/* The rank of this process as Open MPI's or MPICH's launcher says; or NULL. */
static const char *find_rank(void)
{
	const char *rank = secure_getenv("OMPI_COMM_WORLD_RANK");

	return rank ? rank : secure_getenv("PMI_RANK");
}

/* Runs the program to its end. rank NULL: all ranks. */
static void convert_events(const char *trace, const char *rank)
{
	char path[PATH_MAX];
	pid_t pid;

	if (tape_find_installed("libexec", "tape-order", path, sizeof path))
		return;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		execl(path, path, trace, rank, (char *)NULL);
		fprintf(stderr, "taperun: %s: %s\n", path, strerror(errno));
		_exit(1);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void tape_make_order(const char *trace)
{
	const char *rank = find_rank();
	char path[PATH_MAX];

	if (!*trace || (size_t)snprintf(path, sizeof path, "%s/order.%s", trace,
					rank ? rank : "0") >= sizeof path)
		return;
	if (access(path, F_OK) && errno == ENOENT && !access(trace, F_OK))
		convert_events(trace, rank);
}
