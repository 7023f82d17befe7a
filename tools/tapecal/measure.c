/* See measure.h. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "now.h"
#include "bounce.h"
#include "sort.h"

/* The intended time of a batch. */
static const double batch_ns = 3e6;
/* The accuracy of a reading of the clock. */
static const double clock_ns = 5;
enum { ROUNDS_LEAST = 8, WARM = 3, BATCHES_LEAST = 3 };

enum { DATA = 1, CONTROL, NOBODYS };

/* A batch: how many rounds; exchanges as in measure.h. */
struct plan {
	int rounds, exchanges;
};

struct station {
	MPI_Comm data, control;
	char *out, *in;
	double clock_ns; /* a reading of it */
};

static double reading_ns(void)
{
	double ns[MEASURE_ROUNDS];

	for (int i = 0; i < MEASURE_ROUNDS; i++) {
		double start = now_ns();

		ns[i] = now_ns() - start;
	}
	return measure_quantile(ns, MEASURE_ROUNDS, 0.5);
}

struct station *measure_begin(void)
{
	struct station *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	MPI_Comm_dup(MPI_COMM_WORLD, &s->data);
	MPI_Comm_dup(MPI_COMM_WORLD, &s->control);
	s->out = malloc((size_t)MEASURE_MAX_BYTES);
	s->in = malloc((size_t)MEASURE_MAX_BYTES);
	if (!s->out || !s->in)
		return NULL;
	/* touch all pages */
	memset(s->out, 1, (size_t)MEASURE_MAX_BYTES);
	memset(s->in, 2, (size_t)MEASURE_MAX_BYTES);
	s->clock_ns = reading_ns();
	return s;
}

void measure_end(struct station *s)
{
	MPI_Comm_free(&s->data);
	MPI_Comm_free(&s->control);
	free(s->out);
	free(s->in);
	free(s);
}

static int is_first_process(const struct link *l)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank == l->first;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double measure_quantile(double *ns, int n, double q)
{
	tape_sort(ns, (size_t)n, sizeof *ns, compare_doubles);
	return ns[(int)(q * (n - 1))];
}

/* ---- messages ---- */

/*
 * Control messages of the two ranks use a separate communicator and do not
 * disturb the measurement.
 */
static void send_control(const struct link *l, int to, const void *what, int n,
			 MPI_Datatype type)
{
	MPI_Send(what, n, type, to, CONTROL, l->station->control);
}

static void receive_control(const struct link *l, int from, void *what, int n,
			    MPI_Datatype type)
{
	MPI_Recv(what, n, type, from, CONTROL, l->station->control,
		 MPI_STATUS_IGNORE);
}

void measure_agree(const struct link *l, int64_t *n)
{
	if (is_first_process(l))
		send_control(l, l->second, n, 1, MPI_INT64_T);
	else
		receive_control(l, l->first, n, 1, MPI_INT64_T);
}

static void send_data(const struct link *l, enum measure what, int bytes,
		      int to)
{
	const struct station *s = l->station;

	if (what == MEASURE_SSEND)
		MPI_Ssend(s->out, bytes, MPI_BYTE, to, DATA, s->data);
	else
		MPI_Send(s->out, bytes, MPI_BYTE, to, DATA, s->data);
}

static void post_data(const struct link *l, int bytes, int from, MPI_Request *r)
{
	const struct station *s = l->station;

	MPI_Irecv(s->in, bytes, MPI_BYTE, from, DATA, s->data, r);
}

static void receive_data(const struct link *l, int bytes)
{
	const struct station *s = l->station;

	MPI_Recv(s->in, bytes, MPI_BYTE, l->first, DATA, s->data,
		 MPI_STATUS_IGNORE);
}

