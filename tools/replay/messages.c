/*
 * Operations of all flows (ops.h) go through the matching (match.h); what is
 * complete waits in a list until it is asked for. See messages.h.
 */
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "place.h"
#include "ops.h"

/* Of what is pending: its slot plus 1, 0: none yet. */
struct place {
	uint64_t slot;
};

/* Of the receive in a slot: nothing more will be known of it. */
struct receive {
	uint64_t over;
};

static struct place *place_of(const struct tape_op *op)
{
	return (struct place *)(op->r + 1);
}

static uint32_t slot_of(const struct tape_op *op)
{
	return (uint32_t)place_of(op)->slot - 1;
}

static struct receive *receive_of(struct tape_slot *s)
{
	return (struct receive *)(s + 1) + 1;
}

struct tape_messages {
	const struct tape_trace *t;
	struct tape_ops **ops; /* by flow */
	size_t flows;
	struct tape_match *match;
	struct tape_message *ready;
	size_t at, n, room;    /* of ready */
	/* by flow: of a rank with others, a blocking receive whose turn is when
	 * it ends. There is one at most, since the flow goes on after that. */
	struct held {
		struct tape_event e;
		int several, full;
	} *held;
	size_t n_held;
};

struct tape_messages *tape_messages_new(const struct tape_trace *t)
{
	struct tape_messages *m = calloc(1, sizeof *m);
	int bad;

	if (!m)
		return NULL;
	m->t = t;
	m->flows = tape_trace_flows(t);
	m->ops = calloc(m->flows + 1, sizeof *m->ops);
	m->match = tape_match_new(sizeof(struct receive));
	m->held = calloc(m->flows + 1, sizeof *m->held);
	bad = !m->ops || !m->match || !m->held;
	for (size_t i = 0; !bad && i < m->flows; i++) {
		int rank = tape_trace_flow(t, i)->rank;
		const struct tape_ops *other = NULL;

		/* flows come in order of their ranks */
		if (i && tape_trace_flow(t, i - 1)->rank == rank) {
			other = m->ops[i - 1];
			m->held[i].several = m->held[i - 1].several = 1;
		}
		m->ops[i] = tape_ops_new(t, rank, other,
					 sizeof(struct place));
		bad = !m->ops[i];
		if (!bad)
			tape_ops_in_order(m->ops[i]);
	}
	if (!bad)
		return m;
	tape_messages_free(m);
	return NULL;
}

void tape_messages_free(struct tape_messages *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->ops && i < m->flows; i++)
		tape_ops_free(m->ops[i]);
	free(m->ops);
	tape_match_free(m->match);
	free(m->ready);
	free(m->held);
	free(m);
}

uint64_t tape_messages_most(const struct tape_messages *m)
{
	uint64_t now, most;

	tape_match_held(m->match, &now, &most);
	return most;
}

uint64_t tape_messages_unknown(const struct tape_messages *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->flows; i++)
		if (!i || tape_trace_flow(m->t, i)->rank !=
				  tape_trace_flow(m->t, i - 1)->rank)
			n += tape_ops_unknown(m->ops[i]);
	return n;
}

uint64_t tape_messages_left_out(const struct tape_messages *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->flows; i++)
		if (!i || tape_trace_flow(m->t, i)->rank !=
				  tape_trace_flow(m->t, i - 1)->rank)
			n += tape_ops_left_out(m->ops[i]);
	return n;
}

/* ---- what comes out ---- */

static struct tape_message *add(struct tape_messages *m)
{
	struct tape_message *p;
	size_t room;

	if (m->n == m->room) {
		room = m->room ? 2 * m->room : 64;
		p = realloc(m->ready, room * sizeof *p);
		if (!p)
			return NULL;
		m->ready = p;
		m->room = room;
	}
	p = &m->ready[m->n++];
	memset(p, 0, sizeof *p);
	p->from = p->to = -1;
	return p;
}

static int world_of(const struct tape_messages *m, const struct tape_where *p,
		    int32_t peer)
{
	return tape_peer_rank(m->t, p->rank, p->comm, peer);
}

