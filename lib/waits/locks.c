/* Locks of windows; see locks.h. */
#include "locks.h"

/* The latest calls that released a lock; more matter only where so many do
 * within one call of another. */
enum { KEPT = 16 };

struct lock {
	struct tape_let let[KEPT];
	uint64_t n;
};

uint64_t tape_locks_key(const struct tape_event *e, uint64_t window)
{
	uint64_t key = (window << 24 ^ window >> 40) +
		       (uint32_t)e->u.epoch.peer + 1;

	return key ? key : 1;
}

int tape_locks_is_release(const struct tape_event *e)
{
	return e->call == TAPE_CALL_MPI_Win_unlock;
}

int tape_locks_may_wait(const struct tape_event *e)
{
	return e->call == TAPE_CALL_MPI_Win_lock ||
	       e->call == TAPE_CALL_MPI_Win_unlock ||
	       e->call == TAPE_CALL_MPI_Win_flush;
}

int tape_locks_add_release(struct tape_locks *l, uint64_t key,
			   const struct tape_let *one)
{
	struct lock *k;

	l->table.bytes = sizeof *k;
	k = tape_table_get(&l->table, key);
	if (!k)
		return -1;
	k->let[k->n++ % KEPT] = *one;
	return 0;
}

const struct tape_let *tape_locks_find_release(const struct tape_locks *l,
					       uint64_t key, uint32_t flow,
					       int64_t begun_ns,
					       int64_t ended_ns)
{
	const struct tape_let *last = NULL, *s;
	const struct lock *k = tape_table_find(&l->table, key);

	for (uint64_t i = 0; k && i < KEPT && i < k->n; i++) {
		s = &k->let[i];
		if (s->flow != flow && s->begun_ns > begun_ns &&
		    s->begun_ns < ended_ns &&
		    (!last || s->begun_ns > last->begun_ns))
			last = s;
	}
	return last;
}
