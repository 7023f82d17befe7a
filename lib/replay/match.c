/* Message matching; see match.h. A hash table with linear probing. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_bits.h"
#include "match.h"

struct block {
	struct block *older;
	double aligned[];
};

/* Odd factors tell the fields apart; what is taken of it is the upper half. */
static inline uint64_t hash_match_key(const struct tape_match_key *k)
{
	uint64_t ranks = (uint64_t)(uint32_t)k->src << 32 | (uint32_t)k->dst;
	uint64_t tag = (uint64_t)(uint32_t)k->tag << 2 ^ (uint64_t)k->way;
	uint64_t h =
	    k->comm ^ ranks * 0xd6e8feb86659fd93u ^ tape_spread_bits(tag);

	return ((h ^ h >> 32) * 0xd6e8feb86659fd93u) >> 32;
}

static inline int is_equal_key(const struct tape_match_key *a,
			       const struct tape_match_key *b)
{
	return a->comm == b->comm && a->src == b->src && a->dst == b->dst &&
	       a->tag == b->tag && a->way == b->way;
}

static inline struct tape_slot *
queue_head_slot(const struct tape_match *m, const struct tape_match_entry *e)
{
	return tape_match_slot(m, e->head1 - 1);
}

static inline int is_used(const struct tape_match_entry *e)
{
	return e->head1 != 0;
}

static inline const struct tape_match_key *
queue_key(const struct tape_match *m, const struct tape_match_entry *e)
{
	return &queue_head_slot(m, e)->key;
}

/* Slots of the table of queues at first. */
enum { QUEUES = 1024 };

TAPE_SLOTS(tape_match_entries, struct tape_match_entry,
	   const struct tape_match *, const struct tape_match_key *, is_used,
	   queue_key, hash_match_key, is_equal_key)

struct tape_match *tape_match_new(size_t own)
{
	struct tape_match *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->side_bytes = sizeof(struct tape_match_side) + own;
	m->free = TAPE_NO_SLOT;
	m->nobody = calloc(1, m->side_bytes);
	if (!m->nobody || tape_match_entries_reserve(m, &m->queues, QUEUES)) {
		tape_match_free(m);
		return NULL;
	}
	return m;
}

void tape_match_free(struct tape_match *m)
{
	if (!m)
		return;
	for (struct block *b = m->blocks, *older; b; b = older) {
		older = b->older;
		free(b);
	}
	free(m->queues.list);
	free(m->nobody);
	for (uint32_t i = 0; i < m->n_slots; i += TAPE_MATCH_BLOCK)
		free(m->slots[i / TAPE_MATCH_BLOCK]);
	free(m->slots);
	free(m);
}

/* Which side those of the queue have; 0: there are none. */
static inline int queued_side(const struct tape_match *m,
			      const struct tape_match_entry *e)
{
	return e->head1 ? queue_head_slot(m, e)->queued : 0;
}

static inline struct tape_match_entry *
find_entry(struct tape_match *m, const struct tape_match_key *k)
{
	return tape_match_entries_find(m, &m->queues, k);
}

/* The first of the queue leaves it. */
static void pop_queue_head(struct tape_match *m, struct tape_match_entry *e)
{
	struct tape_slot *s = queue_head_slot(m, e);

	m->left[s->queued]--;
	s->queued = 0;
	e->head1 = s->next + 1; /* TAPE_NO_SLOT becomes 0 */
	s->next = TAPE_NO_SLOT;
	if (!e->head1)
		tape_match_entries_remove(m, &m->queues, e);
}

static struct tape_match_side **side_pointer(struct tape_slot *s, int side)
{
	return side == 1 ? &s->send : &s->recv;
}

static int more_sides(struct tape_match *m)
{
	struct block *b = malloc(sizeof *b + TAPE_MATCH_BLOCK * m->side_bytes);
	char *at;

	if (!b)
		return -1;
	b->older = m->blocks;
	m->blocks = b;
	at = (char *)b->aligned;
	for (int i = 0; i < TAPE_MATCH_BLOCK; i++, at += m->side_bytes) {
		*(void **)(void *)at = m->spare;
		m->spare = (struct tape_match_side *)(void *)at;
	}
	return 0;
}

/* Nobody is on that side of the slot any more. */
static void clear_side(struct tape_match *m, struct tape_slot *s, int side)
{
	struct tape_match_side **at = side_pointer(s, side);

	s->there = (uint8_t)(s->there & ~side);
	s->done = (uint8_t)(s->done & ~side);
	if (*at == m->nobody)
		return;
	*(void **)(void *)*at = m->spare;
	m->spare = *at;
	*at = m->nobody;
}

