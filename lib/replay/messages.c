/*
 * Operations of all flows (ops.h) go through the matching (match.h); what is
 * complete waits in a list until it is asked for. See messages.h.
 */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "messages.h"
#include "messages_state.h"
#include "place.h"
#include "ops.h"
#include "sort.h"

struct tape_messages *tape_messages_new(const struct tape_trace *t,
					struct tape_peers *peers)
{
	struct tape_messages *m = calloc(1, sizeof *m);
	int bad;

	if (!m)
		return NULL;
	m->t = t;
	m->flows = tape_trace_flows(t);
	m->ops = calloc(m->flows + 1, sizeof *m->ops);
	m->match = tape_match_new(sizeof(struct receive));
	m->woken = calloc(m->flows + 1, sizeof *m->woken);
	m->ended = calloc(tape_trace_ranks(t) + 1, sizeof *m->ended);
	m->peers = peers;
	if (peers)
		m->outbox = tape_pending_sends_new(t, peers);
	bad = (peers && !m->outbox) || !m->ops || !m->match || !m->woken ||
	      !m->ended;
	for (size_t i = 0; !bad && i < m->flows; i++) {
		int rank = tape_trace_flow(t, i)->rank;
		const struct tape_ops *other = NULL;

		if (!tape_peers_owns_rank(peers, rank))
			continue;
		/* flows come in order of their ranks */
		if (i && tape_trace_flow(t, i - 1)->rank == rank)
			other = m->ops[i - 1];
		m->ops[i] = tape_ops_new(t, rank, other, sizeof(struct place));
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
	tape_pending_sends_free(m->outbox);
	tape_match_free(m->match);
	free(m->ready);
	free(m->woken);
	free(m->ended);
	free(m);
}

uint64_t tape_messages_most(const struct tape_messages *m)
{
	uint64_t now, most;

	tape_match_held(m->match, &now, &most);
	return most;
}

/* Is it the first flow of a rank, of those that are read here? */
static int is_first_own_flow(const struct tape_messages *m, size_t flow)
{
	return m->ops[flow] &&
	       (!flow || tape_trace_flow(m->t, flow)->rank !=
			     tape_trace_flow(m->t, flow - 1)->rank);
}

uint64_t tape_messages_unknown(const struct tape_messages *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->flows; i++)
		if (is_first_own_flow(m, i))
			n += tape_ops_unknown(m->ops[i]);
	return n;
}

uint64_t tape_messages_left_out(const struct tape_messages *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->flows; i++)
		if (is_first_own_flow(m, i))
			n += tape_ops_left_out(m->ops[i]);
	return n;
}

void tape_messages_open_requests(const struct tape_messages *m,
				 void (*f)(void *own,
					   const struct tape_request *r),
				 void *own)
{
	for (size_t i = 0; i < m->flows; i++)
		if (is_first_own_flow(m, i))
			tape_ops_open_requests(m->ops[i], f, own);
}

/* ---- what comes out ---- */

static struct tape_message *add_message(struct tape_messages *m)
{
	struct tape_message *p =
	    tape_grow_array(m->ready, &m->room, m->n + 1, sizeof *p);

	if (!p)
		return NULL;
	m->ready = p;
	p = &m->ready[m->n++];
	memset(p, 0, sizeof *p);
	p->from = p->to = -1;
	return p;
}

static int peer_world_rank(const struct tape_messages *m,
			   const struct tape_where *p, int32_t peer)
{
	return tape_peer_rank(m->t, p->rank, p->comm, peer);
}

static int deliver_matched(struct tape_messages *m, struct tape_slot *s)
{
	struct tape_message *g = add_message(m);

	if (!g)
		return TAPE_ENOMEM;
	g->comm = s->key.comm;
	g->tag = s->key.tag;
	g->shared = s->send->begun.shared || s->recv->begun.shared;
	if (tape_is_sent(s)) {
		g->sent = s->send->begun;
		g->sent_ns = s->send->start_ns;
		g->from = s->send->begun.rank;
		g->bytes = s->send->bytes;
		g->request = send_data(s)->nth;
	}
	if (tape_is_posted(s)) {
		g->posted = s->recv->begun;
		g->posted_ns = s->recv->start_ns;
		g->ended = s->recv->begun;
		g->ended.event = receive_data(s)->event;
		g->ended.thread = receive_data(s)->thread;
		g->ended.site = receive_data(s)->site;
		g->ended.call = receive_data(s)->call;
		g->ended.region = receive_data(s)->region & TAPE_REGION_MOST;
		g->ended_ns = receive_data(s)->end_ns;
		g->awaited_ns = receive_data(s)->awaited_ns;
		g->nth = receive_data(s)->nth;
		g->to = s->recv->begun.rank;
		g->received = s->recv->bytes;
	}
	if (!tape_is_sent(s)) {
		g->state = TAPE_UNSENT;
		g->bytes = g->received;
		g->peer = s->key.src;
		g->from = peer_world_rank(m, &g->posted, g->peer);
	} else if (!tape_is_posted(s)) {
		g->state = TAPE_UNRECEIVED;
		g->peer = s->key.dst;
		g->to = peer_world_rank(m, &g->sent, g->peer);
	}
	return 0;
}

