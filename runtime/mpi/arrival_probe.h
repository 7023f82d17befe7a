/*
 * Finds out whether a message had arrived when its receive began.
 *
 * MPI_Iprobe alone does not tell: in Open MPI and MPICH it searches the
 * messages fetched so far, then lets the library fetch more, and does not
 * search again. So a blocking receive is replaced by its parts:
 *
 *	Recv      Irecv, Test; Wait if the message has not arrived
 *	Sendrecv  Irecv, Send, Test; Wait. The Test follows the send, which must
 *	          not be delayed; the receive begins at the Test
 *	Probe     Iprobe, a second Iprobe if it fails; Probe if both fail
 *
 * The parts are not used where an error of theirs would be handled differently:
 * Open MPI passes the name of the failed function to a handler of the program;
 * MPICH calls the handler of MPI_COMM_WORLD for a failed request, and that of
 * the communicator for a failed receive. They are not used either where a
 * profiling layer must see the call. MPI_Iprobe is then called twice before a
 * receive; a Sendrecv is not probed. Calls that the library will reject and
 * receives from MPI_PROC_NULL are never probed.
 *
 * This header has the parts for C; fortran_arrival_probe.h has those for
 * Fortran.
 */
#ifndef TAPE_ARRIVAL_PROBE_H
#define TAPE_ARRIVAL_PROBE_H

#include <limits.h>
#include <mpi.h>

#include "abi.h"
#include "communicators.h"
#include "core.h"
#include "processor_marks.h"
#ifndef TAPE_NO_LAYERS
#include "next.h"
#endif
#if defined TAPE_NO_LAYERS || defined TAPE_RIG_ASKS_AHEAD
#define TAPE_PROBE_CALL(name) P##name
#else
#define TAPE_PROBE_CALL(name) tape_probe_calls.to_##name
#endif

enum tape_probe_method {
	TAPE_PROBE_NONE,  /* the call is made unchanged */
	TAPE_PROBE_AHEAD, /* MPI_Iprobe is called before the call */
	TAPE_PROBE_PARTS  /* the parts replace the call */
};

/* The result of the parts. */
struct tape_probe_answer {
	uint32_t arrived; /* 0 no, 1 yes */
	uint64_t sr;	  /* tick where the receive of a Sendrecv began */
};

extern int tape_tag_ub;

#ifdef TAPE_RIG_ASKS_AHEAD
/* a library whose first MPI_Iprobe gives the right answer */
enum { TAPE_PARTS_ARE_ALIKE = 0, TAPE_PROBE_TIMES = 1 };
#else
enum { TAPE_PARTS_ARE_ALIKE = 1, TAPE_PROBE_TIMES = 2 };
#endif

/* Returns 1 if a layer after this library must see the call (next.h). */
static inline int tape_layer_has_receives(void)
{
#ifdef TAPE_NO_LAYERS
	return 0;
#else
	return tape_next_has_receives;
#endif
}

/*
 * Returns 1 if an error of the receive's parts is handled as an error of the
 * receive. The result is cached with the communicator until the program sets a
 * handler.
 */
#ifdef TAPE_RIG_ASKS_AHEAD
static inline int tape_errors_are_alike(const struct tape_comm_cache *c)
{
	(void)c;
	return 0;
}

static inline void tape_handlers_changed(void)
{
}
#else
extern uint32_t tape_handlers_set; /* 1 + the number of handlers set so far */

/* Checks the handler of the communicator, in MPICH also MPI_COMM_WORLD's. */
TAPE_COLD int tape_handlers_check(const struct tape_comm_cache *c);

static inline int tape_errors_are_alike(const struct tape_comm_cache *c)
{
	uint32_t now = __atomic_load_n(&tape_handlers_set, __ATOMIC_RELAXED);

	return TAPE_LIKELY(c->handlers >> 1 == (now & UINT32_MAX >> 1))
		   ? (int)(c->handlers & 1)
		   : tape_handlers_check(c);
}

static inline void tape_handlers_changed(void)
{
	__atomic_fetch_add(&tape_handlers_set, 1, __ATOMIC_RELAXED);
}
#endif

/* Returns 1 if a probe for this receive cannot raise an error. */
static inline int tape_may_probe(const struct tape_comm_cache *c, int peer,
				 int tag)
{
	return c && c->index && peer >= -2 && peer < c->size && tag >= -1 &&
	       tag <= tape_tag_ub;
}

/* Returns 1 if count and type look valid to the library. */
static inline int tape_buffer_is_valid(MPI_Count count, MPI_Datatype type)
{
	return count >= 0 && type != MPI_DATATYPE_NULL;
}

/* Returns the communicator of a receive that may be probed; else NULL. */
static inline TAPE_ALWAYS const struct tape_comm_cache *
tape_probed_comm(struct tape_flow *f, MPI_Comm comm, int peer, int tag)
{
	const struct tape_comm_cache *c;

	if (!f->arrived || peer == MPI_PROC_NULL)
		return NULL;
	c = tape_comm_known(f, (uintptr_t)comm, &f->extra_before);
	return tape_may_probe(c, tape_peer(peer), tape_tag(tag)) ? c : NULL;
}

static inline TAPE_ALWAYS enum tape_probe_method
tape_choose_recv_probe(struct tape_flow *f, MPI_Comm comm, int peer, int tag,
		       MPI_Count count, MPI_Datatype type)
{
	const struct tape_comm_cache *c = tape_probed_comm(f, comm, peer, tag);

	if (!c || !tape_buffer_is_valid(count, type))
		return TAPE_PROBE_NONE;
	/* the parts have counts of ordinary size */
	return tape_errors_are_alike(c) && !tape_layer_has_receives() &&
		       count <= INT_MAX
		   ? TAPE_PROBE_PARTS
		   : TAPE_PROBE_AHEAD;
}

