/*
 * Planted faults in real runs: answers_real CASE. What makes a rank late is
 * sleep, so that the number of processors does not matter. All ranks are on one
 * host and read one clock: each notes when it comes to the call that waits.
 * Rank 0 prints the truth as the programs of answers.h do. SECONDS is what the
 * others waited there for the rank at least, by these clock readings.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define W MPI_COMM_WORLD
#define ANY MPI_STATUS_IGNORE
enum { STEPS = 6, MOST = 64 };

static int me, n, data[1000];
static double came[STEPS]; /* this rank, in each step, s */

static double read_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_for(int ms)
{
	struct timespec left = {0, ms * 1000000L};

	while (nanosleep(&left, &left))
		;
}

/* What ranks waited for the late one, as one of them waits, or all others. */
static void print_truth(const char *mark, int late, int waiter)
{
	double all[MOST * STEPS], sum = 0;

	MPI_Gather(came, STEPS, MPI_DOUBLE, all, STEPS, MPI_DOUBLE, 0, W);
	for (int r = 0; !me && r < n; r++)
		for (int i = 0; i < STEPS && (waiter < 0 || r == waiter); i++)
			if (all[late * STEPS + i] > all[r * STEPS + i])
				sum +=
				    all[late * STEPS + i] - all[r * STEPS + i];
	if (!me)
		printf("truth %s %d %.6f\n", mark, late, sum);
}

/* ---- messages ---- */

static void late_sender(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me == 1)
			sleep_for(30);
		came[i] = read_clock();
		if (me == 0)
			MPI_Recv(data, 8, MPI_INT, 1, 1, W, ANY);
		if (me == 1)
			MPI_Send(data, 8, MPI_INT, 0, 1, W); /* REAL_SEND */
	}
	print_truth("REAL_SEND", 1, 0);
}

static void probe_first(void)
{
	MPI_Status s;

	for (int i = 0; i < STEPS; i++) {
		if (me == 1)
			sleep_for(30);
		came[i] = read_clock();
		if (me == 1)
			MPI_Send(data, 8, MPI_INT, 0, 1, W); /* REAL_PROBED */
		if (me)
			continue;
		MPI_Probe(MPI_ANY_SOURCE, 1, W, &s);
		MPI_Recv(data, 8, MPI_INT, s.MPI_SOURCE, 1, W, ANY);
	}
	print_truth("REAL_PROBED", 1, 0);
}

static void pass_delay_on(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (!me)
			sleep_for(30);
		came[i] = read_clock();
		if (me)
			MPI_Recv(data, 8, MPI_INT, me - 1, 1, W, ANY);
		if (me + 1 < n)
			MPI_Send(data, 8, MPI_INT, me + 1, 1, W);
		MPI_Barrier(W); /* REAL_CHAIN */
	}
	print_truth("REAL_CHAIN", 0, -1);
}

static void hidden_in_waitall(void)
{
	MPI_Request r[2];

	for (int i = 0; i < STEPS; i++) {
		if (me == n - 1)
			sleep_for(30);
		came[i] = read_clock();
		MPI_Irecv(data, 100, MPI_INT, (me + 1) % n, 1, W, &r[0]);
		MPI_Isend(data + 500, 100, MPI_INT, (me + n - 1) % n, 1, W,
			  &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Barrier(W); /* REAL_HIDDEN */
	}
	print_truth("REAL_HIDDEN", n - 1, -1);
}

/* Each answer costs the master 10 ms, while the others wait. */
static void serial_master(void)
{
	for (int i = 0; i < STEPS / 2; i++) {
		if (me) {
			MPI_Send(data, 8, MPI_INT, 0, 1, W);
			MPI_Recv(data, 8, MPI_INT, 0, 2, W, ANY);
			continue;
		}
		for (int r = 1; r < n; r++) {
			MPI_Recv(data, 8, MPI_INT, r, 1, W, ANY); /* REAL_ASK */
			sleep_for(10);
			MPI_Send(data, 8, MPI_INT, r, 2, W);
		}
	}
	if (!me)
		printf("truth REAL_ASK 0 %.6f\n", STEPS / 2 * 10e-3 * (n - 1));
}

/* ---- collectives ---- */

static void slow_rank(void)
{
	double sum, one = 1;

	for (int i = 0; i < STEPS; i++) {
		if (me == 1)
			sleep_for(30);
		came[i] = read_clock();
		MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, /* REAL_SUM */
			      MPI_SUM, W);
	}
	print_truth("REAL_SUM", 1, -1);
}

static void split_in_loop(void)
{
	MPI_Comm c;

	for (int i = 0; i < STEPS; i++) {
		if (me == 3)
			sleep_for(30);
		came[i] = read_clock();
		MPI_Comm_split(W, 0, me, &c);
		MPI_Comm_free(&c); /* REAL_FREE */
	}
	print_truth("REAL_FREE", 3, -1);
}

/* A serial part: the other threads of rank 2 have nothing to do in it. */
static void idle_threads(void)
{
	for (int i = 0; i < STEPS; i++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp master
			if (me == 2)
				sleep_for(30);
#pragma omp barrier
		}
		came[i] = read_clock();
		MPI_Barrier(W); /* REAL_THREADS */
	}
	print_truth("REAL_THREADS", 2, -1);
}

/* ---- one-sided ---- */

/*
 * Rank 1 holds the lock for long, and rank 2 waits for it. There is no
 * simulated case: in SMPI 3.32 the call that waits ends in the instant in which
 * MPI_Win_unlock begins, so that no release is within it.
 */
static void hold_lock(void)
{
	MPI_Win win;
	void *memory;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, W, &memory, &win);
	for (int i = 0; i < STEPS; i++) {
		MPI_Barrier(W);
		if (me == 2)
			sleep_for(10);
		if (me == 2)
			came[i] = read_clock();
		if (me == 1 || me == 2)
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); /* HELD */
		if (me == 1)
			sleep_for(50);
		if (me == 1)
			came[i] = read_clock();
		if (me == 1 || me == 2)
			MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
	print_truth("HELD", 1, 2);
}

/* ---- nothing to gain ---- */

static void sleep_alike(void)
{
	for (int i = 0; i < STEPS; i++) {
		sleep_for(250);
		MPI_Barrier(W);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
	    {"late_sender", late_sender},
	    {"probe", probe_first},
	    {"chain", pass_delay_on},
	    {"hidden_in_waitall", hidden_in_waitall},
	    {"serial_master", serial_master},
	    {"slow_rank", slow_rank},
	    {"communicator_in_loop", split_in_loop},
	    {"idle_threads", idle_threads},
	    {"lock", hold_lock},
	    {"balanced", sleep_alike},
	};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &n);
	MPI_Barrier(W);
	for (size_t i = 0; i < sizeof cases / sizeof *cases && n <= MOST; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			cases[i].run();
	MPI_Finalize();
	return 0;
}
