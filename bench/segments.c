/*
 * The same work with and without Tape, in turn, in one process:
 *
 *	taperun -o t.tape segments [-w how] [-n pairs] [-s seed] [-t us]
 *		-o times CELL...
 *
 * on two ranks. A cell is EVENT:KERNEL:STEPS, an event after every so many
 * steps of a kernel. Each cell is made of pairs of segments, in random order:
 *one calls PMPI_... and makes no marks, which Tape does not see; the other
 *calls MPI_... and marks. It lies between the marks of a region "segment CELL",
 *and begins with a traced barrier, so that the ranks' perturbations start
 *alike. Both kinds run the same instructions but for the calls themselves.
 *
 * how: "traced", or "off" (the second kind runs between tape_off and tape_on),
 * or "bare" (as traced, without a region; for a run without Tape).
 *
 * times.RANK gets "cell NUMBER NAME ROUNDS EVENTS" for each cell, EVENTS on
 *this rank in a segment, and "CELL PAIR KIND START END" for each segment, ns on
 *one clock of the host. Rounds are such that a segment takes some us untraced.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tape.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

#pragma weak tape_enter
#pragma weak tape_leave
#pragma weak tape_off
#pragma weak tape_on

enum { WARM = 4, MOST_ROUNDS = 2048, TASKS = 2, INNER = 4 };

static int rank, marks;
static MPI_Comm inner;
static MPI_Request idle;

/* ---- events: rounds of steps and calls ---- */

struct cell {
	const char *name;
	const struct event *event;
	void (*steps)(int n);
	int n, rounds;
};

#define CALL(f, ...) (traced ? MPI_##f(__VA_ARGS__) : PMPI_##f(__VA_ARGS__))
#define WORLD MPI_COMM_WORLD
#define OTHER (!rank)

/* Marks by turns in and out, a distance apart. */
static void mark(const struct cell *c, int traced)
{
	int marked = traced && marks;

	for (int i = 0; i < c->rounds; i += 2) {
		if (marked)
			tape_enter("odd");
		c->steps(c->n);
		if (marked)
			tape_leave();
		c->steps(c->n);
	}
}

/* The work of a round, in a region where asked for. */
static inline void work(const struct cell *c, int marked)
{
	if (marked)
		tape_enter("work");
	c->steps(c->n);
	if (marked)
		tape_leave();
}

static void region(const struct cell *c, int traced)
{
	for (int i = 0; i < c->rounds; i++)
		work(c, traced && marks);
}

static void local(const struct cell *c, int traced)
{
	int size;

	for (int i = 0; i < c->rounds; i++) {
		c->steps(c->n);
		CALL(Type_size, MPI_INT, &size);
	}
}

static void test(const struct cell *c, int traced)
{
	int flag;

	for (int i = 0; i < c->rounds; i++) {
		c->steps(c->n);
		CALL(Test, &idle, &flag, MPI_STATUS_IGNORE);
	}
}

