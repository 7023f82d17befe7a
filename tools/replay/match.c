/* Message matching; see match.h. Hash tables with linear probing. */
#include <stdlib.h>
#include <string.h>

#include "match.h"

struct entry {
	struct tape_match_key key;
	uint32_t head, tail; /* queue of slots that lack one side */
	uint8_t side;        /* which side these have: 0 free entry */
};

static uint64_t mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 29;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

/* Odd factors tell the fields apart; what is taken of it is the upper half. */
static inline uint64_t hash(const struct tape_match_key *k)
{
	uint64_t ranks = (uint64_t)(uint32_t)k->src << 32 | (uint32_t)k->dst;
	uint64_t tag = (uint64_t)(uint32_t)k->tag << 2 ^ (uint64_t)k->way;
	uint64_t h = k->comm ^ ranks * 0xd6e8feb86659fd93u ^
		     tag * 0x9e3779b97f4a7c15u;

	return ((h ^ h >> 32) * 0xd6e8feb86659fd93u) >> 32;
}

static inline int same(const struct tape_match_key *a, const struct tape_match_key *b)
{
	return a->comm == b->comm && a->src == b->src && a->dst == b->dst &&
	       a->tag == b->tag && a->way == b->way;
}

struct tape_match *tape_match_new(void)
{
	struct tape_match *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
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

static inline struct entry *find(struct tape_match *m, const struct tape_match_key *k)
{
	uint64_t i = hash(k) & m->mask;

	while (m->table[i].side && !same(&m->table[i].key, k))
		i = (i + 1) & m->mask;
	return &m->table[i];
}

static int grow(struct tape_match *m)
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
			*find(m, &old[i].key) = old[i];
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

/* One instruction of it all, as gcc has it, takes long to begin. */
static inline void clear(struct tape_slot *s)
{
	memset(&s->send, 0, sizeof s->send);
	memset(&s->recv, 0, sizeof s->recv);
	s->end_event = s->end_call = 0;
	s->end_ns = 0;
	s->end_thread = 0;
	s->end_site = 0;
	s->queued = 0;
}

static uint32_t new_slot(struct tape_match *m, const struct tape_match_key *k)
{
	uint32_t s = m->free;

	if (s == TAPE_NO_SLOT) {
		uint32_t n = m->n_slots ? 2 * m->n_slots : 1024;
		struct tape_slot *p;

		if (n >= TAPE_NO_SLOT / 2 ||
		    !(p = realloc(m->slots, n * sizeof *p)))
			return TAPE_NO_SLOT;
		m->slots = p;
		for (uint32_t i = n; i-- > m->n_slots;) {
			p[i].next = m->free;
			p[i].used = 0;
			m->free = i;
		}
		m->n_slots = n;
		s = m->free;
	}
	m->free = m->slots[s].next;
	clear(&m->slots[s]);
	m->slots[s].key = *k;
	m->slots[s].send.flow = m->slots[s].recv.flow = -1;
	m->slots[s].next = m->slots[s].flight = TAPE_NO_SLOT;
	m->slots[s].used = 1;
	if (++m->held > m->most)
		m->most = m->held;
	return s;
}

static void let_free(struct tape_match *m, uint32_t slot)
{
	m->slots[slot].used = 0;
	m->slots[slot].next = m->free;
	m->free = slot;
	m->held--;
}

/* side 1: a send comes, side 2: a receive. */
static uint32_t come(struct tape_match *m, const struct tape_match_key *k,
		     uint8_t side)
{
	struct entry *e;
	uint32_t s;

	if (2 * m->used > m->mask && grow(m))
		return TAPE_NO_SLOT;
	e = find(m, k);
	if (e->side && e->side != side) {
		/* the other side was waiting */
		s = e->head;
		e->head = m->slots[s].next;
		m->slots[s].next = TAPE_NO_SLOT;
		m->slots[s].queued = 0;
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
			m->slots[e->tail].next = s;
		}
		e->tail = s;
		m->slots[s].queued = side;
		m->left[side]++;
	}
	if (side == 1)
		m->slots[s].send.there = 1;
	else
		m->slots[s].recv.there = 1;
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
	struct entry *e = find(m, k);

	return e->side == 1 ? e->head : TAPE_NO_SLOT;
}

void tape_match_done(struct tape_match *m, uint32_t slot, int side)
{
	struct tape_slot *s = &m->slots[slot];

	if (!s->used)
		return;
	if (side == 1)
		s->send.done = 1;
	else
		s->recv.done = 1;
	if (s->send.done && s->recv.done && !s->queued)
		let_free(m, slot);
}

static struct tape_match_side *side_of(struct tape_slot *s, int side)
{
	return side == 1 ? &s->send : &s->recv;
}

/* Takes a slot that has one side only out of its queue. */
static void unqueue(struct tape_match *m, struct entry *e, uint32_t slot)
{
	uint32_t *at, last = TAPE_NO_SLOT;

	for (at = &e->head; *at != TAPE_NO_SLOT && *at != slot;
	     at = &m->slots[*at].next)
		last = *at;
	if (*at == TAPE_NO_SLOT)
		return;
	*at = m->slots[slot].next;
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
	struct tape_slot *s = &m->slots[slot];
	struct tape_match_side *gone = side_of(s, 3 - kept);

	memset(gone, 0, sizeof *gone);
	gone->flow = -1;
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
	struct tape_slot *next = &m->slots[to];

	*side_of(next, kept) = *side_of(&m->slots[slot], kept);
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

	*side_of(&m->slots[slot], side) = *side_of(&m->slots[from], side);
	m->left[e->side]--;
	e->head = m->slots[from].next;
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
	struct tape_slot *s = &m->slots[slot];
	struct entry *e = find(m, &s->key);
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
		if (2 * m->used > m->mask && grow(m))
			return;
		first_again(m, find(m, &s->key), slot, kept);
	} else if (side_of(s, kept)->done) {
		to_next(m, e, slot, kept);
	} else if (side_of(&m->slots[e->head], side)->done) {
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
	while (*at < m->n_slots && !m->slots[*at].used)
		++*at;
	return *at < m->n_slots ? (*at)++ : TAPE_NO_SLOT;
}

