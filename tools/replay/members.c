/* Collectives with their members; see members.h. */
#include <stdlib.h>

#include "members.h"
#include "rounds.h"

/* What waits to leave a round. */
struct waiter {
	size_t who;
	const struct tape_request *r;
};

/* With a round; its members follow. */
struct of_round {
	struct waiter *waiters;
	size_t n, room;
	int32_t root;
	uint16_t call;
	uint8_t shape, weak, given;
};

struct tape_members {
	struct tape_rounds *rounds;
	/* rounds that are over; those before at were given out */
	struct tape_round **over;
	size_t at, n, room;
	struct tape_collective_round given;
	size_t *woken, n_woken;
};

static struct of_round *own(const struct tape_round *q)
{
	return q->own;
}

static struct tape_member *member(const struct tape_round *q, int32_t rank)
{
	return (struct tape_member *)(own(q) + 1) + rank;
}

struct tape_members *tape_members_new(size_t flows)
{
	struct tape_members *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->rounds = tape_rounds_new(sizeof(struct of_round),
				    sizeof(struct tape_member));
	m->woken = calloc(flows + 1, sizeof *m->woken);
	if (m->rounds && m->woken)
		return m;
	tape_members_free(m);
	return NULL;
}

/* A round that was given out is not needed any more. */
static void drop(struct tape_members *m, struct tape_round *q)
{
	free(own(q)->waiters);
	own(q)->waiters = NULL;
	q->left = q->known;
	tape_round_leave(m->rounds, q);
}

void tape_members_free(struct tape_members *m)
{
	struct tape_round *q;
	uint64_t at = 0;

	if (!m)
		return;
	while (m->rounds && (q = tape_rounds_each(m->rounds, &at)))
		free(own(q)->waiters);
	tape_rounds_free(m->rounds);
	free(m->over);
	free(m->woken);
	free(m);
}

static struct tape_round *round_of(struct tape_members *m,
				   const struct tape_op *op)
{
	return tape_rounds_get(m->rounds, op->key.comm, op->r->k, op->r->size,
			       op->r->known);
}

static int is_member(const struct tape_round *q, int32_t rank)
{
	return rank >= 0 && rank < q->size;
}

/* Those that need wait no longer. */
static void wake(struct tape_members *m, struct tape_round *q)
{
	struct of_round *o = own(q);
	size_t left = 0;

	for (size_t i = 0; i < o->n; i++)
		if (tape_round_ready(q, o->waiters[i].r))
			m->woken[m->n_woken++] = o->waiters[i].who;
		else
			o->waiters[left++] = o->waiters[i];
	o->n = left;
}

/* Bytes, where the call says how many. */
static void set_bytes(struct tape_member *x, const struct tape_event *e)
{
	if (e->class_ == TAPE_CLASS_COLL) {
		x->sent = e->u.coll.bytes;
		x->received = e->u.coll.rbytes;
	} else if (e->class_ == TAPE_CLASS_ICOLL) {
		x->sent = e->u.icoll.bytes;
		x->received = e->u.icoll.rbytes;
	}
}

static struct tape_where where(const struct tape_op *op,
			       const struct tape_event *e, uint32_t region,
			       uint64_t event)
{
	return (struct tape_where){ .event = event & 0xffffffffffff,
				    .call = e->call, .rank = e->rank,
				    .thread = e->thread, .site = e->site,
				    .comm = op->r->comm, .region = region };
}

int tape_members_enter(struct tape_members *m, const struct tape_op *op,
		       const struct tape_event *e, uint32_t region,
		       uint64_t event)
{
	struct tape_round *q = round_of(m, op);
	struct of_round *o;
	struct tape_member *x;

	if (!q)
		return TAPE_ENOMEM;
	o = own(q);
	if (!tape_round_enter(q, op->r->rank, e->start_ns))
		return 0;
	if (q->entered == 1) {
		o->call = op->r->call;
		o->shape = (uint8_t)op->r->shape;
		o->weak = op->r->weak != 0;
		o->root = op->r->root;
	}
	x = member(q, op->r->rank);
	x->begun = where(op, e, region, event);
	x->begun_ns = e->start_ns;
	set_bytes(x, e);
	if (o->n)
		wake(m, q);
	return 0;
}

