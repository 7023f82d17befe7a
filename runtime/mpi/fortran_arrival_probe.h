/*
 * The parts of calls that wait for a message (arrival_probe.h), for programs in
 * Fortran: the library's functions of the program's own interface, with the
 * program's own arguments. Where the library lacks one, the call is made as it
 * is, and nobody was asked.
 */
#ifndef TAPE_FORTRAN_ARRIVAL_PROBE_H
#define TAPE_FORTRAN_ARRIVAL_PROBE_H

#ifndef TAPE_FORTRAN
#define TAPE_FORTRAN 1
#endif
#ifndef TAPE_WRAPS_FREQUENT
#define TAPE_WRAPS_FREQUENT 1
#endif
#include "arrival_probe.h"
#include "fortran.h"
/* generated, with the arguments that C has */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "tape_real_fortran.h"
#pragma GCC diagnostic pop

typedef void fortran_part();

/* A function of the interface of the call in progress; NULL: there is none. */
static inline fortran_part *fortran_part_of(unsigned call, const char *name)
{
	struct fortran_call h = {.interface = tape_fortran_now->interface};

	return (fortran_part *)fortran_find(tape_fortran_now->flow, &h, call,
					    name);
}

/* Ahead of every part but the first: MPICH's end at our functions for C. */
static inline void fortran_next_part(void)
{
#ifndef OPEN_MPI
	tape_fortran_inside = 1;
#endif
}

/*
 * Of the receive that was posted, in C: the library's MPI_TEST leaves the
 * status of one that was cut short as it was, where its MPI_RECV fills it.
 */
static inline int fortran_test_then_wait(MPI_Fint request, MPI_Status *status,
					 struct tape_probe_answer *answer)
{
	MPI_Request r = PMPI_Request_f2c(request);
	int flag = 0, rc = PMPI_Test(&r, &flag, status);

	answer->arrived = flag || rc != MPI_SUCCESS;
	return answer->arrived ? rc : PMPI_Wait(&r, status);
}

static inline int parts_MPI_Recv(void *buf, int count, MPI_Datatype type,
				 int source, int tag, MPI_Comm comm,
				 MPI_Status *status,
				 struct tape_probe_answer *answer)
{
	struct fortran_MPI_Recv *x = (void *)tape_fortran_now;
	fortran_part *irecv = fortran_part_of(TAPE_CALL_MPI_Irecv, "mpi_irecv");
	MPI_Fint rc = MPI_SUCCESS, request, room[FORTRAN_STATUS] = {0};
	MPI_Fint *own = fortran_ignored(x->status) ? room : x->status;

	answer->arrived = 2;
	if (TAPE_UNLIKELY(!irecv))
		return real_MPI_Recv(buf, count, type, source, tag, comm,
				     status);
	PMPI_Status_f2c(own, status);
	fortran_start(&x->h);
	irecv(x->buf, x->count, x->datatype, x->source, x->tag, x->comm,
	      &request, &rc);
	if (rc == MPI_SUCCESS)
		rc = fortran_test_then_wait(request, status, answer);
	fortran_stopped(&x->h, x->ierror, rc);
	PMPI_Status_c2f(status, own);
	return rc;
}

static inline int parts_MPI_Sendrecv(const void *sbuf, int count,
				     MPI_Datatype type, int to, int tag,
				     void *rbuf, int rcount, MPI_Datatype rtype,
				     int from, int rtag, MPI_Comm comm,
				     MPI_Status *status,
				     struct tape_probe_answer *answer)
{
	struct fortran_MPI_Sendrecv *x = (void *)tape_fortran_now;
	fortran_part *irecv = fortran_part_of(TAPE_CALL_MPI_Irecv, "mpi_irecv");
	int small = tape_is_small(count, type);
	fortran_part *send =
	    small ? fortran_part_of(TAPE_CALL_MPI_Send, "mpi_send")
		  : fortran_part_of(TAPE_CALL_MPI_Isend, "mpi_isend");
	MPI_Fint rc = MPI_SUCCESS, request, room[FORTRAN_STATUS] = {0};
	MPI_Fint *own = fortran_ignored(x->status) ? room : x->status;
	MPI_Fint sent = 0;

