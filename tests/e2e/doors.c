/*
 * A small program for the tests of the ways into Tape and of its settings.
 *
 *	doors ring N      N rounds of a few calls of each group; rank 0 prints
 *	                  a sum that every message went into
 *	doors many N      N messages to itself, no two alike
 *	doors marks       regions, tracing off and on by tape.h and by level
 *	doors deep N      N regions inside each other
 *	doors threads N   N threads besides the first, each with 100 messages to
 *	                  itself and a region
 *	doors farewell    what MPI_Finalize deletes calls back
 *	doors exit N      finalizes, then ends with status N
 *	doors signal N    rank 0 is ended by signal N
 *
 * The functions of tape.h are there only when Tape is: weak references.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape.h"

#pragma weak tape_on
#pragma weak tape_off
#pragma weak tape_enter
#pragma weak tape_leave

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
#define TAPE(call) (tape_on ? (void)(call) : (void)0)

static int me, size;

/* Of each group at least one call; 11 in all. */
static long ring(long round)
{
	int right = (me + 1) % size, left = (me + size - 1) % size;
	long mine = round * size + me, got, sum, wide;
	int bytes, flag;
	MPI_Request q[2];
	MPI_Comm c;

	MPI_Sendrecv(&mine, 1, MPI_LONG, right, 1, &got, 1, MPI_LONG, left, 1,
		     W, IGNORE);
	MPI_Irecv(&wide, 1, MPI_LONG, left, 2, W, &q[0]);
	MPI_Isend(&got, 1, MPI_LONG, right, 2, W, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_Iprobe(left, 3, W, &flag, IGNORE);
	/* to itself a send may wait for its receive: MPICH's does */
	if (size > 1) {
		MPI_Send(&got, 1, MPI_LONG, right, 4, W);
		MPI_Recv(&got, 1, MPI_LONG, left, 4, W, IGNORE);
	}
	MPI_Type_size(MPI_LONG, &bytes);
	wide += got + bytes;
	MPI_Allreduce(&wide, &sum, 1, MPI_LONG, MPI_SUM, W);
	MPI_Comm_dup(W, &c);
	MPI_Comm_free(&c);
	return sum;
}

static void many(long n)
{
	long from, to = 0;

	for (long i = 0; i < n; i++) {
		from = i;
		MPI_Sendrecv(&from, 1, MPI_LONG, 0, (int)(i % 30000), &to, 1,
			     MPI_LONG, 0, (int)(i % 30000), MPI_COMM_SELF,
			     IGNORE);
	}
	if (!me)
		printf("last %ld\n", to);
}

static void barriers(int n)
{
	while (n--)
		MPI_Barrier(W);
}

/* Barriers: 1 + 2 + 8 + 32 are to be recorded, 4, 16 and 64 are not. */
static void marks(void)
{
	char name[8] = "outer";

	TAPE(tape_enter(name));
	barriers(1);
	strcpy(name, "inner"); /* names go by content, not by address */
	TAPE(tape_enter(name));
	barriers(2);
	TAPE(tape_leave());
	TAPE(tape_leave());
	TAPE(tape_leave()); /* one too many */
	TAPE(tape_off());
	barriers(4);
	TAPE(tape_off());
	TAPE(tape_on());
	barriers(8);
	MPI_Pcontrol(0);
	barriers(16);
	MPI_Pcontrol(1);
	TAPE(tape_on());
	barriers(32);
	MPI_Pcontrol(0);
	barriers(64);
	MPI_Pcontrol(2, "level", 2);
}

static void deep(long n)
{
	char name[32];

	for (long i = 0; i < n; i++) {
		snprintf(name, sizeof name, "level %ld", i);
		TAPE(tape_enter(name));
	}
	for (long i = 0; i < n; i++)
		TAPE(tape_leave());
}

static void *thread(void *comm)
{
	MPI_Comm *c = comm;
	int from = 1, to;

	TAPE(tape_enter("thread"));
	for (int i = 0; i < 100; i++)
		MPI_Sendrecv(&from, 1, MPI_INT, 0, i, &to, 1, MPI_INT, 0, i, *c,
			     IGNORE);
	TAPE(tape_leave());
	return NULL;
}

static void threads(long n)
{
	enum { MOST = 16 };
	pthread_t id[MOST];
	MPI_Comm c[MOST];

	n = n < MOST ? n : MOST;
	for (long i = 0; i < n; i++) {
		MPI_Comm_dup(MPI_COMM_SELF, &c[i]);
		pthread_create(&id[i], NULL, thread, &c[i]);
	}
	barriers(3);
	for (long i = 0; i < n; i++)
		pthread_join(id[i], NULL);
}

/* Where the stack is deeper than within MPI_Finalize. */
static int deeper(void)
{
	volatile char room[1 << 16];
	int bytes;

	room[0] = 0;
	MPI_Type_size(MPI_INT, &bytes);
	return room[0] + bytes;
}

static int deleted(MPI_Comm c, int key, void *value, void *unused)
{
	int bytes;

	(void)c, (void)key, (void)unused;
	MPI_Type_size(MPI_LONG, &bytes);
	printf("deleted %d\n", bytes + *(int *)value);
	return MPI_SUCCESS;
}

static void farewell(void)
{
	static int value;
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
	value = deeper();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "ring";
	long n = argc > 2 ? atol(argv[2]) : 1, sum = 0;
	int level;

	/* outside of MPI these do nothing */
	TAPE((tape_off(), tape_enter("early"), tape_leave(), tape_off()));
	if (!strcmp(mode, "threads"))
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	if (!strcmp(mode, "ring"))
		for (long i = 0; i < n; i++)
			sum += ring(i);
	else if (!strcmp(mode, "many"))
		many(n);
	else if (!strcmp(mode, "marks"))
		marks();
	else if (!strcmp(mode, "deep"))
		deep(n);
	else if (!strcmp(mode, "threads"))
		threads(n);
	else if (!strcmp(mode, "farewell"))
		farewell();
	else
		sum = ring(0);
	if (!me)
		printf("sum %ld of %d\n", sum, size);
	fflush(stdout);
	if (!strcmp(mode, "signal") && !me)
		raise((int)n);
	MPI_Finalize();
	TAPE((tape_on(), tape_enter("late"), tape_off(), tape_leave()));
	return !strcmp(mode, "exit") ? (int)n : 0;
}
