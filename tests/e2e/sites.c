/*
 * Calls from C: plain, inlined, several on a line, from a shared library, and
 * from plug-ins opened and closed in turn (arguments: their files).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "sites.h"

int library_calls(void); /* sites_lib.c */

static int size;

/* too small to stay a function of its own at -O2 */
static inline int type_size(void)
{
	return HERE(MPI_Type_size, (MPI_INT, &size));
}

static inline __attribute__((always_inline)) void twice(void)
{
	HERE(MPI_Barrier, (MPI_COMM_SELF));
	type_size();
}

__attribute__((noinline)) int outer(int n)
{
	int rank;

	if (n)
		twice();
	else
		HERE(MPI_Comm_rank, (MPI_COMM_WORLD, &rank));
	/* a call at the very end, whose return address is beyond */
	return HERE(MPI_Comm_size, (MPI_COMM_WORLD, &rank)) + 0 * rank;
}

static void plug_in(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW);
	void (*call)(void);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&call = dlsym(handle, "plug_in_calls");
	/* relative names mean nothing any more */
	if (chdir("/"))
		exit(1);
	call();
	dlclose(handle);
}

int main(int argc, char **argv)
{
	char home[4096];
	int flag;

	if (!getcwd(home, sizeof home))
		return 1;
	HERE(MPI_Init, (&argc, &argv));
	outer(0);
	outer(1);
	HERE(MPI_Initialized, (&flag)), HERE(MPI_Type_size, (MPI_INT, &flag));
#ifdef WITH_LIBRARY
	library_calls();
#endif
	for (int i = 1; i < argc; i++) {
		if (chdir(home))
			return 1;
		plug_in(argv[i]);
	}
	if (chdir(home))
		return 1;
	HERE(MPI_Finalize, ());
	return 0;
}
