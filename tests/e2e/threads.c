/*
 * What programs of several threads do, by the first argument:
 *
 *	stress T N     T threads a rank, N rounds each with the same thread of
 *	               the other rank: sends, receives, requests, polls
 *	hand N         requests go from one thread to another, both ways; and
 *	               messages between two threads of a rank
 *	share N        four threads send and receive with one tag
 *	short N        N threads, each with a few calls, four at once
 *	openmp N       MPI calls in parallel regions, N rounds
 *	funneled N     the first thread communicates, all mark regions
 *	serialized N   each thread in turn, under a lock
 *	exit KIND      threads that are at their marks, or between calls, when
 *	               the process ends: finalize, exit, pthread_exit
 *	cancel         a thread is cancelled between calls and in its regions
 *	destructor     calls in the destructor of a thread's key
 *	off            tape_off by one thread, tape_on by others
 *	fork N         threads fork children while others communicate
 *	kill FILE N    threads count their calls in FILE; killed after N
 *
 * It prints what it computed, and on lines that begin with "calls" how many
 * calls of each kind its threads made.
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "tape.h"

/* Without Tape they are not there. */
#pragma weak tape_enter
#pragma weak tape_leave
#pragma weak tape_on
#pragma weak tape_off

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
#define TAPE(call) do { if (tape_enter) call; } while (0)
enum { MOST = 64, LARGE = 3000 };

static int me, other, size;
static long rounds;
static MPI_Comm comm;

/* Calls of a thread, by kind. */
struct calls {
	long send, recv, isend, irecv, wait, waitall, test, iprobe;
};
static struct calls total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(const struct calls *c)
{
	const long *from = (const long *)c;
	long *to = (long *)&total;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof *c / sizeof(long); i++)
		to[i] += from[i];
	pthread_mutex_unlock(&lock);
}

static void print_calls(void)
{
	static const char *const names[] = { "Send", "Recv", "Isend", "Irecv",
					     "Wait", "Waitall", "Test",
					     "Iprobe" };
	long sum[8];

	MPI_Reduce(&total, sum, 8, MPI_LONG, MPI_SUM, 0, W);
	for (int i = 0; !me && i < 8; i++)
		if (sum[i])
			printf("calls MPI_%s %ld\n", names[i], sum[i]);
}

static long run(void *(*body)(void *), long n)
{
	pthread_t id[MOST];
	long sum = 0, all;
	void *one;

	if (n > MOST)
		exit(9);
	for (long i = 0; i < n; i++)
		pthread_create(&id[i], NULL, body, (void *)i);
	for (long i = 0; i < n; i++) {
		pthread_join(id[i], &one);
		sum += (long)one;
	}
	MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, W);
	return all;
}

/* ---- stress ---- */

