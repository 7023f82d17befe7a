/*
 * Operations: what an event does with messages and requests, in parts that do
 * not depend on the form of the call. ops.h makes them of events.
 */
#ifndef TAPE_OPERATIONS_H
#define TAPE_OPERATIONS_H

#include "match.h"
#include "tape_reader.h"

enum tape_op_kind {
	TAPE_OP_SEND,     /* a message goes out: key, bytes */
	TAPE_OP_OPEN,     /* a receive begins that is posted only later */
	TAPE_OP_POST,     /* a receive is posted: key (source and tag known) */
	TAPE_OP_RECV_END, /* the receive of r ends: bytes, arrived, r->ended */
	TAPE_OP_SEND_END, /* the send of r is complete */
	TAPE_OP_PROBE,    /* a message of key is there, and stays; with r
			   * posted, it is the one that r takes */
	TAPE_OP_ENTER,    /* a collective is entered */
	TAPE_OP_LEAVE,    /* and left */
	TAPE_OP_TELL,     /* a window is opened to, or left by, another: what
			   * that one waits for; key */
	TAPE_OP_HEAR,     /* and the end of such a wait; matched by key, as
			   * messages are, but no message */
	TAPE_OP_CANCEL,   /* r's send, or receive, was cancelled; one that was
			   * never posted, too */
	TAPE_OP_LEFT_OUT, /* r ends, whose other side is not in the trace, or
			   * not to be found among others only counted */
	TAPE_OP_GONE      /* nothing more will be known of the receive of r: it
			   * was freed, it failed, or the trace ends; where it
			   * was not posted its message is not known */
};

/*
 * Something that began and will end: a request, or a blocking call. After it
 * is room for the tool's own, zeroed when it begins: (struct mine *)(r + 1).
 */
struct tape_request {
	uint64_t number;       /* of the request; 0 for a blocking call */
	int32_t from, to;      /* world ranks; -1: one that left no trace */
	uint64_t bytes;
	uint16_t call;         /* that created it */
	uint8_t is_send, is_recv, is_coll;
	uint8_t persistent, active, posted;
	/* the event that sent or posted it; of other requests, and of a
	 * persistent one before its start, that which created it */
	struct tape_where begun;
	uint8_t opened;        /* TAPE_OP_OPEN came before */
	uint8_t cancelled;     /* MPI_Cancel was called; it may be in vain */
	/* ops' own: its place among the receives that wait to be posted */
	uint8_t listed, has_key, over, own, left_out;
	uint8_t in_the_way;    /* others in that list may be after it */
	uint32_t comm;         /* index at its rank */
	int32_t peer, tag;     /* of a message, as passed to the call */
	uint32_t arrived;      /* of an ended receive */
	struct tape_match_key key;
	/* the event that ended it */
	struct tape_where ended;
	int64_t begun_ns, ended_ns;
	int64_t awaited_ns;    /* a receive: since when it was waited for, in
				* the event that ended it */
	struct tape_request *before, *after; /* ops' own */
	struct tape_request *sent; /* of an isendrecv: its other half */
	/* of a message in parts: what tells it from others of its key, or 0;
	 * as a send so many parts, so many of which are ready */
	uint64_t channel;
	uint32_t parts, ready;
	/*
	 * Collectives: the k-th of its communicator; ranks count the members
	 * of an intercommunicator's group 0, then those of group 1. root -1:
	 * none, or it does not matter here. The exit depends on entries
	 * among [first, last), or on those of sources; known of the size
	 * members are in the trace. Not set in others.
	 */
	uint64_t k;
	int32_t size, known, rank, root, first, last;
	enum tape_shape shape;
	/* it need not have waited for all of them: perhaps nothing is moved
	 * between some, and libraries leave early then */
	int weak;
	/* MPI lets it leave before others come (of a window: go on before
	 * others post). Libraries that are known do not, unless it is weak */
	int may_leave_early;
	const int *sources;
	size_t n_sources;
};

struct tape_op {
	enum tape_op_kind kind;
	struct tape_request *r;   /* valid as long as the list */
	struct tape_match_key key;
	uint64_t bytes;
	uint32_t arrived;
	int blocking;             /* it also ends in this event */
	int weak;                 /* HEAR: it need not have waited for that */
};

/*
 * Operations of one event or of several, one after the other. Zeroed at first.
 * What they are about is valid until the list is cleared: so the operations of
 * many events can be asked for before the first of them is looked at.
 */
struct tape_ops_list {
	struct tape_op *op;
	int n;
	size_t room;
	/* ops' own: those that nothing comes after */
	struct tape_request **dead;
	int n_dead;
	size_t dead_room;
};

struct tape_ops;

/* In which order threads of one rank receive: when calls have their turn. */
enum tape_thread_order {
	TAPE_ORDER_STARTS, /* when they start: the rank has one flow */
	TAPE_ORDER_POSTS,  /* and matched probes when they are posted */
	TAPE_ORDER_ENDS    /* blocking receives and matched probes at the end */
};

/*
 * Of t's ranks with several flows, by its library. Open MPI posts receives when
 * they start: of 900 messages that three threads received with one tag, 0 to 92
 * are another thread's by that order, and 74 to 602 by that of the ends. Others
 * look for the message of a matched probe again and again. By their starts,
 * blocking receives of MPICH would often end before the message was sent that
 * is theirs.
 */
enum tape_thread_order tape_ops_thread_order(const struct tape_trace *t);

/*
 * When an event has its turn (replay.h): from its start to its end. What a
 * matched probe finds it takes then; where it has asked twice in vain it is
 * posted somewhere in the call, which may have waited for its processor.
 */
static inline int64_t tape_ops_turn(const struct tape_event *e,
				    enum tape_thread_order order)
{
	if (order == TAPE_ORDER_STARTS)
		return e->start_ns;
	if (order == TAPE_ORDER_ENDS && e->class_ == TAPE_CLASS_RECV)
		return e->end_ns;
	if (e->class_ == TAPE_CLASS_IMPROBE)
		return e->end_ns;
	if (e->class_ != TAPE_CLASS_MPROBE)
		return e->start_ns;
	if (order == TAPE_ORDER_ENDS || e->u.mprobe.arrived == 1)
		return e->end_ns;
	if (e->u.mprobe.arrived)
		return e->start_ns;
	return e->start_ns + (e->end_ns - e->start_ns) / 2;
}

/* Empties l, which was filled from o. */
void tape_ops_clear(struct tape_ops *o, struct tape_ops_list *l);

/* Frees what l holds, before o. */
void tape_ops_list_free(struct tape_ops_list *l);

/* The request of that number, of any thread of the rank; NULL: none. */
struct tape_request *tape_ops_find_request(struct tape_ops *o, uint64_t number);

/* A number of 40 bits, most often another one for another key. */
uint64_t tape_ops_key_hash(const struct tape_match_key *k);

#endif
