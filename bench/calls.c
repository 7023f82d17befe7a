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
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define STALL_NS 1e5

static int rank, other;
static double ns_per_tick;
static volatile uint64_t sink[2];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t tick(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	return now_ns();
#endif
}

/* ---- the loops: one round each ---- */

static void two_ticks(void)
{
	sink[0] = tick();
	sink[1] = tick();
}

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

struct counts {
	long blocks, rounds, singles;
	int level; /* of threads */
	uint64_t *ticks; /* room for the larger of blocks and singles */
};

struct figures {
	double min, median, p99, max;
	long stalls;
};

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts n durations, each of rounds rounds. */
static struct figures figures(uint64_t *ticks, long n, long rounds)
{
	double scale = ns_per_tick / (double)rounds;
	struct figures f = { 0 };

	if (!n)
		return f;
	qsort(ticks, (size_t)n, sizeof *ticks, by_size);
	f.min = (double)ticks[0] * scale;
	f.median = (double)ticks[n / 2] * scale;
	f.p99 = (double)ticks[n - 1 - n / 100] * scale;
	f.max = (double)ticks[n - 1] * scale;
	while (f.stalls < n &&
	       (double)ticks[n - 1 - f.stalls] * scale > STALL_NS)
		f.stalls++;
	return f;
}

static struct figures time_blocks(void (*round)(void), const struct counts *c)
{
	for (long k = 0; k < c->rounds; k++)
		round();
	for (long b = 0; b < c->blocks; b++) {
		uint64_t start = tick();

		for (long k = 0; k < c->rounds; k++)
			round();
		c->ticks[b] = tick() - start;
	}
	return figures(c->ticks, c->blocks, c->rounds);
}

static struct figures time_singles(void (*round)(void), const struct counts *c)
{
	for (long k = 0; k < c->singles; k++) {
		uint64_t start = tick();

		round();
		c->ticks[k] = tick() - start;
	}
	return figures(c->ticks, c->singles, 1);
}

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

/* Ticks against the kernel's clock, for 20 ms: good to a few parts in 10^6. */
static double measure_tick(void)
{
	uint64_t ns = now_ns(), t = tick(), end;

	do
		end = now_ns();
	while (end - ns < 20000000);
	return (double)(end - ns) / (double)(tick() - t);
}

static const struct loop *find(const char *name)
{
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		if (!strcmp(name, loops[i].name))
			return &loops[i];
	return NULL;
}

/* 1 when the arguments make sense; optind is then at the first name. */
static int parse(int argc, char **argv, struct counts *c)
{
	int opt, good = 1;
	long most;

	*c = (struct counts){ 100, 1000, 50000, MPI_THREAD_SINGLE, NULL };
	while ((opt = getopt(argc, argv, "b:k:ms:")) != -1) {
		if (opt == 'b')
			c->blocks = atol(optarg);
		else if (opt == 'k')
			c->rounds = atol(optarg);
		else if (opt == 'm')
			c->level = MPI_THREAD_MULTIPLE;
		else if (opt == 's')
			c->singles = atol(optarg);
		else
			good = 0;
	}
	good &= c->blocks > 0 && c->rounds > 0 && c->singles >= 0;
	good &= optind < argc;
	for (int i = optind; i < argc; i++)
		good &= find(argv[i]) != NULL;
	most = c->blocks > c->singles ? c->blocks : c->singles;
	if (!good || !(c->ticks = malloc((size_t)most * sizeof *c->ticks)))
		return 0;
	/* its pages are there before anything is timed */
	memset(c->ticks, 1, (size_t)most * sizeof *c->ticks);
	return 1;
}

int main(int argc, char **argv)
{
	struct counts c;
	uint64_t start;
	int ranks, level, good = parse(argc, argv, &c);

	MPI_Init_thread(&argc, &argv, c.level, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!good || ranks != 2 || level < c.level) {
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
