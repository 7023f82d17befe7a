/* Becomes the receiver of an MPI job; see receiver.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "receiver.h"
#include "tool.h"

/* How many processes that variable says the job has. */
static long size_of(const char *name)
{
	const char *v = getenv(name);

	return v ? strtol(v, NULL, 10) : 0;
}

/* Whose job is it? NULL: none of several processes. */
static const char *family(void)
{
	if (size_of("OMPI_COMM_WORLD_SIZE") > 1)
		return "openmpi";
	if (size_of("PMI_SIZE") > 1)
		return "mpich";
	return NULL;
}

void live_door(char **argv)
{
	const char *which = family();
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n;
	char *slash;

	if (!which)
		return;
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
	tape_die(TAPE_FAILED,
		 "%s: %s; in an MPI job tapelive needs it, or a "
		 "directory to follow",
		 path, strerror(errno));
}
