/* Collectives with their members; see members.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_bits.h"
#include "members.h"
#include "rounds.h"
#include "sort.h"

/* What waits to leave a round. */
struct waiter {
	size_t who;
	const struct tape_request *r;
};

/* With a round; its members follow. */
struct of_round {
	struct waiter *waiters;
	size_t n, room;
	int32_t root, first;
	uint16_t call;
	uint8_t shape, given;
	/* by the ideal clock: when the latest member entered so far, and the
	 * latest of the members before scanned */
	struct tape_ideal_time latest_ideal, prefix_ideal;
	int64_t scanned;
};

/* What a member did, for the owner of its collective. */
enum { ENTERS = 1, LEAVES = 2 };
struct seen {
	uint64_t comm, k;
	int64_t begun_ns, ended_ns, awaited_ns;
	uint64_t sent, received;
	uint64_t event; /* that it entered by, or left by */
	int32_t size, known, rank, root;
	uint32_t flow, site;
	uint16_t call, by; /* of the collective; of the event */
	uint8_t shape, what, pad[2];
};
_Static_assert(sizeof(struct seen) == TAPE_MEMBER_BYTES, "see members.h");

struct tape_members {
	const struct tape_trace *t;
	struct tape_peers *peers;
	struct tape_ideal_clock *ideal; /* or NULL */
	signed char **away; /* by rank and communicator; 0: not known yet */
	struct tape_rounds *rounds;
	/* rounds that are over; those before at were given out */
	struct tape_round **over;
	size_t at, n, room;
	struct tape_collective_round given;
	size_t *woken, n_woken;
};

static struct of_round *round_data(const struct tape_round *q)
{
	return q->own;
}

static struct tape_member *round_member(const struct tape_round *q,
					int32_t rank)
{
	return (struct tape_member *)(round_data(q) + 1) + rank;
}

struct tape_members *tape_members_new(const struct tape_trace *t,
				      struct tape_peers *peers)
{
	struct tape_members *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->rounds = tape_rounds_new(sizeof(struct of_round),
				    sizeof(struct tape_member));
	m->woken = calloc(tape_trace_flows(t) + 1, sizeof *m->woken);
	m->t = t;
	m->peers = peers;
	m->away = calloc(tape_trace_ranks(t) + 1, sizeof *m->away);
	if (m->rounds && m->woken && m->away)
		return m;
	tape_members_free(m);
	return NULL;
}

/* A round that was given out is not needed any more. */
static void release_round(struct tape_members *m, struct tape_round *q)
{
	free(round_data(q)->waiters);
	round_data(q)->waiters = NULL;
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
		free(round_data(q)->waiters);
	tape_rounds_free(m->rounds);
	for (size_t i = 0; m->away && i < tape_trace_ranks(m->t); i++)
		free(m->away[i]);
	free(m->away);
	free(m->over);
	free(m->woken);
	free(m);
}

static struct tape_round *get_round_of_op(struct tape_members *m,
					  const struct tape_op *op)
{
	return tape_rounds_get(m->rounds, op->key.comm, op->r->k, op->r->size,
			       op->r->known);
}

static struct tape_round *get_round_of_record(struct tape_members *m,
					      const struct seen *a)
{
	return tape_rounds_get(m->rounds, a->comm, a->k, a->size, a->known);
}

static int is_member(const struct tape_round *q, int32_t rank)
{
	return rank >= 0 && rank < q->size;
}

/* Those that need wait no longer. */
static void wake_round_waiters(struct tape_members *m, struct tape_round *q)
{
	struct of_round *o = round_data(q);
	size_t left = 0;

	for (size_t i = 0; i < o->n; i++)
		if (tape_round_ready(q, o->waiters[i].r))
			m->woken[m->n_woken++] = o->waiters[i].who;
		else
			o->waiters[left++] = o->waiters[i];
	o->n = left;
}

