/*
 * Requests, on two ranks, by the first argument:
 *
 *	many N        N receives and N sends outstanding at once, completed in
 *	              another order, all at once or some at a time
 *	partial N     N rounds of eight, by Waitany, Waitsome, Testany, Testsome
 *	persistent N  the same requests started N times, then freed
 *	freed N       active requests freed and cancelled, their handles in use
 *	              again at once
 *	status N      N requests that are asked about until they are complete
 *	general N     N generalized requests, completed by a second thread
 *
 * Each message has a tag of its own while it is under way, so that the trace
 * shows whether a completion names its request. "calls" lines say how often a
 * call was made.
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
enum { EIGHT = 8 };

static int me, other;
static long sum, queries;

static void barrier(void) { MPI_Barrier(W); }

/* ---- many ---- */

static void many(long n)
{
	MPI_Request *r = malloc(2 * (size_t)n * sizeof *r), some[2];
	int *in = malloc((size_t)n * sizeof *in);
	int *out = malloc((size_t)n * sizeof *out), done;
	int *which = malloc(2 * (size_t)n * sizeof *which);
	long half = n / 2;

	for (long i = 0; i < n; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, other, (int)i, W, &r[i]);
	barrier();
	for (long i = 0; i < n; i++) {
		out[i] = (int)i * 3;
		MPI_Isend(&out[i], 1, MPI_INT, other, (int)i, W, &r[n + i]);
	}
	/* two far apart, from the middle outwards */
	for (long i = 0; i < half / 2; i++) {
		some[0] = r[half - 1 - i];
		some[1] = r[n + half + i];
		MPI_Waitall(2, some, MPI_STATUSES_IGNORE);
		r[half - 1 - i] = r[n + half + i] = MPI_REQUEST_NULL;
	}
	MPI_Waitsome((int)n, r, &done, which, MPI_STATUSES_IGNORE);
	MPI_Testsome((int)n, r + n, &done, which, MPI_STATUSES_IGNORE);
	MPI_Waitall(2 * (int)n, r, MPI_STATUSES_IGNORE);
	for (long i = 0; i < n; i++)
		sum += in[i];
	free(r), free(in), free(out), free(which);
}

/* ---- partial ---- */

static int complete(int how, int n, MPI_Request *r)
{
	int which[2 * EIGHT], done = 0, flag = 0;
	MPI_Status s[2 * EIGHT];

	switch (how % 4) {
	case 0:
		MPI_Waitany(n, r, which, how % 8 ? s : IGNORE);
		return which[0] != MPI_UNDEFINED;
	case 1:
		MPI_Waitsome(n, r, &done, which,
			     how % 8 == 1 ? s : MPI_STATUSES_IGNORE);
		return done;
	case 2:
		MPI_Testany(n, r, which, &flag, IGNORE);
		return flag && which[0] != MPI_UNDEFINED;
	default:
		MPI_Testsome(n, r, &done, which, s);
		return done;
	}
}

static void partial(long n)
{
	int in[EIGHT], out[EIGHT];
	MPI_Request r[2 * EIGHT];

	for (long k = 0; k < n; k++) {
		int left = 2 * EIGHT;

		for (int i = 0; i < EIGHT; i++) {
			out[i] = (int)k + i;
			MPI_Irecv(&in[i], 1, MPI_INT,
				  i % 3 ? other : MPI_ANY_SOURCE,
				  (int)k * 8 + i, W, &r[2 * i]);
		}
		for (int i = 0; i < EIGHT; i++) {
			int at = (3 * i + (int)k) % EIGHT;

			MPI_Isend(&out[at], 1, MPI_INT, other, (int)k * 8 + at,
				  W, &r[2 * at + 1]);
		}
		while (left) {
			left -= complete((int)k, 2 * EIGHT, r);
			sched_yield();
		}
		for (int i = 0; i < EIGHT; i++)
			sum += in[i];
	}
}

/* ---- persistent ---- */

static void persistent(long n)
{
	int in[4], out[4];
	MPI_Request r[8];

	for (int i = 0; i < 4; i++) {
		MPI_Recv_init(&in[i], 1, MPI_INT, other, i, W, &r[i]);
		MPI_Send_init(&out[i], 1, MPI_INT, other, i, W, &r[4 + i]);
	}
	for (long k = 0; k < n; k++) {
		for (int i = 0; i < 4; i++)
			out[i] = (int)k * 4 + i;
		MPI_Startall(7, r);
		MPI_Start(&r[7]);
		MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
		MPI_Wait(&r[0], IGNORE); /* inactive: nothing */
		for (int i = 0; i < 4; i++)
			sum += in[i];
	}
	for (int i = 0; i < 8; i++)
		MPI_Request_free(&r[i]);
}

