/*
 * Eager limits of the libraries that do not tell them: MPICH asks UCX or
 * libfabric, whose limits depend on the transports that they found.
 *
 * One rank sends messages that nobody receives yet. Those that complete all the
 * same were eager. The limit is first searched for among powers of two, then
 * between two of them. Afterwards the receiver takes them all. Between two
 * ranks of a host and two of different ones, where there are such; and, since
 * a send to oneself may wait as well, for every rank with itself.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "own_stack.h"
#include "yielding_wait.h"
#include "ticks.h"
#include "transport.h"
#include "world.h"

/* In MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

#ifndef OPEN_MPI

enum {
	LEAST = 64,
	MOST = 1 << 20,
	TESTS = 100,	 /* before a message counts as waiting */
	LONG_ENOUGH_NS = 50000, /* and at least so long */
	MESSAGES = 64,	 /* more than steps of the search */
	TAG_SIZES = 2,	 /* tags of our own communicator */
	TAG_MESSAGE = 3
};

struct search {
	MPI_Comm comm;
	int peer;
	char *buffer; /* MOST bytes */
	int sizes[MESSAGES + 1]; /* how many, then each */
	MPI_Request requests[MESSAGES];
};

/* Sends one more; did it complete by itself? */
static int is_eager(struct search *s, int bytes)
{
	uint64_t start = tape_raw_ns();
	int i = s->sizes[0]++, done = 0;

	s->sizes[i + 1] = bytes;
	PMPI_Isend(s->buffer, bytes, MPI_BYTE, s->peer, TAG_MESSAGE, s->comm,
		   &s->requests[i]);
	for (int k = 0; !done && (k < TESTS ||
				  tape_raw_ns() - start < LONG_ENOUGH_NS); k++)
		PMPI_Test(&s->requests[i], &done, MPI_STATUS_IGNORE);
	return done;
}

/* The limit, 0 if not even the least size is eager. */
static int find_limit(struct search *s)
{
	int low = 0, high = LEAST;

	while (high <= MOST && is_eager(s, high)) {
		low = high;
		high *= 2;
	}
	while (low && high <= MOST && high - low > 1) {
		int middle = low + (high - low) / 2;

		if (is_eager(s, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void wait_for_all(struct search *s)
{
	for (int i = 0; i < s->sizes[0]; i++)
		PMPI_Wait(&s->requests[i], MPI_STATUS_IGNORE);
}

static void receive_all(struct search *s)
{
	for (int i = 0; i < s->sizes[0]; i++)
		PMPI_Recv(s->buffer, s->sizes[i + 1], MPI_BYTE, s->peer,
			  TAG_MESSAGE, s->comm, MPI_STATUS_IGNORE);
}

/* A first message may have to wait for a connection. */
static void open_connection(const struct search *s)
{
	int a = 0, b;

	for (int i = 0; i < 2; i++)
		PMPI_Sendrecv(&a, 1, MPI_INT, s->peer, TAG_SIZES, &b, 1,
			      MPI_INT, s->peer, TAG_SIZES, s->comm,
			      MPI_STATUS_IGNORE);
}

/* Between ranks from and to; the limit, on rank from, else -1. */
static int measure_pair(MPI_Comm comm, int from, int to)
{
	int rank = tape_process.rank, limit = -1;
	struct search s = { .comm = comm, .peer = rank == from ? to : from };

	if ((rank != from && rank != to) || from == to)
		return -1;
	s.buffer = calloc(1, MOST);
	open_connection(&s);
	if (rank == from) {
		if (s.buffer)
			limit = find_limit(&s);
		PMPI_Send(s.sizes, MESSAGES + 1, MPI_INT, to, TAG_SIZES, comm);
		wait_for_all(&s);
	} else {
		PMPI_Recv(s.sizes, MESSAGES + 1, MPI_INT, from, TAG_SIZES, comm,
			  MPI_STATUS_IGNORE);
		receive_all(&s);
	}
	free(s.buffer);
	return limit;
}

/* With oneself; 0 is likely, and then every send waits. */
static int measure_self(void)
{
	struct search s = { .comm = tape_self };
	char *other;
	int limit = -1;

	if (!tape_world_can_wait())
		return -1;
	other = calloc(1, MOST);
	s.buffer = calloc(1, MOST);
	if (s.buffer && other) {
		char *sent = s.buffer;

		limit = find_limit(&s);
		s.buffer = other; /* not the memory that is sent from */
		receive_all(&s);
		s.buffer = sent;
		wait_for_all(&s);
	}
	free(s.buffer);
	free(other);
	return limit;
}

/*
 * Two ranks of one host or, if other is set, of two, the lower one returned;
 * -1: none. Domains but 0 are numbered in the order of their first ranks, so
 * that the first rank whose host had one before is found on one way through
 * them.
 */
static int find_pair(const int *domains, int size, int other, int *to)
{
	int next = 1, reference = 0, a = 0, b = 0;

	for (; b < size; b++) {
		int d = domains[b];

		if (other ? d != domains[0] : d ? d < next : reference)
			break;
		next += d > 0;
		reference |= !d;
	}
	if (b == size)
		return -1;
	while (!other && domains[a] != domains[b])
		a++;
	*to = b;
	return a;
}

size_t tape_transport_text(MPI_Comm comm, const int *domains, char *text,
			   size_t n)
{
	static const char *const names[] = { "self", "shm", "net" };
	int limits[3], size = tape_process.size;
	size_t used = 0;
	MPI_Request r;

	limits[0] = tape_process.rank ? -1 : measure_self();
	for (int other = 0; other < 2; other++) {
		int to = 0, from = find_pair(domains, size, other, &to);

		limits[1 + other] =
		    from < 0 ? -1 : measure_pair(comm, from, to);
	}
	tape_yielding_wait(PMPI_Iallreduce(MPI_IN_PLACE, limits, 3, MPI_INT,
					   MPI_MAX, comm, &r),
			   &r);
	*text = '\0';
	for (int i = 0; i < 3; i++) {
		/* between two, none at all is no measurement */
		if (limits[i] < (i ? 1 : 0))
			continue;
		snprintf(text + used, n - used, "eager %s %d measured\n",
			 names[i], limits[i]);
		used += strlen(text + used);
	}
	return used;
}

#endif
TAPE_ON_OWN_STACK_END
