/*
 * Records rounds of clock sampling between two ranks that read one clock, the
 * time stamp counter or CLOCK_MONOTONIC_RAW: whatever an estimator then makes
 * of these rounds, the true offset and drift are 0. Rounds are taken as the
 * tracer's runtime takes them: batches spread over the time of a phase, ranks
 * asleep between them.
 *
 *	mpirun -np 2 stamps [-l] [-r] [-p phases] [-n rounds] [-t ms] >file
 *
 * -l  busy processes on all cores meanwhile
 * -r  the second half of each batch is asked by rank 1
 *
 * Rank 0 writes the text that tests/rigs/stamps.h describes.
 */
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 10, LEAST = 10, TAG = 1 }; /* LEAST rounds of a phase */
/* What the asking rank says: a round, the end, or how many ns to sleep. */
enum { ROUND = 0, DONE = -1 };
enum { AWAIT_NS = 20000, EARLY_NS = 100000, DISTURBED_NS = 500000 };
enum { MORE = 5 }; /* times the time of a phase where it takes that long */

struct round {
	int64_t s_ref, r_j, s_j, r_ref;
};

struct phase {
	int reverse; /* half of each batch the other way about */
	int64_t budget_ns;
	int most, each; /* rounds: of a phase, of half a batch if reverse */
};

static int64_t raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int trusted; /* the kernel's own clock is the time stamp counter */

static void choose_clock(void)
{
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/"
			"current_clocksource", "r");
	char name[32] = "";

	if (f) {
		trusted = fgets(name, sizeof name, f) && !strcmp(name, "tsc\n");
		fclose(f);
	}
}

static int64_t tick(void)
{
#if defined(__x86_64__)
	if (trusted)
		return (int64_t)__builtin_ia32_rdtsc();
#endif
	return raw_ns();
}

/* ns a tick, over a tenth of a second: the same for both ranks, sent by 0. */
static double tick_ns(void)
{
	int64_t n0 = raw_ns(), t0 = tick(), n1, t1;
	double rate;

	do
		n1 = raw_ns(), t1 = tick();
	while (n1 - n0 < 100000000);
	rate = (double)(n1 - n0) / (double)(t1 - t0);
	MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	return rate;
}

