/*
 * What max_rate has to choose among, by the first argument:
 *
 *	phases N M  N rounds in which MPI_Type_size is the most frequent call,
 *	            MPI_Comm_rank the next, then M in which it is MPI_Comm_size
 *	threads N   N calls of MPI_Comm_rank by one thread, while another one
 *	            makes eight of MPI_Type_size for each
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int value;
static long n, made;

/* One call site, in both phases. */
static __attribute__((noinline)) void next_frequent(void)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &value);
}

static void phases(long m)
{
	for (long i = 0; i < n; i++) {
		MPI_Type_size(MPI_INT, &value);
		if (i % 16)
			next_frequent();
	}
	for (long i = 0; i < m; i++) {
		MPI_Comm_size(MPI_COMM_WORLD, &value);
		if (i % 2)
			next_frequent();
	}
}

static void *fast(void *unused)
{
	int size;

	for (long i = 0; i < 8 * n; i++) {
		MPI_Type_size(MPI_INT, &size);
		__atomic_store_n(&made, i + 1, __ATOMIC_RELEASE);
	}
	return unused;
}

static void slow(void)
{
	for (long i = 0; i < n; i++) {
		while (__atomic_load_n(&made, __ATOMIC_ACQUIRE) < 8 * (i + 1))
			sched_yield();
		MPI_Comm_rank(MPI_COMM_WORLD, &value);
	}
}

int main(int argc, char **argv)
{
	pthread_t id;
	int level;

	if (argc < 3)
		return 2;
	n = atol(argv[2]);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (argc > 3) {
		phases(atol(argv[3]));
	} else {
		pthread_create(&id, NULL, fast, NULL);
		slow();
		pthread_join(id, NULL);
	}
	MPI_Finalize();
	return 0;
}
