/*
 * Persistent messages and, where the library has them, persistent collectives
 * of any kind; on any number of ranks. Each is started several times, and what
 * came is printed by rank 0. A start that never ends is waited for long enough,
 * told, and ends the run.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#if MPI_VERSION >= 4
#define INIT(name) MPI_##name##_init
#define COLLECTIVES 1
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define INIT(name) MPIX_##name##_init
#define COLLECTIVES 1
#endif

enum { TIMES = 3, MOST = 8, PATIENCE_S = 10 };

static int rank, size;

static void finish(const char *what, MPI_Request *r)
{
	double end = MPI_Wtime() + PATIENCE_S;
	int done = 0;

	while (!done && MPI_Wtime() < end)
		MPI_Test(r, &done, MPI_STATUS_IGNORE);
	if (done)
		return;
	printf("%s does not end\n", what);
	fflush(stdout);
	MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Around the ring, or to nobody and from nobody. */
static void messages(const char *what, int next, int before)
{
	int out = 0, in = -1;
	MPI_Request r[2];

	MPI_Recv_init(&in, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &r[0]);
	MPI_Send_init(&out, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < TIMES; i++) {
		out = 10 * rank + i;
		MPI_Startall(2, r);
		finish(what, &r[0]);
		finish(what, &r[1]);
		if (!rank)
			printf("%s %d\n", what, in);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

#ifdef COLLECTIVES
static void start_often(const char *what, MPI_Request *r, int *out, int *in)
{
	for (int i = 0; i < TIMES; i++) {
		for (int k = 0; k < MOST; k++)
			out[k] = 100 * rank + 10 * i + k, in[k] = -1;
		MPI_Start(r);
		finish(what, r);
		if (!rank)
			printf("%s %d %d\n", what, out[0], in[0]);
	}
	MPI_Request_free(r);
}

static void collectives(const char *name, MPI_Comm c)
{
	int out[MOST], in[MOST];
	char what[40];
	MPI_Request r;

#define EACH(call, ...)                                                        \
	snprintf(what, sizeof what, "%s of %s", #call, name);                  \
	INIT(call)(__VA_ARGS__, c, MPI_INFO_NULL, &r);                         \
	start_often(what, &r, out, in)
	EACH(Bcast, out, 1, MPI_INT, 0);
	EACH(Allreduce, out, in, 1, MPI_INT, MPI_SUM);
	EACH(Reduce, out, in, 1, MPI_INT, MPI_SUM, 0);
	EACH(Allgather, out, 1, MPI_INT, in, 1, MPI_INT);
	EACH(Alltoall, out, 1, MPI_INT, in, 1, MPI_INT);
	EACH(Scan, out, in, 1, MPI_INT, MPI_SUM);
	INIT(Barrier)(c, MPI_INFO_NULL, &r);
	snprintf(what, sizeof what, "Barrier of %s", name);
	start_often(what, &r, out, in);
}
#endif

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef COLLECTIVES
	collectives("all", MPI_COMM_WORLD);
	collectives("self", MPI_COMM_SELF);
#else
	if (!rank)
		printf("no persistent collectives\n");
#endif
	messages("ring", (rank + 1) % size, (rank + size - 1) % size);
#ifdef COLLECTIVES
	collectives("all again", MPI_COMM_WORLD);
#endif
	MPI_Finalize();
	return 0;
}
