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
 */
#ifndef TAPE_OPS_H
#define TAPE_OPS_H

#include "match.h"
#include "tape_reader.h"

enum tape_op_kind {
	TAPE_OP_SEND,     /* a message goes out: key, bytes */
	TAPE_OP_POST,     /* a receive is posted: key (source and tag known) */
	TAPE_OP_RECV_END, /* the receive of r ends here: bytes, arrived */
	TAPE_OP_SEND_END, /* the send of r is complete */
	TAPE_OP_PROBE,    /* a message of key is there, and stays; with r
			   * posted, it is the one that r takes */
	TAPE_OP_ENTER,    /* a collective is entered */
	TAPE_OP_LEAVE,    /* and left */
	TAPE_OP_CANCEL    /* the receive of r was cancelled: key */
};

/*
 * Something that began and will end: a request, or a blocking call. The
 * last four are the tool's own.
 */
struct tape_pending {
	uint64_t number;       /* of the request; 0 for a blocking call */
	uint16_t call;         /* that created it */
	uint8_t is_send, is_recv, is_coll;
	uint8_t persistent, active, posted;
	uint32_t comm;         /* index at its rank */
	struct tape_match_key key;
	uint64_t bytes;
	/* collectives */
	uint64_t k;
	int32_t size, rank, root;
	enum tape_shape shape;
	/* the tool's */
	int rendezvous;
	uint32_t slot;
	int64_t start_ns;
	double p;
};

struct tape_op {
	enum tape_op_kind kind;
	struct tape_pending *r;   /* valid until the next tape_ops_of */
	struct tape_match_key key;
	uint64_t bytes;
	uint32_t arrived;
	int blocking;             /* it also ends in this event */
};

struct tape_ops;

/*
 * The operations of one flow of a rank. other: those of another flow of the
 * same rank, whose requests it shares, or NULL for the first. NULL: out of
 * memory. The caller frees each.
 */
struct tape_ops *tape_ops_new(const struct tape_trace *t, int rank,
			      const struct tape_ops *other);
void tape_ops_free(struct tape_ops *o);

/*
 * The operations of e, in *list (owned by o, until the next call). Returns
 * their number, or TAPE_ENOMEM. Messages to or from MPI_PROC_NULL, and those
 * of unknown communicators, make none.
 */
int tape_ops_of(struct tape_ops *o, const struct tape_event *e,
		struct tape_op **list);

/*
 * Sends, ends of receives and collectives that made no operations because of
 * others, of the same communicator and tag, that were only counted (partial.h).
 */
uint64_t tape_ops_left_out(const struct tape_ops *o);

/* Completions whose request was never seen being created. */
uint64_t tape_ops_unknown(const struct tape_ops *o);

#endif