/* Somebody is, of whom nothing is known yet. -1: out of memory. */
static int set_side(struct tape_match *m, struct tape_slot *s, int side)
{
	struct tape_match_side *one;

	if (!m->spare && more_sides(m))
		return -1;
	one = m->spare;
	m->spare = *(void **)(void *)one;
	/* in pieces: one instruction of it all takes long to begin */
	memset(one, 0, sizeof *one);
	memset(one + 1, 0, m->side_bytes - sizeof *one);
	*side_pointer(s, side) = one;
	s->there = (uint8_t)(s->there | side);
	return 0;
}

static void move_side(struct tape_match *m, struct tape_slot *to,
		      struct tape_slot *from, int side)
{
	struct tape_match_side **a = side_pointer(to, side),
			       **b = side_pointer(from, side), *was = *a;

	*a = *b;
	*b = was;
	to->there = (uint8_t)((to->there & ~side) | (from->there & side));
	to->done = (uint8_t)((to->done & ~side) | (from->done & side));
	clear_side(m, from, side);
}

/* More slots. */
static int add_slot_block(struct tape_match *m)
{
	uint32_t n = m->n_slots / TAPE_MATCH_BLOCK;
	struct tape_slot **all;

	if (m->n_slots >= TAPE_NO_SLOT / 2)
		return -1;
	all = tape_grow_list(m->slots, n, sizeof *all);
	if (!all)
		return -1;
	m->slots = all;
	m->slots[n] = malloc(TAPE_MATCH_BLOCK * sizeof **m->slots);
	if (!m->slots[n])
		return -1;
	for (uint32_t i = TAPE_MATCH_BLOCK; i-- > 0;) {
		m->slots[n][i].next = m->free;
		m->slots[n][i].used = 0;
		m->free = m->n_slots + i;
	}
	m->n_slots += TAPE_MATCH_BLOCK;
	return 0;
}

static uint32_t new_slot(struct tape_match *m, const struct tape_match_key *k)
{
	struct tape_slot *s;
	uint32_t at;

	if (m->free == TAPE_NO_SLOT && add_slot_block(m))
		return TAPE_NO_SLOT;
	at = m->free;
	s = tape_match_slot(m, at);
	m->free = s->next;
	*s = (struct tape_slot){.key = *k,
				.send = m->nobody,
				.recv = m->nobody,
				.next = TAPE_NO_SLOT,
				.used = 1};
	if (++m->held > m->most)
		m->most = m->held;
	return at;
}

static void free_slot(struct tape_match *m, uint32_t slot)
{
	struct tape_slot *s = tape_match_slot(m, slot);

	clear_side(m, s, 1);
	clear_side(m, s, 2);
	s->used = 0;
	s->next = m->free;
	m->free = slot;
	m->held--;
}

/* side 1: a send comes, side 2: a receive. */
static uint32_t match_or_queue(struct tape_match *m,
			       const struct tape_match_key *k, uint8_t side)
{
	struct tape_match_entry *e;
	uint32_t at;

	if (tape_match_entries_reserve(m, &m->queues, QUEUES))
		return TAPE_NO_SLOT;
	e = find_entry(m, k);
	if (e->head1 && queued_side(m, e) != side) {
		/* the other side was waiting */
		at = e->head1 - 1;
		if (set_side(m, tape_match_slot(m, at), side))
			return TAPE_NO_SLOT;
		pop_queue_head(m, e);
		return at;
	}
	at = new_slot(m, k);
	if (at == TAPE_NO_SLOT)
		return at;
	if (set_side(m, tape_match_slot(m, at), side)) {
		free_slot(m, at);
		return TAPE_NO_SLOT;
	}
	if (e->head1) {
		tape_match_slot(m, e->tail1 - 1)->next = at;
	} else {
		e->head1 = at + 1;
		m->queues.used++;
	}
	e->tail1 = at + 1;
	tape_match_slot(m, at)->queued = side;
	m->left[side]++;
	return at;
}

uint32_t tape_match_send(struct tape_match *m, const struct tape_match_key *k)
{
	return match_or_queue(m, k, 1);
}

uint32_t tape_match_post(struct tape_match *m, const struct tape_match_key *k)
{
	return match_or_queue(m, k, 2);
}

uint32_t tape_match_peek(struct tape_match *m, const struct tape_match_key *k)
{
	struct tape_match_entry *e = find_entry(m, k);

	return queued_side(m, e) == 1 ? e->head1 - 1 : TAPE_NO_SLOT;
}

