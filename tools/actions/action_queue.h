/*
 * Actions of a rank that are known and not yet given out, in order. A receive
 * of which the message is not known holds up what is behind it.
 */
#ifndef TAPE_ACTION_QUEUE_H
#define TAPE_ACTION_QUEUE_H

#include "action.h"

struct tape_action_slot {
	struct tape_action a;
	int unknown; /* it waits for its message */
	int wild;    /* of any source or tag */
	int gone;    /* nothing came of it */
	uint64_t held; /* of those that waited, from 1 */
	/* of the slot, used again and again */
	uint64_t *waits;
	int32_t *group;
	size_t waits_room, group_room;
};

/* Slots are numbered by order from 1; room is a power of 2. */
struct tape_action_queue {
	struct tape_action_slot *slots;
	uint64_t room, first, last; /* first: given out, the next is behind */
};

/* A new one at the end, empty; valid until the next. NULL: out of memory. */
struct tape_action_slot *tape_action_queue_add(struct tape_action_queue *q);

static inline struct tape_action_slot *
tape_action_queue_at(const struct tape_action_queue *q, uint64_t number)
{
	return &q->slots[number & (q->room - 1)];
}

/* Room for so many waits, or members, of that slot: 0 or TAPE_ENOMEM. */
int tape_action_reserve_waits(struct tape_action_slot *s, size_t n);
int tape_action_reserve_group(struct tape_action_slot *s, size_t n);

/* The next that is known, valid until the next call of either: 1, or 0. */
int tape_action_queue_take(struct tape_action_queue *q,
			   const struct tape_action **a);

void tape_action_queue_free(struct tape_action_queue *q);

#endif