/* An empty round trip on the control communicator. */
static void exchange_empty(const struct link *l, int with, int begin)
{
	MPI_Request r;

	MPI_Irecv(NULL, 0, MPI_BYTE, with, CONTROL, l->station->control, &r);
	if (!begin)
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	send_control(l, with, NULL, 0, MPI_BYTE);
	if (begin)
		MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* ---- one batch ---- */

static void round_trips(const struct link *l, enum measure what, int bytes,
			int n, double *ns)
{
	int itself = l->first == l->second;
	MPI_Request r;

	for (int i = 0; i < n; i++) {
		double start;

		post_data(l, bytes, l->second, &r);
		start = now_ns();
		send_data(l, what, bytes, l->second);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		/* a message to itself has no way back */
		ns[i] = (now_ns() - start) / (itself ? 1 : 2);
	}
}

static void answer_round_trips(const struct link *l, enum measure what,
			       int bytes, int n)
{
	MPI_Request r;

	post_data(l, bytes, l->first, &r);
	/* the first process waits for this before it sends */
	send_control(l, l->first, NULL, 0, MPI_BYTE);
	for (int i = 0; i < n; i++) {
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		if (i + 1 < n)
			post_data(l, bytes, l->first, &r);
		send_data(l, what, bytes, l->first);
	}
}

/* Times the receive of a message that has arrived. */
static double time_receive(const struct link *l, int bytes, int exchanges)
{
	int first = is_first_process(l);
	double start;

	for (int i = 0; i < exchanges; i++)
		exchange_empty(l, first ? l->second : l->first, first);
	if (first && l->first != l->second)
		return 0;
	start = now_ns();
	receive_data(l, bytes);
	return now_ns() - start;
}

static void time_receives(const struct link *l, int bytes, const struct plan *p,
			  double *ns)
{
	for (int i = 0; i < p->rounds; i++) {
		send_data(l, MEASURE_SEND, bytes, l->second);
		ns[i] = time_receive(l, bytes, p->exchanges);
		if (l->first != l->second)
			receive_control(l, l->second, &ns[i], 1, MPI_DOUBLE);
	}
}

static void answer_receives(const struct link *l, int bytes,
			    const struct plan *p)
{
	for (int i = 0; i < p->rounds; i++) {
		double ns = time_receive(l, bytes, p->exchanges);

		send_control(l, l->first, &ns, 1, MPI_DOUBLE);
	}
}

/* ---- batches of all kinds ---- */

static struct bounce make_bounce(const struct link *l, int begins)
{
	const struct station *s = l->station;

	return (struct bounce){.comm = MPI_Comm_c2f(s->data),
			       .with = begins ? l->second : l->first,
			       .begins = begins,
			       .out = s->out,
			       .in = s->in};
}

/* Times rounds together, or single calls. */
static void time_bounces(const struct link *l, enum measure what, int bytes,
			 const struct plan *p, double *ns)
{
	struct bounce w = make_bounce(l, 1);
	int n = p->exchanges;

	if (what == MEASURE_SEND_CALL || what == MEASURE_ISEND_CALL) {
		bounce_calls(&w, bytes, p->rounds, what == MEASURE_ISEND_CALL,
			     ns);
		for (int i = 0; i < p->rounds; i++)
			ns[i] = fmax(ns[i] - l->station->clock_ns, 0);
		return;
	}
	for (int i = 0; i < p->rounds; i++) {
		double start = now_ns();

		if (what == MEASURE_BOUNCE)
			bounce_round_trips(&w, bytes, n);
		else
			bounce_exchange(&w, bytes, n);
		ns[i] = (now_ns() - start) / n;
		if (what == MEASURE_BOUNCE)
			ns[i] /= 2;
	}
}

static void answer_bounces(const struct link *l, enum measure what, int bytes,
			   const struct plan *p)
{
	struct bounce w = make_bounce(l, 0);
	int calls = what == MEASURE_SEND_CALL || what == MEASURE_ISEND_CALL;

	if (what == MEASURE_EXCHANGE)
		bounce_exchange(&w, bytes, p->rounds * p->exchanges);
	else
		bounce_round_trips(&w, bytes,
				   p->rounds * (calls ? 1 : p->exchanges));
}

/* The first process's part of a batch; 0 rounds end the batches. */
static void run_batch(const struct link *l, enum measure what, int bytes,
		      const struct plan *p, double *ns)
{
	int alone = l->first == l->second;

	if (!alone)
		send_control(l, l->second, p, sizeof *p, MPI_BYTE);
	if (!p->rounds)
		return;
	switch (what) {
	case MEASURE_SEND:
	case MEASURE_SSEND:
		if (!alone)
			receive_control(l, l->second, NULL, 0, MPI_BYTE);
		round_trips(l, what, bytes, p->rounds, ns);
		break;
	case MEASURE_HAND_OVER:
		time_receives(l, bytes, p, ns);
		break;
	case MEASURE_BOUNCE:
	case MEASURE_EXCHANGE:
	case MEASURE_SEND_CALL:
	case MEASURE_ISEND_CALL:
		time_bounces(l, what, bytes, p, ns);
		break;
	}
}

/* The second process's part of all batches. */
static void answer_batches(const struct link *l, enum measure what, int bytes)
{
	struct plan p;

	for (;;) {
		receive_control(l, l->first, &p, sizeof p, MPI_BYTE);
		if (!p.rounds)
			return;
		switch (what) {
		case MEASURE_SEND:
		case MEASURE_SSEND:
			answer_round_trips(l, what, bytes, p.rounds);
			break;
		case MEASURE_HAND_OVER:
			answer_receives(l, bytes, &p);
			break;
		case MEASURE_BOUNCE:
		case MEASURE_EXCHANGE:
		case MEASURE_SEND_CALL:
		case MEASURE_ISEND_CALL:
			answer_bounces(l, what, bytes, &p);
			break;
		}
	}
}

/* The number of rounds for batch_ns, if rounds of them took ns. */
static int choose_rounds(double ns, int rounds)
{
	double n = batch_ns * rounds / fmax(ns, 1);

	return (int)fmax(ROUNDS_LEAST, fmin(n, MEASURE_ROUNDS));
}

/* Stores a batch if it is the fastest so far. */
static void store_fastest(struct times *t, double *ns, int n)
{
	double median = measure_quantile(ns, n, 0.5);
	double slower = median;

	if (!t->batches || median < t->median) {
		slower = t->batches ? t->median : INFINITY;
		t->median = median;
		t->n = n;
		memcpy(t->ns, ns, (size_t)n * sizeof *ns);
	}
	if (!t->batches || slower < t->second)
		t->second = slower;
	t->settled = ++t->batches >= BATCHES_LEAST &&
		     t->second <= 1.02 * t->median + clock_ns;
}

void measure_batch(const struct link *l, enum measure what, int64_t bytes,
		   int exchanges, struct times *t)
{
	struct plan p = { WARM, exchanges };
	double ns[MEASURE_ROUNDS], start;
	int size = (int)bytes;

	t->bytes = bytes;
	if (!is_first_process(l)) {
		answer_batches(l, what, size);
		return;
	}
	if (!t->settled) {
		start = now_ns();
		run_batch(l, what, size, &p, ns);
		p.rounds = choose_rounds(now_ns() - start, WARM);
		run_batch(l, what, size, &p, ns);
		store_fastest(t, ns, p.rounds);
	}
	p.rounds = 0;
	run_batch(l, what, size, &p, ns);
}

/* ---- calls that find nothing ---- */

/* Calls that are timed together, and repetitions. */
enum { CALLS = 50, IDLE_ROUNDS = 15 };

void measure_idle(const struct station *s, struct idle_calls *c)
{
	double ns[3][IDLE_ROUNDS];
	MPI_Request r;
	int there, self;

	MPI_Comm_rank(s->data, &self);
	MPI_Irecv(NULL, 0, MPI_BYTE, self, DATA, s->data, &r);
	for (int i = 0; i < IDLE_ROUNDS; i++) {
		double at[4] = { now_ns() };

		for (int k = 0; k < CALLS; k++)
			MPI_Iprobe(MPI_ANY_SOURCE, NOBODYS, s->data,
				   &there, MPI_STATUS_IGNORE);
		at[1] = now_ns();
		for (int k = 0; k < CALLS; k++)
			MPI_Test(&r, &there, MPI_STATUS_IGNORE);
		at[2] = now_ns();
		for (int k = 0; k < CALLS; k++)
			MPI_Wtime();
		at[3] = now_ns();
		for (int k = 0; k < 3; k++)
			ns[k][i] = (at[k + 1] - at[k]) / CALLS;
	}
	MPI_Send(NULL, 0, MPI_BYTE, self, DATA, s->data);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	c->iprobe = measure_quantile(ns[0], IDLE_ROUNDS, 0.5);
	c->test = measure_quantile(ns[1], IDLE_ROUNDS, 0.5);
	c->wtime = measure_quantile(ns[2], IDLE_ROUNDS, 0.5);
}

/* ---- the eager limit ---- */

/*
 * Empty exchanges after which the other process has called the library, and
 * earlier messages have arrived.
 */
enum { EXCHANGES = 50 };

/* Returns 1, in both processes, if a send completes before its receive. */
static int is_eager(const struct link *l, int64_t bytes)
{
	int first = is_first_process(l), alone = l->first == l->second,
	    eager = 0;
	MPI_Request r;

	if (first)
		MPI_Isend(l->station->out, (int)bytes, MPI_BYTE, l->second,
			  DATA, l->station->data, &r);
	for (int i = 0; i < EXCHANGES; i++) {
		exchange_empty(l, first ? l->second : l->first, first);
		if (first && !eager)
			MPI_Test(&r, &eager, MPI_STATUS_IGNORE);
	}
	if (first && !alone)
		send_control(l, l->second, &eager, 1, MPI_INT);
	if (!first)
		receive_control(l, l->first, &eager, 1, MPI_INT);
	if (!first || alone)
		receive_data(l, (int)bytes);
	if (first)
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	return eager;
}

int64_t measure_limit(const struct link *l)
{
	int64_t low = 0, high = MEASURE_MAX_BYTES + 1;

	for (int64_t b = 1; b <= MEASURE_MAX_BYTES; b *= 2) {
		if (!is_eager(l, b)) {
			high = b;
			break;
		}
		low = b;
	}
	while (high - low > 1 && low < MEASURE_MAX_BYTES) {
		int64_t b = low + (high - low) / 2;

		if (is_eager(l, b))
			low = b;
		else
			high = b;
	}
	return low;
}