static long exchange(struct calls *c, int tag, long k, long *in, long *out)
{
	int n = k % 16 == 7 ? LARGE : 1 + (int)(k % 5);
	MPI_Request r[4] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL,
			     MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int flag;

	out[0] = k * (tag + 1);
	out[n - 1] = k;
	switch (k % 4) {
	case 0:
		MPI_Irecv(in, n, MPI_LONG, other, tag, W, &r[0]);
		MPI_Isend(out, n, MPI_LONG, other, tag, W, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		c->irecv++, c->isend++, c->waitall++;
		break;
	case 1:
		MPI_Isend(out, n, MPI_LONG, other, tag, W, &r[0]);
		MPI_Recv(in, n, MPI_LONG, other, tag, W, IGNORE);
		MPI_Wait(&r[0], IGNORE);
		c->isend++, c->recv++, c->wait++;
		break;
	case 2:
		MPI_Irecv(in, n, MPI_LONG, other, tag, W, &r[0]);
		MPI_Send(out, n, MPI_LONG, other, tag, W);
		do {
			MPI_Test(&r[0], &flag, IGNORE), c->test++;
			sched_yield();
		} while (!flag);
		c->irecv++, c->send++;
		break;
	default:
		MPI_Isend(out, n, MPI_LONG, other, tag, W, &r[2]);
		do {
			MPI_Iprobe(other, tag, W, &flag, IGNORE), c->iprobe++;
			sched_yield();
		} while (!flag);
		MPI_Irecv(in, n, MPI_LONG, other, tag, W, &r[1]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
		c->isend++, c->irecv++, c->waitall++;
	}
	return in[0] ^ in[n - 1];
}

static void *stress(void *arg)
{
	long *in = malloc(LARGE * sizeof *in);
	long *out = malloc(LARGE * sizeof *out);
	struct calls c = { 0 };
	long sum = 0;

	memset(out, 0, LARGE * sizeof *out);
	for (long k = 0; k < rounds; k++)
		sum += exchange(&c, (int)(long)arg, k, in, out);
	add(&c);
	free(in);
	free(out);
	return (void *)sum;
}

/* ---- hand ---- */

static struct {
	MPI_Request request[64];
	long in[64], out[64];
	int full;
	pthread_cond_t changed;
} box = { .changed = PTHREAD_COND_INITIALIZER };

static void set_full(int full)
{
	box.full = full;
	pthread_cond_signal(&box.changed);
	while (box.full == full)
		pthread_cond_wait(&box.changed, &lock);
}

/* Completes what the other thread began, sixteen at a time. */
static void *hand_take(void *unused)
{
	long sum = 0;

	(void)unused;
	pthread_mutex_lock(&lock);
	for (long k = 0; k < rounds; k++) {
		while (!box.full)
			pthread_cond_wait(&box.changed, &lock);
		if (k % 2)
			MPI_Waitall(32, box.request, MPI_STATUSES_IGNORE);
		else
			for (int i = 0; i < 32; i++)
				MPI_Wait(&box.request[i], IGNORE);
		for (int i = 0; i < 16; i++)
			sum += box.in[i];
		box.full = 0;
		pthread_cond_signal(&box.changed);
	}
	pthread_mutex_unlock(&lock);
	return (void *)sum;
}

static void *hand_give(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (long k = 0; k < rounds; k++) {
		for (int i = 0; i < 16; i++) {
			box.out[i] = k + i;
			MPI_Irecv(&box.in[i], 1, MPI_LONG, other, i, W,
				  &box.request[i]);
		}
		for (int i = 0; i < 16; i++)
			MPI_Isend(&box.out[i], 1, MPI_LONG, other, i, W,
				  &box.request[16 + i]);
		set_full(1);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Messages between the two threads of a rank. */
static void *hand_self(void *arg)
{
	int mine = (int)(long)arg;
	long sum = 0, in;

	for (long k = 0; k < rounds; k++) {
		if (mine)
			MPI_Send(&k, 1, MPI_LONG, 0, 5, MPI_COMM_SELF);
		MPI_Recv(&in, 1, MPI_LONG, 0, 5 + mine, MPI_COMM_SELF, IGNORE);
		if (!mine)
			MPI_Send(&k, 1, MPI_LONG, 0, 6, MPI_COMM_SELF);
		sum += in;
	}
	return (void *)sum;
}

static void *hand(void *arg)
{
	switch ((long)arg) {
	case 0:
		return hand_give(NULL);
	case 1:
		return hand_take(NULL);
	default:
		return hand_self((void *)((long)arg - 2));
	}
}

/* ---- share: which thread gets which message is open, the sum is not ---- */

static void *share(void *arg)
{
	long sum = 0, x;

	for (long k = 0; k < rounds; k++) {
		x = k * ((long)arg + 1);
		MPI_Send(&x, 1, MPI_LONG, other, 1, W);
		MPI_Recv(&x, 1, MPI_LONG, other, 1, W, IGNORE);
		sum += x;
	}
	return (void *)sum;
}

/* ---- short ---- */

static void *brief(void *arg)
{
	long x = (long)arg, y = 0;

	TAPE(tape_enter("brief"));
	MPI_Sendrecv(&x, 1, MPI_LONG, 0, (int)x, &y, 1, MPI_LONG, 0, (int)x,
		     MPI_COMM_SELF, IGNORE);
	if (x % 2)
		TAPE(tape_leave()); /* the others end within it */
	return (void *)y;
}

static long short_ones(long n)
{
	pthread_t id[4];
	long sum = 0;
	void *one;

	for (long i = 0; i < n; i += 4) {
		for (int k = 0; k < 4; k++)
			pthread_create(&id[k], NULL, brief, (void *)(i + k));
		for (int k = 0; k < 4; k++) {
			pthread_join(id[k], &one);
			sum += (long)one;
		}
	}
	return sum;
}

/* ---- OpenMP ---- */

static long openmp(long n)
{
	long sum = 0;

#ifdef _OPENMP
	omp_set_num_threads(4);
	for (long k = 0; k < n; k++) {
#pragma omp parallel reduction(+ : sum)
		{
			long x = k + omp_get_thread_num(), y = 0;
			int tag = omp_get_thread_num();

			MPI_Sendrecv(&x, 1, MPI_LONG, other, tag, &y, 1,
				     MPI_LONG, other, tag, W, IGNORE);
			sum += y;
		}
		MPI_Barrier(W);
	}
#else
	(void)n;
#endif
	return sum;
}

/* ---- funneled, serialized ---- */

static void *marks(void *arg)
{
	for (long k = 0; k < rounds; k++) {
		TAPE(tape_enter((long)arg % 2 ? "odd" : "even"));
		TAPE(tape_leave());
	}
	return NULL;
}

static long funneled(void)
{
	pthread_t id[3];
	long x = 0, y = 0;

	for (long i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, marks, (void *)i);
	for (long k = 0; k < rounds; k++) {
		x = k;
		MPI_Sendrecv(&x, 1, MPI_LONG, other, 1, &y, 1, MPI_LONG, other,
			     1, W, IGNORE);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	return y;
}

static void *serialized(void *arg)
{
	long x = (long)arg, y, sum = 0;
	MPI_Request r[2];

	for (long k = 0; k < rounds; k++) {
		pthread_mutex_lock(&lock);
		MPI_Irecv(&y, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, &r[0]);
		MPI_Isend(&x, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		pthread_mutex_unlock(&lock);
		sum += y;
	}
	return (void *)sum;
}

/* ---- how threads end ---- */

static volatile int stop;

static void *endless(void *unused)
{
	int flag;

	(void)unused;
	MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, IGNORE);
	while (!stop) {
		TAPE(tape_enter("endless"));
		TAPE(tape_leave());
	}
	return NULL;
}

static void *waiter(void *unused)
{
	int flag;

	(void)unused;
	MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, IGNORE);
	pause();
	return NULL;
}

static void at_end(const char *kind)
{
	pthread_t id;

	for (int i = 0; i < 3; i++) {
		pthread_create(&id, NULL, i ? endless : waiter, NULL);
		pthread_detach(id);
	}
	usleep(50000);
	MPI_Barrier(W);
	if (!strcmp(kind, "exit"))
		exit(3);
	if (!strcmp(kind, "finalize"))
		MPI_Finalize();
	usleep(20000);
	printf("end %d\n", me);
	fflush(stdout);
	_exit(0);
}

static int cancel_now;

static void clean(void *c)
{
	int flag;

	MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, IGNORE);
	*(int *)c = 1;
}

static void *cancelled(void *c)
{
	int flag;

	pthread_cleanup_push(clean, c);
	TAPE(tape_enter("never left"));
	for (;;) {
		MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, IGNORE);
		__atomic_store_n(&cancel_now, 1, __ATOMIC_RELEASE);
		usleep(100);
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static int cancel(void)
{
	int cleaned = 0;
	pthread_t id;
	void *end;

	pthread_create(&id, NULL, cancelled, &cleaned);
	while (!__atomic_load_n(&cancel_now, __ATOMIC_ACQUIRE))
		usleep(100);
	pthread_cancel(id);
	pthread_join(id, &end);
	return cleaned + 2 * (end == PTHREAD_CANCELED);
}

static pthread_key_t key;

static void destroyed(void *unused)
{
	int flag;

	(void)unused;
	MPI_Iprobe(0, 9, MPI_COMM_SELF, &flag, IGNORE);
	__atomic_add_fetch(&total.iprobe, 1, __ATOMIC_RELAXED);
}

static void *with_key(void *unused)
{
	pthread_setspecific(key, &key);
	return endless(unused);
}

/* ---- off ---- */

static void probes(int n)
{
	int flag;

	while (n--)
		MPI_Iprobe(0, n, MPI_COMM_SELF, &flag, IGNORE);
}

static void *off_later(void *arg)
{
	probes((int)(long)arg);
	TAPE(tape_on());
	probes(64);
	return NULL;
}

/* Probes: 1, 2, 8 and 64 are to be recorded; 4, 16 and 32 are not. */
static void off(void)
{
	pthread_t id;

	probes(1);
	TAPE(tape_off());
	pthread_create(&id, NULL, off_later, (void *)16L);
	probes(4);
	pthread_join(id, NULL);
	TAPE(tape_on());
	probes(2);
	TAPE(tape_off());
	probes(32);
	TAPE(tape_on());
	probes(8);
}

/* ---- fork ---- */

static void *forker(void *arg)
{
	long good = 0;

	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			TAPE((tape_enter("child"), tape_leave()));
			if (i % 2)
				_exit(7);
			exit(7);
		}
		good += waitpid(child, &status, 0) == child &&
			WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	(void)arg;
	return (void *)good;
}

static void *fork_or_not(void *arg)
{
	return (long)arg ? stress(arg) : forker(arg);
}

/* ---- kill ---- */

static volatile long *counts; /* of each thread of each rank, in a file */

static void *count(void *arg)
{
	volatile long *mine = &counts[4 * me + (long)arg];
	int flag;

	for (int i = 0;; i++) {
		MPI_Iprobe(0, i % 1000, MPI_COMM_SELF, &flag, IGNORE);
		++*mine;
	}
	return NULL;
}

static void killed(const char *file, long n)
{
	int fd = open(file, O_RDWR | O_CREAT, 0666);
	pthread_t id;

	if (ftruncate(fd, 4096))
		exit(9);
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (long i = 0; i < 4; i++)
		pthread_create(&id, NULL, count, (void *)i);
	while (counts[4 * me] < n || counts[4 * me + 3] < n)
		usleep(1000);
	kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long a = argc > 2 ? atol(argv[2]) : 1, sum = 0;
	int level = !strcmp(mode, "funneled")	   ? MPI_THREAD_FUNNELED
		    : !strcmp(mode, "serialized") ? MPI_THREAD_SERIALIZED
						   : MPI_THREAD_MULTIPLE;
	int got;

	MPI_Init_thread(&argc, &argv, level, &got);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	other = size - 1 - me;
	comm = W;
	rounds = argc > 3 ? atol(argv[3]) : a;
	if (got < level) {
		printf("no such level\n");
	} else if (!strcmp(mode, "stress")) {
		sum = run(stress, a);
	} else if (!strcmp(mode, "hand")) {
		sum = run(hand, 4);
	} else if (!strcmp(mode, "share")) {
		sum = run(share, 4);
	} else if (!strcmp(mode, "short")) {
		sum = short_ones(a);
	} else if (!strcmp(mode, "openmp")) {
		sum = openmp(a);
	} else if (!strcmp(mode, "funneled")) {
		sum = funneled();
	} else if (!strcmp(mode, "serialized")) {
		sum = run(serialized, 4);
	} else if (!strcmp(mode, "exit")) {
		at_end(argv[2]);
	} else if (!strcmp(mode, "cancel")) {
		sum = cancel();
	} else if (!strcmp(mode, "destructor")) {
		pthread_key_create(&key, destroyed);
		stop = 1;
		sum = run(with_key, 3);
	} else if (!strcmp(mode, "off")) {
		off();
	} else if (!strcmp(mode, "fork")) {
		sum = run(fork_or_not, 3);
	} else if (!strcmp(mode, "kill")) {
		killed(argv[2], rounds);
	}
	if (!me)
		printf("sum %ld\n", sum);
	print_calls();
	MPI_Finalize();
	return 0;
}
