/*
 * Requests aside; see request_table.h. Linear probing with backward shift on
 * removal.
 */
#include <sched.h>
#include <sys/mman.h>

#include "hash_bits.h"
#include "request_table.h"

struct slot {
	uintptr_t handle; /* 0: free */
	struct tape_request r;
};

static struct slot *table;
static uint64_t mask;
uint64_t tape_request_table_used;
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

static void change_count(int64_t more)
{
	__atomic_store_n(&tape_request_table_used,
			 tape_request_table_used + (uint64_t)more,
			 __ATOMIC_RELAXED);
}

static uint64_t hash_handle(uintptr_t handle)
{
	return (tape_spread_bits(handle) >> 20) & mask;
}

static struct slot *find_slot(uintptr_t handle)
{
	uint64_t i = hash_handle(handle);

	while (table[i].handle && table[i].handle != handle)
		i = (i + 1) & mask;
	return &table[i];
}

static int grow_table(void)
{
	uint64_t size = table ? 2 * (mask + 1) : 1024, n = table ? mask + 1 : 0;
	struct slot *old = table, *fresh;

	fresh = mmap(NULL, size * sizeof *fresh, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED)
		return -1;
	table = fresh;
	mask = size - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i].handle)
			*find_slot(old[i].handle) = old[i];
	if (old)
		munmap(old, n * sizeof *old);
	return 0;
}

void tape_request_table_add(uintptr_t handle, const struct tape_request *r)
{
	struct slot *s;

	lock_table();
	if ((table && 2 * tape_request_table_used <= mask) || !grow_table()) {
		s = find_slot(handle);
		change_count(!s->handle);
		s->handle = handle;
		s->r = *r;
	}
	unlock_table();
}

int tape_request_table_find(uintptr_t handle, struct tape_request *r)
{
	const struct slot *s;
	int found = 0;

	lock_table();
	if (table && (s = find_slot(handle))->handle) {
		*r = s->r;
		found = 1;
	}
	unlock_table();
	return found;
}

void tape_request_table_change(uintptr_t handle, const struct tape_request *r)
{
	struct slot *s;

	lock_table();
	if (table && (s = find_slot(handle))->handle &&
	    s->r.number == r->number)
		s->r = *r;
	unlock_table();
}

static void clear_slot(struct slot *s)
{
	uint64_t hole = (uint64_t)(s - table), i = hole;

	for (;;) {
		i = (i + 1) & mask;
		if (!table[i].handle)
			break;
		if (((i - hash_handle(table[i].handle)) & mask) >=
		    ((i - hole) & mask)) {
			table[hole] = table[i];
			hole = i;
		}
	}
	table[hole].handle = 0;
	change_count(-1);
}

void tape_request_table_forget(uintptr_t handle, uint64_t number)
{
	struct slot *s;

	lock_table();
	if (table && (s = find_slot(handle))->handle &&
	    s->r.number == number)
		clear_slot(s);
	unlock_table();
}
