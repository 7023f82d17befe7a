/*
 * Which sends waited for their receives to be posted. The end of a send and
 * its message come in any order; what came first is kept until the other does.
 * Memory is that of the messages of which one is not there yet.
 */
#ifndef TAPE_SENDS_H
#define TAPE_SENDS_H

#include "hash_bits.h"
#include "history.h"
#include "table.h"

/* A call that completed a send, and who posted the receive when. */
struct tape_held_send {
	struct tape_sync *by;   /* the call; NULL: not ended yet */
	int64_t posted_ns;
	uint64_t event;		/* that posted it */
	uint32_t receiver;      /* flow */
	uint32_t call;		/* activity */
	uint32_t posted;        /* is that known? */
	uint32_t is_eager;      /* its end does not depend on the receive */
};

struct tape_sends {
	struct tape_table table;
};

/* Which send: the event-th event of a flow, which may start several requests:
 * of that number, or 0. */
static inline uint64_t tape_send_key(size_t flow, uint64_t event,
				     uint64_t request)
{
	return ((uint64_t)flow << 40 | (event & 0xffffffffff)) ^
	       tape_spread_bits(request);
}

/*
 * The send ended by the call s (or, NULL, in a way that tells nothing), or its
 * receive was posted. 1: now both are known, and *both says them; 0: not yet;
 * -1: out of memory.
 */
int tape_sends_add_end(struct tape_sends *s, uint64_t key, struct tape_sync *by,
		       struct tape_held_send *both);
int tape_sends_add_post(struct tape_sends *s, uint64_t key,
			const struct tape_held_send *by,
			struct tape_held_send *both);

#endif
