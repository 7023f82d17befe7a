/*
 * What streamed.sh traces: messages, collectives, regions, and an end.
 *
 *	streamed TIMES [abort|kill|exit|threads]
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tape.h"

#pragma weak tape_enter
#pragma weak tape_leave

static int times;

/* Marks of a thread that may not call MPI. */
static void *mark(void *unused)
{
	(void)unused;
	for (int i = 0; i < times && tape_enter; i++) {
		tape_enter("thread");
		tape_leave();
	}
	return NULL;
}

/* And calls of one that may. */
static void *ring(void *comm)
{
	int rank, size;
	double x = 1;

	MPI_Comm_rank(*(MPI_Comm *)comm, &rank);
	MPI_Comm_size(*(MPI_Comm *)comm, &size);
	for (int i = 0; i < times; i++)
		MPI_Sendrecv_replace(&x, 1, MPI_DOUBLE, (rank + 1) % size,
				     i % 7, (rank + size - 1) % size, i % 7,
				     *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	MPI_Comm all[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
	int level = MPI_THREAD_SINGLE, rank, size;
	pthread_t t[2];
	int n = 0;

	times = argc > 1 ? atoi(argv[1]) : 1000;
	if (!strcmp(how, "threads"))
		level = MPI_THREAD_MULTIPLE;
	else if (!strcmp(how, "marks"))
		level = MPI_THREAD_FUNNELED;
	MPI_Init_thread(&argc, &argv, level, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &all[0]);
	MPI_Comm_dup(MPI_COMM_WORLD, &all[1]);
	if (!strcmp(how, "marks"))
		pthread_create(&t[n++], NULL, mark, NULL);
	if (!strcmp(how, "threads") && level == MPI_THREAD_MULTIPLE)
		pthread_create(&t[n++], NULL, ring, &all[1]);
	for (int i = 0; i < times; i += 100) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (tape_enter)
			tape_enter("step");
		MPI_Allreduce(&i, &level, 1, MPI_INT, MPI_MAX, all[0]);
		if (tape_enter)
			tape_leave();
	}
	ring(&all[0]);
	while (n)
		pthread_join(t[--n], NULL);
	if (!strcmp(how, "pause"))
		sleep(2);
	if (rank == 0 && !strcmp(how, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 5);
	if (rank == 0 && !strcmp(how, "kill"))
		raise(SIGKILL);
	if (rank == 0)
		printf("%d ranks, level %d\n", size, level);
	MPI_Comm_free(&all[0]);
	MPI_Comm_free(&all[1]);
	MPI_Finalize();
	return 0;
}
