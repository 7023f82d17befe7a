/*
 * Waits whose reason is known. Arguments: a story.
 *
 * late: rank 0 sleeps 20 ms before each send, others receive
 * slow: all compute by sleeping 10 ms between barriers, rank 1 30 ms
 * master: rank 0 hands out work, and takes 5 ms for each piece; others 1 ms
 * moving: as slow, but it is another rank in each of four parts of the run
 * lock: all lock the window of rank 0, for 10 ms each
 * crowd: all compute for 10 ms of a processor between barriers
 * hang: each rank receives from the next, and sends after that
 * lost: rank 1 sends a message that no rank receives
 *
 * Prints for each rank how often it called, by its own count.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, calls;

static void send_late(void)
{
	char b[8] = "";

	for (int i = 0; i < 10; i++, calls++)
		if (!rank) {
			usleep(20000);
			for (int k = 1; k < size; k++)
				MPI_Send(b, 8, MPI_CHAR, k, 1, MPI_COMM_WORLD);
		} else {
			MPI_Recv(b, 8, MPI_CHAR, 0, 1, /* LATE */
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
}

static void work_slowly(void)
{
	for (int i = 0; i < 10; i++, calls++) {
		usleep(rank == 1 ? 30000 : 10000);
		MPI_Barrier(MPI_COMM_WORLD); /* SLOW */
	}
}

static void work_slowly_in_turn(void)
{
	for (int i = 0; i < 12; i++, calls++) {
		usleep(rank == i / 3 % size ? 30000 : 10000);
		MPI_Barrier(MPI_COMM_WORLD); /* MOVING */
	}
}

static void serve_workers(void)
{
	int piece = 0;
	MPI_Status s;

	for (int i = 0; i < 10 * (size - 1) && !rank; i++, calls += 2) {
		MPI_Recv(&piece, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
			 &s);
		usleep(5000);
		MPI_Send(&piece, 1, MPI_INT, s.MPI_SOURCE, 2, MPI_COMM_WORLD);
	}
	for (int i = 0; i < 10 && rank; i++, calls += 2) {
		usleep(1000);
		MPI_Send(&piece, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Recv(&piece, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, /* MASTER */
			 MPI_STATUS_IGNORE);
	}
}

static void take_turns(void)
{
	int *memory;
	MPI_Win w;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &w);
	*memory = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 5; i++, calls += 2) {
		int one = 1, got;

		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w); /* LOCK */
		MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, w);
		MPI_Win_flush(0, w);
		usleep(10000);
		MPI_Win_unlock(0, w);
	}
	MPI_Win_free(&w);
}

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute_in_step(void)
{
	for (int i = 0; i < 20; i++, calls++) {
		double from = processor_seconds();

		while (processor_seconds() < from + 0.01)
			;
		MPI_Barrier(MPI_COMM_WORLD); /* CROWD */
	}
}

static void receive_first(void)
{
	int b = 0;

	MPI_Recv(&b, 1, MPI_INT, (rank + 1) % size, 1, /* HANG */
		 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&b, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD);
}

static void send_in_vain(void)
{
	int b = 0;

	if (rank == 1)
		MPI_Send(&b, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /* LOST */
	MPI_Barrier(MPI_COMM_WORLD);
	calls = 1 + (rank == 1);
}

static const struct {
	const char *name;
	void (*tell)(void);
} stories[] = {
    {"late", send_late},
    {"slow", work_slowly},
    {"moving", work_slowly_in_turn},
    {"master", serve_workers},
    {"lock", take_turns},
    {"crowd", compute_in_step},
    {"hang", receive_first},
    {"lost", send_in_vain},
};

int main(int argc, char **argv)
{
	const char *story = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
		if (!strcmp(story, stories[i].name))
			stories[i].tell();
	printf("%d %d\n", rank, calls);
	MPI_Finalize();
	return 0;
}
