/*
 * More programs that hang, and that do not: where_calls.sh has what tapewhere
 * is to say of each. The errors are those that Laurent, Saillard and Quinson
 * class as call ordering and parameter matching ("The MPI Bugs Initiative: a
 * Framework for MPI Verification Tools Evaluation", Correctness 2021).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, numbers[64], received[64];
static MPI_Comm world, pair;

/* Outside of MPI for ever. */
static void compute(void)
{
	for (volatile unsigned long n = 0;; n++)
		if (!(n & 0xfffff))
			usleep(1000);
}

static void receive(int from, int tag)
{
	MPI_Recv(numbers, 1, MPI_INT, from, tag, world, MPI_STATUS_IGNORE);
}

static void send(int to, int tag)
{
	MPI_Send(numbers, 1, MPI_INT, to, tag, world);
}

static void wait_for(MPI_Request *request)
{
	MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Ranks 0 and 1 look for each other's message, and send after that. */
static void probe_first(void)
{
	if (rank > 1)
		compute();
	MPI_Probe(1 - rank, 5, world, MPI_STATUS_IGNORE);
	send(1 - rank, 5);
	receive(1 - rank, 5);
}

static void receive_before_barrier(void)
{
	if (rank == 0)
		receive(1, 5);
	MPI_Barrier(world);
	if (rank == 1)
		send(0, 5);
}

static void send_before_barrier(void)
{
	if (rank == 0)
		MPI_Ssend(numbers, 1, MPI_INT, 1, 5, world);
	MPI_Barrier(world);
	if (rank == 1)
		receive(0, 5);
}

static void persistent_ring(void)
{
	MPI_Request request;

	MPI_Recv_init(received, 1, MPI_INT, (rank + 1) % size, 5, world,
		      &request);
	MPI_Start(&request);
	wait_for(&request);
	send((rank + size - 1) % size, 5);
}

/* Three ranks wait in a circle, the fourth for one of them. */
static void circle_of_three(void)
{
	MPI_Request request;

	if (rank == 3)
		receive(0, 5);
	MPI_Irecv(received, 1, MPI_INT, (rank + 1) % 3, 5, world, &request);
	wait_for(&request);
	send((rank + 2) % 3, 5);
}

static void nonblocking_mismatch(void)
{
	MPI_Request request;

	if (rank == 0) {
		MPI_Ibarrier(world, &request);
		wait_for(&request);
	} else {
		MPI_Allreduce(numbers, received, 1, MPI_INT, MPI_SUM, world);
	}
}

/* Pairs: one calls the collective of the pair first, one that of all. */
static void communicators_in_another_order(void)
{
	MPI_Comm first = rank % 2 ? pair : world;
	MPI_Comm second = rank % 2 ? world : pair;

	MPI_Barrier(first);
	MPI_Barrier(second);
}

static void dup_by_some(void)
{
	MPI_Comm other;

	if (rank)
		MPI_Comm_dup(world, &other);
	else
		receive(1, 5);
}

/* Rank 3 has nothing more to do. */
static void missing_member(void)
{
	if (rank != 3)
		MPI_Allreduce(numbers, received, 1, MPI_INT, MPI_SUM, world);
}

/* The receive from any rank takes the message that the next one wants. */
static void any_source_first(void)
{
	if (rank == 0) {
		receive(MPI_ANY_SOURCE, 5);
		receive(1, 5);
	} else if (rank == 1) {
		send(0, 5);
	}
	MPI_Barrier(world);
}

static void wait_any(void)
{
	MPI_Request request[2];
	int index;

	MPI_Irecv(received, 1, MPI_INT, (rank + 1) % size, 5, world,
		  &request[0]);
	MPI_Irecv(received + 1, 1, MPI_INT, (rank + 2) % size, 5, world,
		  &request[1]);
	MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
}

static void missing_fence(void)
{
	MPI_Win window;

	MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL,
		       world, &window);
	MPI_Win_fence(0, window);
	if (rank)
		MPI_Win_fence(0, window);
	else
		compute();
}

/* Rank 0 never unlocks; rank 1 puts something under a lock of its own. */
static void lock_is_held(void)
{
	MPI_Win window;

	MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL,
		       world, &window);
	if (rank == 0)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
	MPI_Barrier(world);
	if (rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
		MPI_Put(numbers, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
		MPI_Win_unlock(2, window);
	}
	compute();
}