/* Bytes, where the call says how many. */
static void set_bytes(struct seen *a, const struct tape_event *e)
{
	if (e->class_ == TAPE_CLASS_COLL) {
		a->sent = e->u.coll.bytes;
		a->received = e->u.coll.rbytes;
	} else if (e->class_ == TAPE_CLASS_ICOLL) {
		a->sent = e->u.icoll.bytes;
		a->received = e->u.icoll.rbytes;
	}
}

static struct seen make_member_record(const struct tape_op *op,
				      const struct tape_event *e,
				      uint64_t event, int what)
{
	const struct tape_request *r = op->r;
	struct seen a = {.comm = op->key.comm,
			 .k = r->k,
			 .begun_ns = e->start_ns,
			 .ended_ns = e->end_ns,
			 .awaited_ns = e->start_ns,
			 .event = event & 0xffffffffffff,
			 .size = r->size,
			 .known = r->known,
			 .rank = r->rank,
			 .root = r->root,
			 .flow = e->flow,
			 .site = e->site,
			 .call = r->call,
			 .by = e->call,
			 .shape = (uint8_t)r->shape,
			 .what = (uint8_t)what};

	if (what & ENTERS)
		set_bytes(&a, e);
	return a;
}

/* Has the communicator members that others own? Of PVM's that is not known. */
static int has_remote_members(struct tape_members *m, int rank, uint32_t comm)
{
	const struct tape_rank_info *r = tape_trace_rank(m->t, rank);
	const struct tape_comm_info *c = &r->comms[comm];
	signed char *known;
	int away = r->tid != 0;

	if (!m->away[rank])
		m->away[rank] = calloc(r->n_comms + 1, 1);
	known = m->away[rank];
	if (known && known[comm])
		return known[comm] > 0;
	for (int i = 0; !away && i < c->size; i++)
		away = c->members[i] >= 0 &&
		       !tape_peers_owns_rank(m->peers, c->members[i]);
	for (int i = 0; !away && c->side >= 0 && i < c->own_size; i++)
		away = c->own[i] >= 0 &&
		       !tape_peers_owns_rank(m->peers, c->own[i]);
	if (known)
		known[comm] = away ? 1 : -1;
	return away;
}

/* The process that has the collective; they have one after the other. */
static int find_round_owner(struct tape_members *m, const struct tape_op *op,
			    int rank)
{
	uint64_t n = (tape_spread_bits(op->key.comm) >> 32) + op->r->k;

	if (!m->peers || !has_remote_members(m, rank, op->r->comm))
		return -1;
	n %= (uint64_t)m->peers->n;
	return (int)n == m->peers->me ? -1 : (int)n;
}

static struct tape_where make_location(const struct tape_op *op,
				       const struct tape_event *e,
				       uint32_t region, uint64_t event)
{
	return (struct tape_where){ .event = event & 0xffffffffffff,
				    .call = e->call, .rank = e->rank,
				    .thread = e->thread, .site = e->site,
				    .comm = op->r->comm,
				    .region = region & TAPE_REGION_MOST };
}

/* 1: it had not entered before. */
static int record_entry(struct tape_members *m, struct tape_round *q,
			const struct seen *a, struct tape_where w)
{
	struct of_round *o = round_data(q);
	struct tape_member *x;

	if (!tape_round_enter(q, a->rank, a->begun_ns))
		return 0;
	/* the first of its members tells for all, whoever came first; of two
	 * groups one side only knows the root */
	if (q->entered == 1 || a->rank < o->first) {
		o->first = a->rank;
		o->call = a->call;
		o->shape = a->shape;
	}
	if (q->entered == 1 || a->root > o->root)
		o->root = a->root;
	x = round_member(q, a->rank);
	x->begun = w;
	x->begun_ns = a->begun_ns;
	x->sent = a->sent;
	x->received = a->received;
	if (m->ideal) {
		x->ideal = tape_ideal_turn(m->ideal);
		o->latest_ideal =
		    q->entered == 1
			? x->ideal
			: tape_ideal_later(o->latest_ideal, x->ideal);
	}
	if (o->n)
		wake_round_waiters(m, q);
	return 0;
}

