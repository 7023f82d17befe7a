/*
 * Sends and receives to messages, both sides together; replay.h gives them to
 * tools. Events are given in the order of replay.h, each when it begins and
 * when it ends.
 *
 * A message is found by MPI's own rule: communicator, source, tag, and the
 * order of sending and posting among those that agree in all three. It comes
 * out with the event that completes what is known of it; after the last event
 * come those of which one side only is in the trace, or whose receive was not
 * seen to end.
 *
 * Memory is proportional to the messages in flight, that is begun on one side
 * and not ended on both, and to the requests outstanding; not to the trace.
 * What never finds its partner is in flight to the end.
 */
#ifndef TAPE_MESSAGES_H
#define TAPE_MESSAGES_H

#include "ideal_clock.h"
#include "match.h"
#include "ops.h"
#include "tape_peers.h"
#include "tape_reader.h"
#include "unmatched.h"

enum tape_message_state {
	TAPE_MATCHED,
	TAPE_UNRECEIVED, /* a send without its receive */
	TAPE_UNSENT      /* a receive without its send */
};

/* A place whose event is 0 is not known; its date is then 0. */
struct tape_message {
	enum tape_message_state state;
	uint64_t comm;         /* identity of the communicator */
	int32_t peer;          /* of the one side there is, in its
				* communicator; it may be TAPE_ANY_SOURCE */
	int32_t tag;           /* TAPE_ANY_TAG: of a receive that got none */
	int32_t from, to;      /* world ranks; -1: not in the trace */
	uint64_t bytes;        /* as sent; as received where unsent */
	uint64_t received;     /* as received; 0 where it did not end */
	int shared;            /* it may be another one of its key (replay.h) */
	/* the events that sent it, that posted its receive, and that ended
	 * this: the same in a blocking receive */
	struct tape_where sent, posted, ended;
	int64_t sent_ns, posted_ns; /* starts of these events */
	int64_t ended_ns;           /* end of that one */
	/* since when it was waited for in the event that ended it: the start of
	 * that, or of the part of it that receives */
	int64_t awaited_ns;
	/* of a send by a request: its number, which is not that of another
	 * begun by the same event */
	uint64_t request;
	/* which receive that ended it was at its rank, from 1 on; 0: it did
	 * not end, or failed */
	uint64_t nth;
};

struct tape_messages;

/*
 * NULL: out of memory. t outlives it. The caller frees; NULL is accepted.
 * peers, or NULL: those who read the other flows. A message is then that of
 * the receiver's owner.
 */
struct tape_messages *tape_messages_new(const struct tape_trace *t,
					struct tape_peers *peers);
void tape_messages_free(struct tape_messages *m);

/* Who meets in the collectives of PVM's groups; by must stay. */
void tape_messages_set_pvm_groups(struct tape_messages *m,
				  const struct tape_pvm_groups *by);

/*
 * e begins, in that region of its rank (0: none): returns how many operations
 * it has, and *list with them until the next event of the flow begins, or
 * TAPE_ENOMEM. Then it ends: 0 or TAPE_ENOMEM.
 */
int tape_messages_begin(struct tape_messages *m, const struct tape_event *e,
			uint32_t region, struct tape_op **list);
int tape_messages_finish(struct tape_messages *m, const struct tape_op *list,
			 int n);

/*
 * From now on c waits in the end of receives, for what its turn is; c, which
 * must stay, has the turn of the flow whose event begins or ends. And e, with
 * these operations, ends: c waits for the receives that its sends needed.
 */
void tape_messages_set_ideal(struct tape_messages *m,
			     struct tape_ideal_clock *c);
void tape_messages_end_sends(struct tape_messages *m,
			     const struct tape_event *e,
			     const struct tape_op *list, int n);

/* Both at once: 0 or TAPE_ENOMEM. */
int tape_messages_event(struct tape_messages *m, const struct tape_event *e,
			uint32_t region);

/*
 * Does op end a receive whose message was not sent yet? Then waiter is woken
 * when it is: tape_messages_woken gives one after the other, 1 with *waiter
 * set, or 0.
 */
int tape_messages_wait(struct tape_messages *m, const struct tape_op *op,
		       size_t waiter);
int tape_messages_woken(struct tape_messages *m, size_t *waiter);

/* The request of that number at the rank of the flow; NULL: none. */
struct tape_request *tape_messages_request(struct tape_messages *m, size_t flow,
					   uint64_t number);

/* The next event of the flow does nothing, from its beginning to its end. */
void tape_messages_pass(struct tape_messages *m, size_t flow);

/* Receives that the latest event of the flow ended after others: how many. */
uint32_t tape_messages_behind(const struct tape_messages *m, size_t flow);

/* What another process has sent: a record of that kind (pending_sends.h). */
int tape_messages_arrive(struct tape_messages *m, unsigned kind,
			 const void *record);

/* Own flows are over: gives others what was held back. 0 or TAPE_ENOMEM. */
int tape_messages_flush(struct tape_messages *m);

/* There are no more events. Returns 0 or TAPE_ENOMEM. */
int tape_messages_end(struct tape_messages *m);

/*
 * The next message, of those that are complete, valid until more is given to m;
 * or NULL.
 */
const struct tape_message *tape_messages_next(struct tape_messages *m);

/*
 * Calls f with each request of the ranks that are read here that was neither
 * completed nor freed so far (tape_ops_open_requests).
 */
void tape_messages_open_requests(const struct tape_messages *m,
				 void (*f)(void *own,
					   const struct tape_request *r),
				 void *own);

/* Calls f with where each message in flight was sent, and its key. */
void tape_messages_in_progress(const struct tape_messages *m,
			       void (*f)(void *own,
					 const struct tape_where *sent,
					 const struct tape_match_key *key),
			       void *own);

/*
 * Of those read with others: calls f with each send that waits to be sent to
 * the process to; and of the receives of a key whose sends nobody has told yet:
 * is the nth one, from 0, over?
 */
typedef void tape_messages_unsent_one(void *own, int to,
				      const struct tape_where *sent,
				      const struct tape_match_key *key);
void tape_messages_unsent(const struct tape_messages *m,
			  tape_messages_unsent_one *f, void *own);
int tape_messages_is_received(const struct tape_messages *m,
			      const struct tape_match_key *key, size_t nth);

/* Messages in flight, at most so far. */
uint64_t tape_messages_most(const struct tape_messages *m);

/* Completions of requests that were made while tracing was off. */
uint64_t tape_messages_unknown(const struct tape_messages *m);

/*
 * Sends and ends of receives that are no messages here, because others of their
 * communicator and tag were only counted (channels.h).
 */
uint64_t tape_messages_left_out(const struct tape_messages *m);

/* Adds msg where it is unmatched. Returns 0 or TAPE_ENOMEM. */
int tape_unmatched_message(struct tape_unmatched *u,
			   const struct tape_message *msg);

#endif
