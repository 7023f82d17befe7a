/*
 * Matches sends with receives, as a stream: by communicator, source,
 * destination, tag and order (MPI's non-overtaking rule). Memory is bounded by
 * the messages in flight.
 *
 * A message is a slot with two sides. The k-th send and the k-th posted
 * receive of a key share a slot, whichever comes first. A receive whose source
 * or tag was a wildcard is posted when these are known.
 *
 * Slots are numbers, valid until both sides have let go of them.
 */
#ifndef TAPE_MATCH_H
#define TAPE_MATCH_H

#include <stddef.h>
#include <stdint.h>

#define TAPE_NO_SLOT UINT32_MAX

struct tape_match_key {
	uint64_t comm;      /* identity of the communicator */
	int32_t src, dst;   /* world ranks */
	int32_t tag;
};

/* What each side tells of itself; the meaning of p is the caller's. */
struct tape_match_side {
	int64_t start_ns, end_ns;
	double p;
	uint64_t bytes;
	int32_t flow;       /* who waits for the other side, -1 nobody */
	uint8_t there, done;
};

struct tape_slot {
	struct tape_match_side send, recv;
	uint32_t next;      /* in the key's queue */
	uint8_t queued;     /* one side only so far: 1 send, 2 recv */
};

struct tape_match;

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
struct tape_slot *tape_match_slot(struct tape_match *m, uint32_t slot);

/* The oldest send of the key that no receive has taken; TAPE_NO_SLOT: none. */
uint32_t tape_match_peek(struct tape_match *m, const struct tape_match_key *k);

/* A side is finished with the slot: 1 the send, 2 the receive. */
void tape_match_done(struct tape_match *m, uint32_t slot, int side);

/*
 * A posted receive was cancelled: its slot leaves the queue. Where it was
 * matched with a send that came before this was known, the send is for the
 * next receive; unless both that one is posted already and the sender still
 * holds the slot, which then stays as it is.
 */
void tape_match_cancel(struct tape_match *m, const struct tape_match_key *k,
		       uint32_t slot);

/* Sends and receives without a partner now. */
void tape_match_left(const struct tape_match *m, uint64_t *sends,
		     uint64_t *recvs);

/* ---- collectives ---- */

/* The k-th collective of a communicator, while it is under way. */
struct tape_round {
	uint64_t comm, k;
	int32_t size;       /* members expected */
	int32_t entered, left;
	int64_t *start_ns;  /* by rank in the communicator; INT64_MIN: not yet */
	double *p;
	int64_t latest_ns;  /* of the entries so far, and its approximation */
	double latest_ta;   /* as start - p, relative to base_ns */
	int64_t base_ns;
};

struct tape_rounds;

struct tape_rounds *tape_rounds_new(void);
void tape_rounds_free(struct tape_rounds *r);

/* The round, made on first sight; NULL: out of memory. Pointers stay valid. */
struct tape_round *tape_rounds_get(struct tape_rounds *r, uint64_t comm,
				   uint64_t k, int32_t size);

/* One member has entered at start_ns with perturbation p. */
void tape_round_enter(struct tape_round *q, int32_t rank, int64_t start_ns,
		      double p);

/* One member has left; the last one frees it. */
void tape_round_leave(struct tape_rounds *r, struct tape_round *q);

/* Rounds that not all members have left. */
uint64_t tape_rounds_left(const struct tape_rounds *r);

#endif