	answer->arrived = 2;
	answer->sr = 0;
	if (TAPE_UNLIKELY(!irecv || !send))
		return real_MPI_Sendrecv(sbuf, count, type, to, tag, rbuf,
					 rcount, rtype, from, rtag, comm,
					 status);
	PMPI_Status_f2c(own, status);
	fortran_start(&x->h);
	irecv(x->recvbuf, x->recvcount, x->recvtype, x->source, x->recvtag,
	      x->comm, &request, &rc);
	if (rc != MPI_SUCCESS)
		goto out;
	fortran_next_part();
	if (small)
		send(x->sendbuf, x->sendcount, x->sendtype, x->dest, x->sendtag,
		     x->comm, &rc);
	else
		send(x->sendbuf, x->sendcount, x->sendtype, x->dest, x->sendtag,
		     x->comm, &sent, &rc);
	if (rc != MPI_SUCCESS) {
		MPI_Request r = PMPI_Request_f2c(request);

		PMPI_Cancel(&r);
		PMPI_Wait(&r, MPI_STATUS_IGNORE);
		goto out;
	}
	answer->sr = tape_tick();
	rc = fortran_test_then_wait(request, status, answer);
	if (!small && rc == MPI_SUCCESS) {
		MPI_Request r = PMPI_Request_f2c(sent);

		rc = PMPI_Wait(&r, MPI_STATUS_IGNORE);
	}
out:
	fortran_stopped(&x->h, x->ierror, rc);
	PMPI_Status_c2f(status, own);
	return rc;
}

static inline int parts_MPI_Probe(int source, int tag, MPI_Comm comm,
				  MPI_Status *status,
				  struct tape_probe_answer *answer)
{
	struct fortran_MPI_Probe *x = (void *)tape_fortran_now;
	fortran_part *iprobe =
	    fortran_part_of(TAPE_CALL_MPI_Iprobe, "mpi_iprobe");
	MPI_Fint rc = MPI_SUCCESS, flag = 0, room[FORTRAN_STATUS] = {0};
	MPI_Fint *own = fortran_ignored(x->status) ? room : x->status;

	answer->arrived = 2;
	if (TAPE_UNLIKELY(!iprobe))
		return real_MPI_Probe(source, tag, comm, status);
	fortran_start(&x->h);
	for (int i = 0; i < 2 && !flag && rc == MPI_SUCCESS; i++) {
		fortran_next_part();
		iprobe(x->source, x->tag, x->comm, &flag, own, &rc);
	}
	answer->arrived = flag != 0;
	if (!flag && rc == MPI_SUCCESS) {
		fortran_next_part();
		((fortran_part *)x->h.real)(x->source, x->tag, x->comm, own,
					    &rc);
	}
	fortran_stopped(&x->h, x->ierror, rc);
	PMPI_Status_f2c(own, status);
	return rc;
}

static inline int parts_MPI_Mprobe(int source, int tag, MPI_Comm comm,
				   MPI_Message *message, MPI_Status *status,
				   struct tape_probe_answer *answer)
{
	struct fortran_MPI_Mprobe *x = (void *)tape_fortran_now;
	fortran_part *improbe =
	    fortran_part_of(TAPE_CALL_MPI_Improbe, "mpi_improbe");
	MPI_Fint rc = MPI_SUCCESS, flag = 0, room[FORTRAN_STATUS] = {0};
	MPI_Fint *own = fortran_ignored(x->status) ? room : x->status;

	answer->arrived = 2;
	if (TAPE_UNLIKELY(!improbe))
		return real_MPI_Mprobe(source, tag, comm, message, status);
	fortran_start(&x->h);
	for (int i = 0; i < 2 && !flag && rc == MPI_SUCCESS; i++) {
		fortran_next_part();
		improbe(x->source, x->tag, x->comm, &flag, x->message, own,
			&rc);
	}
	answer->arrived = flag != 0;
	if (!flag && rc == MPI_SUCCESS) {
		fortran_next_part();
		((fortran_part *)x->h.real)(x->source, x->tag, x->comm,
					    x->message, own, &rc);
	}
	fortran_stopped(&x->h, x->ierror, rc);
	PMPI_Status_f2c(own, status);
	*message = PMPI_Message_f2c(fortran_int(x->message));
	return rc;
}

#endif
