/*
 * The state of messages.h: messages.c matches, ideal_messages.c is about what
 * the ideal clock needs of messages.
 */
#ifndef TAPE_MESSAGES_STATE_H
#define TAPE_MESSAGES_STATE_H

#include "ideal_clock.h"
#include "match.h"
#include "operations.h"
#include "pending_sends.h"

struct tape_message;
struct tape_ops;

/* Of what is pending: its slot plus 1, 0: none yet; when it was posted, by the
 * ideal clock. */
struct place {
	uint64_t slot;
	struct tape_ideal_time ideal;
};

/* Of each side of a slot; of a send nth is its request. */
struct receive {
	int64_t awaited_ns; /* see tape_message */
	/* where it ended: what begun does not say */
	int64_t end_ns;
	uint64_t event : 48, call : 16;
	int32_t thread;
	uint32_t site;
	uint32_t region;
	int32_t over;       /* nothing more will be known of it */
	uint64_t waiter;    /* plus 1: who waits for the send, 0 nobody */
	uint64_t nth;	    /* see tape_message */
	struct tape_ideal_time ideal; /* begin, by the ideal clock */
	uint64_t is_free;   /* of a send: the call that ends it has ended */
};

static inline struct place *op_match_state(const struct tape_op *op)
{
	return (struct place *)(op->r + 1);
}

static inline uint32_t op_match_slot(const struct tape_op *op)
{
	return (uint32_t)op_match_state(op)->slot - 1;
}

static inline struct receive *send_data(struct tape_slot *s)
{
	return (struct receive *)(s->send + 1);
}

static inline struct receive *receive_data(struct tape_slot *s)
{
	return (struct receive *)(s->recv + 1);
}

struct tape_messages {
	const struct tape_trace *t;
	struct tape_ops **ops; /* by flow */
	size_t flows;
	struct tape_match *match;
	struct tape_message *ready;
	size_t at, n, room; /* of ready */
	/* events whose message has come, as who waits for it calls them; each
	 * flow has one at most */
	size_t *woken, n_woken;
	uint64_t *ended; /* receives of each rank so far */
	struct tape_peers *peers;
	struct tape_pending_sends *outbox; /* with peers */
	struct tape_ideal_clock *ideal;	   /* or NULL */
};

/*
 * The message of the slot is over: stores what the call that sends it needs of
 * it for the ideal clock. Returns 0 or TAPE_ENOMEM.
 */
int tape_messages_store_post(struct tape_messages *m, struct tape_slot *s);

#endif