/* A receive that was never posted: which message it got is not known. */
static int deliver_lost_receive(struct tape_messages *m,
				const struct tape_request *r, uint64_t nth)
{
	struct tape_message *g = add_message(m);

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
	g->awaited_ns = r->awaited_ns;
	g->nth = nth;
	g->from = peer_world_rank(m, &g->posted, g->peer);
	return 0;
}

const struct tape_message *tape_messages_next(struct tape_messages *m)
{
	if (m->at < m->n)
		return &m->ready[m->at++];
	m->at = m->n = 0;
	return NULL;
}

/* ---- what goes in ---- */

/* Both sides are there and the receive is over: the slot is free after. */
static int deliver_if_complete(struct tape_messages *m, uint32_t slot)
{
	struct tape_slot *s = tape_match_slot(m->match, slot);
	int rc = 0;

	if (!s->queued && receive_data(s)->over) {
		rc = tape_messages_store_post(m, s);
		if (!rc)
			rc = deliver_matched(m, s);
		tape_match_done(m->match, slot, 2);
	}
	return rc;
}

/* The side that sends is known. */
static int record_send(struct tape_messages *m, const struct tape_sent *a,
		       uint32_t slot)
{
	struct tape_slot *s = tape_match_slot(m->match, slot);

	s->send->begun = a->begun;
	s->send->start_ns = a->start_ns;
	s->send->bytes = a->bytes;
	send_data(s)->nth = a->request;
	if (m->ideal) {
		send_data(s)->ideal = tape_ideal_turn(m->ideal);
		send_data(s)->is_free = !tape_ideal_can_hold(
		    m->ideal, a->begun.rank, a->begun.call);
	}
	if (receive_data(s)->waiter) {
		m->woken[m->n_woken++] = receive_data(s)->waiter - 1;
		receive_data(s)->waiter = 0;
	}
	tape_match_done(m->match, slot, 1);
	return deliver_if_complete(m, slot);
}

/* Does another process own the receiver? Then *to is it. */
static int is_remote_receiver(const struct tape_messages *m,
			      const struct tape_request *r, int *to)
{
	if (!m->peers || r->to < 0)
		return 0;
	*to = m->peers->owner[r->to];
	return *to != m->peers->me;
}

int tape_messages_flush(struct tape_messages *m)
{
	return m->outbox ? tape_pending_sends_flush(m->outbox) : 0;
}

static int end_pending_send(struct tape_messages *m,
			    const struct tape_request *r, int cancelled)
{
	return tape_pending_sends_end(m->outbox, &r->begun, r->number,
				      cancelled);
}

static int apply_send(struct tape_messages *m, const struct tape_op *op)
{
	struct tape_sent a = {op->key, op->r->begun, op->r->begun_ns, op->bytes,
			      op->r->number};
	uint32_t slot;
	int to;

	if (is_remote_receiver(m, op->r, &to))
		return tape_pending_sends_add(m->outbox, &a, to);
	slot = tape_match_send(m->match, &op->key);
	if (slot == TAPE_NO_SLOT)
		return TAPE_ENOMEM;
	op_match_state(op)->slot = slot + 1;
	return record_send(m, &a, slot);
}

/* The slot of a send that is held still; there are few that are cancelled. */
static uint32_t find_sent_slot(const struct tape_messages *m,
			       const struct tape_sent *a)
{
	uint32_t at = 0, slot;

	while ((slot = tape_match_each(m->match, &at)) != TAPE_NO_SLOT) {
		const struct tape_where *w =
		    &tape_match_slot(m->match, slot)->send->begun;

		if (w->rank == a->begun.rank && w->thread == a->begun.thread &&
		    w->event == a->begun.event)
			break;
	}
	return slot;
}

int tape_messages_arrive(struct tape_messages *m, unsigned kind,
			 const void *record)
{
	struct tape_sent a;
	uint32_t slot;

	memcpy(&a, record, sizeof a);
	if (kind == TAPE_PEERS_SENT) {
		slot = tape_match_send(m->match, &a.key);
		return slot == TAPE_NO_SLOT ? TAPE_ENOMEM
					    : record_send(m, &a, slot);
	}
	slot = find_sent_slot(m, &a);
	if (slot != TAPE_NO_SLOT)
		tape_match_cancel(m->match, slot, 1, &a.begun);
	return 0;
}