uint32_t tape_match_waiting(struct tape_match *m,
			    const struct tape_match_key *k, size_t nth)
{
	const struct tape_match_entry *e = find_entry(m, k);
	uint32_t at = queued_side(m, e) == 2 ? e->head1 - 1 : TAPE_NO_SLOT;

	while (nth-- && at != TAPE_NO_SLOT)
		at = tape_match_slot(m, at)->next;
	return at;
}

void tape_match_done(struct tape_match *m, uint32_t slot, int side)
{
	struct tape_slot *s = tape_match_slot(m, slot);

	if (!s->used)
		return;
	s->done = (uint8_t)(s->done | side);
	if (s->done == 3 && !s->queued)
		free_slot(m, slot);
}

/* Takes a slot that has one side only out of its queue. */
static void remove_from_queue(struct tape_match *m, struct tape_match_entry *e,
			      uint32_t slot)
{
	struct tape_slot *s = tape_match_slot(m, slot);
	uint32_t at = e->head1 - 1, before = TAPE_NO_SLOT;

	while (at != TAPE_NO_SLOT && at != slot) {
		before = at;
		at = tape_match_slot(m, at)->next;
	}
	if (at == TAPE_NO_SLOT)
		return;
	if (before == TAPE_NO_SLOT) {
		pop_queue_head(m, e);
	} else {
		tape_match_slot(m, before)->next = s->next;
		if (e->tail1 == slot + 1)
			e->tail1 = before + 1;
		m->left[s->queued]--;
	}
	free_slot(m, slot);
}

/* Of a slot only the side that was not cancelled is left: first in line. */
static void requeue_first(struct tape_match *m, struct tape_match_entry *e,
			  uint32_t slot, int kept)
{
	struct tape_slot *s = tape_match_slot(m, slot);

	clear_side(m, s, 3 - kept);
	s->queued = (uint8_t)kept;
	s->next = e->head1 - 1; /* 0 becomes TAPE_NO_SLOT */
	if (!e->head1) {
		e->tail1 = slot + 1;
		m->queues.used++;
	}
	e->head1 = slot + 1;
	m->left[kept]++;
}

/* That side of a slot goes to the other side that came next. */
static void move_to_next_slot(struct tape_match *m, struct tape_match_entry *e,
			      uint32_t slot, int kept)
{
	uint32_t to = e->head1 - 1;
	struct tape_slot *next = tape_match_slot(m, to);

	move_side(m, next, tape_match_slot(m, slot), kept);
	pop_queue_head(m, e);
	free_slot(m, slot);
	if (next->done == 3)
		free_slot(m, to);
}

/* The next of the cancelled kind takes the place of that one. */
static void move_from_next_slot(struct tape_match *m,
				struct tape_match_entry *e, uint32_t slot,
				int side)
{
	uint32_t from = e->head1 - 1;

	move_side(m, tape_match_slot(m, slot), tape_match_slot(m, from), side);
	pop_queue_head(m, e);
	free_slot(m, from);
}

static int is_equal_location(const struct tape_where *a,
			     const struct tape_where *b)
{
	return a->rank == b->rank && a->thread == b->thread &&
	       a->event == b->event;
}

void tape_match_cancel(struct tape_match *m, uint32_t slot, int side,
		       const struct tape_where *begun)
{
	struct tape_slot *s = tape_match_slot(m, slot);
	struct tape_match_entry *e = find_entry(m, &s->key);
	int kept = 3 - side;

	if (!s->used ||
	    !is_equal_location(&(*side_pointer(s, side))->begun, begun))
		return;
	if (s->queued == side) {
		if (queued_side(m, e) == side)
			remove_from_queue(m, e, slot);
		return;
	}
	if (s->queued || s->there != 3 || (side == 2 && s->done & 2))
		return;
	if (queued_side(m, e) != side) {
		if (tape_match_entries_reserve(m, &m->queues, QUEUES))
			return;
		requeue_first(m, find_entry(m, &s->key), slot, kept);
	} else if (s->done & kept) {
		move_to_next_slot(m, e, slot, kept);
	} else if (queue_head_slot(m, e)->done & side) {
		move_from_next_slot(m, e, slot, side);
	}
}

void tape_match_left(const struct tape_match *m, uint64_t *sends,
		     uint64_t *recvs)
{
	*sends = m->left[1];
	*recvs = m->left[2];
}

uint32_t tape_match_each(const struct tape_match *m, uint32_t *at)
{
	while (*at < m->n_slots && !tape_match_slot(m, *at)->used)
		++*at;
	return *at < m->n_slots ? (*at)++ : TAPE_NO_SLOT;
}

void tape_match_held(const struct tape_match *m, uint64_t *now, uint64_t *most)
{
	*now = m->held;
	*most = m->most;
}
