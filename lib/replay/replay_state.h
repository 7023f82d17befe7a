/* A replay in progress: steps.c moves it, replay_queries.c tells of it. */
#ifndef TAPE_REPLAY_STATE_H
#define TAPE_REPLAY_STATE_H

#include "flow_cursor.h"
#include "ideal_clock.h"
#include "members.h"
#include "pvm_groups.h"
#include "replay.h"
#include "turns.h"

struct tape_replay {
	struct tape_trace *t;
	unsigned wanted;
	struct tape_messages *messages;
	struct tape_members *members;
	struct tape_pvm_groups *pvm_groups;
	struct tape_ideal_clock *ideal; /* or NULL */
	struct tape_flow_cursor *lanes;
	size_t n_lanes;
	struct tape_turns turns;
	size_t waiting;
	size_t absent;	/* flows that have not begun, of a run in progress */
	unsigned steps; /* since these were looked for */
	size_t used;    /* flow whose event was given out to its end, plus 1 */
	int at_once;    /* events end when they begin */
	int error, over;
	/* with others: up to when, and how many events */
	struct tape_peers *peers;
	int64_t until_ns;
	uint64_t events;
	int finish;
	/* what came of the last step and is not given out yet */
	int more;
	size_t at_request, n_requests;
	int omits_requests;
	struct tape_item item;
};

#endif
