/*
 * Threads that are created and joined in all ways, for thread_steps.sh. Prints
 * how often each step of a thread is in the trace: "step N COUNT", N as in enum
 * tape_thread_step. Only threads with calls of MPI begin and end in it.
 *
 * thread_steps all|join|free CALLS: all ways; one thread that makes so many
 * calls while the first one waits for it; or many that free the variable with
 * their name, some before pthread_create returns. Of these nothing is counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static long n_calls, counts[7];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count_step(int step)
{
	pthread_mutex_lock(&lock);
	counts[step]++;
	pthread_mutex_unlock(&lock);
}

static void *run_calls(void *unused)
{
	int size;

	count_step(3);
	for (long i = 0; i < n_calls; i++)
		MPI_Type_size(MPI_INT, &size);
	count_step(6);
	return unused;
}

static void *run_silently(void *unused)
{
	return unused;
}

static void *leave_early(void *unused)
{
	run_calls(unused);
	pthread_exit(unused);
}

static int create_thread(pthread_t *id, const pthread_attr_t *a,
			 void *(*start)(void *))
{
	int rc = pthread_create(id, a, start, NULL);

	count_step(1);
	count_step(2);
	return rc;
}

static int join_thread(pthread_t id)
{
	int rc = pthread_join(id, NULL);

	count_step(4);
	count_step(5);
	return rc;
}

/* A thread that creates another one, and joins it. */
static void *create_another(void *unused)
{
	pthread_t id;

	run_calls(unused);
	if (create_thread(&id, NULL, run_calls) || join_thread(id))
		exit(3);
	return unused;
}

static void run_all(void)
{
	void *(*const starts[])(void *) = { run_calls, run_silently,
					    leave_early, create_another };
	enum { STARTS = sizeof starts / sizeof *starts };
	pthread_t id[STARTS], none;
	pthread_attr_t a;

	for (int i = 0; i < STARTS; i++)
		if (create_thread(&id[i], NULL, starts[i]))
			exit(3);
	for (int i = 0; i < STARTS; i++)
		if (join_thread(id[i]))
			exit(3);
	/* more memory than there is */
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, (size_t)1 << 46);
	if (!create_thread(&none, &a, run_silently))
		exit(4);
	pthread_attr_destroy(&a);
	if (!join_thread(pthread_self()))
		exit(4);
}

/* ---- threads that free the variable with their name ---- */

enum { FREEING = 3000 };
static atomic_int n_freed;

struct freeing {
	int number;
	pthread_t name;
};

static void *free_name(void *own)
{
	pthread_detach(pthread_self());
	munmap(own, sizeof(struct freeing));
	n_freed++;
	return NULL;
}

static void run_freeing(void)
{
	for (int i = 0; i < FREEING; i++) {
		struct freeing *t = mmap(NULL, sizeof *t,
					 PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int rc;

		if (t == MAP_FAILED)
			exit(3);
		t->number = i;
		/* the threads before may not be gone yet */
		while ((rc = pthread_create(&t->name, NULL, free_name, t)) ==
		       EAGAIN)
			sched_yield();
		if (rc)
			exit(3);
	}
	while (n_freed < FREEING)
		sched_yield();
}

int main(int argc, char **argv)
{
	int level, size;
	pthread_t id;

	if (argc != 3)
		return 2;
	n_calls = atol(argv[2]);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (!strcmp(argv[1], "all"))
		run_all();
	else if (!strcmp(argv[1], "free"))
		run_freeing();
	else if (create_thread(&id, NULL, run_calls) || join_thread(id))
		exit(3);
	MPI_Type_size(MPI_INT, &size);
	MPI_Finalize();
	for (int i = 1; i < 7; i++)
		printf("step %d %ld\n", i, counts[i]);
	return 0;
}
