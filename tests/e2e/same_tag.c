/*
 * Several threads of rank 1 receive messages of one communicator and tag, by
 * Mprobe, Irecv or Recv, while one thread of rank 0 sends them.
 *
 *	same_tag MESSAGES [SENDERS]
 *
 * Rank 1 writes "same_tag.received": for each message the thread that got it,
 * how many that thread had got before, and the number of the message, which is
 * in it. With several senders, numbers are SENDERS x k + sender.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3, TAG = 7, MOST = 100000 };

static int messages, senders = 1, got[THREADS][MOST], n_got[THREADS];

/* Some work, longer or shorter. */
static void work(unsigned *seed)
{
	volatile int x = 0;

	for (int i = rand_r(seed) % 3000; i-- > 0;)
		x += i;
	if (rand_r(seed) % 16 == 0)
		usleep(100);
}

static int receive(int how)
{
	MPI_Request request;
	MPI_Message message;
	int what;

	if (how == 0) {
		MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(&what, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	} else if (how == 1) {
		MPI_Irecv(&what, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&what, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
	return what;
}

static void *receiver(void *of)
{
	int me = *(int *)of;
	unsigned seed = (unsigned)me + 1;

	for (int i = 0; i < messages; i++) {
		work(&seed);
		got[me][n_got[me]++] = receive(me);
	}
	return NULL;
}

static void *sender(void *of)
{
	int me = *(int *)of, all = messages * THREADS / senders;
	unsigned seed = 99 + (unsigned)me;

	for (int i = 0; i < all; i++) {
		int what = i * senders + me;

		work(&seed);
		MPI_Send(&what, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
	}
	return NULL;
}

static void in_threads(int n, void *(*does)(void *))
{
	static int number[THREADS] = {0, 1, 2};
	pthread_t t[THREADS];

	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, does, &number[i]);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	int provided, rank;
	FILE *f;

	messages = argc > 1 ? atoi(argv[1]) : 100;
	senders = argc > 2 ? atoi(argv[2]) : 1;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank)
		in_threads(THREADS, receiver);
	else
		in_threads(senders, sender);
	if (rank && (f = fopen("same_tag.received", "w"))) {
		for (int i = 0; i < THREADS; i++)
			for (int k = 0; k < n_got[i]; k++)
				fprintf(f, "%d %d %d\n", i, k, got[i][k]);
		fclose(f);
	}
	return MPI_Finalize();
}
