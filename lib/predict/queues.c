/* See queues.h. */
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "queues.h"
#include "tool.h"

static uint64_t hash_key(int32_t from, int32_t to, int32_t tag,
			 uint32_t channel)
{
	uint64_t a = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
	uint64_t b = (uint64_t)(uint32_t)tag << 32 | channel;

	a = (a ^ tape_spread_bits(b)) * 0xff51afd7ed558ccdu;
	return a ^ a >> 32;
}

/* Finds the slot of a key in the table, or the free slot where it belongs. */
static struct sim_queue *find_slot(const struct sim_queues *all, int32_t from,
				   int32_t to, int32_t tag, uint32_t channel)
{
	size_t mask = all->room - 1;
	size_t i = (size_t)hash_key(from, to, tag, channel) & mask;

	for (;; i = (i + 1) & mask) {
		struct sim_queue *q = &all->table[i];

		if (!q->used || (q->from == from && q->to == to &&
				 q->tag == tag && q->channel == channel))
			return q;
	}
}

/* Grows the table. Drops empty queues first. */
static void grow_table(struct sim_queues *all)
{
	struct sim_queue *old = all->table;
	size_t room = all->room, kept = 0;

	for (size_t i = 0; i < room; i++)
		kept += old[i].head || old[i].prober;
	all->room = room && kept < room / 4 ? room : room ? 2 * room : 1024;
	all->table = tape_must(calloc(all->room, sizeof *all->table));
	all->n = kept;
	for (size_t i = 0; i < room; i++)
		if (old[i].head || old[i].prober)
			*find_slot(all, old[i].from, old[i].to, old[i].tag,
				   old[i].channel) = old[i];
	free(old);
}

struct sim_queue *sim_find_queue(struct sim_queues *all, int32_t from,
				 int32_t to, int32_t tag, uint32_t channel)
{
	struct sim_queue *q;

	if (2 * all->n >= all->room)
		grow_table(all);
	q = find_slot(all, from, to, tag, channel);
	if (!q->used) {
		*q = (struct sim_queue){ .from = from, .to = to, .tag = tag,
					 .channel = channel, .used = 1 };
		all->n++;
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
		if (all->n_pool == all->pool_room) {
			size_t room = 2 * all->pool_room + 256;

			if (room >= SIM_NONE)
				tape_die(TAPE_FAILED,
					 "too many messages are in flight at "
					 "the same time");
			all->pool = tape_must(
				realloc(all->pool, room * sizeof *all->pool));
			all->pool_room = room;
		}
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
	free(all->table);
	free(all->pool);
	memset(all, 0, sizeof *all);
}
