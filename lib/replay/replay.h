/*
 * A trace, played again: what happens in it comes one after the other, with
 * both sides of each message and all members of each collective together. What
 * an analysis needs to know of MPI and PVM is here, once.
 *
 * How long all receivers waited for messages that were sent too late. A call
 * that ends several receives waits once, for the last of them:
 *
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *	#include "replay.h"
 *
 *	static int64_t late(const struct tape_message *m)
 *	{
 *		int64_t sent = m->sent_ns;
 *
 *		if (m->state != TAPE_MATCHED || !m->ended.event)
 *			return 0;
 *		if (sent > m->ended_ns)
 *			sent = m->ended_ns;
 *		return sent > m->awaited_ns ? sent - m->awaited_ns : 0;
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		const struct tape_item *i;
 *		struct tape_replay *r;
 *		struct tape_trace *t;
 *		int64_t all = 0, one = 0;
 *
 *		if (argc != 2 || tape_trace_open(argv[1], &t) ||
 *		    tape_replay_open(t, TAPE_REPLAY_EVENTS |
 *					TAPE_REPLAY_MESSAGES, &r))
 *			return 1;
 *		while (tape_replay_next(r, &i) == 1) {
 *			if (i->kind == TAPE_ITEM_END) {
 *				all += one;
 *				one = 0;
 *			} else if (i->kind == TAPE_ITEM_MESSAGE &&
 *				   late(i->message) > one) {
 *				one = late(i->message);
 *			}
 *		}
 *		printf("%" PRId64 " ns\n", all + one);
 *		tape_replay_close(r);
 *		tape_trace_close(t);
 *		return 0;
 *	}
 *
 * Order. Items come in the order of their timestamps, those of one thread in
 * its own order; at the same time ends come before beginnings. What an event
 * causes follows it: a message the end of its receive, or the beginning
 * of its send where the timestamps have that later; a collective its last exit.
 * With TAPE_REPLAY_CAUSES no event ends before what it waited for has begun,
 * whatever the timestamps say: it is put off until then, and so is all after
 * it of its thread.
 *
 * Threads. MPI gives the messages of a sender to the receives of one thread in
 * the order of these. Of two threads that receive with the same communicator,
 * source and tag, the call that starts first need not be the one that the
 * library sees first. Of Open MPI it is taken to be, but for matched probes. Of
 * other libraries, blocking receives and matched probes are taken to be posted
 * when they end, so that the k-th of them never ends before the k-th message
 * was sent (tape_ops_turn). Such messages are marked
 * (tape_message.shared): what depends on which is which is not certain.
 *
 * Memory is that of what is in flight: messages, requests and collectives begun
 * and not over, and regions open. What never finds its partner is in flight to
 * the end of the trace.
 */
#ifndef TAPE_REPLAY_H
#define TAPE_REPLAY_H

#include "messages.h"
#include "ops.h"
#include "tape_call_in_progress.h"
#include "tape_reader.h"
#include "turns.h"

/*
 * What is asked for; nothing else costs anything. With BEGINS, or nothing, in
 * place of EVENTS, and without ROUNDS and CAUSES, an event is all over when it
 * has begun: what it causes follows its beginning, which is quicker.
 */
enum {
	TAPE_REPLAY_EVENTS = 1,   /* their beginnings and ends */
	TAPE_REPLAY_BEGINS = 32,  /* their beginnings */
	TAPE_REPLAY_MESSAGES = 2,
	TAPE_REPLAY_ROUNDS = 4,
	TAPE_REPLAY_REQUESTS = 8,
	TAPE_REPLAY_CAUSES = 16, /* nothing ends before what it waits for */
	/* with EVENTS: those that enter or leave a region and do nothing else
	 * come once, as their end, which is quicker */
	TAPE_REPLAY_MARKS = 64,
	/* with EVENTS and ROUNDS: the ideal clock; its bounds, too */
	TAPE_REPLAY_IDEAL = 128,
	TAPE_REPLAY_IDEAL_BOUNDS = 256
};