void tape_match_held(const struct tape_match *m, uint64_t *now, uint64_t *most)
{
	*now = m->held;
	*most = m->most;
}

/* ---- collectives ---- */

struct tape_rounds {
	struct tape_round **table;
	uint64_t mask, used;
};

struct tape_rounds *tape_rounds_new(void)
{
	struct tape_rounds *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->mask = 255;
	r->table = calloc(r->mask + 1, sizeof *r->table);
	if (!r->table) {
		free(r);
		return NULL;
	}
	return r;
}

static void free_round(struct tape_round *q)
{
	if (!q)
		return;
	free(q->start_ns);
	free(q->p);
	free(q->own);
	free(q->exits);
	free(q);
}

void tape_rounds_free(struct tape_rounds *r)
{
	if (!r)
		return;
	for (uint64_t i = 0; i <= r->mask; i++)
		free_round(r->table[i]);
	free(r->table);
	free(r);
}

static uint64_t place(const struct tape_rounds *r, uint64_t comm, uint64_t k)
{
	return mix(comm ^ mix(k)) & r->mask;
}

static struct tape_round **find_round(struct tape_rounds *r, uint64_t comm,
				      uint64_t k)
{
	uint64_t i = place(r, comm, k);

	while (r->table[i] && (r->table[i]->comm != comm || r->table[i]->k != k))
		i = (i + 1) & r->mask;
	return &r->table[i];
}

static int grow_rounds(struct tape_rounds *r)
{
	struct tape_round **old = r->table;
	uint64_t n = r->mask + 1;

	r->table = calloc(2 * n, sizeof *r->table);
	if (!r->table) {
		r->table = old;
		return -1;
	}
	r->mask = 2 * n - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i])
			*find_round(r, old[i]->comm, old[i]->k) = old[i];
	free(old);
	return 0;
}

struct tape_round *tape_rounds_get(struct tape_rounds *r, uint64_t comm,
				   uint64_t k, int32_t size, int32_t known)
{
	struct tape_round **at, *q;

	if (2 * r->used > r->mask && grow_rounds(r))
		return NULL;
	at = find_round(r, comm, k);
	if (*at)
		return *at;
	q = calloc(1, sizeof *q);
	if (!q || size < 1)
		goto fail;
	q->comm = comm;
	q->k = k;
	q->size = size;
	q->known = known < 1 ? 1 : known < size ? known : size;
	q->start_ns = malloc(2 * (size_t)size * sizeof *q->start_ns);
	q->p = calloc((size_t)size, sizeof *q->p);
	q->own = calloc((size_t)size, sizeof *q->own);
	if (!q->start_ns || !q->p || !q->own)
		goto fail;
	for (int32_t i = 0; i < size; i++)
		q->start_ns[i] = INT64_MIN;
	q->written_ns = q->start_ns + size;
	q->latest_written_ns = INT64_MIN;
	*at = q;
	r->used++;
	return q;
fail:
	free_round(q);
	return NULL;
}

void tape_round_enter(struct tape_round *q, int32_t rank, int64_t start_ns,
		      int64_t written_ns, const struct tape_delay *p)
{
	struct tape_delay *ta = &q->latest_ta;
	double at;

	if (rank < 0 || rank >= q->size || q->start_ns[rank] != INT64_MIN)
		return;
	if (!q->entered++) {
		q->base_ns = q->latest_ns = start_ns;
		*ta = (struct tape_delay){ -p->p, -p->lo, -p->hi };
	}
	q->start_ns[rank] = start_ns;
	q->written_ns[rank] = written_ns;
	if (written_ns > q->latest_written_ns)
		q->latest_written_ns = written_ns;
	q->p[rank] = *p;
	if (start_ns >= q->latest_ns) {
		q->latest_ns = start_ns;
		q->latest = rank;
	}
	at = (double)(start_ns - q->base_ns);
	ta->p = tape_max(ta->p, at - p->p);
	ta->lo = tape_max(ta->lo, at - p->lo);
	ta->hi = tape_max(ta->hi, at - p->hi);
}

void tape_round_leave(struct tape_rounds *r, struct tape_round *q)
{
	uint64_t hole, i;

	if (++q->left < q->known)
		return;
	hole = (uint64_t)(find_round(r, q->comm, q->k) - r->table);
	for (i = hole;;) {
		i = (i + 1) & r->mask;
		if (!r->table[i])
			break;
		if (((i - place(r, r->table[i]->comm, r->table[i]->k)) &
		     r->mask) >= ((i - hole) & r->mask)) {
			r->table[hole] = r->table[i];
			hole = i;
		}
	}
	r->table[hole] = NULL;
	r->used--;
	free_round(q);
}

uint64_t tape_rounds_left(const struct tape_rounds *r)
{
	return r->used;
}
