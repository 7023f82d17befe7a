/*
 * Replays receives of any source that end within their call (order_replay.h).
 * None of them blocks in the library while its message may not come: another
 * thread may take it, or the program may send another one.
 */
#include <limits.h>
#include <stdlib.h>

#include "order_replay.h"

#define BELOW(call) tape_order_below.to_##call

/*
 * Waits for the recorded message of a receive and matches it. Returns 1 with
 * *message, or 0 if the receive is left as it is.
 */
static int match_message(unsigned call, int source, int tag, MPI_Comm comm,
			 MPI_Message *message)
{
	struct tape_order_patience w = {0};
	struct tape_order_decision d;
	MPI_Status status;
	int flag = 0;

	if (!tape_order_choose_message(call, TAPE_DECISION_RECEIVED, source,
				       tag, comm, &d) ||
	    d.source < 0)
		return 0;
	while (BELOW(MPI_Improbe)(d.source, d.tag, comm, &flag, message,
				  &status) == MPI_SUCCESS &&
	       !flag && !tape_order_give_up(&w, call))
		;
	if (flag)
		tape_order_advance();
	return flag;
}

#define REPLAY_RECV(call, matched, number)                                     \
	static int replay_##call(void *buf, number count, MPI_Datatype type,   \
				 int source, int tag, MPI_Comm comm,           \
				 MPI_Status *status)                           \
	{                                                                      \
		MPI_Message message;                                           \
                                                                               \
		if (match_message(TAPE_CALL_##call, source, tag, comm,         \
				  &message))                                   \
			return BELOW(matched)(buf, count, type, &message,      \
					      status);                         \
		return BELOW(call)(buf, count, type, source, tag, comm,        \
				   status);                                    \
	}

REPLAY_RECV(MPI_Recv, MPI_Mrecv, int)
#ifdef TAPE_HAS_MPI_Recv_c
REPLAY_RECV(MPI_Recv_c, MPI_Mrecv_c, MPI_Count)
#endif

/* ---- receives that also send ---- */

/* A copy of what MPI_Sendrecv_replace sends. Returns NULL without memory. */
static void *pack_message(const void *buf, int count, MPI_Datatype type,
			  MPI_Comm comm, int *size)
{
	void *copy;
	int room;

	*size = 0;
	if (PMPI_Pack_size(count, type, comm, &room) != MPI_SUCCESS ||
	    !(copy = malloc(room ? (size_t)room : 1)))
		return NULL;
	if (PMPI_Pack(buf, count, type, copy, room, size, comm) == MPI_SUCCESS)
		return copy;
	free(copy);
	return NULL;
}

/*
 * Waits for the send and the receive of an exchange. If the recorded message
 * does not come, the receive is posted again as the program wants it. Returns
 * the first error of the two.
 */
static int end_exchange(unsigned call, const struct tape_order_post *p,
			MPI_Request *receive, MPI_Request *send,
			MPI_Status *status)
{
	struct tape_order_patience w = {0};
	int flag = 0, rc, sent;

	while ((rc = BELOW(MPI_Test)(receive, &flag, status)) == MPI_SUCCESS &&
	       !flag)
		if (tape_order_give_up(&w, call) &&
		    tape_order_cancel_receive(receive))
			tape_order_post_receive(p, MPI_ANY_SOURCE, p->tag,
						p->comm, receive);
	sent = BELOW(MPI_Wait)(send, MPI_STATUS_IGNORE);
	return rc != MPI_SUCCESS ? rc : sent;
}

/* The send of an exchange. */
struct outgoing {
	const void *buf;
	MPI_Count count;
	MPI_Datatype type;
	int dest, tag;
};

static int send_message(const struct outgoing *o, MPI_Comm comm,
			MPI_Request *request)
{
#ifdef TAPE_HAS_MPI_Isend_c
	return BELOW(MPI_Isend_c)(o->buf, o->count, o->type, o->dest, o->tag,
				  comm, request);
#else
	return BELOW(MPI_Isend)(o->buf, (int)o->count, o->type, o->dest, o->tag,
				comm, request);
#endif
}