enum tape_item_kind {
	TAPE_ITEM_BEGIN = 1, /* an event begins */
	TAPE_ITEM_END,     /* and ends */
	TAPE_ITEM_MESSAGE, /* a message is over, or all is known of it */
	TAPE_ITEM_ROUND,   /* all have left a collective; or, at the end of the
			    * trace, not all of them */
	TAPE_ITEM_REQUEST  /* a request is over, or this time of a persistent
			    * one: it began at request->begun_ns, and event is
			    * what ended it */
};

/* One member of a collective: where and when it entered and left. */
struct tape_member {
	struct tape_where begun, ended; /* event 0: it did not */
	int64_t begun_ns, ended_ns;
	int64_t awaited_ns;  /* start of the call that it left in */
	uint64_t sent, received; /* bytes, as its call has them */
	struct tape_ideal_time ideal; /* entry by the ideal clock, if wanted */
};

/*
 * The k-th collective of a communicator. Members are numbered by their ranks in
 * it; of an intercommunicator those of group 0 come first. Whose rank in
 * MPI_COMM_WORLD it is stands in begun.
 */
struct tape_collective_round {
	uint64_t comm, k;
	enum tape_shape shape; /* who waits for whom */
	uint16_t call;
	int32_t root;          /* its number; -1: none, or not of the members */
	int32_t size, known;   /* members, and of these in the trace */
	int32_t entered, left;
	const struct tape_member *member;
};

struct tape_item {
	enum tape_item_kind kind;
	int64_t ns;            /* "now": of BEGIN and END the event's */
	size_t flow;           /* of the event that it came with */
	const struct tape_event *event;       /* that one; NULL after all */
	int once;   /* END: its beginning was no item (TAPE_REPLAY_MARKS) */
	int forced; /* END: it was put off, and what it waits for never came */
	/* END: so many receives it ended, so many collectives it left: each is
	 * an item from then on, unless the trace ends */
	uint32_t receives, leaves;
	/* BEGIN and END: what the event does, as far as that is known yet;
	 * valid until the next event of its flow begins (operations.h) */
	const struct tape_op *ops;
	int n_ops;
	/* of items of their kind, else undefined */
	const struct tape_message *message;
	const struct tape_collective_round *round;
	const struct tape_request *request;
};

struct tape_replay;

/*
 * Plays t from its start. wanted: TAPE_REPLAY_... together. Close it before t;
 * NULL is accepted. Returns 0 or TAPE_ENOMEM (sentence: tape_trace_error).
 */
int tape_replay_open(struct tape_trace *t, unsigned wanted,
		     struct tape_replay **r);
void tape_replay_close(struct tape_replay *r);

/*
 * The same with others, each of which plays the flows of its own ranks, and
 * without TAPE_REPLAY_CAUSES. A message is an item of the receiver's owner, and
 * a collective of any one: with the event that completes it, or with none when
 * what others know has come. tape_replay_next then returns 2 where it has come
 * to ns or has played so many events: what others have sent is to be given to
 * tape_replay_arrive then, a record of tape_peers.h, which returns 1 if it was
 * none of its own, 0 or TAPE_ENOMEM; and it goes on with tape_replay_set_limit.
 * After the last event it goes on to return 2 until tape_replay_finish: nothing
 * comes any more. tape_replay_next_ns: when the next event begins or ends;
 * INT64_MAX: there is none.
 */
int tape_replay_open_part(struct tape_trace *t, unsigned wanted,
			  struct tape_peers *peers, struct tape_replay **r);
void tape_replay_set_limit(struct tape_replay *r, int64_t ns, uint64_t events);
int tape_replay_arrive(struct tape_replay *r, unsigned kind,
		       const void *record);
