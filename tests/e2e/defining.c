/*
 * "defining THREADS REGIONS": twenty times so many threads at once, each of
 * which enters and leaves regions that no other one has.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tape.h"

#pragma weak tape_enter
#pragma weak tape_leave

enum { TIMES = 20, MOST = 16 };

static long regions;

static void *body(void *number)
{
	char name[64];
	int flag;

	for (long i = 0; i < regions; i++) {
		snprintf(name, sizeof name, "of.%ld.%ld", (long)number, i);
		if (tape_enter)
			tape_enter(name);
		MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
		if (tape_leave)
			tape_leave();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	pthread_t id[MOST];
	int got;

	regions = argc > 2 ? atol(argv[2]) : 1;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	if (got < MPI_THREAD_MULTIPLE || n > MOST)
		exit(9);
	for (long t = 0; t < TIMES; t++) {
		for (long i = 0; i < n; i++)
			pthread_create(&id[i], NULL, body,
				       (void *)(t * n + i));
		for (long i = 0; i < n; i++)
			pthread_join(id[i], NULL);
	}
	MPI_Finalize();
	return 0;
}