static int apply_cancel(struct tape_messages *m, const struct tape_op *op)
{
	struct tape_sent a = {op->key, op->r->begun, op->r->begun_ns, op->bytes,
			      op->r->number};
	int to, rc = op->r->is_send ? end_pending_send(m, op->r, 1) : 0;

	if (rc)
		return rc < 0 ? rc : 0;
	if (op->r->is_send && is_remote_receiver(m, op->r, &to))
		return tape_peers_put(m->peers, to, TAPE_PEERS_CANCELLED, &a,
				      sizeof a);
	if (op_match_state(op)->slot)
		tape_match_cancel(m->match, op_match_slot(op),
				  2 - op->r->is_send, &op->r->begun);
	return 0;
}

static int apply_post(struct tape_messages *m, const struct tape_op *op)
{
	uint32_t slot = tape_match_post(m->match, &op->key);
	struct tape_slot *s;

	if (slot == TAPE_NO_SLOT)
		return TAPE_ENOMEM;
	op_match_state(op)->slot = slot + 1;
	s = tape_match_slot(m->match, slot);
	s->recv->begun = op->r->begun;
	s->recv->start_ns = op->r->begun_ns;
	if (m->ideal)
		receive_data(s)->ideal = op->r->opened
						 ? op_match_state(op)->ideal
						 : tape_ideal_turn(m->ideal);
	return 0;
}

/* Nothing more will be known of a receive. */
static int apply_receive_end(struct tape_messages *m, const struct tape_op *op)
{
	struct tape_slot *s;
	uint64_t nth = 0;

	if (op->kind == TAPE_OP_RECV_END)
		nth = ++m->ended[op->r->begun.rank];
	if (!op_match_state(op)->slot)
		return deliver_lost_receive(m, op->r, nth);
	s = tape_match_slot(m->match, op_match_slot(op));
	receive_data(s)->event = op->r->ended.event;
	receive_data(s)->thread = op->r->ended.thread;
	receive_data(s)->site = op->r->ended.site;
	receive_data(s)->call = op->r->ended.call;
	receive_data(s)->end_ns = op->r->ended.event ? op->r->ended_ns : 0;
	receive_data(s)->awaited_ns =
	    receive_data(s)->end_ns ? op->r->awaited_ns : 0;
	receive_data(s)->region = op->r->ended.region;
	s->recv->bytes = op->kind == TAPE_OP_RECV_END ? op->bytes : 0;
	receive_data(s)->nth = nth;
	receive_data(s)->over = 1;
	receive_data(s)->waiter = 0;
	if (m->ideal && op->kind == TAPE_OP_RECV_END && tape_is_sent(s) &&
	    s->send->start_ns <= op->r->ended_ns)
		tape_ideal_wait(m->ideal, send_data(s)->ideal);
	return deliver_if_complete(m, op_match_slot(op));
}

static int apply_op(struct tape_messages *m, const struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_SEND:
		return apply_send(m, op);
	case TAPE_OP_POST:
		return apply_post(m, op);
	case TAPE_OP_RECV_END:
	case TAPE_OP_GONE:
		return apply_receive_end(m, op);
	case TAPE_OP_CANCEL:
		return apply_cancel(m, op);
	case TAPE_OP_SEND_END:
		return end_pending_send(m, op->r, 0) < 0 ? TAPE_ENOMEM : 0;
	case TAPE_OP_OPEN:
		if (m->ideal)
			op_match_state(op)->ideal = tape_ideal_turn(m->ideal);
		break;
	case TAPE_OP_HEAR:
		if (m->ideal)
			tape_ideal_set_unknown(m->ideal);
		break;
	case TAPE_OP_PROBE:
	case TAPE_OP_ENTER:
	case TAPE_OP_LEAVE:
	case TAPE_OP_TELL:
	case TAPE_OP_LEFT_OUT:
		break;
	}
	return 0;
}

/* Those that end a receive, or all others. */
static int apply_ops(struct tape_messages *m, const struct tape_op *list, int n,
		     int ends)
{
	int rc = 0;

	for (int i = 0; !rc && i < n; i++)
		if ((list[i].kind == TAPE_OP_RECV_END) == ends)
			rc = apply_op(m, &list[i]);
	return rc;
}

int tape_messages_begin(struct tape_messages *m, const struct tape_event *e,
			uint32_t region, struct tape_op **list)
{
	struct tape_ops *o = m->ops[e->flow];
	int n, rc;

	tape_ops_region(o, region);
	n = tape_ops_of(o, e, list);
	rc = n < 0 ? n : apply_ops(m, *list, n, 0);
	return rc ? rc : n;
}