/* Returns 1 if the arguments of a send are valid; MPI_PROC_NULL is valid. */
static inline int tape_send_is_valid(const struct tape_comm_cache *c, int peer,
				     int tag, MPI_Count count,
				     MPI_Datatype type)
{
	return (peer == MPI_PROC_NULL || (peer >= 0 && peer < c->size)) &&
	       tag >= 0 && tag <= tape_tag_ub &&
	       tape_buffer_is_valid(count, type);
}

/* MPI_Probe has the errors and the status of MPI_Iprobe. */
static inline TAPE_ALWAYS enum tape_probe_method
tape_choose_probe_probe(struct tape_flow *f, MPI_Comm comm, int peer, int tag)
{
	if (!tape_probed_comm(f, comm, peer, tag))
		return TAPE_PROBE_NONE;
	return TAPE_PARTS_ARE_ALIKE && !tape_layer_has_receives()
		   ? TAPE_PROBE_PARTS
		   : TAPE_PROBE_AHEAD;
}

/*
 * Probes before the call. *probe becomes the tick at the begin of the probe,
 * which ends at the start of the real call. Returns 1 if a message has arrived.
 */
static inline uint32_t tape_probe_ahead(struct tape_flow *f, MPI_Comm comm,
					int peer, int tag, uint64_t *probe)
{
	int flag = 0;

	*probe = tape_processor_due_soon(f, tape_tick());
	for (int i = 0; !flag && i < TAPE_PROBE_TIMES; i++)
		TAPE_PROBE_CALL(MPI_Iprobe)
	(peer, tag, comm, &flag, MPI_STATUS_IGNORE);
	return flag != 0;
}

#if !defined TAPE_FORTRAN || !TAPE_FORTRAN

/*
 * Tests the request, and waits for it if it is not complete. If the test fails,
 * the message has arrived as well.
 */
static inline TAPE_ALWAYS int
tape_test_then_wait(MPI_Request *request, MPI_Status *status,
		    struct tape_probe_answer *answer)
{
	int flag = 0, rc = PMPI_Test(request, &flag, status);

	answer->arrived = flag || rc != MPI_SUCCESS;
	return answer->arrived ? rc : PMPI_Wait(request, status);
}

static inline TAPE_ALWAYS int parts_MPI_Recv(void *buf, int count,
					     MPI_Datatype type, int source,
					     int tag, MPI_Comm comm,
					     MPI_Status *status,
					     struct tape_probe_answer *answer)
{
	MPI_Request request;
	int rc = TAPE_PROBE_CALL(MPI_Irecv)(buf, count, type, source, tag, comm,
					    &request);

	return TAPE_LIKELY(rc == MPI_SUCCESS)
		   ? tape_test_then_wait(&request, status, answer)
		   : rc;
}

/*
 * Sends the message as the library's MPI_Sendrecv does. If the send fails,
 * nothing is received.
 */
static inline TAPE_ALWAYS int
parts_MPI_Sendrecv(const void *sbuf, int count, MPI_Datatype type, int to,
		   int tag, void *rbuf, int rcount, MPI_Datatype rtype,
		   int from, int rtag, MPI_Comm comm, MPI_Status *status,
		   struct tape_probe_answer *answer)
{
	MPI_Request request, sent = MPI_REQUEST_NULL;
	int rc = TAPE_PROBE_CALL(MPI_Irecv)(rbuf, rcount, rtype, from, rtag,
					    comm, &request);

	answer->arrived = 2;
	answer->sr = 0;
	if (TAPE_UNLIKELY(rc != MPI_SUCCESS))
		return rc;
	rc = tape_is_small(count, type)
		 ? TAPE_PROBE_CALL(MPI_Send)(sbuf, count, type, to, tag, comm)
		 : TAPE_PROBE_CALL(MPI_Isend)(sbuf, count, type, to, tag, comm,
					      &sent);
	if (TAPE_UNLIKELY(rc != MPI_SUCCESS)) {
		PMPI_Cancel(&request);
		PMPI_Wait(&request, MPI_STATUS_IGNORE);
		return rc;
	}
	answer->sr = tape_tick();
	rc = tape_test_then_wait(&request, status, answer);
	if (sent != MPI_REQUEST_NULL && rc == MPI_SUCCESS)
		rc = PMPI_Wait(&sent, MPI_STATUS_IGNORE);
	return rc;
}

static inline TAPE_ALWAYS int parts_MPI_Probe(int source, int tag,
					      MPI_Comm comm, MPI_Status *status,
					      struct tape_probe_answer *answer)
{
	int flag = 0,
	    rc = TAPE_PROBE_CALL(MPI_Iprobe)(source, tag, comm, &flag, status);

	if (!flag && rc == MPI_SUCCESS)
		rc = TAPE_PROBE_CALL(MPI_Iprobe)(source, tag, comm, &flag,
						 status);
	answer->arrived = flag != 0;
	return flag || rc != MPI_SUCCESS
		   ? rc
		   : TAPE_PROBE_CALL(MPI_Probe)(source, tag, comm, status);
}

static inline TAPE_ALWAYS int
parts_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
		 MPI_Status *status, struct tape_probe_answer *answer)
{
	int flag = 0;
	int rc = TAPE_PROBE_CALL(MPI_Improbe)(source, tag, comm, &flag, message,
					      status);

	if (!flag && rc == MPI_SUCCESS)
		rc = TAPE_PROBE_CALL(MPI_Improbe)(source, tag, comm, &flag,
						  message, status);
	answer->arrived = flag != 0;
	return flag || rc != MPI_SUCCESS
		   ? rc
		   : TAPE_PROBE_CALL(MPI_Mprobe)(source, tag, comm, message,
						 status);
}

#endif
#endif
