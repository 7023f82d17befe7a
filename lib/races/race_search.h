/*
 * Calls of a trace that could have ended with another message: races. A call is
 *
 *	a receive or a probe from any source, which took a message;
 *	a test or a probe that found nothing, and was not repeated at once;
 *	a wait or a test that completed some of several requests.
 *
 * A message m' is a rival of a call c if c may take m' by communicator, source
 * and tag, no receive that was posted before c took m', and the sending of m'
 * does not happen after c took what it took. Then some order of the same events
 * lets c take m', while all calls before c take what they took (the cut of
 * the events that happen before the posting of c, or before the sending of m',
 * is consistent: Mattern 1989). "Happens before" (Lamport 1978) follows the
 * order of events of a rank, messages, collectives, spawns, and the ends of
 * sends that wait for their receives: synchronous ones, and those above the
 * eager limits of the trace. Timestamps do not matter.
 *
 * A race is first if neither the call nor the sending of one of its rivals
 * happens after another call that has rivals (Netzer and Miller 1992, "Optimal
 * tracing and replay for debugging message-passing parallel programs"): others
 * may be consequences of these.
 *
 * Threads of a rank are one sequence of events, in the order of time.
 */
#ifndef RACES_RACE_SEARCH_H
#define RACES_RACE_SEARCH_H

#include "tape_reader.h"

/* A message that a call took or could have taken. */
struct race_message {
	int from; /* rank; -1: none was taken */
	int32_t tag;
	int64_t sent_ns; /* start of the call that sent it */
};

/* A call with rivals. */
struct race_call {
	int rank;
	uint32_t site;	  /* as the rank numbers it: where it was posted */
	int64_t start_ns; /* of the posting */
	struct race_message took;
};

/* What the search calls, with own. */
struct race_visitor {
	void *own;
	/* all that was said is void: the search begins anew */
	void (*restart)(void *own);
	/* each call that depends on when messages arrive, once */
	void (*count)(void *own, int rank, uint32_t site);
	/* a call with rivals, once: one of these */
	void (*race)(void *own, const struct race_call *c,
		     const struct race_message *rival);
	/* a first race, once, after all calls of the others; the same calls */
	void (*first)(void *own, const struct race_call *c,
		      const struct race_message *rival);
};

/* What the search could not do in its memory. */
struct race_limits {
	/* calls that were not compared with all later messages */
	uint64_t forgotten;
	/* ranks without a column of the vectors: their calls are counted only
	 */
	uint64_t ranks;
};

/*
 * Searches t, whose timestamps may have any base: once, once again where
 * there are races, and where receives from any source end after later ones.
 * Memory is that of what is in flight and of a limited number of calls. Dies
 * when out of memory.
 */
struct race_limits race_search(struct tape_trace *t,
			       const struct race_visitor *v);

#endif
