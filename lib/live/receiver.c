/* Executes the receiver of an MPI job; see receiver.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "receiver.h"
#include "tool.h"

/* Returns the size of the job by an environment variable; 0: not set. */
static long read_job_size(const char *name)
{
	return (long)tape_leading_number(getenv(name), 10);
}

/* Returns the MPI library of the job; NULL: no job of several processes. */
static const char *mpi_job_family(void)
{
	if (read_job_size("OMPI_COMM_WORLD_SIZE") > 1)
		return "openmpi";
	if (read_job_size("PMI_SIZE") > 1)
		return "mpich";
	return NULL;
}

/* Executes the receiver with argv in place of this program. Returns if it
 * cannot. */
static void exec_receiver(const char *which, char **argv)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n;
	char *slash;

	n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0)
		tape_die(TAPE_FAILED, "/proc/self/exe: %s", strerror(errno));
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	snprintf(path, sizeof path, "%s/../libexec/tapelive-%s", self,
		 which);
	execv(path, argv);
	tape_warn("%s: %s; in an MPI job tapelive needs it, or a "
		  "directory to follow",
		  path, strerror(errno));
}

/* Only an MPI program can abort the job. */
static void end_mpi_job(void)
{
	static char name[] = "tapelive", end[] = "-x";
	char *argv[] = {name, end, NULL};

	fflush(NULL);
	exec_receiver(mpi_job_family(), argv);
}

static int watching;

static void end_job_at_exit(void)
{
	if (watching)
		end_mpi_job();
}

void live_end_job_at_exit(void)
{
	watching = mpi_job_family() != NULL;
	if (watching)
		atexit(end_job_at_exit);
}

void live_become_receiver(const struct live_spool *spool, int keep, int argc,
			  char **argv)
{
	static char where[] = "-S", kept[] = "-K", end[] = "--";
	const char *which = mpi_job_family();
	char **list;
	int n = 0;

	watching = 0;
	if (!which || optind < argc)
		return;
	list = tape_must(calloc((size_t)argc + 6, sizeof *list));
	list[n++] = argv[0];
	if (spool->dir) {
		list[n++] = where;
		list[n++] = spool->dir;
	}
	if (keep)
		list[n++] = kept;
	list[n++] = end;
	for (int i = 1; i < argc; i++)
		if (i < spool->from || i >= spool->to)
			list[n++] = argv[i];
	exec_receiver(which, list);
	exit(TAPE_FAILED);
}
