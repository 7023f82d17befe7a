/*
 * What an event does with messages: turns each event of a rank into a few
 * operations (a message is sent, a receive is posted, a receive ends, ...),
 * following requests, persistent requests, matched probes and wildcards, so
 * that tools need not know the forms of MPI.
 *
 *	n = tape_ops_of(ops, event, list);
 *	for (i = 0; i < n; i++)
 *		switch (list[i].kind) ...
 *
 * Events of a rank are given in order, those of its threads in an order that
 * respects creation before completion. Memory is bounded by the requests
 * outstanding.
 *
 * MPI gives a message to the receive that was posted first among those that
 * may take it. A receive whose source or tag was a wildcard is posted when
 * these are known; an explicit one that it may have kept a message from is
 * posted after it, whichever ended first. Tools that cannot wait for that
 * (tico has to date the end of a receive when it comes) get the receive
 * posted where it ends at the latest; tape_ops_in_order asks for the order in
 * full, the end of a receive then being reported after it.
 */
#ifndef TAPE_OPS_H
#define TAPE_OPS_H

#include "match.h"
#include "pvm_groups.h"
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
 * Something that began and will end: a request, or a blocking call. Behind it
 * is room for the tool's own, zeroed when it begins: (struct mine *)(r + 1).
 */
struct tape_request {
	uint64_t number;       /* of the request; 0 for a blocking call */
	int32_t from, to;      /* world ranks; -1: one that left no trace */
	uint64_t bytes;
	uint16_t call;         /* that created it */
	uint8_t is_send, is_recv, is_coll;
	uint8_t persistent, active, posted;
	/* the event that sent or posted it */
	struct tape_where begun;
	uint8_t opened;        /* TAPE_OP_OPEN came before */
	uint8_t cancelled;     /* MPI_Cancel was called; it may be in vain */
	/* ops' own: its place among the receives that wait to be posted */
	uint8_t listed, has_key, over, own, left_out;
	uint8_t in_the_way;    /* others in that list may be behind it */
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
	int n, room;
	/* ops' own: those that nothing comes after */
	struct tape_request **dead;
	int n_dead, dead_room;
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

/* A number of 40 bits, most often another one for another key. */
uint64_t tape_ops_key_hash(const struct tape_match_key *k);

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

/*
 * The operations of one flow of a rank. other: those of another flow of the
 * same rank, whose requests it shares, or NULL for the first. own: bytes of a
 * tape_request for the tool, a multiple of 8; that of the others. NULL: out of
 * memory. The caller frees each.
 */
struct tape_ops *tape_ops_new(const struct tape_trace *t, int rank,
			      const struct tape_ops *other, size_t own);
void tape_ops_free(struct tape_ops *o);

/*
 * For the flow's rank: who meets in the collective calls of PVM's groups is as
 * m says (pvm_groups.h), which must stay; NULL: the same tasks each time.
 */
void tape_ops_set_pvm_groups(struct tape_ops *o,
			     const struct tape_pvm_groups *m);

/* The flow's next event does nothing. */
void tape_ops_pass(struct tape_ops *o);

/* For the flow's rank: receives are posted in MPI's order, however late. */
void tape_ops_in_order(struct tape_ops *o);

/*
 * The operations of e, in *list (owned by o, until the next call). Returns
 * their number, or TAPE_ENOMEM. Messages to or from MPI_PROC_NULL make none,
 * nor do calls that failed.
 */
int tape_ops_of(struct tape_ops *o, const struct tape_event *e,
		struct tape_op **list);

/*
 * The same, added to the end of l. The operations of one event may be in one
 * list and those of the next in another. What the tool keeps in tape_request
 * is not touched in between: from its beginning to its end something is the
 * same struct.
 */
int tape_ops_append(struct tape_ops *o, const struct tape_event *e,
		    struct tape_ops_list *l);

/* Empties l, which was filled from o. */
void tape_ops_clear(struct tape_ops *o, struct tape_ops_list *l);

/* Frees what l holds, before o. */
void tape_ops_list_free(struct tape_ops_list *l);

/* What o's next events do is in that region of its rank; 0: in none. */
void tape_ops_region(struct tape_ops *o, uint32_t region);

/* The request of that number, of any thread of the rank; NULL: none. */
struct tape_request *tape_ops_find_request(struct tape_ops *o, uint64_t number);

/*
 * Sends, ends of receives and collectives that made no operations because of
 * others, of the same communicator and tag, that were only counted
 * (channels.h).
 */
uint64_t tape_ops_left_out(const struct tape_ops *o);

/*
 * After the last event of all flows of the rank: what becomes of the receives
 * that were never posted, as tape_ops_of.
 */
int tape_ops_end(struct tape_ops *o, struct tape_op **list);

/* Receives that the latest event ended and that are posted only later. */
uint32_t tape_ops_behind(const struct tape_ops *o);

/* Completions whose request was never seen being created. */
uint64_t tape_ops_unknown(const struct tape_ops *o);

#endif
