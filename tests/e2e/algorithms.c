/*
 * Whose lateness delays whom in the collectives of the real library? One
 * member after the other enters late, and who leaves only after that one has
 * entered waits for it, directly or through others. This must be as the table
 * of algorithms says (lib/model/collective/coll.h).
 *
 *	mpirun -np N algorithms
 *
 * Only the order of dates on one clock is looked at. Someone may be late by
 * himself: who has left once before the late one entered does not wait for it;
 * on a busy machine the late one comes later with each try.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "coll_exits.h"
#include "coll.h"

enum { MOST = 64, AT_LEAST = 2, TRIES = 40, LATE_US = 4000 };
/* of the transport tcp (perturbation.md) */
enum { EAGER = 65480 };

static int rank, size;
static char *in, *out;

static const struct {
	const char *name;
	enum tape_coll_op op;
} ops[] = {
	{ "MPI_Bcast", TAPE_COLL_BCAST }, { "MPI_Scatter", TAPE_COLL_SCATTER },
	{ "MPI_Gather", TAPE_COLL_GATHER }, { "MPI_Reduce", TAPE_COLL_REDUCE },
	{ "MPI_Scan", TAPE_COLL_SCAN },
};

static void collective(const struct tape_collective *c)
{
	int n = (int)c->bytes / 8, root = c->root;
	MPI_Comm w = MPI_COMM_WORLD;

	if (c->op == TAPE_COLL_BCAST)
		MPI_Bcast(in, n, MPI_DOUBLE, root, w);
	else if (c->op == TAPE_COLL_SCATTER)
		MPI_Scatter(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, root, w);
	else if (c->op == TAPE_COLL_GATHER)
		MPI_Gather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, w);
	else if (c->op == TAPE_COLL_REDUCE)
		MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, w);
	else
		MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, w);
}

/* One clock for all; that of MPI_Wtime begins with each process. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* On rank 0: 1 for those that leave after the late one has entered. */
static void observe(const struct tape_collective *c, int late, int times,
		    char *waits)
{
	double entry, leave, all[MOST];

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == late)
		usleep((useconds_t)(LATE_US * times));
	entry = now();
	collective(c);
	leave = now();
	MPI_Bcast(&entry, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
	MPI_Gather(&leave, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0,
		   MPI_COMM_WORLD);
	for (int i = 0; !rank && i < size; i++)
		waits[i] &= all[i] > entry;
}

static double transit(const void *of, int from, int to, uint64_t bytes,
		      int *together)
{
	(void)of, (void)from, (void)to;
	*together = bytes > EAGER;
	return 1e-6;
}

static double take(const void *of, int from, int to, uint64_t bytes)
{
	(void)of, (void)from, (void)to, (void)bytes;
	return 0;
}

/* The same by the table: 0 where it has none. */
static int expect(const struct tape_collective *c, int late, char *waits)
{
	const struct tape_coll_cost cost = { transit, take, NULL, NULL };
	double at[MOST] = { 0 };
	uint64_t piece;
	enum tape_coll_way way = tape_coll_choose(c, &piece);

	at[late] = 1;
	if (way == TAPE_COLL_UNKNOWN ||
	    tape_coll_exits(c, way, piece, &cost, at, at))
		return 0;
	for (int i = 0; i < size; i++)
		waits[i] = at[i] >= 1;
	return 1;
}

static void show(const char *what, const char *waits)
{
	printf("%s", what);
	for (int i = 0; i < size; i++)
		if (waits[i])
			printf(" %d", i);
}

/* Who waits for late? 1: not those that the table says. */
static int differs(const struct tape_collective *c, const char *name, int late,
		   const char *should)
{
	char is[MOST];
	int wrong = 1;

	memset(is, 1, sizeof is);
	for (int k = 0; k < TRIES && (wrong || k < AT_LEAST); k++) {
		observe(c, late, 1 + k / 4, is);
		wrong = memcmp(is, should, (size_t)size) != 0;
		MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	if (!wrong || rank)
		return wrong;
	printf("# %s, %d bytes, root %d: for %d wait", name, (int)c->bytes,
	       c->root, late);
	show("", is);
	show("; by the table", should);
	puts("");
	return 1;
}

/* The same for each that may be late; 0 also where there is no table. */
static int differ(const struct tape_collective *c, const char *name)
{
	char should[MOST];
	int wrong = 0;

	for (int late = 0; late < size; late++)
		if (expect(c, late, should))
			wrong |= differs(c, name, late, should);
	return wrong;
}

int main(int argc, char **argv)
{
	static const int bytes[] = { 8, 64, 512, 4096, 16384 };
	int bad = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	in = calloc(MOST, 16384);
	out = calloc(MOST, 16384);
	if (!in || !out || size > MOST)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
			struct tape_collective c = {
				.op = ops[i].op, .size = size,
				.root = ops[i].op == TAPE_COLL_SCAN
						? 0 : size / 3,
				.bytes = (uint64_t)bytes[k] };
			int wrong = differ(&c, ops[i].name);

			bad += wrong;
			if (!rank)
				printf("%s %s of %d bytes\n",
				       wrong ? "differs" : "as known",
				       ops[i].name, bytes[k]);
		}
	free(in);
	free(out);
	MPI_Finalize();
	return bad != 0;
}
