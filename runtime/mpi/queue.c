/* Queues of requests that were complete when they were created; see queue.h. */
#include <sched.h>
#include <sys/mman.h>

#include "abi.h"
#include "queue.h"

enum { WORDS = 4095 };

struct segment {
	struct segment *next;
	uint64_t word[WORDS];
};

struct queue {
	int lock;
	uint32_t at, end;        /* in the first and in the last segment */
	struct segment *first, *last, *spare;
};

static void lock_queue(struct queue *q)
{
	if (!tape_process.many_threads)
		return;
	while (__atomic_exchange_n(&q->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock_queue(struct queue *q)
{
	if (tape_process.many_threads)
		__atomic_store_n(&q->lock, 0, __ATOMIC_RELEASE);
}

static void *map_segment(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The time that memory takes comes before the next event of the thread. */
static struct segment *new_segment(struct tape_flow *f, struct queue *q)
{
	struct segment *s = q->spare;
	uint64_t t0 = tape_tick();

	q->spare = NULL;
	if (!s)
		s = map_segment(sizeof *s);
	if (s)
		s->next = NULL;
	f->extra_before += tape_tick() - t0;
	return s;
}

/* One segment is kept, so that a short queue maps nothing. */
static void free_segment(struct queue *q, struct segment *s)
{
	if (q->spare)
		munmap(s, sizeof *s);
	else
		q->spare = s;
}

static struct queue *get_queue(struct tape_flow *f)
{
	struct queue *q = f->queue;

	if (TAPE_LIKELY(q != NULL))
		return q;
	/* one for each shared handle */
	q = map_segment(TAPE_SHARED_HANDLES * sizeof *q);
	/* others look at it from now on */
	__atomic_store_n(&f->queue, q, __ATOMIC_RELEASE);
	return q;
}

void tape_queue_add(struct tape_flow *f, int which, uint64_t word)
{
	struct queue *q = get_queue(f);
	struct segment *s;

	if (!q)
		return;
	q += which;
	lock_queue(q);
	s = q->last;
	if (!s || q->end == WORDS) {
		s = new_segment(f, q);
		if (!s)
			goto out;
		if (q->last)
			q->last->next = s;
		else
			q->first = s;
		q->last = s;
		q->end = 0;
	}
	s->word[q->end++] = word;
out:
	unlock_queue(q);
}

/* The oldest word of q, or 0. */
static uint64_t get_oldest_word(struct queue *q, int take)
{
	struct segment *s = q->first;
	uint64_t word;

	if (s && q->at == WORDS) {
		q->first = s->next;
		q->at = 0;
		if (!q->first)
			q->last = NULL;
		free_segment(q, s);
		s = q->first;
	}
	if (!s || (s == q->last && q->at == q->end))
		return 0;
	word = s->word[q->at];
	if (!take)
		return word;
	q->at++;
	if (s == q->last && q->at == q->end)
		q->at = q->end = 0; /* empty: from the start of it again */
	return word;
}

static uint64_t get_oldest_locked(struct tape_flow *f, int which, int take)
{
	struct queue *q = __atomic_load_n(&f->queue, __ATOMIC_ACQUIRE);
	uint64_t word;

	if (!q)
		return 0;
	q += which;
	lock_queue(q);
	word = get_oldest_word(q, take);
	unlock_queue(q);
	return word;
}

uint64_t tape_queue_oldest(struct tape_flow *f, int which, int take)
{
	uint64_t word = f ? get_oldest_locked(f, which, take) : 0;
	struct tape_flow *g;

	g = __atomic_load_n(&tape_process.flows, __ATOMIC_ACQUIRE);
	for (; !word && g; g = g->next)
		if (g != f)
			word = get_oldest_locked(g, which, take);
	return word;
}