int tape_members_enter(struct tape_members *m, const struct tape_op *op,
		       const struct tape_event *e, uint32_t region,
		       uint64_t event)
{
	struct seen a = make_member_record(op, e, event, ENTERS);
	int owner = find_round_owner(m, op, e->rank);
	struct tape_round *q;

	/* of a blocking one all is said when it is left */
	if (owner >= 0)
		return op->blocking
			   ? 0
			   : tape_peers_put(m->peers, owner, TAPE_PEERS_MEMBER,
					    &a, sizeof a);
	q = get_round_of_op(m, op);
	return q ? record_entry(m, q, &a, make_location(op, e, region, event))
		 : TAPE_ENOMEM;
}

void tape_members_set_ideal(struct tape_members *m, struct tape_ideal_clock *c)
{
	m->ideal = c;
}

static struct tape_ideal_time ideal_entry(const struct tape_round *q,
					  int32_t rank)
{
	return is_member(q, rank) && q->start_ns[rank] != INT64_MIN
		   ? round_member(q, rank)->ideal
		   : tape_ideal_no_time;
}

/* When the members up to rank have entered: each is looked at once. */
static struct tape_ideal_time ideal_prefix(struct tape_round *q, int32_t rank)
{
	struct of_round *o = round_data(q);

	for (; o->scanned <= rank && o->scanned < q->size; o->scanned++) {
		struct tape_ideal_time t = ideal_entry(q, (int32_t)o->scanned);

		if (isnan(t.ns))
			break;
		o->prefix_ideal =
		    o->scanned ? tape_ideal_later(o->prefix_ideal, t) : t;
	}
	return o->scanned ? o->prefix_ideal : tape_ideal_no_time;
}

/* When the member may leave by the ideal clock; NAN: at once. */
static struct tape_ideal_time ideal_exit(struct tape_round *q,
					 const struct tape_request *r)
{
	struct tape_ideal_time t = tape_ideal_no_time;

	switch (r->shape) {
	case TAPE_SHAPE_FROM:
		return ideal_entry(q, r->root);
	case TAPE_SHAPE_TO:
		return r->root == r->rank ? round_data(q)->latest_ideal
					  : tape_ideal_no_time;
	case TAPE_SHAPE_SCAN:
		return ideal_prefix(q, r->rank);
	case TAPE_SHAPE_NEAR:
		for (size_t i = 0; i < r->n_sources; i++)
			t = tape_ideal_later(t, ideal_entry(q, r->sources[i]));
		return t;
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_ALL:
		break;
	}
	return q->entered ? round_data(q)->latest_ideal : tape_ideal_no_time;
}

int tape_members_wait(struct tape_members *m, const struct tape_op *op,
		      size_t waiter)
{
	struct tape_round *q;
	struct of_round *o;
	struct waiter *more;

	if (op->kind != TAPE_OP_LEAVE || op->r->weak)
		return 0;
	q = get_round_of_op(m, op);
	if (!q || tape_round_ready(q, op->r))
		return 0;
	o = round_data(q);
	more = tape_grow_array(o->waiters, &o->room, o->n + 1, sizeof *more);
	if (!more)
		return 0; /* it goes on, as the timestamps have it */
	o->waiters = more;
	o->waiters[o->n++] = (struct waiter){ waiter, op->r };
	return 1;
}

void tape_members_unwait(struct tape_members *m, const struct tape_op *op,
			 size_t waiter)
{
	struct tape_round *q =
	    op->kind == TAPE_OP_LEAVE ? get_round_of_op(m, op) : NULL;

	for (size_t i = q ? round_data(q)->n : 0; i-- > 0;)
		if (round_data(q)->waiters[i].who == waiter)
			round_data(q)->waiters[i] =
			    round_data(q)->waiters[--round_data(q)->n];
}

int tape_members_woken(struct tape_members *m, size_t *waiter)
{
	if (!m->n_woken)
		return 0;
	*waiter = m->woken[--m->n_woken];
	return 1;
}