int tape_messages_finish(struct tape_messages *m, const struct tape_op *list,
			 int n)
{
	return apply_ops(m, list, n, 1);
}

void tape_messages_pass(struct tape_messages *m, size_t flow)
{
	tape_ops_pass(m->ops[flow]);
}

int tape_messages_event(struct tape_messages *m, const struct tape_event *e,
			uint32_t region)
{
	struct tape_ops *o = m->ops[e->flow];
	struct tape_op *list;
	int n, rc;

	tape_ops_region(o, region);
	n = tape_ops_of(o, e, &list);
	rc = n < 0 ? n : 0;

	for (int i = 0; !rc && i < n; i++)
		rc = apply_op(m, &list[i]);
	return rc;
}

int tape_messages_wait(struct tape_messages *m, const struct tape_op *op,
		       size_t waiter)
{
	struct tape_slot *s;

	if (op->kind != TAPE_OP_RECV_END || op->r->from < 0 ||
	    !op_match_state(op)->slot)
		return 0;
	s = tape_match_slot(m->match, op_match_slot(op));
	if (tape_is_sent(s))
		return 0;
	receive_data(s)->waiter = waiter + 1;
	return 1;
}

int tape_messages_woken(struct tape_messages *m, size_t *waiter)
{
	if (!m->n_woken)
		return 0;
	*waiter = m->woken[--m->n_woken];
	return 1;
}

struct tape_request *tape_messages_request(struct tape_messages *m, size_t flow,
					   uint64_t number)
{
	return tape_ops_find_request(m->ops[flow], number);
}

void tape_messages_set_pvm_groups(struct tape_messages *m,
				  const struct tape_pvm_groups *by)
{
	for (size_t i = 0; i < m->flows; i++)
		if (m->ops[i])
			tape_ops_set_pvm_groups(m->ops[i], by);
}

uint32_t tape_messages_behind(const struct tape_messages *m, size_t flow)
{
	return tape_ops_behind(m->ops[flow]);
}

static int compare_message_times(const void *a, const void *b)
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
	uint32_t at = 0, slot;
	size_t first;
	int rc = 0;

	for (size_t i = 0; !rc && i < m->flows; i++) {
		struct tape_op *list = NULL;
		int n = 0;

		if (is_first_own_flow(m, i))
			n = tape_ops_end(m->ops[i], &list);
		rc = n < 0 ? n : apply_ops(m, list, n, 0);
		rc = rc ? rc : apply_ops(m, list, n, 1);
	}
	first = m->n;
	while (!rc && (slot = tape_match_each(m->match, &at)) != TAPE_NO_SLOT)
		rc = deliver_matched(m, tape_match_slot(m->match, slot));
	if (m->n > first)
		tape_sort(m->ready + first, m->n - first, sizeof *m->ready,
			  compare_message_times);
	return rc;
}

int tape_unmatched_message(struct tape_unmatched *u,
			   const struct tape_message *msg)
{
	struct tape_unmatched_line l = {.where = msg->sent,
					.is_send = 1,
					.peer = msg->peer,
					.tag = msg->tag,
					.count = 1,
					.bytes = msg->bytes};

	if (msg->state == TAPE_MATCHED)
		return 0;
	if (msg->state == TAPE_UNSENT) {
		l.where = msg->posted;
		l.is_send = 0;
	}
	return tape_unmatched_add(u, &l);
}

void tape_messages_in_progress(const struct tape_messages *m,
			       void (*f)(void *own,
					 const struct tape_where *sent,
					 const struct tape_match_key *key),
			       void *own)
{
	uint32_t at = 0, slot;

	while ((slot = tape_match_each(m->match, &at)) != TAPE_NO_SLOT) {
		const struct tape_slot *s = tape_match_slot(m->match, slot);

		if (tape_is_sent(s) && !(s->done & 2))
			f(own, &s->send->begun, &s->key);
	}
}

struct asking {
	tape_messages_unsent_one *f;
	void *own;
};

static void report_unsent(void *own, int to, const struct tape_sent *s)
{
	const struct asking *a = own;

	a->f(a->own, to, &s->begun, &s->key);
}

void tape_messages_unsent(const struct tape_messages *m,
			  tape_messages_unsent_one *f, void *own)
{
	struct asking a = {f, own};

	tape_pending_sends_each(m->outbox, report_unsent, &a);
}

int tape_messages_is_received(const struct tape_messages *m,
			      const struct tape_match_key *key, size_t nth)
{
	uint32_t slot = tape_match_waiting(m->match, key, nth);

	return slot != TAPE_NO_SLOT &&
	       receive_data(tape_match_slot(m->match, slot))->over;
}
