/* Parts of lib/where: messages while they are collected; see states.h. */
#ifndef WHERE_MESSAGES_LEFT_H
#define WHERE_MESSAGES_LEFT_H

#include "states.h"
#include "unmatched.h"

struct where_messages {
	struct tape_unmatched *unmatched;
	/* those that the wait of each flow names, TAPE_CALL_REQUESTS_MAX of a
	 * flow; call 0: none */
	struct tape_request *request;
	size_t room, send_room; /* for receives, for sends */
};

/*
 * Collective: process 0 of p gets the states of all, each of the ranks that the
 * process owns, and all messages. Dies when out of memory.
 */
void where_collect_states(struct where_states *s, struct tape_peers *p);

#endif
