/*
 * The functions of SMPI_SAMPLE_LOCAL and its like: while SMPI measures a
 * block itself, nobody else may end its measurement (spend.h). They come before
 * those of SimGrid, which they call.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "message.h"
#include "spend.h"

int tape_smpi_samples;

static void *find_next_function(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (f)
		return f;
	tape_say("SimGrid has no %s", name);
	abort();
}

/* 1: the block is run, and measured up to smpi_sample_iter. */
TAPE_EXPORT int smpi_sample_cond(int global, const char *file, const char *tag,
				 int iters, double threshold, int count)
{
	static int (*real)(int, const char *, const char *, int, double, int);

	if (!real)
		real = (int (*)(int, const char *, const char *, int, double,
				int))find_next_function("smpi_sample_cond");
	return tape_smpi_samples =
		   real(global, file, tag, iters, threshold, count);
}

TAPE_EXPORT void smpi_sample_iter(int global, const char *file, const char *tag)
{
	static void (*real)(int, const char *, const char *);

	if (!real)
		real = (void (*)(int, const char *, const char *))
		    find_next_function("smpi_sample_iter");
	real(global, file, tag);
	tape_smpi_samples = 0;
}
