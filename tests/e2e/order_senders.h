/*
 * What the programs of order.c and order_calls.c have in common: PROGRAM KIND
 * [ROUNDS ...], ranks that compute for random times and send, and how rank 0
 * prints a message. The seed is from the clock.
 */
#ifndef ORDER_SENDERS_H
#define ORDER_SENDERS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, TAG = 7 };

static int rank, size, rounds = 20;
static unsigned seed;

static void begin_program(int *argc, char ***argv)
{
	struct timespec now;

	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (*argc > 2)
		rounds = atoi((*argv)[2]);
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = (unsigned)now.tv_nsec + 7919u * (unsigned)rank;
}

static void compute_a_while(void)
{
	struct timespec t = {0, 1000 * (rand_r(&seed) % 300)};

	nanosleep(&t, NULL);
}

/* All ranks but 0 send their rank and a number, with tags TAG to TAG + 2. */
static void send_all(int messages)
{
	for (int i = 0; i < messages; i++) {
		int v[2] = {rank, i};

		compute_a_while();
		MPI_Send(v, 2, MPI_INT, 0, TAG + i % 3, MPI_COMM_WORLD);
	}
}

/* Matches a message of any rank: by polling, or by waiting if that is not 0. */
static void match_message(int is_waiting, MPI_Message *m, MPI_Status *s)
{
	int flag = 0;

	if (is_waiting)
		MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, m, s);
	while (!is_waiting && !flag)
		MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
			    m, s);
}

static void print_message(const int *v, const MPI_Status *s)
{
	printf("%d.%d tag %d\n", s->MPI_SOURCE, v[1], s->MPI_TAG);
	if (s->MPI_SOURCE != v[0])
		printf("the status has another source than the message\n");
}

#endif
