/*
 * Calls whose result depends on when messages arrive: would it be the same
 * without tracing? Receives from any source; tests and probes, which find a
 * message or do not; waits for any or some of several.
 *
 * A receive r from any source took message m. Message m' of another source, for
 * which r was posted first, would have been taken as well: the first that is
 * there is taken. Of each, with S when its send began as measured, p the
 * perturbation there, and t how long it took to arrive, tracing changed when it
 * arrived by p. So without tracing m' arrives after m by
 *
 *	gap - (p' - p), where gap = (S' + t') - (S + t)
 *
 * is by how much it did so as measured, which is not negative: r took m. Of p,
 * p' and t only bounds are known. Those of t the trace gives: not less than the
 * time from the send to when the message was found missing, nor more than that
 * to when it was found there. Then for each receive its order is
 *
 *	decided	m comes first, whatever the values within the bounds
 *	turned	m' comes first, whatever they are
 *	open	either may
 *
 * A call that asked for messages and did not find all: the messages that it
 * did not find have to arrive after it asked, without tracing as well. It is
 * treated as a receive whose message arrived at that time. A call that found
 * messages is treated as a message that arrived at that time, after those. A
 * call that takes one of several (MPI_Waitany) takes the same if all were
 * there, or if only that one was. Failed tests that only wait for what comes
 * next (as a loop of tests does) are no such calls.
 *
 * It is assumed that the library takes messages in the order in which they
 * arrive. Messages of one source are taken in the order in which they were
 * sent, always (MPI 4.0, 3.5). Sources: Maillet 1996, 4.6.1 (receives in
 * another order than without tracing, figure 4.10); Netzer and Miller 1992
 * (races).
 */
#ifndef CORRECT_RECEIVE_ORDER_H
#define CORRECT_RECEIVE_ORDER_H

#include <stddef.h>

#include "match.h"

/* A message that a rank received. */
struct received_message {
	struct tape_match_key key;
	int any_source;		/* of its receive; */
	int32_t tag;		/* TAPE_ANY_TAG, or that tag */
	uint32_t comm;		/* the rank's number of it */
	uint32_t site;		/* the rank's number of it */
	int64_t posted_ns;	/* as measured: the receive was posted, */
	int64_t sent_ns;	/* the send began, */
	int64_t end_ns;		/* and the message was received */
	double least_ns, most_ns; /* bounds of how long it took to arrive */
	double p_lo, p_hi;	/* bounds of the perturbation of the send */
	/* so many receives of this rank, since it was first watched, had ended
	 * before the send began, by the order of messages */
	uint64_t known;
};

/* Receives of a call site of a rank. */
struct order_site {
	int32_t rank;
	uint32_t site;
	uint64_t open, turned;
};

/*
 * A call that asked for messages, as measured, and bounds of the perturbation
 * while it did. Messages that it did not find: of comm, of the source and with
 * the tag (or TAPE_ANY_SOURCE, TAPE_ANY_TAG); or where comm is 0 those of
 * receives that were posted before.
 */
struct message_question {
	uint32_t site, comm;
	int32_t source, tag;
	int64_t start_ns, end_ns;
	double p_lo, p_hi;
	/* it took one message of several, which may have been there as well;
	 * that one was certainly there, with and without tracing */
	int takes_one, was_there;
};

/*
 * Was the message there when that was asked, with and without tracing?
 * Timestamps of two ranks compare to within slack_ns.
 */
int receive_order_was_there(const struct received_message *m,
			    const struct message_question *q, double slack_ns);

/*
 * What was found, of all ranks: such calls, and of these those whose order is
 * open or turned. The first call sites of such, by rank and
 * number; there may be more.
 */
enum { ORDER_SITES = 16 };
struct order_counts {
	uint64_t calls, open, turned;
	uint64_t sites;
	struct order_site site[ORDER_SITES];
};

/* The receives of all ranks; memory is bounded. */
struct receive_order;

/* For a trace of so many ranks. NULL: out of memory. The caller frees it. */
struct receive_order *receive_order_new(size_t ranks);
void receive_order_free(struct receive_order *o);

/*
 * The rank posted a receive from any source: from now on its messages are
 * looked at. Returns 0, or TAPE_ENOMEM.
 */
int receive_order_watch(struct receive_order *o, int rank);

/*
 * The rank received m, which was posted after some and before others that it
 * received before. asked is the test that found the message, or NULL.
 * Timestamps of two ranks compare to within slack_ns. Counts each receive once,
 * as the worst that it is found to be. A message that was sent before calls
 * which are no longer known counts as open.
 */
void receive_order_add(struct receive_order *o, int rank,
		       const struct received_message *m,
		       const struct message_question *asked, double slack_ns,
		       struct order_counts *c);

/*
 * The rank asked for messages, of which some that it receives later were not
 * there. Watches the rank. Returns 0, or TAPE_ENOMEM.
 */
int receive_order_ask(struct receive_order *o, int rank,
		      const struct message_question *q,
		      struct order_counts *c);

/* Receives and such calls of the rank since it was first watched. */
uint64_t receive_order_count(const struct receive_order *o, int rank);

/* Adds what b counts to a. */
void order_counts_add(struct order_counts *a, const struct order_counts *b);

#endif
