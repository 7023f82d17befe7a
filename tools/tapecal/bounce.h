/*
 * Messages of bytes that their sender has just got, as programs send them: with
 * others, which nobody writes anew, the receiver's cache still has what came
 * the last time, and a megabyte takes a third of the time. Both processes call
 * all of it.
 */
#ifndef TAPECAL_BOUNCE_H
#define TAPECAL_BOUNCE_H

struct bounce {
	int comm;       /* MPI_Comm_c2f of it */
	int with;       /* the other process */
	int begins;     /* it is this one that sends first */
	char *out, *in; /* buffers */
};

/* n messages there and back, by MPI_Send and MPI_Recv. */
void bounce_round_trips(const struct bounce *p, int bytes, int n);

/* n messages of each to the other, by MPI_Sendrecv. */
void bounce_exchange(const struct bounce *p, int bytes, int n);

/*
 * As bounce_round_trips; who begins does so by MPI_Isend if isend, and has the
 * times of its n calls in ns, with a reading of the clock in each.
 */
void bounce_calls(const struct bounce *p, int bytes, int n, int isend,
		  double *ns);

#endif
