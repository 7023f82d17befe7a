/*
 * Calls as text, calls of other names, and things that have the name of a call:
 * the output must be the same whatever is done to the source.
 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "stringified.h"

#define CHECK(x) do { if (x) puts("failed"); else puts(#x); } while (0)
#define NESTED(x) CHECK(x)
#define WAIT MPI_Barrier(MPI_COMM_WORLD)
#define LENGTH(x) (int)(sizeof #x)

struct table {
	int (*MPI_Barrier)(int);
	int x;
};

static int twice(int v)
{
	return 2 * v;
}

static int parameter(int (*MPI_Barrier)(int), int v)
{
	return MPI_Barrier(v);
}

static int variables(void)
{
	typedef int function(int);
	int (*MPI_Send)(int) = twice;
	function *MPI_Recv = twice;

	return MPI_Send(1) + MPI_Recv(2);
}

static int old_style(v, MPI_Ssend)
	int v;
	int (*MPI_Ssend)(int);
{
	return MPI_Ssend(v);
}

static int again(int v)
{
	extern int MPI_Barrier(MPI_Comm), MPI_Comm_rank(MPI_Comm, int *);
	int x = v, MPI_Comm_size();

	return MPI_Barrier(MPI_COMM_WORLD) + x;
}

static int generic(void)
{
	__typeof__(MPI_Barrier(MPI_COMM_WORLD)) x = 1;

	return x + _Generic(MPI_Wtime(), double: 2, default: 3) +
	       (int)sizeof MPI_Barrier(MPI_COMM_WORLD);
}

/* 12 barriers */
int main(int argc, char **argv)
{
	struct table t = {.MPI_Barrier = twice};
	int (*barrier)(MPI_Comm) = MPI_Barrier;

	MPI_Init(&argc, &argv);
	puts(SPELL(MPI_Barrier(MPI_COMM_WORLD)));
	puts(EXPAND(MPI_Barrier(c)));
	printf("%d\n", (int)strlen(EXPAND(WAIT)));
	printf("%d\n", LENGTH(MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)));
	SHOW(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(MPI_Barrier(MPI_COMM_WORLD));
	NESTED(MPI_Barrier(MPI_COMM_WORLD));
	assert(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
	PROFILED(MPI_Barrier(MPI_COMM_WORLD)); /* none of MPI_ */
	WAIT;
	barrier(MPI_COMM_WORLD);
	(MPI_Barrier)(MPI_COMM_WORLD);
	(*MPI_Barrier)(MPI_COMM_WORLD);
	printf("%d %d %d %d %d\n", t.MPI_Barrier(1), parameter(twice, 2),
	       variables(), old_style(3, twice), again(4));
	printf("%d\n", generic());
	MPI_Barrier(MPI_COMM_WORLD);
	QUIET(MPI_Barrier(MPI_COMM_WORLD));
	QUIET(MPI_Barrier(MPI_COMM_WORLD));
	fflush(stdout);
	if (argc > 1)
		assert(MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS);
	return MPI_Finalize();
}