static void self(const struct cell *c, int traced)
{
	double out = 1, in;

	for (int i = 0; i < c->rounds; i++) {
		c->steps(c->n);
		CALL(Sendrecv, &out, 1, MPI_DOUBLE, 0, 1, &in, 1, MPI_DOUBLE, 0,
		     1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	}
}

#define SEND(to) CALL(Send, &x, 1, MPI_DOUBLE, to, 2, WORLD)
#define RECV(from)                                                             \
	CALL(Recv, &x, 1, MPI_DOUBLE, from, 2, WORLD, MPI_STATUS_IGNORE)

static void pingpong(const struct cell *c, int traced)
{
	double x = 0;

	for (int i = 0; i < c->rounds; i++) {
		if (rank)
			RECV(OTHER);
		c->steps(c->n);
		SEND(OTHER);
		if (!rank)
			RECV(OTHER);
	}
}

static void collective(const struct cell *c, int traced)
{
	double x = 1, all;

	for (int i = 0; i < c->rounds; i++) {
		c->steps(c->n);
		CALL(Allreduce, &x, &all, 1, MPI_DOUBLE, MPI_SUM, WORLD);
	}
}

/* Rank 0 hands on what it made; rank 1 works on it. */
static void pipeline_(const struct cell *c, int traced, int marked)
{
	double x = 0;

	for (int i = 0; i < c->rounds; i++) {
		if (rank)
			RECV(OTHER);
		work(c, marked);
		if (!rank)
			SEND(OTHER);
	}
}

/* Borders are exchanged while the inside is worked on. */
static void halo_(const struct cell *c, int traced, int marked)
{
	MPI_Request r[2];
	double x[2] = { 0 };

	for (int i = 0; i < c->rounds; i++) {
		CALL(Irecv, &x[0], 1, MPI_DOUBLE, OTHER, 3, WORLD, &r[0]);
		CALL(Isend, &x[1], 1, MPI_DOUBLE, OTHER, 3, WORLD, &r[1]);
		work(c, marked);
		CALL(Waitall, 2, r, MPI_STATUSES_IGNORE);
	}
}

/* Rank 0 has two tasks out at any time. */
static void workers_(const struct cell *c, int traced, int marked)
{
	double x = 0;

	for (int i = 0; !rank && i < TASKS; i++)
		SEND(OTHER);
	for (int i = 0; i < c->rounds; i++) {
		RECV(rank ? OTHER : MPI_ANY_SOURCE);
		if (rank)
			work(c, marked);
		if (rank || i + TASKS < c->rounds)
			SEND(OTHER);
	}
}

/* A parameter for all, sums in a communicator of the inner loop, a result. */
static void nested_(const struct cell *c, int traced, int marked)
{
	double x = 1, all;

	for (int i = 0; i < c->rounds; i++) {
		CALL(Bcast, &x, 1, MPI_DOUBLE, 0, WORLD);
		for (int k = 0; k < INNER; k++) {
			work(c, marked);
			CALL(Allreduce, &x, &all, 1, MPI_DOUBLE, MPI_SUM,
			     inner);
		}
		CALL(Reduce, &x, &all, 1, MPI_DOUBLE, MPI_SUM, 0, WORLD);
	}
}

#define SHAPE(shape)                                                           \
	static void shape(const struct cell *c, int traced)                    \
	{                                                                      \
		shape##_(c, traced, 0);                                        \
	}                                                                      \
	static void shape##_marked(const struct cell *c, int traced)           \
	{                                                                      \
		shape##_(c, traced, traced &&marks);                           \
	}
SHAPE(pipeline)
SHAPE(halo)
SHAPE(workers)
SHAPE(nested)

static const struct event {
	const char *name;
	void (*run)(const struct cell *c, int traced);
	int each[2]; /* events a round, by rank */
} events[] = {
	{ "mark", mark, { 1, 1 } },
	{ "region", region, { 2, 2 } },
	{ "local", local, { 1, 1 } },
	{ "test", test, { 1, 1 } },
	{ "self", self, { 1, 1 } },
	{ "pingpong", pingpong, { 2, 2 } },
	{ "collective", collective, { 1, 1 } },
	{ "pipeline", pipeline, { 1, 1 } },
	{ "pipeline+", pipeline_marked, { 3, 3 } },
	{ "halo", halo, { 3, 3 } },
	{ "halo+", halo_marked, { 5, 5 } },
	{ "workers", workers, { 2, 2 } },
	{ "workers+", workers_marked, { 2, 4 } },
	{ "nested", nested, { 2 + INNER, 2 + INNER } },
	{ "nested+", nested_marked, { 2 + 3 * INNER, 2 + 3 * INNER } },
};

/* ---- segments ---- */

struct segment {
	int cell, pair, kind;
	int64_t start, end;
};

static enum { TRACED, OFF, BARE } how;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* border: the region's name, or NULL for a segment that does not count. */
static void run(const struct cell *c, int traced, const char *border,
		struct segment *s)
{
	if (how == OFF && traced && tape_off)
		tape_off();
	PMPI_Barrier(WORLD);
	CALL(Barrier, WORLD);
	border = traced && how == TRACED ? border : NULL;
	if (border)
		tape_enter(border);
	/* both leave together, whatever the marks took */
	PMPI_Barrier(WORLD);
	s->start = now();
	c->event->run(c, traced);
	s->end = now();
	if (border)
		tape_leave();
	if (how == OFF && traced && tape_on)
		tape_on();
}

/* As many rounds as take so long on rank 0, untraced; an even number. */
static void choose_rounds(struct cell *c, double ns)
{
	int64_t least = INT64_MAX;
	struct segment s;
	double fit;

	c->rounds = 64;
	for (int i = 0; i < 8; i++) {
		run(c, 0, NULL, &s);
		if (s.end - s.start < least)
			least = s.end - s.start;
	}
	fit = ns * c->rounds / (double)(least > 1 ? least : 1);
	c->rounds = fit < MOST_ROUNDS ? ((int)fit + 1) & ~1 : MOST_ROUNDS;
	if (c->rounds < 8)
		c->rounds = 8;
	PMPI_Bcast(&c->rounds, 1, MPI_INT, 0, WORLD);
}

static void measure(struct cell *c, int number, int pairs, struct segment *s)
{
	char border[128];
	struct segment unused;

	snprintf(border, sizeof border, "segment %s", c->name);
	for (int i = 0; i < 2 * WARM; i++)
		run(c, i & 1, NULL, &unused);
	for (int i = 0; i < 2 * pairs; i += 2) {
		int first = drand48() < 0.5;

		for (int k = 0; k < 2; k++, s++) {
			s->cell = number;
			s->pair = i / 2;
			s->kind = k ^ first;
			run(c, s->kind, border, s);
		}
	}
}

/* EVENT:KERNEL:STEPS */
static int parse(const char *text, struct cell *c)
{
	size_t e = strcspn(text, ":"), k;
	const char *kernel = text + e + (text[e] == ':');

	c->name = text;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (strlen(events[i].name) == e &&
		    !memcmp(events[i].name, text, e))
			c->event = &events[i];
	k = strcspn(kernel, ":");
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (strlen(kernels[i].name) == k &&
		    !memcmp(kernels[i].name, kernel, k))
			c->steps = kernels[i].steps;
	c->n = kernel[k] == ':' ? atoi(kernel + k + 1) : 0;
	return c->event && c->steps && c->n > 0 && c->n <= WIDE;
}

static int write_times(const char *name, const struct cell *c, int n_cells,
		       const struct segment *s, size_t n)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s.%d", name, rank);
	if (!(f = fopen(path, "w")))
		return -1;
	for (int i = 0; i < n_cells; i++)
		fprintf(f, "cell %d %s %d %d\n", i, c[i].name, c[i].rounds,
			c[i].rounds * c[i].event->each[rank]);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%d %d %d %lld %lld\n", s[i].cell, s[i].pair,
			s[i].kind, (long long)s[i].start, (long long)s[i].end);
	return fclose(f);
}

