/*
 * Sends whose receivers another process owns (tape_peers.h), on their way
 * there. If a rank cancels sends, its later sends are queued in order until the
 * outcome is known: a cancelled send must not be matched, and later sends must
 * not overtake it.
 */
#ifndef TAPE_PENDING_SENDS_H
#define TAPE_PENDING_SENDS_H

#include "match.h"
#include "tape_peers.h"

/* A send, for the owner of its receiver. */
struct tape_sent {
	struct tape_match_key key;
	struct tape_where begun;
	int64_t start_ns;
	uint64_t bytes;
	uint64_t request; /* 0: it cannot be cancelled any more */
};

/* The records of tape_peers.h that have one. */
enum { TAPE_PEERS_SENT = TAPE_KINDS_OF_REPLAY, TAPE_PEERS_CANCELLED };

struct tape_pending_sends;

/* NULL: out of memory. The caller frees; NULL is fine. */
struct tape_pending_sends *tape_pending_sends_new(const struct tape_trace *t,
						  struct tape_peers *p);
void tape_pending_sends_free(struct tape_pending_sends *o);

/* To a process; now or later. Returns 0 or TAPE_ENOMEM. */
int tape_pending_sends_add(struct tape_pending_sends *o,
			   const struct tape_sent *a, int to);

/*
 * That send has ended: it can be cancelled no more, or it is cancelled. Returns
 * 1, and if it was cancelled nobody will hear of it; 0: it had gone already; or
 * TAPE_ENOMEM. NULL has none.
 */
int tape_pending_sends_end(struct tape_pending_sends *o,
			   const struct tape_where *begun, uint64_t request,
			   int cancelled);

/* Calls f with each that waits and is not cancelled, in order of each rank. */
void tape_pending_sends_each(const struct tape_pending_sends *o,
			     void (*f)(void *own, int to,
				       const struct tape_sent *s),
			     void *own);

/* All that wait go: nothing more will be known. Returns 0 or TAPE_ENOMEM. */
int tape_pending_sends_flush(struct tape_pending_sends *o);

#endif