static void nap(int64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000),
			      (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

static void say(int peer, int64_t what)
{
	MPI_Send(&what, 1, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD);
}

/*
 * Waits for a message without keeping the processor: on a busy machine a
 * spinning rank uses up its time slice before the other gets its own.
 */
static void await(int peer)
{
	for (int there = 0;;) {
		MPI_Iprobe(peer, TAG, MPI_COMM_WORLD, &there,
			   MPI_STATUS_IGNORE);
		if (there)
			return;
		nap(AWAIT_NS);
	}
}

/* Answers until it is told to do something else, which it returns. */
static int64_t answer(int peer)
{
	int64_t word, dates[2];

	for (;;) {
		MPI_Recv(&word, 1, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		dates[0] = tick();
		if (word != ROUND)
			return word;
		dates[1] = tick();
		MPI_Send(dates, 2, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD);
	}
}

static void ask(int peer, struct round *r)
{
	int64_t word = ROUND, dates[2];

	r->s_ref = tick();
	MPI_Send(&word, 1, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD);
	MPI_Recv(dates, 2, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	r->r_ref = tick();
	r->r_j = dates[0];
	r->s_j = dates[1];
}

/* An exchange that does not count: it wakes up the other rank. */
static void wake(int peer)
{
	int64_t dates[2];

	say(peer, ROUND);
	await(peer);
	MPI_Recv(dates, 2, MPI_INT64_T, peer, TAG, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

/*
 * A batch of at most n rounds: its time counts from when the other one is known
 * to be awake, by an exchange that is no round. Returns how many.
 */
static int batch(int peer, struct round *r, int n, int64_t ns)
{
	int64_t end;
	int done = 0;

	wake(peer);
	end = raw_ns() + ns;
	do
		ask(peer, &r[done++]);
	while (done < n && raw_ns() < end);
	return done;
}

/* The rounds that rank 1 began, in terms of rank 0, the reference. */
static int take(struct round *r)
{
	int64_t n;

	MPI_Recv(&n, 1, MPI_INT64_T, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(r, (int)n * 4, MPI_INT64_T, 1, TAG, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	for (int64_t i = 0; i < n; i++)
		r[i] = (struct round){ r[i].s_j, r[i].r_ref, r[i].s_ref,
				       r[i].r_j };
	return (int)n;
}

static void give(const struct round *r, int n)
{
	say(0, n);
	MPI_Send(r, n * 4, MPI_INT64_T, 0, TAG, MPI_COMM_WORLD);
}

/* Rounds in which apparently nobody waited for a processor. */
static int undisturbed(const struct round *r, int n, double rate)
{
	int k = 0;

	for (int i = 0; i < n; i++)
		k += (double)(r[i].r_j - r[i].s_ref + r[i].r_ref - r[i].s_j) *
			     rate < DISTURBED_NS;
	return k;
}

/*
 * The first rank's part of a phase; returns how many rounds. It lasts the time
 * that it may, and longer only where there is nothing worth having by then. Two
 * phases always have the three rounds that a fit needs.
 */
static int lead(const struct phase *p, struct round *r, double rate)
{
	int64_t slice = p->budget_ns / BATCHES, half = slice / 2;
	int64_t start, rest;
	int n = 0, b = 1;

	wake(1);
	start = raw_ns();
	do {
		n += batch(1, r + n, p->each, p->reverse ? half / 2 : half);
		if (p->reverse) {
			say(1, half / 2);
			await(1);
			answer(1);
			n += take(r + n);
		}
		rest = start + b * slice - raw_ns();
		/* said in any case; it should be awake first */
		say(1, rest > 2 * EARLY_NS ? rest - EARLY_NS : 1);
		if (rest > 0)
			nap(rest);
		b++;
		rest = raw_ns() - start;
	} while (rest < p->budget_ns || n < 2 ||
		 (undisturbed(r, n, rate) < LEAST && b <= MORE * BATCHES &&
		  rest < MORE * p->budget_ns));
	say(1, DONE);
	return n;
}

/*
 * The second rank's part: sleeps, or begins rounds for as long, when told to.
 */
static void follow(const struct phase *p, struct round *r)
{
	int64_t ns;

	await(0);
	while ((ns = answer(0)) != DONE) {
		if (p->reverse) {
			int n = batch(0, r, p->each, ns);

			say(0, DONE);
			give(r, n);
			ns = answer(0);
		}
		nap(ns);
		await(0);
	}
}

static void print(const struct round *r, int n, double rate, int64_t t0)
{
	for (int i = 0; i < n; i++) {
		const int64_t *d = &r[i].s_ref;

		for (int k = 0; k < 4; k++)
			printf("%.1f%c", (double)(d[k] - t0) * rate,
			       k < 3 ? ' ' : '\n');
	}
	putchar('\n');
}

/* One for each core; they end with their parent. */
static void keep_busy(void)
{
	for (long n = sysconf(_SC_NPROCESSORS_ONLN); n > 0; n--) {
		volatile unsigned work = 0;
		cpu_set_t all;

		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		CPU_ZERO(&all);
		for (size_t c = 0; c < CPU_SETSIZE; c++)
			CPU_SET(c, &all);
		sched_setaffinity(0, sizeof all, &all);
		for (;;)
			work++;
	}
}

int main(int argc, char **argv)
{
	struct phase p = { 0, 20000000, 2000, 0 };
	const char *me = getenv("OMPI_COMM_WORLD_RANK");
	int rank, c, phases = 80, load = 0;
	struct round *r;
	int64_t t0;
	double rate;

	while ((c = getopt(argc, argv, "lrp:n:t:")) != -1)
		switch (c) {
		case 'l': load = 1; break;
		case 'r': p.reverse = 1; break;
		case 'p': phases = atoi(optarg); break;
		case 'n': p.most = atoi(optarg); break;
		case 't': p.budget_ns = 1000000 * atoll(optarg); break;
		default: return 2;
		}
	p.each = p.most / BATCHES / (p.reverse ? 2 : 1);
	if (p.each < 1 || phases < 1 || p.budget_ns < 1)
		return 2;
	/* the processes are there before MPI is, which wants no forks */
	me = me ? me : getenv("PMI_RANK");
	if (load && me && !atoi(me))
		keep_busy();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	r = malloc((size_t)(MORE + 1) * (size_t)p.most * sizeof *r);
	choose_clock();
	rate = tick_ns();
	t0 = tick();
	for (int i = 0; r && i < phases; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank)
			follow(&p, r);
		else
			print(r, lead(&p, r, rate), rate, t0);
		nap(20000000);
	}
	free(r);
	MPI_Finalize();
	return !r;
}
