/*
 * The state of history.h, shared by its files: history_calls.c stores and finds
 * calls, history_merge.c merges the calls for which no call waited.
 */
#ifndef TAPE_HISTORY_STATE_H
#define TAPE_HISTORY_STATE_H

#include "history.h"

enum { BLOCK = 1 << 14, LARGEST = BLOCK << 4 };

/*
 * A piece of a flow: its calls stand from its start on, and from its end
 * backwards where each of them is.
 */
struct block {
	char *at;
	uint32_t bytes, n;
	int pinned;
};

/* Where a call of a block is, in units of 8 bytes; its event says which. */
struct place {
	uint64_t event : 48, at : 16;
};
_Static_assert(LARGEST / 8 <= UINT16_MAX, "places of a block have 16 bits");

/* Calls of a flow in order; by its blocks they are found, too. */
struct chain {
	struct block *blocks;
	size_t n;
	struct tape_sync *last;
	char *next, *end; /* of the room in its last block */
};

struct flow {
	struct chain calls, merged; /* the newer ones; the older ones */
	struct tape_spent *open;    /* since the last call */
	size_t n, room;
	/* history_merge.c: */
	struct tape_spent *carried; /* since the last call of merged */
	size_t n_carried, carried_room;
	size_t due_block, due_call; /* of calls, before it nothing is due */
	uint64_t end_event; /* calls from there on are not merged; 0: none */
};

struct tape_history {
	int file;
	char *map;
	size_t mapped, memory, grown, used;
	size_t in_use; /* of the file, at most, since its pages were released */
	size_t page;   /* bytes of a page of this machine */
	int is_copy;   /* of a process that was forked: no page is released */
	struct flow *flows;
	size_t n;
	/* released, for new blocks */
	size_t limit, held, full_at, begun; /* flows that have calls */
	size_t block;			    /* bytes of the smallest block */
	char **spare;
	size_t n_spare;
	int forgot, has_marks;
	/* history_merge.c: */
	int merges;
	int64_t horizon_ns; /* found when so many calls were added */
	uint64_t added, added_before;
};

/* The place of the kth call of b. */
static inline struct place *tape_block_place(const struct block *b, size_t k)
{
	return (struct place *)(void *)(b->at + b->bytes) - k - 1;
}

/* The kth call of a block; NULL: it has no more. */
static inline struct tape_sync *tape_block_call(const struct block *b, size_t k)
{
	return k < b->n
		   ? (struct tape_sync
			  *)(void *)(b->at + 8u * tape_block_place(b, k)->at)
		   : NULL;
}

/*
 * Appends a call with room for n entries at spent to a chain of the flow. It is
 * zeroed but for before, flow, event and n_spent. NULL: no space; see errno.
 */
struct tape_sync *tape_chain_add(struct tape_history *h, size_t flow,
				 struct chain *c, uint64_t event, size_t n);

/* New blocks take the memory of b. Returns 0, or -1: out of memory. */
int tape_block_release(struct tape_history *h, const struct block *b);

/*
 * Moves the oldest blocks of calls to merged where no wait that is found after
 * now_ns can be for one of them. Returns 0, or -1 with errno.
 */
int tape_history_merge_oldest(struct tape_history *h, size_t flow,
			      int64_t now_ns);

#endif