int tape_members_wait(struct tape_members *m, const struct tape_op *op,
		      size_t waiter)
{
	struct tape_round *q;
	struct of_round *o;
	struct waiter *more;

	if (op->kind != TAPE_OP_LEAVE || op->r->weak)
		return 0;
	q = round_of(m, op);
	if (!q || tape_round_ready(q, op->r))
		return 0;
	o = own(q);
	if (o->n == o->room) {
		more = realloc(o->waiters, (2 * o->room + 4) * sizeof *more);
		if (!more)
			return 0; /* it goes on, as the timestamps have it */
		o->waiters = more;
		o->room = 2 * o->room + 4;
	}
	o->waiters[o->n++] = (struct waiter){ waiter, op->r };
	return 1;
}

void tape_members_unwait(struct tape_members *m, const struct tape_op *op,
			 size_t waiter)
{
	struct tape_round *q = op->kind == TAPE_OP_LEAVE ? round_of(m, op)
							 : NULL;

	for (size_t i = q ? own(q)->n : 0; i-- > 0;)
		if (own(q)->waiters[i].who == waiter)
			own(q)->waiters[i] = own(q)->waiters[--own(q)->n];
}

int tape_members_woken(struct tape_members *m, size_t *waiter)
{
	if (!m->n_woken)
		return 0;
	*waiter = m->woken[--m->n_woken];
	return 1;
}

static int give(struct tape_members *m, struct tape_round *q)
{
	size_t room = 2 * m->room + 16;
	struct tape_round **more;

	if (own(q)->given)
		return 0;
	own(q)->given = 1;
	if (m->n == m->room) {
		more = realloc(m->over, room * sizeof *more);
		if (!more)
			return TAPE_ENOMEM;
		m->over = more;
		m->room = room;
	}
	m->over[m->n++] = q;
	return 0;
}

int tape_members_leave(struct tape_members *m, const struct tape_op *op,
		       const struct tape_event *e, uint32_t region,
		       uint64_t event)
{
	struct tape_round *q = round_of(m, op);
	struct tape_member *x;

	if (!q)
		return TAPE_ENOMEM;
	if (is_member(q, op->r->rank)) {
		x = member(q, op->r->rank);
		x->ended = where(op, e, region, event);
		x->ended_ns = e->end_ns;
		x->awaited_ns = e->start_ns;
	}
	/* the last one is counted when the round was given out */
	if (q->left + 1 >= q->known)
		return give(m, q);
	q->left++;
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct tape_round *x = *(struct tape_round *const *)a;
	const struct tape_round *y = *(struct tape_round *const *)b;

	if (x->base_ns != y->base_ns)
		return x->base_ns < y->base_ns ? -1 : 1;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->k > y->k) - (x->k < y->k);
}

int tape_members_end(struct tape_members *m)
{
	struct tape_round *q;
	uint64_t at = 0;
	int rc = 0;

	while (!rc && (q = tape_rounds_each(m->rounds, &at)))
		rc = give(m, q);
	if (m->n)
		qsort(m->over, m->n, sizeof *m->over, by_first);
	return rc;
}

const struct tape_collective_round *tape_members_next(struct tape_members *m)
{
	struct tape_collective_round *g = &m->given;
	const struct tape_round *q;

	if (m->at)
		drop(m, m->over[m->at - 1]);
	if (m->at == m->n) {
		m->at = m->n = 0;
		return NULL;
	}
	q = m->over[m->at++];
	*g = (struct tape_collective_round){
		.comm = q->comm, .k = q->k, .size = q->size, .known = q->known,
		.entered = q->entered, .left = q->left,
		.call = own(q)->call, .root = own(q)->root,
		.shape = (enum tape_shape)own(q)->shape,
		.weak = own(q)->weak, .member = member(q, 0) };
	for (int32_t i = g->left = 0; i < q->size; i++)
		g->left += member(q, i)->ended.event != 0;
	return g;
}
