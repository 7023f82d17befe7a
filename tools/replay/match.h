/*
 * Matches sends with receives, as a stream: by communicator, source,
 * destination, tag and order (MPI's non-overtaking rule). Memory is bounded by
 * the messages in flight.
 *
 * A message is a slot with two sides. The k-th send and the k-th posted
 * receive of a key share a slot, whichever comes first. A receive whose source
 * or tag was a wildcard is posted when these are known (ops.h keeps the order
 * of those behind it).
 *
 * Slots are numbers, valid until both sides have let go of them.
 */
#ifndef TAPE_MATCH_H
#define TAPE_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "certain.h"

#define TAPE_NO_SLOT UINT32_MAX

struct tape_match_key {
	uint64_t comm;      /* identity of the communicator */
	int32_t src, dst;   /* ranks in it, each in its own group */
	int32_t tag;
	int32_t way;        /* tells the two directions of an
			     * intercommunicator apart; else 0 */
};

/* Where in the trace something is; there are many of them. */
struct tape_where {
	uint64_t event : 48, call : 16; /* in its flow, from 1; 0: nowhere */
	int32_t rank, thread;
	uint32_t site, comm; /* as the rank numbers them */
};

/*
 * What each side tells of itself; the meaning of p is the caller's. begun is
 * where it was sent or posted.
 */
struct tape_match_side {
	int64_t start_ns;
	int64_t written_ns; /* the caller's: that date, corrected */
	struct tape_delay p;
	uint64_t bytes;
	struct tape_where begun;
	void *own;          /* the caller's, NULL at first */
	int32_t flow;       /* who waits for the other side, -1 nobody */
	uint8_t there, done;
};

struct tape_slot {
	struct tape_match_key key;
	struct tape_match_side send, recv;
	/* where the receive ended: what begun does not say */
	uint64_t end_event : 48, end_call : 16;
	int64_t end_ns;
	int32_t end_thread;
	uint32_t end_site;
	uint32_t next;      /* in the key's queue */
	uint32_t flight;    /* on links.h's; the caller's, TAPE_NO_SLOT first */
	uint8_t queued;     /* one side only so far: 1 send, 2 recv */
	uint8_t used;
};

/* match.c's own. */
struct tape_match {
	struct tape_slot *slots;
	uint32_t n_slots, free; /* chain of free slots by next */
	struct entry *table;
	uint64_t mask, used;
	uint64_t left[3], held, most;
};

/* NULL: out of memory. The caller frees it. */
struct tape_match *tape_match_new(void);
void tape_match_free(struct tape_match *m);

/*
 * The slot of the next send (receive) of the key; its side is zeroed and
 * marked there. TAPE_NO_SLOT: out of memory.
 */
uint32_t tape_match_send(struct tape_match *m, const struct tape_match_key *k);
uint32_t tape_match_post(struct tape_match *m, const struct tape_match_key *k);

/* The slot's content; valid until the next send or post. */
static inline struct tape_slot *tape_match_slot(const struct tape_match *m,
						uint32_t slot)
{
	return &m->slots[slot];
}

/* The oldest send of the key that no receive has taken; TAPE_NO_SLOT: none. */
uint32_t tape_match_peek(struct tape_match *m, const struct tape_match_key *k);

/* A side is finished with the slot: 1 the send, 2 the receive. */
void tape_match_done(struct tape_match *m, uint32_t slot, int side);

/*
 * One side of a slot (1 the send, 2 the receive) was cancelled: its slot
 * leaves the queue. Where it was matched before this was known, the other
 * side is for the next of the cancelled one's kind; unless that one is there
 * already and both are still held: then the slot stays as it is. begun is
 * what the side says of itself: a slot that was let go of may be another's.
 */
void tape_match_cancel(struct tape_match *m, uint32_t slot, int side,
		       const struct tape_where *begun);

/* Sends and receives without a partner now. */
void tape_match_left(const struct tape_match *m, uint64_t *sends,
		     uint64_t *recvs);

/*
 * Goes through the slots in use, from *at (0 at first), in no order that
 * means anything: the next one, or TAPE_NO_SLOT.
 */
uint32_t tape_match_each(const struct tape_match *m, uint32_t *at);

/* How many slots are in use, and how many were at most. */
void tape_match_held(const struct tape_match *m, uint64_t *now,
		     uint64_t *most);

/* ---- collectives ---- */

/* The k-th collective of a communicator, while it is under way. */
struct tape_round {
	uint64_t comm, k;
	int32_t size;       /* ranks go up to that */
	int32_t known;      /* members expected to enter and leave */
	int32_t entered, left;
	int64_t *start_ns;  /* by rank in it; INT64_MIN: not yet, or never */
	int64_t *written_ns; /* and these dates, corrected, */
	struct tape_delay *p; /* as p makes them */
	void **own;         /* the caller's, by rank */
	int32_t latest;     /* rank of the latest entry as measured */
	int64_t latest_ns;  /* of the entries so far, and approximated: */
	struct tape_delay latest_ta; /* start less p (lo, hi) after base_ns */
	int64_t base_ns;
	int64_t latest_written_ns;
	/* the caller's, freed with it: of how many bytes, and by rank what it
	 * knows of the exits; and whether it has looked into them */
	uint64_t bytes;
	struct tape_delay *exits;
	int solved;
};

struct tape_rounds;

struct tape_rounds *tape_rounds_new(void);
void tape_rounds_free(struct tape_rounds *r);

/*
 * The round, made on first sight with known of size members; NULL: out of
 * memory. Pointers stay valid.
 */
struct tape_round *tape_rounds_get(struct tape_rounds *r, uint64_t comm,
				   uint64_t k, int32_t size, int32_t known);

/*
 * One member has entered at start_ns with perturbation p; that is written_ns,
 * corrected, in whole ns.
 */
void tape_round_enter(struct tape_round *q, int32_t rank, int64_t start_ns,
		      int64_t written_ns, const struct tape_delay *p);

/* One member has left; the last one frees it. */
void tape_round_leave(struct tape_rounds *r, struct tape_round *q);

/* Rounds that not all members have left. */
uint64_t tape_rounds_left(const struct tape_rounds *r);

#endif
