/*
 * Two threads of rank 0 receive from any source in one communicator, each the
 * messages of its own tag, and those of a common tag as they come (order.sh).
 * Rank 0 prints how many messages it got.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 20, COMMON = 3 };

static int size, n_received[2];

/* Half of the common messages, and all of the thread's own. */
static void *receive_any(void *of)
{
	int thread = *(int *)of, n = (size - 1) * ROUNDS, v;

	for (int i = 0; i < 2 * n; i++) {
		MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE,
			 i % 2 ? COMMON : 1 + thread, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		n_received[thread]++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rank, level, number[2] = {0, 1};
	pthread_t other;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (level < MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (rank) {
		for (int i = 0; i < ROUNDS; i++)
			for (int tag = 0; tag < 4; tag++)
				MPI_Send(&i, 1, MPI_INT, 0,
					 tag < 2 ? 1 + tag : COMMON,
					 MPI_COMM_WORLD);
	} else {
		pthread_create(&other, NULL, receive_any, &number[1]);
		receive_any(&number[0]);
		pthread_join(other, NULL);
		printf("%d %d\n", n_received[0], n_received[1]);
	}
	MPI_Finalize();
	return 0;
}
