/*
 * What a call costs, to be run with and without a tracer on two ranks:
 *
 *	calls [-m] [-b blocks] [-k rounds] [-s singles] name ...
 *
 * Each name is a small loop around one or a few MPI calls. It is timed twice:
 * by blocks of rounds, which tells the cost of a call to a fraction of a
 * nanosecond, and round by round, which tells the tail: the calls that met a
 * flush, a page fault, an interrupt. All figures are nanoseconds a round.
 *
 * Rank 0 prints one line for each, words and numbers separated by blanks:
 *
 *	floor NAME MIN MEDIAN              two clock readings; PMPI_Iprobe
 *	call NAME CALLS ASKS MIN MEDIAN P50 P99 MAX STALLS
 *	finalize MILLISECONDS
 *
 * CALLS is the number of MPI calls in a round, ASKS how many of them are
 * receives that a tracer may look ahead of; STALLS counts rounds of more than
 * 0.1 ms. With -s 0 the figures of the single rounds are 0. -m asks for
 * MPI_THREAD_MULTIPLE, where library and tracer expect calls of other threads.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
#include "loops.h"

static int rank, other;
static int level_wanted = MPI_THREAD_SINGLE;

/* ---- the loops: one round each ---- */

static void pmpi_iprobe(void)
{
	int flag;

	PMPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void iprobe(void)
{
	int flag;

	MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void allreduce(void)
{
	double in = 1, out;

	MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce_self(void)
{
	double in = 1, out;

	MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void sendrecv_self(void)
{
	double in, out = 1;

	MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 1, &in, 1, MPI_DOUBLE, 0, 1,
		     MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void pingpong(void)
{
	double x = 1;

	if (rank == 0)
		MPI_Send(&x, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
	MPI_Recv(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
}

static void isend(void)
{
	double in, out = 1;
	MPI_Request r[2];

	MPI_Irecv(&in, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(&out, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static const struct loop {
	const char *name;
	void (*round)(void);
	int calls, asks;
} loops[] = {
	{ "iprobe", iprobe, 1, 0 },
	{ "allreduce", allreduce, 1, 0 },
	{ "allreduce-self", allreduce_self, 1, 0 },
	{ "sendrecv-self", sendrecv_self, 1, 1 },
	{ "pingpong", pingpong, 2, 1 },
	{ "isend", isend, 3, 1 },
};

/* ---- measuring ---- */

static void run_floor(const char *name, void (*round)(void),
		      const struct counts *c)
{
	struct figures f = time_blocks(round, c);

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("floor %s %.2f %.2f\n", name, f.min, f.median);
}

static void run_loop(const struct loop *l, const struct counts *c)
{
	struct figures f, g;

	MPI_Barrier(MPI_COMM_WORLD);
	f = time_blocks(l->round, c);
	MPI_Barrier(MPI_COMM_WORLD);
	g = time_singles(l->round, c);
	if (rank == 0)
		printf("call %s %d %d %.2f %.2f %.1f %.1f %.1f %ld\n", l->name,
		       l->calls, l->asks, f.min, f.median, g.median, g.p99,
		       g.max, g.stalls);
}

static const struct loop *find(const char *name)
{
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		if (!strcmp(name, loops[i].name))
			return &loops[i];
	return NULL;
}

/* 1 if the arguments are valid; optind is then at the first name. */
static int parse(int argc, char **argv, struct counts *c)
{
	int opt, good = 1;

	*c = (struct counts){ 100, 1000, 50000, NULL };
	while ((opt = getopt(argc, argv, "b:k:ms:")) != -1) {
		if (opt == 'm')
			level_wanted = MPI_THREAD_MULTIPLE;
		else
			good &= counts_option(c, opt, optarg);
	}
	good &= optind < argc;
	for (int i = optind; i < argc; i++)
		good &= find(argv[i]) != NULL;
	return good && counts_open(c);
}

int main(int argc, char **argv)
{
	struct counts c;
	uint64_t start;
	int ranks, level, good = parse(argc, argv, &c);

	MPI_Init_thread(&argc, &argv, level_wanted, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!good || ranks != 2 || level < level_wanted) {
		if (rank == 0)
			fprintf(stderr, "usage: calls [-m] [-b blocks] "
					"[-k rounds] [-s singles] name ..., "
					"on two ranks\n");
		MPI_Finalize();
		return 2;
	}
	other = 1 - rank;
	ns_per_tick = measure_tick();
	run_floor("two-readings", two_ticks, &c);
	run_floor("pmpi-iprobe", pmpi_iprobe, &c);
	for (int i = optind; i < argc; i++)
		run_loop(find(argv[i]), &c);
	free(c.ticks);
	MPI_Barrier(MPI_COMM_WORLD);
	start = now_ns();
	MPI_Finalize();
	if (rank == 0)
		printf("finalize %.3f\n", (double)(now_ns() - start) / 1e6);
	return 0;
}
