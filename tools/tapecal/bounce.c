/* See bounce.h. */
#include <mpi.h>

#include "now.h"
#include "bounce.h"

enum { TAG = 1 };

static void receive_from_peer(const struct bounce *p, MPI_Comm comm, int bytes)
{
	MPI_Recv(p->in, bytes, MPI_BYTE, p->with, TAG, comm,
		 MPI_STATUS_IGNORE);
}

void bounce_round_trips(const struct bounce *p, int bytes, int n)
{
	MPI_Comm comm = MPI_Comm_f2c(p->comm);

	for (int i = 0; i < n; i++) {
		if (p->begins)
			MPI_Send(p->in, bytes, MPI_BYTE, p->with, TAG, comm);
		receive_from_peer(p, comm, bytes);
		if (!p->begins)
			MPI_Send(p->in, bytes, MPI_BYTE, p->with, TAG, comm);
	}
}

/* Data received in one round is sent in the next. */
void bounce_exchange(const struct bounce *p, int bytes, int n)
{
	MPI_Comm comm = MPI_Comm_f2c(p->comm);
	char *got = p->in, *sent = p->out, *other;

	for (int i = 0; i < n; i++) {
		MPI_Sendrecv(sent, bytes, MPI_BYTE, p->with, TAG, got, bytes,
			     MPI_BYTE, p->with, TAG, comm, MPI_STATUS_IGNORE);
		other = sent;
		sent = got;
		got = other;
	}
}

void bounce_calls(const struct bounce *p, int bytes, int n, int isend,
		  double *ns)
{
	MPI_Comm comm = MPI_Comm_f2c(p->comm);
	MPI_Request r = MPI_REQUEST_NULL;

	if (!p->begins) {
		bounce_round_trips(p, bytes, n);
		return;
	}
	for (int i = 0; i < n; i++) {
		double start = now_ns();

		if (isend)
			MPI_Isend(p->in, bytes, MPI_BYTE, p->with, TAG, comm,
				  &r);
		else
			MPI_Send(p->in, bytes, MPI_BYTE, p->with, TAG, comm);
		ns[i] = now_ns() - start;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		receive_from_peer(p, comm, bytes);
	}
}
