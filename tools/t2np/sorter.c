/* A queue for each flow, and a heap of their first records; see sorter.h. */
#include <stdlib.h>

#include "heap.h"
#include "tool.h"
#include "sorter.h"

/* Limit of waiting records, 56 MB: more than any real trace needs. */
#define HELD_MAX 1000000u

struct queue {
	struct picl_record *ring;
	uint32_t first, n, room; /* room: a power of two, or 0 */
};

struct head {
	int64_t time;
	uint64_t second;         /* key for equal times */
};

struct order {
	struct queue *queues;
	struct head *heap;
	size_t n, flows;
	uint32_t held;
};

struct order *order_new(size_t flows)
{
	struct order *o = calloc(1, sizeof *o);

	if (!o || !(o->queues = calloc(flows + 1, sizeof *o->queues)) ||
	    !(o->heap = calloc(flows + 1, sizeof *o->heap)))
		tape_die_no_memory();
	o->flows = flows;
	return o;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->flows; i++)
		free(o->queues[i].ring);
	free(o->queues);
	free(o->heap);
	free(o);
}

/*
 * Returns 1 for exits that depend on other nodes, which are last among equal
 * times: of receives and probes (the only exits with three data) and of
 * collectives.
 */
static uint64_t is_late_exit(const struct picl_record *r)
{
	return r->rectype == PICL_EXIT &&
	       (r->n == 3 || r->evttype <= PICL_BARRIER);
}

/* ---- the heap ---- */

static int head_precedes(const void *own, const struct head *a,
			 const struct head *b)
{
	(void)own;
	return a->time < b->time ||
	       (a->time == b->time && a->second < b->second);
}

TAPE_HEAP(heads, struct head, const void *, head_precedes)

static struct head queue_head(const struct order *o, size_t flow)
{
	const struct queue *q = &o->queues[flow];
	const struct picl_record *r = &q->ring[q->first];

	return (struct head){r->time_ns, is_late_exit(r) << 32 | flow};
}

static void write_first(struct order *o, struct picl *out)
{
	size_t flow = (uint32_t)o->heap[0].second;
	struct queue *q = &o->queues[flow];

	picl_put(out, &q->ring[q->first]);
	q->first = (q->first + 1) & (q->room - 1);
	o->held--;
	if (--q->n)
		heads_sink(NULL, o->heap, o->n, 0, queue_head(o, flow));
	else
		o->n = heads_pop(NULL, o->heap, o->n);
}

/* ---- the queues ---- */

static void grow_queue(struct queue *q)
{
	uint32_t room = q->room ? 2 * q->room : 4;
	struct picl_record *ring = tape_must(malloc(room * sizeof *ring));

	for (uint32_t i = 0; i < q->n; i++)
		ring[i] = q->ring[(q->first + i) & (q->room - 1)];
	free(q->ring);
	q->ring = ring;
	q->first = 0;
	q->room = room;
}

void order_add(struct order *o, size_t flow, const struct picl_record *r)
{
	struct queue *q = &o->queues[flow];

	if (q->n == q->room)
		grow_queue(q);
	q->ring[(q->first + q->n) & (q->room - 1)] = *r;
	o->held++;
	if (!q->n++)
		heads_raise(NULL, o->heap, o->n++, queue_head(o, flow));
}

void order_cut(struct order *o, size_t flow, int64_t time_ns)
{
	struct queue *q = &o->queues[flow];
	struct picl_record *r;
	size_t i = 0;

	if (!q->n)
		return;
	r = &q->ring[(q->first + q->n - 1) & (q->room - 1)];
	if (r->time_ns <= time_ns)
		return;
	r->time_ns = time_ns;
	if (q->n > 1)
		return;
	while ((uint32_t)o->heap[i].second != flow)
		i++;
	heads_raise(NULL, o->heap, i, queue_head(o, flow));
}

void order_write(struct order *o, int64_t time_ns, struct picl *out)
{
	while (o->n && o->heap[0].time < time_ns)
		write_first(o, out);
	while (o->held > HELD_MAX && o->heap[0].time == time_ns)
		write_first(o, out);
}

void order_finish(struct order *o, struct picl *out)
{
	while (o->n)
		write_first(o, out);
}
