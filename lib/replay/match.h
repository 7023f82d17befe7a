/*
 * Matches sends with receives, as a stream: by communicator, source,
 * destination, tag and order (MPI's non-overtaking rule). Memory is bounded by
 * the messages in flight.
 *
 * A message is a slot with two sides. The k-th send and the k-th posted
 * receive of a key share a slot, whichever comes first. A receive whose source
 * or tag was a wildcard is posted when these are known (ops.h keeps the order
 * of those after it).
 *
 * Slots are numbers, valid until both sides have released them.
 */
#ifndef TAPE_MATCH_H
#define TAPE_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "hash_slots.h"

#define TAPE_NO_SLOT UINT32_MAX

struct tape_match_key {
	uint64_t comm;      /* identity of the communicator */
	int32_t src, dst;   /* ranks in it, each in its own group */
	int32_t tag;
	int32_t way;        /* tells the two directions of an
			     * intercommunicator apart; else 0 */
};

/* Of 31 bits: no trace has as many. */
#define TAPE_REGION_MOST 0x7fffffffu

/* Where in the trace something is; there are many of them. */
struct tape_where {
	uint64_t event : 48, call : 16; /* in its flow, from 1; 0: nowhere */
	int32_t rank, thread;
	uint32_t site, comm; /* as the rank numbers them */
	uint32_t region : 31; /* the innermost one, where that is followed */
	/* several threads of its rank send, or receive, messages of that key:
	 * which message is which is not certain */
	uint32_t shared : 1;
};

/* What each side tells of itself; begun is where it was sent or posted. */
struct tape_match_side {
	int64_t start_ns;
	uint64_t bytes;
	struct tape_where begun;
};

/*
 * Most messages in flight have one side: the other has memory once it is there,
 * and before that is all zero, not to be written to. After a side is room for
 * the tool's own: zeroed when the side comes, and it goes where the side goes.
 * A tool that keeps a struct in it finds that of a side by
 *
 *	struct mine *of_send = (struct mine *)(slot->send + 1);
 *	struct mine *of_receive = (struct mine *)(slot->recv + 1);
 */
struct tape_slot {
	struct tape_match_key key;
	struct tape_match_side *send, *recv;
	uint32_t next;      /* in the key's queue */
	uint8_t queued;     /* one side only so far: 1 send, 2 recv */
	uint8_t used;
	uint8_t there, done; /* sides, a bit each: 1 send, 2 recv */
};

static inline int tape_is_sent(const struct tape_slot *s)
{
	return s->there & 1;
}

static inline int tape_is_posted(const struct tape_slot *s)
{
	return s->there >> 1 & 1;
}

/* The queue of slots of one key that lack the same side, plus 1; 0: free. */
struct tape_match_entry {
	uint32_t head1, tail1;
};

TAPE_SLOTS_TYPE(tape_match_entries, struct tape_match_entry)

/* match.c's own. */
struct tape_match {
	struct tape_slot **slots; /* in blocks, which stay where they are */
	uint32_t n_slots, free;	  /* chain of free slots by next */
	/* sides, from blocks, too: free ones; one that is not there */
	size_t side_bytes;
	struct block *blocks;
	struct tape_match_side *spare, *nobody;
	struct tape_match_entries queues;
	uint64_t left[3], held, most;
};

/*
 * own: bytes of each side for the tool, a multiple of 8. NULL: out of memory.
 * The caller frees it.
 */
struct tape_match *tape_match_new(size_t own);
void tape_match_free(struct tape_match *m);

/*
 * The slot of the next send (receive) of the key; its side is zeroed and
 * marked there. TAPE_NO_SLOT: out of memory.
 */
uint32_t tape_match_send(struct tape_match *m, const struct tape_match_key *k);
uint32_t tape_match_post(struct tape_match *m, const struct tape_match_key *k);

#define TAPE_MATCH_BLOCK 256

/* The slot's content. */
static inline struct tape_slot *tape_match_slot(const struct tape_match *m,
						uint32_t slot)
{
	return &m->slots[slot / TAPE_MATCH_BLOCK][slot % TAPE_MATCH_BLOCK];
}

/* The oldest send of the key that no receive has taken; TAPE_NO_SLOT: none. */
uint32_t tape_match_peek(struct tape_match *m, const struct tape_match_key *k);

/* Of the receives of the key that no send has taken the nth, from 0. */
uint32_t tape_match_waiting(struct tape_match *m,
			    const struct tape_match_key *k, size_t nth);

/* A side is finished with the slot: 1 the send, 2 the receive. */
void tape_match_done(struct tape_match *m, uint32_t slot, int side);

/*
 * One side of a slot (1 the send, 2 the receive) was cancelled: its slot
 * leaves the queue. Where it was matched before this was known, the other
 * side is for the next of the cancelled one's kind; unless that one is there
 * already and both are still held: then the slot stays as it is. begun is
 * what the side says of itself: a slot that was released may be another's.
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
void tape_match_held(const struct tape_match *m, uint64_t *now, uint64_t *most);

#endif
