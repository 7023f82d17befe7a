/*
 * Plays a collective over shared links: the messages of the library's algorithm
 * (coll.h) are sent one by one like those of the program, each member at its
 * own pace from its own entry; see own_state.h.
 *
 *	p = own_play_new(o, &collective, way, segment, world, channel, tag);
 *	own_play_enter(p, member, at_ns, request);
 *	... own_play_arrived(p, number, sender, arrival_ns, recv_ns) for each
 *	    of its messages
 *	if (own_play_is_complete(p))
 *		own_play_free(p);
 */
#ifndef SIM_OWN_PLAY_H
#define SIM_OWN_PLAY_H

#include "coll.h"

struct own;
struct own_play;

/*
 * world: world ranks by member, which must stay; NULL: members are world ranks.
 * channel and tag must be unique to this play. Returns NULL if the algorithm is
 * unknown or has too many messages, or if out of memory.
 */
struct own_play *own_play_new(struct own *o, const struct tape_collective *c,
			      enum tape_coll_way way, uint64_t segment,
			      const int *world, uint32_t channel, int32_t tag);
void own_play_free(struct own_play *p);

/* A member enters. request 0: the member blocks until it can leave. */
void own_play_enter(struct own_play *p, int member, double at_ns,
		    uint64_t request);

/*
 * A message of the play is complete for its sender or its receiver. number: as
 * passed to own_part_send or own_part_recv.
 */
void own_play_arrived(struct own_play *p, uint64_t number, int sender,
		      double arrival_ns, double recv_ns);

/* Returns 1 if all members have left. */
int own_play_is_complete(const struct own_play *p);

/*
 * Returns 1 if the algorithm began by determining which members share a host
 * (tape_collective.hosts).
 */
int own_play_shares_hosts(const struct own_play *p);

#endif
