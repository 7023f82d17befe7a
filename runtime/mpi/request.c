/*
 * The table of requests; see request.h. Linear probing with backward shift on
 * removal. Some handles are special: requests that were complete at once share
 * one (abi.h); their numbers queue up in order.
 */
#include <sys/mman.h>
#include <string.h>

#include "request.h"

struct slot {
	uintptr_t handle; /* 0: free */
	struct tape_request r;
};

static struct slot *table;
static uint64_t mask, used;

/* The shared handles: what is under each, oldest first. */
static struct queue {
	struct tape_request *r;
	uint64_t mask, head, tail;
} queues[TAPE_SHARED_HANDLES];
static uintptr_t sample;

static int lock;

static void acquire(void)
{
	if (tape_process.many_threads)
		while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
			;
}

static void release(void)
{
	if (tape_process.many_threads)
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static void *pages(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint64_t place(uintptr_t handle)
{
	return ((uint64_t)handle * 0x9e3779b97f4a7c15u >> 20) & mask;
}

/* The queue of a shared handle, NULL for one that stands for one request. */
static struct queue *queue_of(uintptr_t handle)
{
	int i = tape_shared(handle, sample);

	return i < 0 ? NULL : &queues[i];
}

static struct slot *find(uintptr_t handle)
{
	uint64_t i = place(handle);

	while (table[i].handle && table[i].handle != handle)
		i = (i + 1) & mask;
	return &table[i];
}

static int grow(void)
{
	uint64_t size = table ? 2 * (mask + 1) : 1024, n = table ? mask + 1 : 0;
	struct slot *old = table, *fresh = pages(size * sizeof *table);

	if (!fresh)
		return -1;
	table = fresh;
	mask = size - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i].handle)
			*find(old[i].handle) = old[i];
	if (old)
		munmap(old, n * sizeof *old);
	return 0;
}

static void forget(struct slot *s)
{
	uint64_t hole = (uint64_t)(s - table), i = hole;

	for (;;) {
		i = (i + 1) & mask;
		if (!table[i].handle)
			break;
		if (((i - place(table[i].handle)) & mask) >=
		    ((i - hole) & mask)) {
			table[hole] = table[i];
			hole = i;
		}
	}
	table[hole].handle = 0;
	used--;
}

static void queue_add(struct queue *q, const struct tape_request *r)
{
	uint64_t size = q->r ? q->mask + 1 : 0;

	if (q->tail - q->head == size) {
		uint64_t bigger = size ? 2 * size : 256;
		struct tape_request *more = pages(bigger * sizeof *more);

		if (!more)
			return;
		for (uint64_t i = 0; i < size; i++)
			more[i] = q->r[(q->head + i) & q->mask];
		if (q->r)
			munmap(q->r, size * sizeof *q->r);
		q->r = more;
		q->mask = bigger - 1;
		q->tail -= q->head;
		q->head = 0;
	}
	q->r[q->tail++ & q->mask] = *r;
}

/* Copies the oldest to *r; taking it out or not. Is there one? */
static int queue_oldest(struct queue *q, struct tape_request *r, int taking)
{
	int found = q->head != q->tail;

	if (found)
		*r = q->r[q->head & q->mask];
	q->head += found && taking;
	return found;
}

void tape_request_start(void)
{
	MPI_Request r;

	if (!table)
		grow();
	if (PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF,
		       &r) == MPI_SUCCESS) {
		sample = tape_handle(r);
		PMPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

int tape_request_is_shared(uintptr_t handle)
{
	return queue_of(handle) != NULL;
}

void tape_request_add(uintptr_t handle, const struct tape_request *r)
{
	struct queue *q = queue_of(handle);
	struct slot *s;

	acquire();
	if (q) {
		queue_add(q, r);
	} else if (table && (2 * used <= mask || !grow())) {
		s = find(handle);
		used += !s->handle;
		s->handle = handle;
		s->r = *r;
	}
	release();
}

int tape_request_find(uintptr_t handle, struct tape_request *r)
{
	struct queue *q = queue_of(handle);
	int found = 0;
	struct slot *s;

	acquire();
	if (q) {
		found = queue_oldest(q, r, 0);
	} else if (table && (s = find(handle))->handle) {
		*r = s->r;
		found = 1;
	}
	release();
	return found;
}

/* keep: a persistent request stays in the table, inactive. */
static int take(uintptr_t handle, struct tape_request *r, int keep)
{
	struct queue *q = queue_of(handle);
	int found = 0;
	struct slot *s;

	acquire();
	if (q) {
		found = queue_oldest(q, r, 1);
	} else if (table && (s = find(handle))->handle) {
		*r = s->r;
		found = 1;
		if (keep && s->r.persistent)
			s->r.active = 0;
		else
			forget(s);
	}
	release();
	return found;
}

int tape_request_take(uintptr_t handle, struct tape_request *r)
{
	return take(handle, r, 1);
}

int tape_request_drop(uintptr_t handle, struct tape_request *r)
{
	return take(handle, r, 0);
}

static int mark(uintptr_t handle, uint64_t *number, int cancelled)
{
	int found = 0;
	struct slot *s;

	*number = 0;
	acquire();
	if (!queue_of(handle) && table && (s = find(handle))->handle) {
		if (cancelled)
			s->r.cancelled = 1;
		else
			s->r.active = 1, s->r.cancelled = 0;
		*number = s->r.number;
		found = 1;
	}
	release();
	return found;
}

int tape_request_activate(uintptr_t handle, uint64_t *number)
{
	return mark(handle, number, 0);
}

int tape_request_cancel(uintptr_t handle, uint64_t *number)
{
	return mark(handle, number, 1);
}
