/*
 * Collectives over shared links: the messages of a library's algorithm, played
 * one by one like those of the program, each member at its own pace from its
 * own entry; see own_state.h. What messages there are is what the algorithms of
 * coll.h say.
 *
 *	p = own_play_new(&what, way, segment);
 *	own_play_enter(p, member, at_ns, request);
 *	... own_play_arrived(p, ...), as its messages arrive
 *	if (own_play_is_complete(p))
 *		own_play_free(p);
 */
#ifndef SIM_OWN_PLAY_H
#define SIM_OWN_PLAY_H

#include "coll.h"

struct own;
struct own_play;

/*
 * world: ranks by member, NULL for the same numbers; must stay. channel and tag
 * of its messages are no others'. NULL: too many messages, or out of memory.
 */
struct own_play *own_play_new(struct own *o, const struct tape_collective *c,
			      enum tape_coll_way way, uint64_t segment,
			      const int *world, uint32_t channel, int32_t tag);
void own_play_free(struct own_play *p);

/* A member enters, with a request or waiting for its end (0). */
void own_play_enter(struct own_play *p, int member, double at_ns,
		    uint64_t request);

/* A message of its, by number, is there: for its sender or its receiver. */
void own_play_arrived(struct own_play *p, uint64_t number, int sender,
		      double there_ns, double take_ns);

/* Have all members left? */
int own_play_is_complete(const struct own_play *p);

/* Did it begin by asking who shares a host (tape_collective.hosts)? */
int own_play_shares_hosts(const struct own_play *p);

#endif
