/*
 * What max_rate has to choose among, by the first argument:
 *
 *	hot S     calls of three call sites, as often as possible, for S seconds
 *	marks S   the same of a region
 *	rare S N  first the same, then N calls of the most frequent one and of
 *	          another, with pauses
 *	took S    calls that take some microseconds, for S seconds
 *	threads N N calls of MPI_Comm_rank by one thread, with pauses, while
 *	          another one makes as many as it can of MPI_Type_size
 *
 * Prints how long all that took, in milliseconds, and the calls, or entries; of
 * those of took how long they took in nanoseconds, seen from within and around.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tape.h>
#include <time.h>
#include <unistd.h>

static long of_type, of_rank, of_size;
static int over;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One call site, in both phases. */
static __attribute__((noinline)) void frequent(void)
{
	int value;

	MPI_Type_size(MPI_INT, &value);
	of_type++;
}

static __attribute__((noinline)) void next_frequent(void)
{
	int value;

	MPI_Comm_rank(MPI_COMM_WORLD, &value);
	of_rank++;
}

static void hot(double seconds)
{
	double begin = now();
	int value;

	for (long i = 0; now() - begin < seconds; i++) {
		frequent();
		if (i % 3 == 0)
			next_frequent();
		if (i % 7 == 0) {
			MPI_Comm_size(MPI_COMM_WORLD, &value);
			of_size++;
		}
	}
}

static void marks(double seconds)
{
	double begin = now();

	for (; now() - begin < seconds; of_type++) {
		tape_enter("often");
		tape_leave();
	}
}

static double within;

static void spin_in_op(void *in, void *out, int *n, MPI_Datatype *type)
{
	double begin = now(), end;

	(void)in, (void)out, (void)n, (void)type;
	while ((end = now()) - begin < 3e-6)
		;
	within += end - begin;
}

static void time_calls(double seconds)
{
	double begin = now(), entry = begin, end, around = 0;
	int in = 0, out = 0;
	MPI_Op op;

	MPI_Op_create(spin_in_op, 1, &op);
	for (; entry - begin < seconds; of_type++) {
		entry = now();
		MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
		end = now();
		around += end - entry;
	}
	MPI_Op_free(&op);
	of_rank = (long)(1e9 * within);
	of_size = (long)(1e9 * around);
}

static void rare(long n)
{
	for (long i = 0; i < n; i++) {
		usleep(20000);
		frequent();
		next_frequent();
	}
}

static void *fast(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		frequent();
	return unused;
}

static void slow(long n)
{
	for (long i = 0; i < n; i++) {
		usleep(2000);
		next_frequent();
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	double begin;
	pthread_t id;
	int level;

	if (argc < 3)
		return 2;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	begin = now();
	if (!strcmp(argv[1], "marks")) {
		marks(atof(argv[2]));
	} else if (!strcmp(argv[1], "took")) {
		time_calls(atof(argv[2]));
	} else if (!strcmp(argv[1], "threads")) {
		pthread_create(&id, NULL, fast, NULL);
		slow(atol(argv[2]));
		pthread_join(id, NULL);
	} else {
		hot(atof(argv[2]));
		if (argc > 3)
			rare(atol(argv[3]));
	}
	printf("%ld %ld %ld %ld\n", (long)(1e3 * (now() - begin)), of_type,
	       of_rank, of_size);
	fflush(stdout);
	if (argc > 4)
		_exit(0); /* without an end of the trace */
	MPI_Finalize();
	return 0;
}
