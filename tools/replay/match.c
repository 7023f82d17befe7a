/* Message matching; see match.h. A hash table with linear probing. */
#include <stdlib.h>
#include <string.h>

#include "match.h"

struct entry {
	struct tape_match_key key;
	uint32_t head, tail; /* queue of slots that lack one side */
	uint8_t side;        /* which side these have: 0 free entry */
};

/* Odd factors tell the fields apart; what is taken of it is the upper half. */
static inline uint64_t hash(const struct tape_match_key *k)
{
	uint64_t ranks = (uint64_t)(uint32_t)k->src << 32 | (uint32_t)k->dst;
	uint64_t tag = (uint64_t)(uint32_t)k->tag << 2 ^ (uint64_t)k->way;
	uint64_t h =
	    k->comm ^ ranks * 0xd6e8feb86659fd93u ^ tag * 0x9e3779b97f4a7c15u;

	return ((h ^ h >> 32) * 0xd6e8feb86659fd93u) >> 32;
}

static inline int same(const struct tape_match_key *a,
		       const struct tape_match_key *b)
{
	return a->comm == b->comm && a->src == b->src && a->dst == b->dst &&
	       a->tag == b->tag && a->way == b->way;
}

struct tape_match *tape_match_new(size_t own)
{
	struct tape_match *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->own = own;
	m->stride = sizeof(struct tape_slot) + 2 * own;
	m->mask = 1023;
	m->free = TAPE_NO_SLOT;
	m->table = calloc(m->mask + 1, sizeof *m->table);
	if (!m->table) {
		free(m);
		return NULL;
	}
	return m;
}

void tape_match_free(struct tape_match *m)
{
	if (!m)
		return;
	free(m->table);
	free(m->slots);
	free(m);
}

static inline struct entry *find_entry(struct tape_match *m,
				       const struct tape_match_key *k)
{
	uint64_t i = hash(k) & m->mask;

	while (m->table[i].side && !same(&m->table[i].key, k))
		i = (i + 1) & m->mask;
	return &m->table[i];
}

static int grow_table(struct tape_match *m)
{
	uint64_t n = m->mask + 1;
	struct entry *old = m->table;

	m->table = calloc(2 * n, sizeof *m->table);
	if (!m->table) {
		m->table = old;
		return -1;
	}
	m->mask = 2 * n - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i].side)
			*find_entry(m, &old[i].key) = old[i];
	free(old);
	return 0;
}

static void forget(struct tape_match *m, struct entry *e)
{
	uint64_t hole = (uint64_t)(e - m->table), i = hole;

	for (;;) {
		i = (i + 1) & m->mask;
		if (!m->table[i].side)
			break;
		if (((i - hash(&m->table[i].key)) & m->mask) >=
		    ((i - hole) & m->mask)) {
			m->table[hole] = m->table[i];
			hole = i;
		}
	}
	m->table[hole].side = 0;
	m->used--;
}

/* The tool's own of a side. */
static inline char *own_of(const struct tape_match *m, struct tape_slot *s,
			   int side)
{
	return (char *)(s + 1) + (side == 1 ? 0 : m->own);
}

static struct tape_match_side *side_of(struct tape_slot *s, int side)
{
	return side == 1 ? &s->send : &s->recv;
}

static void move_side(const struct tape_match *m, struct tape_slot *to,
		      struct tape_slot *from, int side)
{
	*side_of(to, side) = *side_of(from, side);
	memcpy(own_of(m, to, side), own_of(m, from, side), m->own);
}

/* One instruction of it all, as gcc has it, takes long to begin. */
static inline void clear(const struct tape_match *m, struct tape_slot *s)
{
	memset(&s->send, 0, sizeof s->send);
	memset(&s->recv, 0, sizeof s->recv);
	s->end_event = s->end_call = 0;
	s->end_ns = 0;
	s->end_thread = 0;
	s->end_site = 0;
	s->queued = 0;
	memset(s + 1, 0, 2 * m->own);
}

/* More slots. */
static int more(struct tape_match *m)
{
	uint32_t n = m->n_slots ? 2 * m->n_slots : 1024;
	char *p;

	if (n >= TAPE_NO_SLOT / 2 || !(p = realloc(m->slots, n * m->stride)))
		return -1;
	m->slots = p;
	for (uint32_t i = n; i-- > m->n_slots;) {
		tape_match_slot(m, i)->next = m->free;
		tape_match_slot(m, i)->used = 0;
		m->free = i;
	}
	m->n_slots = n;
	return 0;
}

static uint32_t new_slot(struct tape_match *m, const struct tape_match_key *k)
{
	struct tape_slot *s;
	uint32_t at;

	if (m->free == TAPE_NO_SLOT && more(m))
		return TAPE_NO_SLOT;
	at = m->free;
	s = tape_match_slot(m, at);
	m->free = s->next;
	clear(m, s);
	s->key = *k;
	s->next = TAPE_NO_SLOT;
	s->used = 1;
	if (++m->held > m->most)
		m->most = m->held;
	return at;
}

static void let_free(struct tape_match *m, uint32_t slot)
{
	tape_match_slot(m, slot)->used = 0;
	tape_match_slot(m, slot)->next = m->free;
	m->free = slot;
	m->held--;
}

