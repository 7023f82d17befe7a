/*
 * Which calls waited for the lock of a window. A lock is released somewhere in
 * the call that unlocks it, so at the earliest when that begins; a call of
 * another that is in progress then, and wants the same lock, waited until then
 * at least. The trace does not say who shares a lock: two that do are seen as
 * waiting only where one unlocks while the other is within such a call, which
 * is short then.
 */
#ifndef TAPE_LOCKS_H
#define TAPE_LOCKS_H

#include "table.h"
#include "tape_reader.h"

struct tape_locks {
	struct tape_table table;
};

/* A call that released a lock. */
struct tape_let {
	int64_t begun_ns;
	uint64_t event;	     /* in its flow */
	uint32_t flow, call; /* call: activity */
};

/* Returns the key of the lock that a call of class epoch uses on the window. */
uint64_t tape_locks_key(const struct tape_event *e, uint64_t window);

/* Returns 1 if the event releases a window lock, or may have waited for one. */
int tape_locks_is_release(const struct tape_event *e);
int tape_locks_may_wait(const struct tape_event *e);

/* Adds the start of a call that releases the lock: 0, or -1: out of memory. */
int tape_locks_add_release(struct tape_locks *l, uint64_t key,
			   const struct tape_let *one);

/*
 * Returns the latest release of the lock by another flow during a call of this
 * flow, from begun_ns to ended_ns; NULL: there is none.
 */
const struct tape_let *tape_locks_find_release(const struct tape_locks *l,
					       uint64_t key, uint32_t flow,
					       int64_t begun_ns,
					       int64_t ended_ns);

#endif