static int give(struct tape_messages *m, const struct tape_slot *s)
{
	struct tape_message *g = add(m);

	if (!g)
		return TAPE_ENOMEM;
	g->comm = s->key.comm;
	g->tag = s->key.tag;
	if (s->send.there) {
		g->sent = s->send.begun;
		g->sent_ns = s->send.start_ns;
		g->from = s->send.begun.rank;
		g->bytes = s->send.bytes;
	}
	if (s->recv.there) {
		g->posted = s->recv.begun;
		g->posted_ns = s->recv.start_ns;
		g->ended = s->recv.begun;
		g->ended.event = s->end_event;
		g->ended.thread = s->end_thread;
		g->ended.site = s->end_site;
		g->ended.call = s->end_call;
		g->ended_ns = s->end_ns;
		g->to = s->recv.begun.rank;
		g->received = s->recv.bytes;
	}
	if (!s->send.there) {
		g->state = TAPE_UNSENT;
		g->bytes = g->received;
		g->peer = s->key.src;
		g->from = world_of(m, &g->posted, g->peer);
	} else if (!s->recv.there) {
		g->state = TAPE_UNRECEIVED;
		g->peer = s->key.dst;
		g->to = world_of(m, &g->sent, g->peer);
	}
	return 0;
}

/* A receive that was never posted: which message it got is not known. */
static int give_lost(struct tape_messages *m, const struct tape_pending *r)
{
	struct tape_message *g = add(m);

	if (!g)
		return TAPE_ENOMEM;
	g->state = TAPE_UNSENT;
	g->comm = r->key.comm;
	g->peer = r->peer;
	g->tag = r->tag;
	g->to = r->begun.rank;
	g->posted = r->begun;
	g->posted_ns = r->begun_ns;
	g->ended = r->ended;
	g->ended_ns = r->ended_ns;
	g->from = world_of(m, &g->posted, g->peer);
	return 0;
}

int tape_messages_next(struct tape_messages *m, struct tape_message *msg)
{
	if (m->at == m->n) {
		m->at = m->n = 0;
		return 0;
	}
	*msg = m->ready[m->at++];
	return 1;
}

/* ---- what goes in ---- */

/* Both sides are there and the receive is over: the slot is free after. */
static int complete(struct tape_messages *m, uint32_t slot)
{
	struct tape_slot *s = tape_match_slot(m->match, slot);
	int rc = 0;

	if (!s->queued && receive_of(s)->over) {
		rc = give(m, s);
		tape_match_done(m->match, slot, 2);
	}
	return rc;
}

static int send(struct tape_messages *m, const struct tape_op *op)
{
	uint32_t slot = tape_match_send(m->match, &op->key);
	struct tape_slot *s;

	if (slot == TAPE_NO_SLOT)
		return TAPE_ENOMEM;
	place_of(op)->slot = slot + 1;
	s = tape_match_slot(m->match, slot);
	s->send.begun = op->r->begun;
	s->send.start_ns = op->r->begun_ns;
	s->send.bytes = op->bytes;
	tape_match_done(m->match, slot, 1);
	return complete(m, slot);
}

static int post(struct tape_messages *m, const struct tape_op *op)
{
	uint32_t slot = tape_match_post(m->match, &op->key);
	struct tape_slot *s;

	if (slot == TAPE_NO_SLOT)
		return TAPE_ENOMEM;
	place_of(op)->slot = slot + 1;
	s = tape_match_slot(m->match, slot);
	s->recv.begun = op->r->begun;
	s->recv.start_ns = op->r->begun_ns;
	return 0;
}

/* Nothing more will be known of a receive. */
static int over(struct tape_messages *m, const struct tape_op *op)
{
	struct tape_slot *s;

	if (!place_of(op)->slot)
		return give_lost(m, op->r);
	s = tape_match_slot(m->match, slot_of(op));
	s->end_event = op->r->ended.event;
	s->end_thread = op->r->ended.thread;
	s->end_site = op->r->ended.site;
	s->end_call = op->r->ended.call;
	s->end_ns = op->r->ended.event ? op->r->ended_ns : 0;
	s->recv.bytes = op->kind == TAPE_OP_RECV_END ? op->bytes : 0;
	receive_of(s)->over = 1;
	return complete(m, slot_of(op));
}