int64_t tape_replay_next_ns(const struct tape_replay *r);
void tape_replay_finish(struct tape_replay *r);

/* From here on it is as without TAPE_REPLAY_MARKS. */
void tape_replay_split_marks(struct tape_replay *r);

/*
 * Requests are not given out as items from now on, though
 * TAPE_REPLAY_REQUESTS is wanted: tape_replay_request knows them.
 */
void tape_replay_omit_requests(struct tape_replay *r);

/* Own flows are over: what was held back of them goes to others, too. Returns 0
 * or TAPE_ENOMEM. */
int tape_replay_flush(struct tape_replay *r);

/*
 * The next item: 1 with *i set, valid with all it points to until the next
 * call; 0 at the end, or TAPE_ENOMEM. A damaged flow only ends itself
 * (tape_trace_damage).
 */
int tape_replay_next(struct tape_replay *r, const struct tape_item **i);

/*
 * Now, that is at the last item: what the flow is doing, or NULL where it is at
 * work outside of calls, or over.
 */
const struct tape_event *tape_replay_current_event(const struct tape_replay *r,
						   size_t flow);

/*
 * And the regions that it is in, as its rank numbers them, the outermost first;
 * one that an event begins or ends is among them during that event.
 */
const uint32_t *tape_replay_regions(const struct tape_replay *r, size_t flow,
				    size_t *n);

/*
 * What e->done[i] is about, or of a query, i being 0, what it asks about: the
 * request as it was before e, which has begun and not ended; NULL: nobody saw
 * it being made. *active: it was in progress. Valid until e has ended.
 */
const struct tape_request *tape_replay_request(const struct tape_replay *r,
					       const struct tape_event *e,
					       uint32_t i, int *active);

/* Now: the request of that number at the rank of the flow; NULL: none. */
const struct tape_request *tape_replay_find_request(const struct tape_replay *r,
						    size_t flow,
						    uint64_t number);

/*
 * Now: calls f with where each began of what is in progress between ranks: of a
 * message that was sent and not received, with its key, and of each member of a
 * collective that not all have left, with NULL. In no order with a meaning.
 */
typedef void tape_replay_beginning(void *own, const struct tape_where *begun,
				   const struct tape_match_key *key);
void tape_replay_in_progress(const struct tape_replay *r,
			     tape_replay_beginning *f, void *own);

/*
 * Of a part, where tape_replay_next has returned 2: whose turn is next, 1, or
 * nobody's, 0; the event that a flow is at and has not begun, or NULL; and what
 * of messages is not told to others yet (messages.h).
 */
int tape_replay_turn(const struct tape_replay *r, struct tape_turn *next);
const struct tape_event *tape_replay_upcoming_event(const struct tape_replay *r,
						    size_t flow);
void tape_replay_unsent(const struct tape_replay *r,
			tape_messages_unsent_one *f, void *own);
int tape_replay_is_received(const struct tape_replay *r,
			    const struct tape_match_key *key, size_t nth);

/* After the last item: how the flow ended, and how many events were lost. */
enum tape_end tape_replay_end(const struct tape_replay *r, size_t flow,
			      uint64_t *lost);

/* Returns 1 if an event of the flow was read. */
int tape_replay_has_flow(const struct tape_replay *r, size_t flow);

/* After the last item: the call that the flow is in (tape_call_in_progress.h),
 * also of a trace that is followed; and whether it still is. */
int tape_replay_call_in_progress(const struct tape_replay *r, size_t flow,
				 struct tape_call_in_progress *c);
int tape_replay_call_is_current(const struct tape_replay *r, size_t flow,
				const struct tape_call_in_progress *c);

/* The ideal clock (ideal_clock.h). NULL: not wanted, or a part is played. */
const struct tape_ideal_clock *tape_replay_ideal(const struct tape_replay *r);

/* What was matched so far, for its counts. */
const struct tape_messages *tape_replay_messages(const struct tape_replay *r);

#endif
