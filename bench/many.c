/*
 * What a call costs with many requests outstanding, and in several threads
 * at once; on one rank, with messages to itself:
 *
 *	many requests N ...
 *	many threads T ...
 *
 * For each N it posts N receives, sends N messages to them and waits for each
 * of the 2 N requests, over and over until a million of each were made. It
 * prints nanoseconds a call, the best of the rounds, and the longest call of
 * all, in microseconds:
 *
 *	requests N IRECV ISEND WAIT LONGEST
 *
 * For each T, under MPI_THREAD_MULTIPLE, that many threads make the same calls
 * at once, each on a communicator of its own. It prints nanoseconds a call,
 * the median over blocks of the slowest thread; the last are an irecv, an
 * isend and a waitall:
 *
 *	threads T IPROBE SENDRECV ISEND
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOTAL = 1000000, BLOCKS = 40, ROUNDS = 2000, MOST = 64 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- requests ---- */

struct phase {
	double best;
	uint64_t begun;
};

static uint64_t longest, last;

/* After each call: how long was it? */
static void look(void)
{
	uint64_t now = now_ns();

	if (now - last > longest)
		longest = now - last;
	last = now;
}

static void begin(struct phase *p)
{
	p->begun = last = now_ns();
}

static void end(struct phase *p, long calls)
{
	double ns = (double)(last - p->begun) / (double)calls;

	if (!(p->best > 0) || ns < p->best)
		p->best = ns;
}

static void round_of(long n, MPI_Request *r, struct phase *p)
{
	static int in, out;

	begin(&p[0]);
	for (long i = 0; i < n; i++, look())
		MPI_Irecv(&in, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[i]);
	end(&p[0], n);
	begin(&p[1]);
	for (long i = 0; i < n; i++, look())
		MPI_Isend(&out, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[n + i]);
	end(&p[1], n);
	begin(&p[2]);
	for (long i = 0; i < 2 * n; i++, look())
		MPI_Wait(&r[i], MPI_STATUS_IGNORE);
	end(&p[2], 2 * n);
}

static void requests(long n)
{
	struct phase p[3] = { { 0 } };
	MPI_Request *r = malloc(2 * (size_t)n * sizeof *r);

	memset(r, 0, 2 * (size_t)n * sizeof *r);
	longest = 0;
	for (long done = 0; done < TOTAL; done += n)
		round_of(n, r, p);
	printf("requests %ld %.1f %.1f %.1f %.1f\n", n, p[0].best, p[1].best,
	       p[2].best, (double)longest / 1000);
	free(r);
}

/* ---- threads ---- */

static void iprobe(MPI_Comm c)
{
	int flag;

	MPI_Iprobe(0, 1, c, &flag, MPI_STATUS_IGNORE);
}

static void sendrecv(MPI_Comm c)
{
	int in, out = 0;

	MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, c,
		     MPI_STATUS_IGNORE);
}

static void isend(MPI_Comm c)
{
	MPI_Request r[2];
	int in, out = 0;

	MPI_Irecv(&in, 1, MPI_INT, 0, 1, c, &r[0]);
	MPI_Isend(&out, 1, MPI_INT, 0, 1, c, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static const struct {
	void (*body)(MPI_Comm);
	int calls;
} loops[] = { { iprobe, 1 }, { sendrecv, 1 }, { isend, 3 } };
enum { LOOPS = sizeof loops / sizeof *loops };

static pthread_barrier_t together;

struct worker {
	pthread_t id;
	MPI_Comm comm;
	double ns[LOOPS][BLOCKS];
};

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int l = 0; l < LOOPS; l++)
		for (int b = 0; b < BLOCKS; b++) {
			uint64_t start;

			pthread_barrier_wait(&together);
			start = now_ns();
			for (int k = 0; k < ROUNDS; k++)
				loops[l].body(w->comm);
			w->ns[l][b] = (double)(now_ns() - start) / ROUNDS /
				      loops[l].calls;
		}
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The slowest thread of each block; of these the median. */
static double figure(const struct worker *w, long n, int l)
{
	double worst[BLOCKS];

	for (int b = 0; b < BLOCKS; b++) {
		worst[b] = 0;
		for (long i = 0; i < n; i++)
			if (w[i].ns[l][b] > worst[b])
				worst[b] = w[i].ns[l][b];
	}
	qsort(worst, BLOCKS, sizeof *worst, by_size);
	return worst[BLOCKS / 2];
}

static void threads(long n)
{
	static struct worker w[MOST];

	pthread_barrier_init(&together, NULL, (unsigned)n);
	for (long i = 0; i < n; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &w[i].comm);
	for (long i = 0; i < n; i++)
		pthread_create(&w[i].id, NULL, work, &w[i]);
	for (long i = 0; i < n; i++)
		pthread_join(w[i].id, NULL);
	printf("threads %ld", n);
	for (int l = 0; l < LOOPS; l++)
		printf(" %.1f", figure(w, n, l));
	printf("\n");
	for (long i = 0; i < n; i++)
		MPI_Comm_free(&w[i].comm);
	pthread_barrier_destroy(&together);
}

int main(int argc, char **argv)
{
	int several = argc > 1 && !strcmp(argv[1], "threads"), level, good = 1;

	MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE
					      : MPI_THREAD_SINGLE, &level);
	for (int i = 2; i < argc; i++) {
		long n = atol(argv[i]);

		good &= n > 0 && n <= (several ? MOST : TOTAL);
	}
	good &= argc > 2 && (several || !strcmp(argv[1], "requests"));
	for (int i = 2; good && i < argc; i++) {
		if (several)
			threads(atol(argv[i]));
		else
			requests(atol(argv[i]));
	}
	if (!good)
		fprintf(stderr, "usage: many requests|threads n ...\n");
	MPI_Finalize();
	return good ? 0 : 2;
}