/*
 * Makes an exchange whose message is recorded of a receive and a send. Returns
 * 0 if the call is left as it is; else *rc is its result.
 */
static int exchange_messages(unsigned call, const struct tape_order_post *p,
			     const struct outgoing *o, int source,
			     MPI_Status *status, int *rc)
{
	MPI_Request receive, send;
	struct tape_order_decision d;

	if (!tape_order_choose_message(call, TAPE_DECISION_RECEIVED, source,
				       p->tag, p->comm, &d))
		return 0;
	tape_order_advance();
	*rc = tape_order_post_receive(p, tape_order_to_rank(d.source), d.tag,
				      p->comm, &receive);
	if (*rc != MPI_SUCCESS)
		return 1;
	*rc = send_message(o, p->comm, &send);
	if (*rc == MPI_SUCCESS)
		*rc = end_exchange(call, p, &receive, &send, status);
	else
		tape_order_cancel_receive(&receive);
	return 1;
}

#define REPLAY_SENDRECV(call, number)                                          \
	static int replay_##call(                                              \
	    const void *sbuf, number scount, MPI_Datatype stype, int dest,     \
	    int stag, void *rbuf, number rcount, MPI_Datatype rtype,           \
	    int source, int rtag, MPI_Comm comm, MPI_Status *status)           \
	{                                                                      \
		const struct outgoing o = {sbuf, scount, stype, dest, stag};   \
		const struct tape_order_post p = {.buf = rbuf,                 \
						  .count = rcount,             \
						  .type = rtype,               \
						  .tag = rtag,                 \
						  .comm = comm};               \
		int rc;                                                        \
                                                                               \
		if (exchange_messages(TAPE_CALL_##call, &p, &o, source,        \
				      status, &rc))                            \
			return rc;                                             \
		return BELOW(call)(sbuf, scount, stype, dest, stag, rbuf,      \
				   rcount, rtype, source, rtag, comm, status); \
	}

#define REPLAY_SENDRECV_REPLACE(call, number)                                  \
	static int replay_##call(void *buf, number count, MPI_Datatype type,   \
				 int dest, int stag, int source, int rtag,     \
				 MPI_Comm comm, MPI_Status *status)            \
	{                                                                      \
		struct outgoing o = {NULL, 0, MPI_PACKED, dest, stag};         \
		const struct tape_order_post p = {.buf = buf,                  \
						  .count = count,              \
						  .type = type,                \
						  .tag = rtag,                 \
						  .comm = comm};               \
		void *copy = NULL;                                             \
		int rc, size = 0, is_done;                                     \
                                                                               \
		if (tape_order_is_any(source) && tape_order_is_thread() &&     \
		    count <= INT_MAX)                                          \
			copy =                                                 \
			    pack_message(buf, (int)count, type, comm, &size);  \
		o.buf = copy;                                                  \
		o.count = size;                                                \
		is_done = copy && exchange_messages(TAPE_CALL_##call, &p, &o,  \
						    source, status, &rc);      \
		free(copy);                                                    \
		if (is_done)                                                   \
			return rc;                                             \
		return BELOW(call)(buf, count, type, dest, stag, source, rtag, \
				   comm, status);                              \
	}

REPLAY_SENDRECV(MPI_Sendrecv, int)
REPLAY_SENDRECV_REPLACE(MPI_Sendrecv_replace, int)
#ifdef TAPE_HAS_MPI_Recv_c
REPLAY_SENDRECV(MPI_Sendrecv_c, MPI_Count)
REPLAY_SENDRECV_REPLACE(MPI_Sendrecv_replace_c, MPI_Count)
#endif

void tape_order_put_receives(void)
{
#define PUT(call) tape_next.to_##call = replay_##call
	PUT(MPI_Recv);
	PUT(MPI_Sendrecv);
	PUT(MPI_Sendrecv_replace);
#ifdef TAPE_HAS_MPI_Recv_c
	PUT(MPI_Recv_c);
	PUT(MPI_Sendrecv_c);
	PUT(MPI_Sendrecv_replace_c);
#endif
#undef PUT
}