static int apply(struct tape_messages *m, const struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_SEND:
		return send(m, op);
	case TAPE_OP_POST:
		return post(m, op);
	case TAPE_OP_RECV_END:
	case TAPE_OP_GONE:
		return over(m, op);
	case TAPE_OP_CANCEL:
		if (place_of(op)->slot)
			tape_match_cancel(m->match, slot_of(op),
					  2 - op->r->is_send, &op->r->begun);
		break;
	case TAPE_OP_OPEN:
	case TAPE_OP_SEND_END:
	case TAPE_OP_PROBE:
	case TAPE_OP_ENTER:
	case TAPE_OP_LEAVE:
	case TAPE_OP_TELL:
	case TAPE_OP_HEAR:
	case TAPE_OP_LEFT_OUT:
		break;
	}
	return 0;
}

static int apply_all(struct tape_messages *m, const struct tape_op *list, int n)
{
	int rc = n < 0 ? n : 0;

	for (int i = 0; !rc && i < n; i++)
		rc = apply(m, &list[i]);
	return rc;
}

static int event(struct tape_messages *m, const struct tape_event *e)
{
	struct tape_op *list = NULL;
	int n = tape_ops_of(m->ops[e->flow], e, &list);

	return apply_all(m, list, n);
}

/* The receives that are held and have ended by then, in that order. */
static int let_go(struct tape_messages *m, int64_t by)
{
	struct held *first;
	int rc = 0;

	while (!rc && m->n_held) {
		first = NULL;
		for (size_t i = 0; i < m->flows; i++)
			if (m->held[i].full &&
			    (!first || m->held[i].e.end_ns < first->e.end_ns))
				first = &m->held[i];
		if (first->e.end_ns > by)
			break;
		first->full = 0;
		m->n_held--;
		rc = event(m, &first->e);
	}
	return rc;
}

int tape_messages_event(struct tape_messages *m, const struct tape_event *e)
{
	struct held *h = &m->held[e->flow];
	int rc = let_go(m, e->start_ns);

	if (rc || !h->several || e->class_ != TAPE_CLASS_RECV)
		return rc ? rc : event(m, e);
	/* it completes no requests: nothing points out of it */
	h->e = *e;
	h->full = 1;
	m->n_held++;
	return 0;
}

static int by_date(const void *a, const void *b)
{
	const struct tape_message *x = a, *y = b;
	int64_t dx = x->sent.event ? x->sent_ns : x->posted_ns;
	int64_t dy = y->sent.event ? y->sent_ns : y->posted_ns;
	const struct tape_where *p = x->sent.event ? &x->sent : &x->posted;
	const struct tape_where *q = y->sent.event ? &y->sent : &y->posted;

	if (dx != dy)
		return dx < dy ? -1 : 1;
	if (p->rank != q->rank)
		return p->rank - q->rank;
	if (p->thread != q->thread)
		return p->thread - q->thread;
	return (p->event > q->event) - (p->event < q->event);
}

int tape_messages_end(struct tape_messages *m)
{
	int rc = let_go(m, INT64_MAX);
	uint32_t at = 0, slot;
	size_t first;

	for (size_t i = 0; !rc && i < m->flows; i++) {
		struct tape_op *list = NULL;
		int n = 0;

		if (!i || tape_trace_flow(m->t, i)->rank !=
				  tape_trace_flow(m->t, i - 1)->rank)
			n = tape_ops_end(m->ops[i], &list);
		rc = apply_all(m, list, n);
	}
	first = m->n;
	while (!rc && (slot = tape_match_each(m->match, &at)) != TAPE_NO_SLOT)
		rc = give(m, tape_match_slot(m->match, slot));
	if (m->n > first)
		qsort(m->ready + first, m->n - first, sizeof *m->ready,
		      by_date);
	return rc;
}

int tape_unmatched_message(struct tape_unmatched *u,
			   const struct tape_message *msg)
{
	struct tape_unmatched_line l = { .where = msg->sent, .is_send = 1,
					 .peer = msg->peer, .tag = msg->tag,
					 .count = 1, .bytes = msg->bytes };

	if (msg->state == TAPE_MATCHED)
		return 0;
	if (msg->state == TAPE_UNSENT) {
		l.where = msg->posted;
		l.is_send = 0;
	}
	return tape_unmatched_add(u, &l);
}
