/*
 * The inside of remote_ranks.c and remote_records.c: the progress of this
 * process and its peers, and the records that they exchange.
 */
#ifndef CORRECT_REMOTE_RANKS_H
#define CORRECT_REMOTE_RANKS_H

#include "engine_parts.h"

enum remote_record {
	STATE = TAPE_KINDS_OF_CORRECT,
	SENT,
	POSTED,
	ENTERED,
	COUNTS,
	CALL,
	MEETING
};

/* With more processes than SET, all receive each entry of a collective. */
enum { SET = 64, KNOWN_COMMS = 1024 };

/* Progress of a process: records sent to peers and received from peers. */
struct progress {
	uint64_t sent, heard;
	int64_t reached_ns;
	uint64_t waits; /* for others */
};

struct remote {
	uint64_t keys;
	struct progress local_progress;
	struct peer_progress {
		struct progress sent_progress,
		    received_progress;	 /* to that process and by it */
		uint64_t sent_at_events; /* of this one, then */
		uint64_t posts, polls;	 /* to it and from it */
	} * other;
	uint64_t posted_events; /* of this process, when it posted */
	int64_t others_ns;	/* how far the others are at least, */
	uint64_t others_events; /* and of this process when that was new */
	int give_up, over, called;
	int more;   /* it could go on */
	int moved;  /* something did since the last meeting */
	int looked; /* did all see that they cannot go on? */
	/* who owns members of a communicator */
	struct owners {
		uint64_t comm, set;
	} of[KNOWN_COMMS];
};

/* Processes a record of peer from; 0: it is no record of an event. */
int remote_receive_record(struct engine *g, int from, unsigned kind,
			  const void *data, size_t bytes);

/* At the end: drops sends to peers, which the peers count. */
void remote_drop_sends(struct engine *g);

#endif
