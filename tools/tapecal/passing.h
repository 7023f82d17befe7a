/*
 * Messages of bytes that their sender has just got, as programs send them: with
 * others, which nobody writes anew, the receiver's cache still has what came
 * the last time, and a megabyte takes a third of the time. Both processes call
 * all of it.
 */
#ifndef TAPECAL_PASSING_H
#define TAPECAL_PASSING_H

struct passing {
	int comm;       /* MPI_Comm_c2f of it */
	int with;       /* the other process */
	int begins;     /* it is this one that sends first */
	char *out, *in; /* buffers */
};

/* n messages there and back, by MPI_Send and MPI_Recv. */
void passing_bounce(const struct passing *p, int bytes, int n);

/* n messages of each to the other, by MPI_Sendrecv. */
void passing_exchange(const struct passing *p, int bytes, int n);

/*
 * As passing_bounce; who begins does so by MPI_Isend if isend, and has the
 * times of its n calls in ns, with a reading of the clock in each.
 */
void passing_calls(const struct passing *p, int bytes, int n, int isend,
		   double *ns);

#endif
