/*
 * Had the message arrived when its receive began?
 *
 * MPI_Iprobe does not tell: in Open MPI and MPICH it looks among the messages
 * fetched so far, then lets the library fetch more, and does not look again.
 * So a blocking receive is made of its parts, and the answer comes with them:
 *
 *	Recv      Irecv, Test; Wait if it is not there
 *	Sendrecv  Irecv, Send, Test; Wait. Asked behind the send, for whoever
 *	          waits for that must not be delayed; the receive begins there
 *	Probe     Iprobe, once more if it found nothing; Probe if it still did
 *
 * Where the parts would not do the same (a handler of the program's is told by
 * Open MPI which function failed; MPICH calls the one of MPI_COMM_WORLD where a
 * request fails, the communicator's where a receive does), or a profiling layer
 * is to see the call, MPI_Iprobe is asked twice ahead of a receive; a send that
 * receives as well is not asked. Nobody is asked about what the library is to
 * refuse, nor about receives from MPI_PROC_NULL.
 *
 * In C this header has the parts; those of Fortran are in
 *fortran_arrival_probe.h.
 */
#ifndef TAPE_ARRIVAL_PROBE_H
#define TAPE_ARRIVAL_PROBE_H

#include <limits.h>
#include <mpi.h>

#include "abi.h"
#include "communicators.h"
#include "core.h"
#ifndef TAPE_NO_LAYERS
#include "next.h"
#endif
#if defined TAPE_NO_LAYERS || defined TAPE_RIG_ASKS_AHEAD
#define TAPE_PROBE_CALL(name) P##name
#else
#define TAPE_PROBE_CALL(name) tape_probe_calls.to_##name
#endif

enum tape_probe_method {
	TAPE_PROBE_NONE,  /* the call as it is */
	TAPE_PROBE_AHEAD, /* the same, once MPI_Iprobe was asked */
	TAPE_PROBE_PARTS  /* its parts in place of it */
};

/* What the parts found out. */
struct tape_probe_answer {
	uint32_t arrived; /* 0 no, 1 yes */
	uint64_t sr;	  /* tick where the receive of a Sendrecv began */
};

extern int tape_tag_ub;

#ifdef TAPE_RIG_ASKS_AHEAD
/* a library that answers MPI_Iprobe rightly, and at once */
enum { TAPE_PARTS_ARE_ALIKE = 0, TAPE_PROBE_TIMES = 1 };
#else
enum { TAPE_PARTS_ARE_ALIKE = 1, TAPE_PROBE_TIMES = 2 };
#endif

/* A layer behind this library is to see the call itself (next.h). */
static inline int tape_layer_has_receives(void)
{
#ifdef TAPE_NO_LAYERS
	return 0;
#else
	return tape_next_has_receives;
#endif
}

/*
 * Would an error of the receive's parts be handled as one of the receive? The
 * answer is kept with the communicator, until the program sets a handler.
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
extern uint32_t tape_handlers_set; /* how often any was set, and 1 more */

/* Looks at the communicator's handler, MPICH also at that of MPI_COMM_WORLD. */
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

/* May the library be asked about that receive? It must not raise an error. */
static inline int tape_may_probe(const struct tape_comm_cache *c, int peer,
				 int tag)
{
	return c && c->index && peer >= -2 && peer < c->size && tag >= -1 &&
	       tag <= tape_tag_ub;
}

/* A buffer that the library has no reason to refuse, as far as one sees. */
static inline int tape_buffer_is_valid(MPI_Count count, MPI_Datatype type)
{
	return count >= 0 && type != MPI_DATATYPE_NULL;
}

/* The communicator of a receive that may be asked about; else NULL. */
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

/* May it be sent? To MPI_PROC_NULL, too. */
static inline int tape_send_is_valid(const struct tape_comm_cache *c, int peer,
				     int tag, MPI_Count count,
				     MPI_Datatype type)
{
	return (peer == MPI_PROC_NULL || (peer >= 0 && peer < c->size)) &&
	       tag >= 0 && tag <= tape_tag_ub &&
	       tape_buffer_is_valid(count, type);
}

/* Its errors are those of MPI_Iprobe, whose status it has. */
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
 * Ahead of the call. *probe receives the tick before asking; the tick of the
 * real call's start ends it.
 */
static inline uint32_t tape_probe_ahead(MPI_Comm comm, int peer, int tag,
					uint64_t *probe)
{
	int flag = 0;

	*probe = tape_tick();
	for (int i = 0; !flag && i < TAPE_PROBE_TIMES; i++)
		TAPE_PROBE_CALL(MPI_Iprobe)
	(peer, tag, comm, &flag, MPI_STATUS_IGNORE);
	return flag != 0;
}

#if !defined TAPE_FORTRAN || !TAPE_FORTRAN

/*
 * The request is complete, or is waited for. Of one that failed the message
 * has come as well.
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
 * The message is sent as the library's MPI_Sendrecv does it. Where that fails,
 * nothing was received.
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
