/*
 * A profiling layer of a user's own: counts some calls, asks MPI itself in
 * between, and says what it counted when the program ends. CHAIN: it hands
 * calls on to whatever comes next, in place of PMPI_. PART: it has MPI_Send
 * only. FORTRAN: what programs in Fortran call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int sends;

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

#ifdef CHAIN
#define NEXT(name) ((__typeof__(&name))next(#name))
#else
#define NEXT(name) P##name
#endif

static void say(void)
{
	printf("layer: %d sends\n", sends);
	fflush(stdout);
}

#ifdef FORTRAN
void mpi_send_(void *a, void *b, void *c, void *d, void *e, void *f, void *g)
{
	sends++;
	((void (*)(void *, void *, void *, void *, void *, void *, void *))next(
		"pmpi_send_"))(a, b, c, d, e, f, g);
}

void mpi_finalize_(void *ierror)
{
	say();
	((void (*)(void *))next("pmpi_finalize_"))(ierror);
}
#else

int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
	int me;

	MPI_Comm_rank(c, &me);
	sends++;
	return NEXT(MPI_Send)(b, n, t, to, tag, c);
}

#ifndef PART
int MPI_Init(int *argc, char ***argv)
{
	int me, rc = NEXT(MPI_Init)(argc, argv);

	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	return rc;
}

int MPI_Finalize(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	say();
	return NEXT(MPI_Finalize)();
}

int MPI_Pcontrol(const int level, ...)
{
	printf("layer: level %d\n", level);
	return PMPI_Pcontrol(level);
}
#else
__attribute__((destructor)) static void at_end(void)
{
	say();
}
#endif
#endif
