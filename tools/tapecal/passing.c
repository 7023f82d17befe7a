/*
 * Messages of bytes that their sender has just got, as programs send them: with
 * others, which nobody writes anew, the receiver's cache still has what came
 * the last time, and a megabyte takes a third of the time.
 */
#include <math.h>

#include "station.h"

static void pass_on(const struct link *l, int bytes, int with, int n)
{
	const struct station *s = l->station;

	for (int i = 0; i < n; i++) {
		if (with == l->second)
			MPI_Send(s->in, bytes, MPI_BYTE, with, DATA, s->data);
		MPI_Recv(s->in, bytes, MPI_BYTE, with, DATA, s->data,
			 MPI_STATUS_IGNORE);
		if (with == l->first)
			MPI_Send(s->in, bytes, MPI_BYTE, with, DATA, s->data);
	}
}

/* What was got in one round is sent in the next. */
static void exchange_all(const struct link *l, int bytes, int with, int n)
{
	const struct station *s = l->station;
	char *got = s->in, *sent = s->out, *other;

	for (int i = 0; i < n; i++) {
		MPI_Sendrecv(sent, bytes, MPI_BYTE, with, DATA, got, bytes,
			     MPI_BYTE, with, DATA, s->data, MPI_STATUS_IGNORE);
		other = sent;
		sent = got;
		got = other;
	}
}

void passing_rounds(const struct link *l, enum measure what, int bytes,
		     const struct plan *p, double *ns)
{
	int n = p->exchanges;

	for (int i = 0; i < p->rounds; i++) {
		double start = now_ns();

		if (what == MEASURE_BOUNCE)
			pass_on(l, bytes, l->second, n);
		else
			exchange_all(l, bytes, l->second, n);
		ns[i] = (now_ns() - start) / n;
		if (what == MEASURE_BOUNCE)
			ns[i] /= 2;
	}
}

void passing_calls(const struct link *l, enum measure what, int bytes,
		   const struct plan *p, double *ns)
{
	const struct station *s = l->station;
	int with = l->second;
	MPI_Request r = MPI_REQUEST_NULL;

	for (int i = 0; i < p->rounds; i++) {
		double start = now_ns();

		if (what == MEASURE_SEND_CALL)
			MPI_Send(s->in, bytes, MPI_BYTE, with, DATA, s->data);
		else
			MPI_Isend(s->in, bytes, MPI_BYTE, with, DATA, s->data,
				  &r);
		ns[i] = fmax(now_ns() - start - s->clock_ns, 0);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Recv(s->in, bytes, MPI_BYTE, with, DATA, s->data,
			 MPI_STATUS_IGNORE);
	}
}

void passing_answer(const struct link *l, enum measure what, int bytes,
		    const struct plan *p)
{
	switch (what) {
	case MEASURE_BOUNCE:
		pass_on(l, bytes, l->first, p->rounds * p->exchanges);
		break;
	case MEASURE_EXCHANGE:
		exchange_all(l, bytes, l->first, p->rounds * p->exchanges);
		break;
	case MEASURE_SEND_CALL:
	case MEASURE_ISEND_CALL:
		pass_on(l, bytes, l->first, p->rounds);
		break;
	case MEASURE_SEND:
	case MEASURE_SSEND:
	case MEASURE_HAND_OVER:
		break;
	}
}

/* ---- calls that find nothing ---- */

/* So many calls are timed together. */
enum { CALLS = 50, ROUNDS = 15 };

void measure_idle(const struct station *s, struct idle_calls *c)
{
	double ns[3][ROUNDS];
	MPI_Request r;
	int there, self;

	MPI_Comm_rank(s->data, &self);
	MPI_Irecv(NULL, 0, MPI_BYTE, self, DATA, s->data, &r);
	for (int i = 0; i < ROUNDS; i++) {
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
	c->iprobe = measure_quantile(ns[0], ROUNDS, 0.5);
	c->test = measure_quantile(ns[1], ROUNDS, 0.5);
	c->wtime = measure_quantile(ns[2], ROUNDS, 0.5);
}