static void start_without_post(void)
{
	MPI_Group all, other;
	MPI_Win window;
	int target = 1;

	MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL,
		       world, &window);
	MPI_Comm_group(world, &all);
	MPI_Group_incl(all, 1, &target, &other);
	if (rank == 0) {
		MPI_Win_start(other, 0, window);
		MPI_Put(numbers, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
		MPI_Win_complete(window);
	}
	compute();
}

/* The first rank of a scan is missing; it waits for the last. */
static void scan_chain(void)
{
	if (rank == 0)
		receive(3, 5);
	else
		MPI_Scan(numbers, received, 1, MPI_INT, MPI_SUM, world);
	if (rank == 3)
		send(0, 5);
}

static void sendrecv_ring(void)
{
	MPI_Sendrecv(numbers, 1, MPI_INT, (rank + 1) % size, 5, received, 1,
		     MPI_INT, (rank + 1) % size, 6, world, MPI_STATUS_IGNORE);
}

static void synchronous_ring(void)
{
	MPI_Request request;

	MPI_Issend(numbers, 1, MPI_INT, (rank + 1) % size, 5, world, &request);
	wait_for(&request);
	receive((rank + size - 1) % size, 5);
}

/* ---- programs that go on ---- */

/* Messages from any rank, some of them late, in any order. */
static void farm(void)
{
	MPI_Status status;

	for (int i = 0;; i++)
		if (rank == 0) {
			MPI_Recv(received, 1, MPI_INT, MPI_ANY_SOURCE,
				 MPI_ANY_TAG, world, &status);
			MPI_Send(numbers, 1, MPI_INT, status.MPI_SOURCE,
				 status.MPI_TAG, world);
		} else {
			if (i % 7 == rank)
				usleep(500);
			MPI_Sendrecv(numbers, 1, MPI_INT, 0, i % 100, received,
				     1, MPI_INT, 0, i % 100, world,
				     MPI_STATUS_IGNORE);
		}
}

/* Collectives that overlap, waited for in another order on each rank. */
static void overlap(void)
{
	MPI_Request request[3];

	for (;;) {
		MPI_Ibarrier(world, &request[0]);
		MPI_Iallreduce(numbers, received, 1, MPI_INT, MPI_SUM, world,
			       &request[1]);
		MPI_Ibcast(numbers + 8, 1, MPI_INT, 2, world, &request[2]);
		for (int i = 0; i < 3; i++)
			wait_for(&request[(i + rank) % 3]);
	}
}

/* Collectives of two communicators, in an order that each pair agrees on. */
static void two_communicators(void)
{
	for (int i = 0;; i++) {
		MPI_Barrier(pair);
		if (i % (2 + rank / 2) == 0)
			MPI_Bcast(numbers, 1, MPI_INT, 0, pair);
		MPI_Allreduce(numbers, received, 1, MPI_INT, MPI_SUM, world);
	}
}

/* Persistent halo, synchronous sends, probes. */
static void halo(void)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Request request[2];

	MPI_Recv_init(received, 1, MPI_INT, before, 5, world, &request[0]);
	MPI_Ssend_init(numbers, 1, MPI_INT, next, 5, world, &request[1]);
	for (int i = 0;; i++) {
		MPI_Startall(2, request);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
		if (rank % 2) {
			send(before, 6);
		} else {
			MPI_Probe(next, 6, world, MPI_STATUS_IGNORE);
			receive(next, 6);
		}
	}
}

/* Epochs of all kinds on a window. */
static void windows(void)
{
	MPI_Win window;

	MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL,
		       world, &window);
	for (;;) {
		MPI_Win_fence(0, window);
		MPI_Put(received, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT,
			window);
		MPI_Win_fence(0, window);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
		MPI_Put(received, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
		MPI_Win_unlock(0, window);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name)                                                             \
	{                                                                      \
#name, name                                                    \
	}
    CASE(probe_first),
    CASE(receive_before_barrier),
    CASE(send_before_barrier),
    CASE(persistent_ring),
    CASE(circle_of_three),
    CASE(nonblocking_mismatch),
    CASE(communicators_in_another_order),
    CASE(dup_by_some),
    CASE(missing_member),
    CASE(any_source_first),
    CASE(wait_any),
    CASE(missing_fence),
    CASE(lock_is_held),
    CASE(start_without_post),
    CASE(scan_chain),
    CASE(sendrecv_ring),
    CASE(synchronous_ring),
    CASE(farm),
    CASE(overlap),
    CASE(two_communicators),
    CASE(halo),
    CASE(windows),
#undef CASE
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	MPI_Comm_split(world, rank / 2, 0, &pair);
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	MPI_Finalize();
	return 0;
}