/* side 1: a send comes, side 2: a receive. */
static uint32_t come(struct tape_match *m, const struct tape_match_key *k,
		     uint8_t side)
{
	struct entry *e;
	uint32_t s;

	if (2 * m->used > m->mask && grow_table(m))
		return TAPE_NO_SLOT;
	e = find_entry(m, k);
	if (e->side && e->side != side) {
		/* the other side was waiting */
		s = e->head;
		e->head = tape_match_slot(m, s)->next;
		tape_match_slot(m, s)->next = TAPE_NO_SLOT;
		tape_match_slot(m, s)->queued = 0;
		m->left[e->side]--;
		if (e->head == TAPE_NO_SLOT)
			forget(m, e);
	} else {
		s = new_slot(m, k);
		if (s == TAPE_NO_SLOT)
			return s;
		if (!e->side) {
			e->key = *k;
			e->side = side;
			e->head = s;
			m->used++;
		} else {
			tape_match_slot(m, e->tail)->next = s;
		}
		e->tail = s;
		tape_match_slot(m, s)->queued = side;
		m->left[side]++;
	}
	if (side == 1)
		tape_match_slot(m, s)->send.there = 1;
	else
		tape_match_slot(m, s)->recv.there = 1;
	return s;
}

uint32_t tape_match_send(struct tape_match *m, const struct tape_match_key *k)
{
	return come(m, k, 1);
}

uint32_t tape_match_post(struct tape_match *m, const struct tape_match_key *k)
{
	return come(m, k, 2);
}

uint32_t tape_match_peek(struct tape_match *m, const struct tape_match_key *k)
{
	struct entry *e = find_entry(m, k);

	return e->side == 1 ? e->head : TAPE_NO_SLOT;
}

uint32_t tape_match_waiting(struct tape_match *m,
			    const struct tape_match_key *k, size_t nth)
{
	const struct entry *e = find_entry(m, k);
	uint32_t at = e->side == 2 ? e->head : TAPE_NO_SLOT;

	while (nth-- && at != TAPE_NO_SLOT)
		at = tape_match_slot(m, at)->next;
	return at;
}

void tape_match_done(struct tape_match *m, uint32_t slot, int side)
{
	struct tape_slot *s = tape_match_slot(m, slot);

	if (!s->used)
		return;
	if (side == 1)
		s->send.done = 1;
	else
		s->recv.done = 1;
	if (s->send.done && s->recv.done && !s->queued)
		let_free(m, slot);
}

/* Takes a slot that has one side only out of its queue. */
static void unqueue(struct tape_match *m, struct entry *e, uint32_t slot)
{
	uint32_t *at, last = TAPE_NO_SLOT;

	for (at = &e->head; *at != TAPE_NO_SLOT && *at != slot;
	     at = &tape_match_slot(m, *at)->next)
		last = *at;
	if (*at == TAPE_NO_SLOT)
		return;
	*at = tape_match_slot(m, slot)->next;
	if (e->tail == slot)
		e->tail = last;
	m->left[e->side]--;
	if (e->head == TAPE_NO_SLOT)
		forget(m, e);
	let_free(m, slot);
}

/* Of a slot only the side that was not cancelled is left: first in line. */
static void first_again(struct tape_match *m, struct entry *e, uint32_t slot,
			int kept)
{
	struct tape_slot *s = tape_match_slot(m, slot);
	struct tape_match_side *gone = side_of(s, 3 - kept);

	memset(gone, 0, sizeof *gone);
	memset(own_of(m, s, 3 - kept), 0, m->own);
	s->queued = (uint8_t)kept;
	s->next = e->side ? e->head : TAPE_NO_SLOT;
	if (!e->side) {
		e->key = s->key;
		e->side = (uint8_t)kept;
		e->tail = slot;
		m->used++;
	}
	e->head = slot;
	m->left[kept]++;
}

/* That side of a slot goes to the other side that came next. */
static void to_next(struct tape_match *m, struct entry *e, uint32_t slot,
		    int kept)
{
	uint32_t to = e->head;
	struct tape_slot *next = tape_match_slot(m, to);

	move_side(m, next, tape_match_slot(m, slot), kept);
	next->queued = 0;
	m->left[e->side]--;
	e->head = next->next;
	next->next = TAPE_NO_SLOT;
	if (e->head == TAPE_NO_SLOT)
		forget(m, e);
	let_free(m, slot);
	if (next->send.done && next->recv.done)
		let_free(m, to);
}

/* The next of the cancelled kind takes the place of that one. */
static void from_next(struct tape_match *m, struct entry *e, uint32_t slot,
		      int side)
{
	uint32_t from = e->head;

	move_side(m, tape_match_slot(m, slot), tape_match_slot(m, from), side);
	m->left[e->side]--;
	e->head = tape_match_slot(m, from)->next;
	if (e->head == TAPE_NO_SLOT)
		forget(m, e);
	let_free(m, from);
}

static int same_place(const struct tape_where *a, const struct tape_where *b)
{
	return a->rank == b->rank && a->thread == b->thread &&
	       a->event == b->event;
}

void tape_match_cancel(struct tape_match *m, uint32_t slot, int side,
		       const struct tape_where *begun)
{
	struct tape_slot *s = tape_match_slot(m, slot);
	struct entry *e = find_entry(m, &s->key);
	int kept = 3 - side;

	if (!s->used || !same_place(&side_of(s, side)->begun, begun))
		return;
	if (s->queued == side) {
		if (e->side == side)
			unqueue(m, e, slot);
		return;
	}
	if (s->queued || !s->send.there || !s->recv.there ||
	    (side == 2 && s->recv.done))
		return;
	if (e->side != side) {
		if (2 * m->used > m->mask && grow_table(m))
			return;
		first_again(m, find_entry(m, &s->key), slot, kept);
	} else if (side_of(s, kept)->done) {
		to_next(m, e, slot, kept);
	} else if (side_of(tape_match_slot(m, e->head), side)->done) {
		from_next(m, e, slot, side);
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
