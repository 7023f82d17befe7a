/*
 * Programs that hang, and programs that do not: where.sh has what tapewhere is
 * to say of each. What follows the case is its truth: all ranks are where the
 * program puts them, for ever.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 22, LAST = 3 };
static int rank, size, numbers[LARGE], received[LARGE];

/* Outside of MPI for ever. */
static void compute(void)
{
	for (volatile unsigned long n = 0;; n++)
		if (!(n & 0xfffff))
			usleep(1000);
}

static void receive(int from, int tag)
{
	MPI_Recv(numbers, 1, MPI_INT, from, tag, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Each waits for a message of the next rank, which comes after that. */
static void ring(void)
{
	receive((rank + 1) % size, 5);
	MPI_Send(numbers, 1, MPI_INT, (rank + size - 1) % size, 5,
		 MPI_COMM_WORLD);
}

static void ring_of_requests(void)
{
	MPI_Request request[2];

	MPI_Irecv(numbers, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD,
		  &request[0]);
	MPI_Irecv(received, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD,
		  &request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* Rank 2 waits for a message of rank 0, the others for rank 2. */
static void absent(void)
{
	if (rank == 2)
		receive(0, 7);
	barrier();
}

static void wrong_tag(void)
{
	if (rank == 1)
		MPI_Send(numbers, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
	if (rank == 0)
		receive(1, 5);
	barrier();
}

static void wrong_communicator(void)
{
	MPI_Comm other;

	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	if (rank == 1)
		MPI_Send(numbers, 1, MPI_INT, 0, 5, other);
	if (rank == 0)
		receive(1, 5);
	barrier();
}

/* Of ranks 0 and 1 each takes the other for the root. */
static void wrong_root(void)
{
	MPI_Comm pair;

	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);
	if (rank < 2)
		MPI_Bcast(numbers, 1, MPI_INT, 1 - rank, pair);
	else
		compute();
}

static void mismatch(void)
{
	if (rank == 0)
		barrier();
	else
		MPI_Allreduce(numbers, received, 1, MPI_INT, MPI_SUM,
			      MPI_COMM_WORLD);
}

/* Ranks 0 and 1 send to each other first. */
static void send_first(int n, int synchronous)
{
	int other = 1 - rank;

	if (rank > 1)
		compute();
	if (synchronous)
		MPI_Ssend(numbers, n, MPI_INT, other, 5, MPI_COMM_WORLD);
	else
		MPI_Send(numbers, n, MPI_INT, other, 5, MPI_COMM_WORLD);
	MPI_Recv(received, n, MPI_INT, other, 5, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	compute();
}

static void any_source(void)
{
	if (rank == 0)
		receive(MPI_ANY_SOURCE, 5);
	barrier();
}

static void any_source_late(void)
{
	if (rank == LAST)
		compute();
	receive(rank ? 0 : MPI_ANY_SOURCE, 5);
}

/* Rank 1 has nothing more to do. */
static void left_alone(void)
{
	if (rank != 1)
		receive(1, 5);
}

static void loop(void)
{
	barrier();
	if (rank == 1)
		compute();
	barrier();
}

/* Rank 1 ends by a signal, while the others wait for it. */
static void fall(void)
{
	barrier();
	if (rank == 1) {
		usleep(500000);
		raise(SIGKILL);
	}
	barrier();
}

static void late_root(void)
{
	if (rank == 0)
		compute();
	MPI_Bcast(numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Rank 0 sends much to rank 1, which has posted the receive and computes. */
static void late_receiver(void)
{
	MPI_Request request;

	if (rank == 1)
		MPI_Irecv(received, LARGE, MPI_INT, 0, 5, MPI_COMM_WORLD,
			  &request);
	barrier();
	if (rank == 0)
		MPI_Send(numbers, LARGE, MPI_INT, 1, 5, MPI_COMM_WORLD);
	compute();
}

/* Messages and collectives without an end. */
static void exchange(void)
{
	for (;;) {
		MPI_Sendrecv(numbers, 100, MPI_INT, (rank + 1) % size, 5,
			     received, 100, MPI_INT, (rank + size - 1) % size,
			     5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank % 2) {
			receive(rank - 1, 6);
			MPI_Ssend(numbers, 1, MPI_INT, rank - 1, 7,
				  MPI_COMM_WORLD);
		} else {
			MPI_Send(numbers, 1, MPI_INT, rank + 1, 6,
				 MPI_COMM_WORLD);
			receive(MPI_ANY_SOURCE, 7);
		}
		MPI_Allreduce(numbers, received, 1, MPI_INT, MPI_SUM,
			      MPI_COMM_WORLD);
	}
}

static void test_for_ever(void)
{
	MPI_Request request;
	int flag = 0;

	if (rank)
		compute();
	MPI_Irecv(received, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
	while (!flag)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void end_well(void)
{
	barrier();
}

static void send_large_first(void)
{
	send_first(LARGE, 0);
}

static void send_synchronously(void)
{
	send_first(1, 1);
}

static void send_small_first(void)
{
	send_first(1, 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"ring", ring},
    {"ring_of_requests", ring_of_requests},
    {"absent", absent},
    {"wrong_tag", wrong_tag},
    {"wrong_communicator", wrong_communicator},
    {"wrong_root", wrong_root},
    {"mismatch", mismatch},
    {"send_large_first", send_large_first},
    {"send_synchronously", send_synchronously},
    {"send_small_first", send_small_first},
    {"any_source", any_source},
    {"any_source_late", any_source_late},
    {"left_alone", left_alone},
    {"loop", loop},
    {"fall", fall},
    {"late_root", late_root},
    {"late_receiver", late_receiver},
    {"exchange", exchange},
    {"compute", compute},
    {"test_for_ever", test_for_ever},
    {"end_well", end_well},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	MPI_Finalize();
	return 0;
}
