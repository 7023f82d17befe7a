/*
 * The table of requests without a library: threads that add, find, hand over
 * and forget handles of their own making, each known to be right or wrong.
 *
 *	table THREADS DISTANCE ROUNDS
 *
 * DISTANCE is that between two handles: less than 256 makes them share words.
 * Handles are used again by other threads at once, as a library does it.
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "world.h"

/* As in world.c, where the library keeps it. */
MPI_Comm tape_self = MPI_COMM_SELF;

enum { SLOTS = 512, MOST = 16 };

/* Handles as the library's: the first, and one that many requests share. */
#ifdef OPEN_MPI
static const uintptr_t first = 0x7f1234560000, shared; /* nothing sampled it */
#else
static const uintptr_t first = 0x98000000, shared = 0x6c000001;
#endif

struct tape_process tape_process;
__thread struct tape_flow *tape_current;
__thread struct tape_flow *tape_own;
int tape_clock_is_tsc;

uint64_t tape_raw_ns(void)
{
	return 0;
}

static struct tape_flow flows[MOST];
static long distance, rounds, bad, taken_over;

/* A library's free handles: whoever gives one back is soon overtaken. */
static struct {
	pthread_mutex_t lock;
	int n, free[SLOTS];
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int get(void)
{
	int i = -1;

	pthread_mutex_lock(&pool.lock);
	if (pool.n)
		i = pool.free[--pool.n];
	pthread_mutex_unlock(&pool.lock);
	return i;
}

static void give(int i)
{
	pthread_mutex_lock(&pool.lock);
	pool.free[pool.n++] = i;
	pthread_mutex_unlock(&pool.lock);
}

static uintptr_t handle_of(int i)
{
	return first + (uintptr_t)i * (uintptr_t)distance;
}

static void wrong(const char *what, long k)
{
	if (!__atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED))
		printf("%s in round %ld\n", what, k);
}

/* One request from its creation to its end, as the wrappers go about it. */
static void one(int thread, long k)
{
	struct tape_request r = { .number = TAPE_REQUEST(thread, k),
				  .kind = k % 7 ? TAPE_REQUEST_RECV
						: TAPE_REQUEST_COMM,
				  .persistent = k % 5 == 0 }, q;
	uint64_t number;
	uintptr_t h;
	int i = get();

	if (i < 0)
		return;
	h = handle_of(i);
	r.active = !r.persistent;
	tape_request_add(h, &r);
	if (r.persistent && (!tape_request_activate(h, &number) ||
			     number != r.number))
		wrong("not activated", k);
	if (k % 11 == 0)
		tape_request_cancel(h, &number);
	if (!tape_request_find(h, &q) || q.number != r.number ||
	    q.kind != r.kind || !q.active || q.cancelled != (k % 11 == 0))
		wrong("not found as it is", k);
	if (r.persistent) {
		tape_request_finish(h, &q);
		if (!tape_request_find(h, &q) || q.active)
			wrong("a persistent one is gone", k);
		q.persistent = 0;
	}
	give(i); /* the real call: others may have the handle from here on */
	if (k % 3 == 0)
		sched_yield();
	tape_request_finish(h, &q);
}

/* Requests with the handle that all share. */
static void complete_at_once(int thread, long k)
{
	struct tape_request r = { .number = TAPE_REQUEST(thread, k),
				  .kind = TAPE_REQUEST_SEND, .active = 1 }, q;

	tape_request_add(shared, &r);
	if (k % 4 < 2)
		return; /* somebody takes it later */
	for (int i = 0; i < 3; i++)
		if (tape_request_take(shared, &q))
			__atomic_fetch_add(&taken_over, 1, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	int thread = (int)(long)arg;

	tape_own = &flows[thread];
	for (long k = 1; k <= rounds; k++) {
		one(thread, k);
		complete_at_once(thread, k);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 3 ? atol(argv[1]) : 0, left = 0;
	struct tape_request q;
	pthread_t id[MOST];

	if (n < 1 || n > MOST)
		return 2;
	distance = atol(argv[2]);
	rounds = atol(argv[3]);
	tape_process.many_threads = n > 1;
	for (int i = 0; i < SLOTS; i++)
		give(i);
	for (long i = 0; i < n; i++) {
		flows[i].next = i ? &flows[i - 1] : NULL;
		flows[i].thread = (int)i;
		tape_process.flows = &flows[i];
	}
	for (long i = 0; i < n; i++)
		pthread_create(&id[i], NULL, work, (void *)i);
	for (long i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		if (tape_request_find(handle_of(i), &q))
			wrong("left behind", i);
	while (tape_request_take(shared, &q))
		left++;
	if (taken_over + left != n * rounds)
		wrong("shared ones lost", taken_over + left);
	printf("%ld wrong\n", bad);
	return bad != 0;
}
