/*
 * Messages with bytes that their sender has just received, as in programs. If a
 * buffer is not written anew, the receiver's cache still contains the last
 * message, and a megabyte takes a third of the time. Both processes call each
 * function.
 */
#ifndef TAPECAL_BOUNCE_H
#define TAPECAL_BOUNCE_H

struct bounce {
	int comm;       /* MPI_Comm_c2f of it */
	int with;       /* the other process */
	int begins;     /* this process sends first */
	char *out, *in; /* buffers */
};

/* n round trips by MPI_Send and MPI_Recv. */
void bounce_round_trips(const struct bounce *p, int bytes, int n);

/* n messages of each to the other, by MPI_Sendrecv. */
void bounce_exchange(const struct bounce *p, int bytes, int n);

/*
 * As bounce_round_trips. The process that begins sends by MPI_Isend if isend is
 * set. It stores the times of its n calls in ns, each with a reading of the
 * clock.
 */
void bounce_calls(const struct bounce *p, int bytes, int n, int isend,
		  double *ns);

#endif