static void usage(void)
{
	fputs("usage: segments [-w traced|off|bare] [-n pairs] [-s seed] "
	      "[-t us] -o times cell...\n",
	      stderr);
	MPI_Abort(WORLD, 2);
}

int main(int argc, char **argv)
{
	int pairs = 150, c, n, size;
	const char *times = NULL;
	long seed = 1, us = 150;
	struct segment *s;
	struct cell *cells;
	double x;

	MPI_Init(&argc, &argv);
	while ((c = getopt(argc, argv, "w:n:s:t:o:")) != -1)
		if (c == 'w')
			how = !strcmp(optarg, "off")	? OFF
			      : !strcmp(optarg, "bare") ? BARE
							: TRACED;
		else if (c == 'n')
			pairs = atoi(optarg);
		else if (c == 's')
			seed = atol(optarg);
		else if (c == 't')
			us = atol(optarg);
		else if (c == 'o')
			times = optarg;
		else
			usage();
	PMPI_Comm_size(WORLD, &size);
	PMPI_Comm_rank(WORLD, &rank);
	n = argc - optind;
	marks = tape_enter && tape_leave;
	if (n < 1 || pairs < 1 || us < 1 || !times || size != 2 ||
	    (how == TRACED && !marks))
		usage();
	srand48(seed);
	if (kernels_begin())
		MPI_Abort(WORLD, 1);
	cells = calloc((size_t)n, sizeof *cells);
	s = calloc((size_t)n * 2 * (size_t)pairs, sizeof *s);
	for (int i = 0; i < n; i++)
		if (!cells || !s || !parse(argv[optind + i], &cells[i]))
			usage();
	MPI_Comm_dup(WORLD, &inner);
	MPI_Send_init(&x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, WORLD, &idle);
	for (int i = 0; i < n; i++) {
		choose_rounds(&cells[i], 1e3 * (double)us);
		measure(&cells[i], i, pairs, s + (size_t)i * 2 * (size_t)pairs);
	}
	if (write_times(times, cells, n, s, (size_t)n * 2 * (size_t)pairs)) {
		perror(times);
		MPI_Abort(WORLD, 1);
	}
	MPI_Request_free(&idle);
	MPI_Comm_free(&inner);
	MPI_Finalize();
	return kernels_end() < -1;
}
