/*
 * The inside of away.c and away_records.c: where this process stands among
 * others, and the records that they exchange.
 */
#ifndef CORRECT_AWAY_H
#define CORRECT_AWAY_H

#include "engine_state.h"

enum record { STATE = 50, SENT, POSTED, ENTERED, COUNTS, CALL, MEETING };

/* Processes told apart by a set; beyond, all are told of each collective. */
enum { SET = 64, KNOWN_COMMS = 1024 };

/* Where a process stands: records for others so far, and of others. */
struct state {
	uint64_t sent, heard;
	int64_t reached_ns;
	uint64_t waits; /* for others */
};

struct away {
	uint64_t keys;
	struct state now;
	struct other {
		struct state told, said; /* to that process and by it */
		uint64_t told_events;    /* of this one, then */
		uint64_t posts, polls;   /* to it and from it */
	} *other;
	uint64_t posted_events; /* of this process, when it posted */
	int64_t others_ns;      /* how far the others are at least, */
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

/* A record of that process; 0: it is none of what an event does. */
int away_hear(struct engine *g, int from, unsigned kind, const void *data,
	      size_t bytes);

/* All is over: sends to others, which are counted there, are nobody's. */
void away_forget_sends(struct engine *g);

#endif
