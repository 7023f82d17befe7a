/*
 * Record and replay of programs in Fortran; see order_layer.h. Open MPI's
 * functions for Fortran call PMPI names, and so do MPICH's of mpi_f08 that have
 * no buffer. In their place the functions here translate the arguments and call
 * the functions for C. The arguments are the same in mpif.h and mpi_f08.
 */
#include "fortran.h"
#include "order_layer.h"

static void return_status(int rc, const MPI_Status *from, MPI_Fint *to)
{
	if (rc == MPI_SUCCESS && !fortran_ignored(to))
		PMPI_Status_c2f(from, to);
}

static void return_code(int rc, MPI_Fint *ierror)
{
	if (ierror)
		*ierror = rc;
}

static void return_index(int rc, int index, MPI_Fint *to)
{
	if (rc == MPI_SUCCESS)
		*to = index == MPI_UNDEFINED ? index : index + 1;
}

/* ---- receives and probes ---- */

#ifdef OPEN_MPI
static void order_mpi_recv(void *buf, MPI_Fint *count, MPI_Fint *type,
			   MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
			   MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	int rc = tape_next.to_MPI_Recv(fortran_buffer(buf), *count,
				       PMPI_Type_f2c(*type), *source, *tag,
				       PMPI_Comm_f2c(*comm), &s);

	return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_sendrecv(void *sbuf, MPI_Fint *scount, MPI_Fint *stype,
			       MPI_Fint *dest, MPI_Fint *stag, void *rbuf,
			       MPI_Fint *rcount, MPI_Fint *rtype,
			       MPI_Fint *source, MPI_Fint *rtag, MPI_Fint *comm,
			       MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	int rc = tape_next.to_MPI_Sendrecv(
	    fortran_buffer(sbuf), *scount, PMPI_Type_f2c(*stype), *dest, *stag,
	    fortran_buffer(rbuf), *rcount, PMPI_Type_f2c(*rtype), *source,
	    *rtag, PMPI_Comm_f2c(*comm), &s);

	return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_sendrecv_replace(void *buf, MPI_Fint *count,
				       MPI_Fint *type, MPI_Fint *dest,
				       MPI_Fint *stag, MPI_Fint *source,
				       MPI_Fint *rtag, MPI_Fint *comm,
				       MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	int rc = tape_next.to_MPI_Sendrecv_replace(
	    fortran_buffer(buf), *count, PMPI_Type_f2c(*type), *dest, *stag,
	    *source, *rtag, PMPI_Comm_f2c(*comm), &s);

	return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_irecv(void *buf, MPI_Fint *count, MPI_Fint *type,
			    MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
			    MPI_Fint *request, MPI_Fint *ierror)
{
	MPI_Request r;
	int rc = tape_next.to_MPI_Irecv(fortran_buffer(buf), *count,
					PMPI_Type_f2c(*type), *source, *tag,
					PMPI_Comm_f2c(*comm), &r);

	if (rc == MPI_SUCCESS)
		*request = PMPI_Request_c2f(r);
	return_code(rc, ierror);
}

static void order_mpi_recv_init(void *buf, MPI_Fint *count, MPI_Fint *type,
				MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
				MPI_Fint *request, MPI_Fint *ierror)
{
	MPI_Request r;
	int rc = tape_next.to_MPI_Recv_init(fortran_buffer(buf), *count,
					    PMPI_Type_f2c(*type), *source, *tag,
					    PMPI_Comm_f2c(*comm), &r);

	if (rc == MPI_SUCCESS)
		*request = PMPI_Request_c2f(r);
	return_code(rc, ierror);
}

#endif

static void order_mpi_start(MPI_Fint *request, MPI_Fint *ierror)
{
	MPI_Request r = PMPI_Request_f2c(*request);
	int rc = tape_next.to_MPI_Start(&r);

	*request = PMPI_Request_c2f(r);
	return_code(rc, ierror);
}

static void order_mpi_probe(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
			    MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	int rc =
	    tape_next.to_MPI_Probe(*source, *tag, PMPI_Comm_f2c(*comm), &s);

	return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_iprobe(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
			     MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	int is_there = 0;
	int rc = tape_next.to_MPI_Iprobe(*source, *tag, PMPI_Comm_f2c(*comm),
					 &is_there, &s);

	*flag = is_there;
	if (is_there)
		return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_mprobe(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
			     MPI_Fint *message, MPI_Fint *status,
			     MPI_Fint *ierror)
{
	MPI_Status s;
	MPI_Message m;
	int rc = tape_next.to_MPI_Mprobe(*source, *tag, PMPI_Comm_f2c(*comm),
					 &m, &s);

	if (rc == MPI_SUCCESS)
		*message = PMPI_Message_c2f(m);
	return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_improbe(MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm,
			      MPI_Fint *flag, MPI_Fint *message,
			      MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	MPI_Message m;
	int is_there = 0;
	int rc = tape_next.to_MPI_Improbe(*source, *tag, PMPI_Comm_f2c(*comm),
					  &is_there, &m, &s);

	*flag = is_there;
	if (rc == MPI_SUCCESS && is_there) {
		*message = PMPI_Message_c2f(m);
		return_status(rc, &s, status);
	}
	return_code(rc, ierror);
}

/* ---- one request ---- */

static void order_mpi_wait(MPI_Fint *request, MPI_Fint *status,
			   MPI_Fint *ierror)
{
	MPI_Request r = PMPI_Request_f2c(*request);
	MPI_Status s;
	int rc = tape_next.to_MPI_Wait(&r, &s);

	*request = PMPI_Request_c2f(r);
	return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_test(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status,
			   MPI_Fint *ierror)
{
	MPI_Request r = PMPI_Request_f2c(*request);
	MPI_Status s;
	int is_complete = 0, rc = tape_next.to_MPI_Test(&r, &is_complete, &s);

	*flag = is_complete;
	*request = PMPI_Request_c2f(r);
	if (is_complete)
		return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_request_get_status(MPI_Fint *request, MPI_Fint *flag,
					 MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	int is_complete = 0;
	int rc = tape_next.to_MPI_Request_get_status(PMPI_Request_f2c(*request),
						     &is_complete, &s);

	*flag = is_complete;
	if (is_complete)
		return_status(rc, &s, status);
	return_code(rc, ierror);
}

static void order_mpi_request_free(MPI_Fint *request, MPI_Fint *ierror)
{
	MPI_Request r = PMPI_Request_f2c(*request);
	int rc = tape_next.to_MPI_Request_free(&r);

	*request = PMPI_Request_c2f(r);
	return_code(rc, ierror);
}

static void order_mpi_cancel(MPI_Fint *request, MPI_Fint *ierror)
{
	MPI_Request r = PMPI_Request_f2c(*request);

	return_code(tape_next.to_MPI_Cancel(&r), ierror);
}

/* ---- several requests ---- */

/* The handles after a call; frees what fortran_arrays has allocated. */
static void return_requests(struct fortran_arrays *y, int n, MPI_Fint *to)
{
	for (int i = 0; i < n; i++)
		to[i] = PMPI_Request_c2f(y->requests[i]);
	free(y->heap);
}

/* The first n statuses, also if some of them have errors. */
static void return_statuses(int rc, const struct fortran_arrays *y, int n,
			    MPI_Fint *to)
{
	int class_ = MPI_SUCCESS;

	PMPI_Error_class(rc, &class_);
	if (fortran_ignored(to) ||
	    (class_ != MPI_SUCCESS && class_ != MPI_ERR_IN_STATUS))
		return;
	for (int i = 0; i < n; i++)
		PMPI_Status_c2f(&y->statuses[i],
				to + (size_t)i * FORTRAN_STATUS);
}

static void order_mpi_startall(MPI_Fint *n, MPI_Fint *requests,
			       MPI_Fint *ierror)
{
	struct fortran_call h = {0};
	struct fortran_arrays y;
	int rc = MPI_ERR_INTERN;

	if (!fortran_arrays(NULL, &h, &y, *n, requests)) {
		rc = tape_next.to_MPI_Startall(*n, y.requests);
		return_requests(&y, *n, requests);
	}
	return_code(rc, ierror);
}

static void order_mpi_waitall(MPI_Fint *n, MPI_Fint *requests,
			      MPI_Fint *statuses, MPI_Fint *ierror)
{
	struct fortran_call h = {0};
	struct fortran_arrays y;
	int rc = MPI_ERR_INTERN;

	if (!fortran_arrays(NULL, &h, &y, *n, requests)) {
		rc = tape_next.to_MPI_Waitall(*n, y.requests, y.statuses);
		return_statuses(rc, &y, *n, statuses);
		return_requests(&y, *n, requests);
	}
	return_code(rc, ierror);
}

static void order_mpi_testall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *flag,
			      MPI_Fint *statuses, MPI_Fint *ierror)
{
	struct fortran_call h = {0};
	struct fortran_arrays y;
	int rc = MPI_ERR_INTERN, are_complete = 0;

	if (!fortran_arrays(NULL, &h, &y, *n, requests)) {
		rc = tape_next.to_MPI_Testall(*n, y.requests, &are_complete,
					      y.statuses);
		*flag = are_complete;
		return_statuses(rc, &y, are_complete ? *n : 0, statuses);
		return_requests(&y, *n, requests);
	}
	return_code(rc, ierror);
}

static void order_mpi_waitany(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index,
			      MPI_Fint *status, MPI_Fint *ierror)
{
	struct fortran_call h = {0};
	struct fortran_arrays y;
	MPI_Status s;
	int rc = MPI_ERR_INTERN, i = MPI_UNDEFINED;

	if (!fortran_arrays(NULL, &h, &y, *n, requests)) {
		rc = tape_next.to_MPI_Waitany(*n, y.requests, &i, &s);
		return_index(rc, i, index);
		return_status(rc, &s, status);
		return_requests(&y, *n, requests);
	}
	return_code(rc, ierror);
}

static void order_mpi_testany(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index,
			      MPI_Fint *flag, MPI_Fint *status,
			      MPI_Fint *ierror)
{
	struct fortran_call h = {0};
	struct fortran_arrays y;
	MPI_Status s;
	int rc = MPI_ERR_INTERN, i = MPI_UNDEFINED, is_complete = 0;

	if (!fortran_arrays(NULL, &h, &y, *n, requests)) {
		rc = tape_next.to_MPI_Testany(*n, y.requests, &i, &is_complete,
					      &s);
		*flag = is_complete;
		return_index(rc, i, index);
		if (is_complete)
			return_status(rc, &s, status);
		return_requests(&y, *n, requests);
	}
	return_code(rc, ierror);
}

/* MPI_Waitsome or MPI_Testsome. */
static void
complete_some(int (*call)(int, MPI_Request *, int *, int *, MPI_Status *),
	      int n, MPI_Fint *requests, MPI_Fint *count, MPI_Fint *indices,
	      MPI_Fint *statuses, MPI_Fint *ierror)
{
	struct fortran_call h = {0};
	struct fortran_arrays y;
	int rc = MPI_ERR_INTERN, m = 0;

	if (!fortran_arrays(NULL, &h, &y, n, requests)) {
		rc = call(n, y.requests, &m, y.indices, y.statuses);
		*count = m;
		for (int i = 0; m != MPI_UNDEFINED && i < m; i++)
			indices[i] = y.indices[i] + 1;
		return_statuses(rc, &y, m == MPI_UNDEFINED ? 0 : m, statuses);
		return_requests(&y, n, requests);
	}
	return_code(rc, ierror);
}

static void order_mpi_waitsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *count,
			       MPI_Fint *indices, MPI_Fint *statuses,
			       MPI_Fint *ierror)
{
	complete_some(tape_next.to_MPI_Waitsome, *n, requests, count, indices,
		      statuses, ierror);
}

static void order_mpi_testsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *count,
			       MPI_Fint *indices, MPI_Fint *statuses,
			       MPI_Fint *ierror)
{
	complete_some(tape_next.to_MPI_Testsome, *n, requests, count, indices,
		      statuses, ierror);
}

#define FUNCTION(call, name)                                                   \
	case TAPE_CALL_##call:                                                 \
		return (void *)name

/* Of calls without a buffer. */
static void *find_function(unsigned call)
{
	switch (call) {
		FUNCTION(MPI_Probe, order_mpi_probe);
		FUNCTION(MPI_Iprobe, order_mpi_iprobe);
		FUNCTION(MPI_Mprobe, order_mpi_mprobe);
		FUNCTION(MPI_Improbe, order_mpi_improbe);
		FUNCTION(MPI_Start, order_mpi_start);
		FUNCTION(MPI_Startall, order_mpi_startall);
		FUNCTION(MPI_Wait, order_mpi_wait);
		FUNCTION(MPI_Test, order_mpi_test);
		FUNCTION(MPI_Request_get_status, order_mpi_request_get_status);
		FUNCTION(MPI_Request_free, order_mpi_request_free);
		FUNCTION(MPI_Cancel, order_mpi_cancel);
		FUNCTION(MPI_Waitall, order_mpi_waitall);
		FUNCTION(MPI_Testall, order_mpi_testall);
		FUNCTION(MPI_Waitany, order_mpi_waitany);
		FUNCTION(MPI_Testany, order_mpi_testany);
		FUNCTION(MPI_Waitsome, order_mpi_waitsome);
		FUNCTION(MPI_Testsome, order_mpi_testsome);
	default:
		return NULL;
	}
}

#ifdef OPEN_MPI
static void *find_receive(unsigned call)
{
	switch (call) {
		FUNCTION(MPI_Recv, order_mpi_recv);
		FUNCTION(MPI_Sendrecv, order_mpi_sendrecv);
		FUNCTION(MPI_Sendrecv_replace, order_mpi_sendrecv_replace);
		FUNCTION(MPI_Irecv, order_mpi_irecv);
		FUNCTION(MPI_Recv_init, order_mpi_recv_init);
	default:
		return NULL;
	}
}
#else
static void *find_receive(unsigned call)
{
	(void)call;
	return NULL;
}
#endif

void *tape_order_fortran(unsigned call, int interface, void *real)
{
	void *function = find_function(call);

#ifdef OPEN_MPI
	interface = 1;
#endif
	if (!function)
		function = find_receive(call);
	return function && interface && tape_order_is_active() ? function
							       : real;
}
