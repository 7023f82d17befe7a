/* Requests aside; see request_table.h. */
#include <errno.h>
#include <sched.h>

#include "hash_bits.h"
#include "hash_slots.h"
#include "request_table.h"

struct slot {
	uintptr_t handle; /* 0: free */
	struct tape_request r;
};

static int is_used(const struct slot *s)
{
	return s->handle != 0;
}

static uintptr_t slot_handle(const void *own, const struct slot *s)
{
	(void)own;
	return s->handle;
}

static uint64_t hash_handle(uintptr_t handle)
{
	return tape_spread_bits(handle) >> 20;
}

static int is_same_handle(uintptr_t a, uintptr_t b)
{
	return a == b;
}

TAPE_SLOTS_TYPE(slots, struct slot)
TAPE_SLOTS(slots, struct slot, const void *, uintptr_t, is_used, slot_handle,
	   hash_handle, is_same_handle)

static struct slots table;
enum { SLOTS_AT_FIRST = 1024 };
uint64_t tape_request_table_used; /* table.used, for those without the lock */
static int lock;

static void lock_table(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock_table(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static void publish_count(void)
{
	__atomic_store_n(&tape_request_table_used, table.used,
			 __ATOMIC_RELAXED);
}

/* The slot of a handle that is in the table, or NULL. */
static struct slot *find_slot(uintptr_t handle)
{
	struct slot *s =
	    table.list ? slots_find(NULL, &table, handle) : NULL;

	return s && is_used(s) ? s : NULL;
}

void tape_request_table_add(uintptr_t handle, const struct tape_request *r)
{
	struct slot *s;
	int e = errno; /* of the program */

	lock_table();
	if (!slots_reserve(NULL, &table, SLOTS_AT_FIRST)) {
		s = slots_find(NULL, &table, handle);
		table.used += !is_used(s);
		publish_count();
		s->handle = handle;
		s->r = *r;
	}
	unlock_table();
	errno = e;
}

int tape_request_table_find(uintptr_t handle, struct tape_request *r)
{
	const struct slot *s;

	lock_table();
	s = find_slot(handle);
	if (s)
		*r = s->r;
	unlock_table();
	return s != NULL;
}

void tape_request_table_change(uintptr_t handle, const struct tape_request *r)
{
	struct slot *s;

	lock_table();
	s = find_slot(handle);
	if (s && s->r.number == r->number)
		s->r = *r;
	unlock_table();
}

void tape_request_table_forget(uintptr_t handle, uint64_t number)
{
	struct slot *s;

	lock_table();
	s = find_slot(handle);
	if (s && s->r.number == number) {
		slots_remove(NULL, &table, s);
		publish_count();
	}
	unlock_table();
}
