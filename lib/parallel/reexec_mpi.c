/* Becomes the program for the library of the MPI job, if any; see job.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "job.h"
#include "tool.h"

/* What a library's launcher tells those it starts. */
static const struct family {
	const char *name, *size, *rank;
} families[] = {
    {"openmpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"mpich", "PMI_SIZE", "PMI_RANK"},
};

static long get_env_number(const char *name)
{
	return (long)tape_leading_number(getenv(name), 10);
}

static const struct family *find_family(void)
{
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (get_env_number(families[i].size) > 1)
			return &families[i];
	return NULL;
}

struct tape_peers *tape_job(int argc, char **argv, const char *tool,
			    void (*dismiss)(struct tape_peers *p))
{
	const struct family *f = find_family();
	char self[4096], path[4200];
	ssize_t n;
	char *slash;

	(void)argc;
	(void)dismiss;
	if (!f)
		return NULL;
	n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	snprintf(path, sizeof path, "%s/../libexec/%s-%s", self, tool, f->name);
	execv(path, argv);
	/* one of them says so */
	if (get_env_number(f->rank))
		exit(TAPE_FAILED);
	tape_die(TAPE_FAILED,
		 "%s: %s: this Tape was built without that MPI library, so it "
		 "cannot analyse in parallel in its jobs",
		 path, strerror(errno));
}

/* Nobody is another process here. */
void tape_job_finish(struct tape_peers *p)
{
	(void)p;
	exit(TAPE_DONE);
}
