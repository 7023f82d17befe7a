/*
 * The actions of a rank that are not delivered yet, in order. A receive whose
 * message is not known holds the actions after it.
 */
#ifndef TAPE_ACTION_QUEUE_H
#define TAPE_ACTION_QUEUE_H

#include "action.h"

struct tape_action_slot {
	struct tape_action a;
	int unknown; /* its outcome is not known */
	int wild;    /* of any source or tag */
	int gone;    /* cancelled or dropped: to be skipped */
	uint64_t held; /* number among the held slots, from 1; 0: not held */
	/* memory of the slot, reused */
	uint64_t *waits;
	int32_t *group;
	size_t waits_room, group_room;
};

/* A ring. Slots are numbered in order, from 1. room is a power of 2. */
struct tape_action_queue {
	struct tape_action_slot *slots;
	uint64_t room, first, last; /* first: the slot delivered last */
};

/*
 * Adds an empty slot at the end. It is valid until the next call. Returns NULL
 * if out of memory.
 */
struct tape_action_slot *tape_action_queue_add(struct tape_action_queue *q);

static inline struct tape_action_slot *
tape_action_queue_at(const struct tape_action_queue *q, uint64_t number)
{
	return &q->slots[number & (q->room - 1)];
}

/*
 * Reserves memory for n waits, or group members, of a slot. Returns 0 or
 * TAPE_ENOMEM.
 */
int tape_action_reserve_waits(struct tape_action_slot *s, size_t n);
int tape_action_reserve_group(struct tape_action_slot *s, size_t n);

/*
 * Takes the next action if it is known. Returns 1, or 0. *a is valid until the
 * next call of tape_action_queue_take or _add.
 */
int tape_action_queue_take(struct tape_action_queue *q,
			   const struct tape_action **a);

void tape_action_queue_free(struct tape_action_queue *q);

#endif