static int deliver_round(struct tape_members *m, struct tape_round *q)
{
	struct tape_round **more;

	if (round_data(q)->given)
		return 0;
	round_data(q)->given = 1;
	more = tape_grow_array(m->over, &m->room, m->n + 1, sizeof *more);
	if (!more)
		return TAPE_ENOMEM;
	m->over = more;
	m->over[m->n++] = q;
	return 0;
}

static int record_exit(struct tape_members *m, struct tape_round *q,
		       const struct seen *a, struct tape_where w)
{
	struct tape_member *x;

	if (is_member(q, a->rank)) {
		x = round_member(q, a->rank);
		x->ended = w;
		x->ended_ns = a->ended_ns;
		x->awaited_ns = a->awaited_ns;
	}
	/* the last one is counted when the round was given out */
	if (q->left + 1 >= q->known)
		return deliver_round(m, q);
	q->left++;
	return 0;
}

int tape_members_leave(struct tape_members *m, const struct tape_op *op,
		       const struct tape_event *e, uint32_t region,
		       uint64_t event, int at_once)
{
	struct seen a = make_member_record(op, e, event,
					   at_once ? ENTERS | LEAVES : LEAVES);
	int owner = find_round_owner(m, op, e->rank);
	struct tape_round *q;

	if (owner >= 0)
		return tape_peers_put(m->peers, owner, TAPE_PEERS_MEMBER, &a,
				      sizeof a);
	q = get_round_of_op(m, op);
	if (!q)
		return TAPE_ENOMEM;
	if (m->ideal)
		tape_ideal_wait(m->ideal, ideal_exit(q, op->r));
	return record_exit(m, q, &a, make_location(op, e, region, event));
}

int tape_members_arrive(struct tape_members *m, const void *record)
{
	const struct tape_flow_info *f;
	struct tape_where w;
	struct tape_round *q;
	struct seen a;
	int rc = 0;

	memcpy(&a, record, sizeof a);
	f = tape_trace_flow(m->t, a.flow);
	w = (struct tape_where){.event = a.event & 0xffffffffffff,
				.call = a.by,
				.rank = f->rank,
				.thread = f->thread,
				.site = a.site};
	q = get_round_of_record(m, &a);
	if (!q)
		return TAPE_ENOMEM;
	if (a.what & ENTERS)
		rc = record_entry(m, q, &a, w);
	if (!rc && a.what & LEAVES)
		rc = record_exit(m, q, &a, w);
	return rc;
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
		rc = deliver_round(m, q);
	if (m->n)
		tape_sort(m->over, m->n, sizeof *m->over, by_first);
	return rc;
}

const struct tape_collective_round *tape_members_next(struct tape_members *m)
{
	struct tape_collective_round *g = &m->given;
	const struct tape_round *q;

	if (m->at)
		release_round(m, m->over[m->at - 1]);
	if (m->at == m->n) {
		m->at = m->n = 0;
		return NULL;
	}
	q = m->over[m->at++];
	*g = (struct tape_collective_round){
	    .comm = q->comm,
	    .k = q->k,
	    .size = q->size,
	    .known = q->known,
	    .entered = q->entered,
	    .left = q->left,
	    .call = round_data(q)->call,
	    .root = round_data(q)->root,
	    .shape = (enum tape_shape)round_data(q)->shape,
	    .member = round_member(q, 0)};
	for (int32_t i = g->left = 0; i < q->size; i++)
		g->left += round_member(q, i)->ended.event != 0;
	return g;
}

void tape_members_in_progress(const struct tape_members *m,
			      void (*f)(void *own,
					const struct tape_where *begun,
					const struct tape_match_key *key),
			      void *own_)
{
	const struct tape_round *q;
	uint64_t at = 0;

	while ((q = tape_rounds_each(m->rounds, &at)))
		for (int32_t i = 0; q->left < q->known && i < q->size; i++)
			if (round_member(q, i)->begun.event)
				f(own_, &round_member(q, i)->begun, NULL);
}
