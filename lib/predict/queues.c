/* See queues.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_slots.h"
#include "hash_bits.h"
#include "queues.h"
#include "tool.h"

/* Slots at first. */
enum { LEAST = 1024 };

static int is_used(const struct sim_queue *q)
{
	return q->used;
}

static const struct sim_queue *get_key(const void *own,
				       const struct sim_queue *q)
{
	(void)own;
	return q;
}

static uint64_t hash_key(const struct sim_queue *q)
{
	uint64_t a = (uint64_t)(uint32_t)q->from << 32 | (uint32_t)q->to;
	uint64_t b = (uint64_t)(uint32_t)q->tag << 32 | q->channel;

	a = (a ^ tape_spread_bits(b)) * 0xff51afd7ed558ccdu;
	return a ^ a >> 32;
}

static int is_equal_key(const struct sim_queue *a, const struct sim_queue *b)
{
	return a->from == b->from && a->to == b->to && a->tag == b->tag &&
	       a->channel == b->channel;
}

TAPE_SLOTS(sim_queue_slots, struct sim_queue, const void *,
	   const struct sim_queue *, is_used, get_key, hash_key, is_equal_key)

/* Drops empty queues if they are most of a full table. */
static void drop_empty_queues(struct sim_queue_slots *table)
{
	struct sim_queue_slots kept = {0};

	if (!table->list || 2 * table->used <= table->mask)
		return;
	for (size_t i = 0; i <= table->mask; i++)
		kept.used += table->list[i].head || table->list[i].prober;
	if (kept.used >= (table->mask + 1) / 4)
		return;
	kept.mask = table->mask;
	kept.list = tape_must(calloc(kept.mask + 1, sizeof *kept.list));
	for (size_t i = 0; i <= table->mask; i++) {
		const struct sim_queue *q = &table->list[i];

		if (q->head || q->prober)
			*sim_queue_slots_find(NULL, &kept, q) = *q;
	}
	free(table->list);
	*table = kept;
}

struct sim_queue *sim_find_queue(struct sim_queues *all, int32_t from,
				 int32_t to, int32_t tag, uint32_t channel)
{
	struct sim_queue key = {
	    .from = from, .to = to, .tag = tag, .channel = channel, .used = 1};
	struct sim_queue *q;

	drop_empty_queues(&all->table);
	if (sim_queue_slots_reserve(NULL, &all->table, LEAST))
		tape_die_no_memory();
	q = sim_queue_slots_find(NULL, &all->table, &key);
	if (!q->used) {
		*q = key;
		all->table.used++;
	}
	return q;
}

uint32_t sim_queue_take(struct sim_queues *all, struct sim_queue *q,
			unsigned side)
{
	uint32_t number = q->head - 1;
	const struct sim_message *m;

	if (!q->head)
		return SIM_NONE;
	m = &all->pool[number];
	if (m->sides != side)
		return SIM_NONE;
	q->head = m->next;
	if (!q->head)
		q->tail = 0;
	return number;
}

uint32_t sim_message_add(struct sim_queues *all)
{
	uint32_t number = all->free - 1;

	if (all->free) {
		all->free = all->pool[number].next;
	} else {
		if (all->n_pool >= SIM_NONE)
			tape_die(TAPE_FAILED, "too many messages are in flight "
					      "at the same time");
		all->pool = tape_must(
		    tape_grow_array(all->pool, &all->pool_room, all->n_pool + 1,
				    sizeof *all->pool));
		number = (uint32_t)all->n_pool++;
	}
	memset(&all->pool[number], 0, sizeof *all->pool);
	if (++all->waiting > all->max_waiting)
		all->max_waiting = all->waiting;
	return number;
}

uint32_t sim_queue_add(struct sim_queues *all, struct sim_queue *q,
		       unsigned side)
{
	uint32_t number = sim_message_add(all);
	struct sim_message *m = &all->pool[number];

	m->sides = (uint8_t)side;
	m->from = q->from;
	m->to = q->to;
	m->tag = q->tag;
	m->channel = q->channel;
	if (q->tail)
		all->pool[q->tail - 1].next = number + 1;
	else
		q->head = number + 1;
	q->tail = number + 1;
	return number;
}

void sim_message_drop(struct sim_queues *all, uint32_t number)
{
	all->pool[number].next = all->free;
	all->free = number + 1;
	all->waiting--;
}

void sim_queues_free(struct sim_queues *all)
{
	free(all->table.list);
	free(all->pool);
	memset(all, 0, sizeof *all);
}
