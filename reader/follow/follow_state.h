/* A trace that is followed: shared by follow.c and follow_comms.c. */
#ifndef FOLLOW_STATE_H
#define FOLLOW_STATE_H

#include "hash_slots.h"
#include "flow.h"
#include "tape_follow.h"

/* A communicator by its identity; with two groups, sided. */
struct shared_comm {
	uint64_t id; /* 0: free */
	int sided;
	size_t size[2];
	int *members[2];
};

TAPE_SLOTS_TYPE(shared_comms, struct shared_comm)

struct tape_follow {
	struct tape_following by;
	struct shared_comms shared; /* by identity */
	unsigned char *state;	 /* of each flow */
	unsigned char **settled; /* communicators of each rank, by index */
	char *room;		 /* for the arrays of all ranks */
	size_t room_bytes, ids;	 /* ids of each kind and rank */
	unsigned char began;	 /* state of the whole, until it has begun */
	unsigned char tasks;	 /* state of those that may come */
	int (*clock)(void *self, uint32_t domain); /* NULL: nobody asks */
	void *clock_self;
};

/*
 * Read what was defined since: by all ranks, and by the flow's own. Return 0 or
 * the flow's error.
 */
int tape_follow_read_all(struct tape_flow *f);
int tape_follow_read_own(struct tape_flow *f);

void tape_follow_free_comms(struct tape_follow *w);

#endif
