/* Locks of windows; see locks.h. */
#include "locks.h"

/* The latest calls that let go of a lock; more matter only where so many do
 * within one call of another. */
enum { KEPT = 16 };

struct lock {
	struct tape_sync *let[KEPT];
	uint64_t n;
};

static uint64_t key_of(const struct tape_event *e, uint64_t window)
{
	uint64_t key = (window << 24 ^ window >> 40) +
		       (uint32_t)e->u.epoch.peer + 1;

	return key ? key : 1;
}

int tape_locks_begin(struct tape_locks *l, const struct tape_event *e,
		     uint64_t window, struct tape_sync *s)
{
	struct lock *k;

	if (e->call != TAPE_CALL_MPI_Win_unlock)
		return 0;
	l->table.bytes = sizeof *k;
	k = tape_table_get(&l->table, key_of(e, window));
	if (!k)
		return -1;
	k->let[k->n++ % KEPT] = s;
	return 0;
}

struct tape_sync *tape_locks_end(const struct tape_locks *l,
				 const struct tape_event *e, uint64_t window)
{
	struct tape_sync *last = NULL, *s;
	const struct lock *k;

	if (e->call != TAPE_CALL_MPI_Win_lock &&
	    e->call != TAPE_CALL_MPI_Win_unlock &&
	    e->call != TAPE_CALL_MPI_Win_flush)
		return NULL;
	k = tape_table_find(&l->table, key_of(e, window));
	for (uint64_t i = 0; k && i < KEPT && i < k->n; i++) {
		s = k->let[i];
		if (s->flow != e->flow && s->begun_ns > e->start_ns &&
		    s->begun_ns < e->end_ns &&
		    (!last || s->begun_ns > last->begun_ns))
			last = s;
	}
	return last;
}

void tape_locks_pin(const struct tape_locks *l, struct tape_history *h)
{
	const struct lock *k;
	size_t at = 0;
	uint64_t key;

	while (l->table.bytes && (k = tape_table_each(&l->table, &at, &key)))
		for (int i = 0; i < KEPT; i++)
			if (k->let[i])
				tape_history_pin(h, k->let[i]);
}
