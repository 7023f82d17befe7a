/*
 * What a call must leave as it was, by the first argument; one rank:
 *
 *	cancel         the thread's cancel state, by calls that define
 *	errno N        errno, by N calls
 *	limit N        errno, by N calls while the files cannot grow
 *	thread         errno, by the first call of a thread that cannot have a
 *	               file and nobody to complain to
 *	freed          that a persistent request is gone: its handle is that of
 *	               another one, which Tape does not see created
 *	fork N         N children of one thread while another one makes
 *	               communicators: they name one and end
 */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tape.h"

/* Without Tape they are not there. */
#pragma weak tape_on
#pragma weak tape_off

enum { MINE = 77 };

static void cancel(void)
{
	MPI_Comm made;
	int was;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &made);
	MPI_Comm_set_name(made, "made");
	MPI_Comm_free(&made);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &was);
	printf("disabled: %d\n", was == PTHREAD_CANCEL_DISABLE);
	MPI_Comm_dup(MPI_COMM_WORLD, &made);
	MPI_Comm_free(&made);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
	printf("enabled: %d\n", was == PTHREAD_CANCEL_ENABLE);
}

static void cannot_grow(void)
{
	struct rlimit none = { 0, 0 };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
}

/* Calls that leave errno alone; limit: from the thousandth on no file grows. */
static void calls(long n, int limit)
{
	int size, changed = 0;

	for (long i = 0; i < n; i++) {
		if (limit && i == 1000)
			cannot_grow();
		errno = MINE;
		MPI_Type_size(MPI_INT, &size);
		if (errno != MINE && !changed++)
			printf("errno %d after call %ld\n", errno, i);
	}
	printf("changed %d times\n", changed);
}

static void *first_calls(void *unused)
{
	(void)unused;
	calls(3, 0);
	return NULL;
}

static void thread(void)
{
	pthread_t id;
	int ends[2];

	fflush(stdout);
	cannot_grow();
	if (!pipe(ends))
		dup2(ends[1], 2);
	close(ends[0]);
	pthread_create(&id, NULL, first_calls, NULL);
	pthread_join(id, NULL);
}

static void freed(void)
{
	MPI_Request persistent, was, other;
	int in, one = 1;

	MPI_Recv_init(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &persistent);
	was = persistent;
	MPI_Request_free(&persistent);
	if (tape_off)
		tape_off();
	MPI_Irecv(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &other);
	if (tape_on)
		tape_on();
	printf("again: %d\n", other == was);
	MPI_Send(&one, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
	MPI_Wait(&other, MPI_STATUS_IGNORE);
}

static volatile int over;

static void *make(void *unused)
{
	MPI_Comm made;

	while (!over) {
		MPI_Comm_dup(MPI_COMM_SELF, &made);
		MPI_Comm_free(&made);
	}
	return unused;
}

static void forks(long n)
{
	MPI_Comm mine;
	pthread_t id;
	long good = 0;
	int status;

	MPI_Comm_dup(MPI_COMM_WORLD, &mine);
	pthread_create(&id, NULL, make, NULL);
	for (long i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child) {
			alarm(20);
			MPI_Comm_set_name(mine, "child's");
			_exit(7);
		}
		good += waitpid(child, &status, 0) == child &&
			WIFEXITED(status) && WEXITSTATUS(status) == 7;
		if (good <= i)
			break;
	}
	over = 1;
	pthread_join(id, NULL);
	MPI_Comm_free(&mine);
	printf("children %ld\n", good);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (!strcmp(mode, "cancel"))
		cancel();
	else if (!strcmp(mode, "errno") || !strcmp(mode, "limit"))
		calls(n, *mode == 'l');
	else if (!strcmp(mode, "thread"))
		thread();
	else if (!strcmp(mode, "freed"))
		freed();
	else if (!strcmp(mode, "fork"))
		forks(n);
	MPI_Finalize();
	return 0;
}
