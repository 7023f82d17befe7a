/* Reports processes that MPI_Init waits for; see init_watchdog.h. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#else
static const char __libc_single_threaded = 0;
#endif

#include "number_text.h"
#include "init_watchdog.h"
#include "message.h"
#include "world.h"

/* Processes that are missing after HINT_S may never call MPI_Init. */
enum { HINT_S = 10, STACK_BYTES = 256 << 10 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	int runs, over, speaks;
} w = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * Returns 1 if this is the lowest rank of its mpirun application context, or if
 * the launcher does not report contexts.
 */
static int is_first_of_command(void)
{
	const char *ranks = secure_getenv("OMPI_APP_CTX_NUM_PROCS");
	int rank = 0, found = !ranks || !tape_world_is_open();
	int64_t first = 0;

	if (!found)
		PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	while (ranks && !found) {
		int64_t n;

		if (tape_parse_whole(ranks, 0, INT32_MAX, &n, &ranks))
			break;
		found = first == rank;
		first += n;
	}
	return found;
}

static void *run_watchdog(void *unused)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += HINT_S;
	pthread_mutex_lock(&w.lock);
	while (!w.over && !rc)
		rc = pthread_cond_timedwait(&w.changed, &w.lock, &until);
	if (!w.over && w.speaks)
		tape_say("waiting for all processes of this job: each has to "
			 "run under taperun, or none");
	pthread_mutex_unlock(&w.lock);
	return unused;
}

void tape_init_watchdog_start(void)
{
	pthread_condattr_t steady;
	pthread_attr_t small;
	sigset_t all, old;

	if (__libc_single_threaded || w.runs)
		return;
	w.speaks = is_first_of_command();
	w.over = 0;
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&w.changed, &steady);
	pthread_condattr_destroy(&steady);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	/* the thread must not handle the program's signals */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	w.runs = !pthread_create(&w.thread, &small, run_watchdog, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&small);
}

void tape_init_watchdog_stop(void)
{
	if (!w.runs)
		return;
	pthread_mutex_lock(&w.lock);
	w.over = 1;
	pthread_cond_signal(&w.changed);
	pthread_mutex_unlock(&w.lock);
	pthread_join(w.thread, NULL);
	pthread_cond_destroy(&w.changed);
	w.runs = 0;
}
