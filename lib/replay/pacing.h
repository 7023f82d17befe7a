/*
 * When those who play a trace together (tape_replay_open_part) meet: when each
 * has played so many events, or has come so far in time as the one that is
 * behind allows. In between nobody waits for anybody, since what comes out of
 * records does not depend on when they come. So what is in flight is bounded,
 * too. At last all know that all are over.
 *
 *	tape_pacing_init(&m);
 *	while ((rc = tape_replay_next(r, &i)) > 0)
 *		if (rc == 1)
 *			...
 *		else if (tape_pacing_synchronise(&m, r, peers))
 *			...out of memory
 */
#ifndef TAPE_PACING_H
#define TAPE_PACING_H

#include "replay.h"

enum {
	TAPE_PEERS_STATE = TAPE_KINDS_OF_PACING,
	TAPE_MEETING_EVENTS = 1 << 15, /* from meeting to meeting */
	TAPE_STATE_BYTES = 16
};

struct tape_pacing {
	int64_t ahead_ns; /* of the one that is behind the first may be */
	uint64_t events;  /* of this process, when it met last */
	int64_t next_ns;  /* and its position */
	/* of all that are not over, at this meeting */
	int64_t first_ns, last_ns;
	int full;	  /* 1: a process has used up its event budget */
	int64_t limit_ns; /* nobody goes beyond that */
	int64_t most_ns;  /* nor further ahead than that */
};

void tape_pacing_init(struct tape_pacing *m);

/* The whole of it, where nothing but the replay's records comes. */
int tape_pacing_synchronise(struct tape_pacing *m, struct tape_replay *r,
			    struct tape_peers *p);

/*
 * Or one after the other: a process says where it stands, all exchange, each
 * hears the records of TAPE_PEERS_STATE, and goes on. The first one returns 0
 * or TAPE_ENOMEM.
 */
int tape_pacing_begin(struct tape_pacing *m, struct tape_replay *r,
		      struct tape_peers *p);
void tape_pacing_receive(struct tape_pacing *m, const void *state);
void tape_pacing_end(struct tape_pacing *m, struct tape_replay *r);

/*
 * In place of begin while an event is read that may not come soon: it is not
 * over, and what is heard then waits. Returns 0 or TAPE_ENOMEM.
 */
int tape_pacing_attend(struct tape_pacing *m, struct tape_replay *r,
		       struct tape_peers *p);

#endif
