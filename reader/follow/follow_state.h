/* A trace that is followed: shared by follow.c and follow_comms.c. */
#ifndef FOLLOW_STATE_H
#define FOLLOW_STATE_H

#include "flow.h"
#include "tape_follow.h"

struct shared_comm;

struct tape_follow {
	struct tape_following by;
	struct shared_comm *shared; /* by identity: mask + 1 slots */
	size_t mask, n_shared;
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