/* ---- freed ---- */

static void freed(long n)
{
	int out[3] = { 1, 2, 3 }, in[4];
	MPI_Request r[4];

	for (long k = 0; k < n; k++) {
		int tag = (int)k * 4;

		/* goes on without its request */
		MPI_Issend(&out[0], 1, MPI_INT, other, tag, W, &r[0]);
		MPI_Request_free(&r[0]);
		MPI_Irecv(&in[3], 1, MPI_INT, other, tag + 3, W, &r[3]);
		MPI_Cancel(&r[3]);
		MPI_Wait(&r[3], IGNORE);
		MPI_Irecv(&in[1], 1, MPI_INT, other, tag + 1, W, &r[1]);
		MPI_Irecv(&in[0], 1, MPI_INT, other, tag, W, &r[0]);
		MPI_Isend(&out[1], 1, MPI_INT, other, tag + 1, W, &r[2]);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
		sum += in[0] + in[1];
		barrier();
	}
}

/* ---- status ---- */

static void status(long n)
{
	int in = 0, out, flag = 0;
	MPI_Request r;

	for (long k = 0; k < n; k++) {
		MPI_Irecv(&in, 1, MPI_INT, other, (int)k, W, &r);
		/* nothing is there before the other rank is told */
		for (int i = 0; i < 5; i++, queries++)
			MPI_Request_get_status(r, &flag, IGNORE);
		barrier();
		out = (int)k;
		MPI_Send(&out, 1, MPI_INT, other, (int)k, W);
		do {
			MPI_Request_get_status(r, &flag, IGNORE);
			queries++;
			sched_yield();
		} while (!flag);
		MPI_Request_get_status(r, &flag, IGNORE), queries++;
		MPI_Wait(&r, IGNORE);
		MPI_Request_get_status(r, &flag, IGNORE), queries++;
		sum += in + flag;
	}
}

/* ---- general ---- */

static MPI_Request general_one;
static volatile int posted;

static int answer(void *x, MPI_Status *s)
{
	(void)x;
	MPI_Status_set_elements(s, MPI_BYTE, 0);
	MPI_Status_set_cancelled(s, 0);
	s->MPI_SOURCE = MPI_UNDEFINED;
	s->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int let_go(void *x) { ++*(long *)x; return MPI_SUCCESS; }

static int give_up(void *x, int done)
{
	(void)x, (void)done;
	return MPI_SUCCESS;
}

static void *finisher(void *n)
{
	for (long k = 0; k < *(long *)n; k++) {
		while (!__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
			sched_yield();
		__atomic_store_n(&posted, 0, __ATOMIC_RELEASE);
		MPI_Grequest_complete(general_one);
	}
	return NULL;
}

static void general(long n)
{
	MPI_Request mine;
	pthread_t id;

	pthread_create(&id, NULL, finisher, &n);
	for (long k = 0; k < n; k++) {
		MPI_Grequest_start(answer, let_go, give_up, &sum, &mine);
		general_one = mine;
		__atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
		MPI_Wait(&mine, IGNORE);
	}
	pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 1, all[2], each[2];
	int level;

	MPI_Init_thread(&argc, &argv, strcmp(mode, "general")
					      ? MPI_THREAD_SINGLE
					      : MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(W, &me);
	other = 1 - me;
	if (!strcmp(mode, "many"))
		many(n);
	else if (!strcmp(mode, "partial"))
		partial(n);
	else if (!strcmp(mode, "persistent"))
		persistent(n);
	else if (!strcmp(mode, "freed"))
		freed(n);
	else if (!strcmp(mode, "status"))
		status(n);
	else if (!strcmp(mode, "general"))
		general(n);
	each[0] = sum;
	each[1] = queries;
	MPI_Reduce(each, all, 2, MPI_LONG, MPI_SUM, 0, W);
	if (!me)
		printf("sum %ld\n", all[0]);
	if (!me && queries)
		printf("calls MPI_Request_get_status %ld\n", all[1]);
	MPI_Finalize();
	return 0;
}
