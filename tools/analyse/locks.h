/*
 * Which calls waited for the lock of a window. A lock is let go of somewhere in
 * the call that unlocks it, so at the earliest when that begins; a call of
 * another that is under way then, and wants the same lock, waited until then
 * at least. The trace does not say who shares a lock: two that do are seen as
 * waiting only where one unlocks while the other is within such a call, which
 * is short then.
 */
#ifndef TAPE_LOCKS_H
#define TAPE_LOCKS_H

#include "history.h"
#include "table.h"
#include "tape_reader.h"

struct tape_locks {
	struct tape_table table;
};

/*
 * Event e, a call of class epoch on the window of that identity, has begun: as
 * s, if it lets go of a lock. Returns 0 or -1: out of memory.
 */
int tape_locks_begin(struct tape_locks *l, const struct tape_event *e,
		     uint64_t window, struct tape_sync *s);

/*
 * It has ended: the latest call of another flow that let go of its lock
 * meanwhile, or NULL.
 */
struct tape_sync *tape_locks_end(const struct tape_locks *l,
				 const struct tape_event *e, uint64_t window);

/* What it may still give is kept. */
void tape_locks_pin(const struct tape_locks *l, struct tape_history *h);

#endif
