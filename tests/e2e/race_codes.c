/*
 * Programs with message races and without, for three ranks and more, after the
 * descriptions of the MPI Bugs Initiative (Laurent, Saillard, Quinson 2021) and
 * MPI-BugBench (Jammer and others 2024). The argument names one. Before
 * a line with a race is the comment "race: NAME"; "clean" ones have none.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, value;

static void send_to(int to, int tag)
{
	MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

/* A macro: its call site is the line where it is used. */
#define receive_from(from, tag) \
	MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, \
		 MPI_STATUS_IGNORE)

static void any_source(void)
{
	if (rank)
		send_to(0, 1);
	else
		for (int i = 1; i < ranks; i++)
			/* race: any_source */
			receive_from(MPI_ANY_SOURCE, 1);
}

static void clean_sources(void)
{
	if (rank)
		send_to(0, 1);
	else
		for (int i = 1; i < ranks; i++)
			receive_from(i, 1);
}

/* The tag says who sends. */
static void clean_tags(void)
{
	if (rank)
		send_to(0, rank);
	else
		for (int i = 1; i < ranks; i++)
			receive_from(MPI_ANY_SOURCE, i);
}

/* The tag does not. */
static void any_tag(void)
{
	if (rank)
		send_to(0, rank);
	else
		for (int i = 1; i < ranks; i++)
			/* race: any_tag */
			receive_from(MPI_ANY_SOURCE, MPI_ANY_TAG);
}

/* A barrier is between the messages, after each was received. */
static void clean_barriers(void)
{
	for (int i = 1; i < ranks; i++) {
		if (rank == i)
			send_to(0, 1);
		if (rank == 0)
			receive_from(MPI_ANY_SOURCE, 1);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* The barrier is before the receives: it orders nothing. */
static void late_barrier(void)
{
	if (rank)
		send_to(0, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < ranks; i++)
		/* race: late_barrier */
		receive_from(MPI_ANY_SOURCE, 1);
}

/* Each rank sends when it was asked. */
static void clean_turns(void)
{
	for (int i = 1; i < ranks; i++) {
		if (rank == 0) {
			send_to(i, 2);
			receive_from(MPI_ANY_SOURCE, 1);
		} else if (rank == i) {
			receive_from(0, 2);
			send_to(0, 1);
		}
	}
}

/* Synchronous sends hand a token on, which says that they were received. */
static void clean_synchronous(void)
{
	if (rank == 0) {
		for (int i = 1; i < ranks; i++)
			receive_from(MPI_ANY_SOURCE, 1);
		return;
	}
	if (rank > 1)
		receive_from(rank - 1, 2);
	MPI_Ssend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	if (rank + 1 < ranks)
		send_to(rank + 1, 2);
}

/* The same with sends that do not wait. */
static void pass_token(void)
{
	if (rank == 0) {
		for (int i = 1; i < ranks; i++)
			/* race: token */
			receive_from(MPI_ANY_SOURCE, 1);
		return;
	}
	if (rank > 1)
		receive_from(rank - 1, 2);
	send_to(0, 1);
	if (rank + 1 < ranks)
		send_to(rank + 1, 2);
}

static void post_requests(void)
{
	MPI_Request r[64];

	if (rank) {
		send_to(0, 1);
		return;
	}
	for (int i = 1; i < ranks; i++)
		/* race: requests */
		MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
			  &r[i]);
	MPI_Waitall(ranks - 1, r + 1, MPI_STATUSES_IGNORE);
}

static void clean_requests(void)
{
	MPI_Request r[64];

	if (rank) {
		send_to(0, 1);
		return;
	}
	for (int i = 1; i < ranks; i++)
		MPI_Irecv(&value, 1, MPI_INT, i, 1, MPI_COMM_WORLD, &r[i]);
	MPI_Waitall(ranks - 1, r + 1, MPI_STATUSES_IGNORE);
}

static void wait_any(void)
{
	MPI_Request r[64];
	int which;

	if (rank) {
		send_to(0, 1);
		return;
	}
	for (int i = 1; i < ranks; i++)
		MPI_Irecv(&value, 1, MPI_INT, i, 1, MPI_COMM_WORLD, &r[i]);
	for (int i = 1; i < ranks; i++)
		/* race: wait_any */
		MPI_Waitany(ranks - 1, r + 1, &which, MPI_STATUS_IGNORE);
}

/* The probe takes what comes first; the receive takes what was probed. */
static void probe_any(void)
{
	MPI_Status s;

	if (rank) {
		send_to(0, 1);
		return;
	}
	for (int i = 1; i < ranks; i++) {
		/* race: probe */
		MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s);
		receive_from(s.MPI_SOURCE, 1);
	}
}

/* Two communicators: a message of one is none of the other. */
static void clean_communicators(void)
{
	MPI_Comm other;

	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	if (rank == 1)
		send_to(0, 1);
	if (rank == 2)
		MPI_Send(&value, 1, MPI_INT, 0, 1, other);
	if (rank == 0) {
		receive_from(MPI_ANY_SOURCE, 1);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, other,
			 MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {
	    {"any_source", any_source},
	    {"any_tag", any_tag},
	    {"late_barrier", late_barrier},
	    {"token", pass_token},
	    {"requests", post_requests},
	    {"wait_any", wait_any},
	    {"probe", probe_any},
	    {"clean_sources", clean_sources},
	    {"clean_tags", clean_tags},
	    {"clean_barriers", clean_barriers},
	    {"clean_turns", clean_turns},
	    {"clean_synchronous", clean_synchronous},
	    {"clean_requests", clean_requests},
	    {"clean_communicators", clean_communicators},
	};
	enum { PROGRAMS = sizeof programs / sizeof *programs };

	for (int i = 0; argc < 2 && i < PROGRAMS; i++)
		puts(programs[i].name);
	if (argc < 2)
		return 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < PROGRAMS; i++)
		if (!strcmp(argv[1], programs[i].name))
			programs[i].run();
	MPI_Finalize();
	return 0;
}
