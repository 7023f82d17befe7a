/*
 * What an event publishes to other flows: sends, receives, entries.
 */
#include <math.h>
#include <stdlib.h>

#include "engine_parts.h"
#include "growing_array.h"
#include "tool.h"
#include "unmatched.h"
#include "record_volume.h"

/* ---- distances and protocols ---- */

/* Counts a message; a learner from a part of the trace may have met too few. */
static void count_message(struct engine *g, enum tape_distance d,
			  uint64_t bytes)
{
	int c = tape_size_class(bytes);

	if (++g->sent[d][c] == SAMPLE_MANY && !g->learner && g->sample->most &&
	    g->sample->sent[d][c] < SAMPLE_MANY)
		g->lacking = 1;
}

/* Does a send of so many bytes wait for its receive, above that limit? */
static int needs_receive(unsigned call, uint64_t bytes, uint64_t limit)
{
	unsigned traits = tape_call_traits(call);

	if (traits & TAPE_TRAIT_SYNCHRONOUS)
		return 1;
	return !(traits & TAPE_TRAIT_BUFFERED) && bytes > limit;
}

static int is_rendezvous(const struct engine *g, const struct tape_request *r,
			 enum tape_distance d, uint64_t bytes)
{
	/* no trace of the receiver: nothing will come of waiting for it */
	return r->to >= 0 && needs_receive(r->call, bytes, g->eager->bytes[d]);
}

int engine_may_rendezvous(const struct engine *g, const struct tape_request *r)
{
	uint64_t limit = UINT64_MAX;

	/* how far away the receiver is, nobody knows */
	for (int d = 0; d < TAPE_DISTANCES; d++)
		if (g->eager->bytes[d] < limit)
			limit = g->eager->bytes[d];
	return needs_receive(r->call, r->bytes, limit);
}

/* ---- receives by a wildcard ---- */

/* A free place of the table. */
static uint32_t new_open_receive(struct open_receives *o)
{
	uint32_t at = o->free;

	if (at) {
		o->free = o->table[at].after;
		return at;
	}
	o->table = tape_must(tape_grow_array(
	    o->table, &o->room, (size_t)o->n + 2, sizeof *o->table));
	return ++o->n;
}

static void open_receive(struct engine *g, int rank, struct tape_request *r)
{
	struct open_chain *c = &g->opens.of[rank];
	struct request_state *k = request_state(r);
	uint32_t at = new_open_receive(&g->opens);

	if (g->receive_order && r->peer == TAPE_ANY_SOURCE &&
	    receive_order_watch(g->receive_order, rank))
		tape_die_no_memory();
	g->opens.table[at] = (struct open_receive){.key = r->key,
						   .peer = r->peer,
						   .tag = r->tag,
						   .start_ns = k->start_ns,
						   .p = k->p,
						   .before = c->last};
	*(c->last ? &g->opens.table[c->last].after : &c->first) = at;
	c->last = k->open = at;
}

static void close_receive(struct engine *g, int rank, struct tape_request *r)
{
	struct open_chain *c = &g->opens.of[rank];
	struct request_state *k = request_state(r);
	struct open_receive *table = g->opens.table, *o = &table[k->open];

	if (!k->open)
		return;
	*(o->before ? &table[o->before].after : &c->first) = o->after;
	*(o->after ? &table[o->after].before : &c->last) = o->before;
	o->after = g->opens.free;
	g->opens.free = k->open;
	k->open = 0;
}

/* May the open receive get a message of that key? */
static int may_get(const struct open_receive *o, const struct tape_match_key *k)
{
	return o->key.comm == k->comm && o->key.way == k->way &&
	       (o->peer == TAPE_ANY_SOURCE || o->peer == k->src) &&
	       (o->tag == TAPE_ANY_TAG || o->tag == k->tag);
}

int engine_guess_receive(const struct engine *g, const struct flow *f,
			 const struct tape_op *op, struct tape_slot *s)
{
	double slack = engine_clock_slack(g, op->r->from, op->r->to);
	double early = INFINITY, late = -INFINITY;
	struct side *side = receive_side(s);
	int n = 0;

	for (uint32_t i = g->opens.of[op->r->to].first; i;
	     i = g->opens.table[i].after) {
		const struct open_receive *o = &g->opens.table[i];
		int64_t written = tape_timestamp_minus(o->start_ns, o->p.p);
		double at;

		if (!may_get(o, &op->key) ||
		    (double)(o->start_ns - f->e->end_ns) > slack)
			continue;
		if (!n++) {
			*s->recv =
			    (struct tape_match_side){.start_ns = o->start_ns};
			s->there |= 2;
			*side = (struct side){.p = o->p, .written_ns = written};
		}
		at = (double)(o->start_ns - s->recv->start_ns);
		early = tape_min(early, at - o->p.hi);
		late = tape_max(late, at - o->p.lo);
		if (written < side->written_ns)
			side->written_ns = written;
	}
	if (n) {
		side->p.lo = -late;
		side->p.hi = -early;
	}
	return n;
}

/* ---- publishing ---- */

/* A side lets go of a slot; the last one takes along what is kept there. */
static void release_side(struct engine *g, struct tape_match *m, uint32_t at,
			 int side)
{
	struct tape_slot *s = tape_match_slot(m, at);

	if (s->done & (3 - side)) {
		engine_drop_flight(g, s);
		blame_drop(g->blames, send_side(s)->blame);
		blame_drop(g->blames, receive_side(s)->blame);
		known_receives_drop(g->known_pool, send_side(s)->known);
		if (tape_is_sent(s)) {
			send_side(s)->blame = NULL;
			send_side(s)->known = NULL;
		}
		if (tape_is_posted(s))
			receive_side(s)->blame = NULL;
	}
	tape_match_done(m, at, side);
}

void engine_release_side(struct engine *g, uint32_t slot, int side)
{
	release_side(g, g->match, slot, side);
}

/* The side of a message that the event in progress of f begins. */
static void set_side_time(const struct flow *f, struct tape_match_side *s,
			  struct side *d)
{
	s->start_ns = f->e->start_ns;
	d->written_ns = f->start_ta;
	d->p = f->reported_delay;
	d->blame = blame_keep(f->blame);
}

void engine_wake_side(struct engine *g, struct side *side)
{
	uint32_t flow = side->waiter;

	if (!flow)
		return;
	side->waiter = 0;
	engine_wake_flow(g, flow);
}

static uint32_t check_slot(uint32_t slot)
{
	if (slot == TAPE_NO_SLOT)
		tape_die_no_memory();
	return slot;
}

/*
 * Do several threads of the rank of r send, or receive, messages of its key? Of
 * what the learner has seen that is known from the first message on.
 */
static int is_shared(const struct engine *g, const struct tape_request *r)
{
	uint64_t bit, *word;

	if (!g->is_threaded)
		return 0;
	bit = tape_ops_key_hash(&r->key) % SAMPLE_KEYS;
	word = &g->sample->shared[bit / 64];
	if (g->learner && r->begun.shared)
		*word |= (uint64_t)1 << bit % 64;
	return r->begun.shared || *word >> bit % 64 & 1;
}

static void publish_send(struct engine *g, const struct flow *f,
			 const struct tape_op *op)
{
	struct tape_request *r = op->r;
	struct request_state *k = request_state(r);
	enum tape_distance d = engine_distance(g, r->from, r->to);
	uint32_t slot;
	struct tape_slot *s;

	r->begun.shared = is_shared(g, r) != 0;
	count_message(g, d, op->bytes);
	k->rendezvous = is_rendezvous(g, r, d, op->bytes);
	k->start_ns = f->e->start_ns;
	k->p = f->reported_delay;
	if (g->how->volume && g->peers)
		volume_send(g->how->volume, r->from, r->to, k->rendezvous,
			    blame_bytes(f->blame) +
				known_receives_bytes(f->known));
	if (!remote_owns_rank(g, r->to))
		slot = check_slot(tape_match_send(g->match, &op->key));
	else if ((slot = remote_send_message(g, f, op, k->rendezvous)) ==
		 TAPE_NO_SLOT)
		return;
	s = tape_match_slot(g->match, slot);
	k->slot1 = slot + 1;
	set_side_time(f, s->send, send_side(s));
	send_side(s)->known = known_receives_keep(f->known);
	s->send->bytes = op->bytes;
	s->send->begun = r->begun;
	/* the receiver has to tell the protocols apart */
	engine_wake_side(g, receive_side(s));
	send_side(s)->rendezvous = k->rendezvous != 0;
	engine_depart_message(g, s, r->from, r->to);
	if (!k->rendezvous)
		release_side(g, g->match, slot, 1);
}

static void publish_post(struct engine *g, const struct flow *f,
			 const struct tape_op *op)
{
	struct tape_request *r = op->r;
	struct request_state *k = request_state(r);
	uint32_t slot = check_slot(tape_match_post(g->match, &op->key));
	struct tape_slot *s = tape_match_slot(g->match, slot);
	struct side *d = receive_side(s);
	/* it was there for messages when it began, known or not */
	int before = r->opened || !f->e;

	r->begun.shared = is_shared(g, r) != 0;
	k->slot1 = slot + 1;
	s->recv->start_ns = before ? k->start_ns : f->e->start_ns;
	d->p = before ? k->p : f->reported_delay;
	d->written_ns = tape_timestamp_minus(s->recv->start_ns, d->p.p);
	d->blame = f->e ? blame_keep(f->blame) : NULL;
	s->recv->begun = r->begun;
	engine_wake_side(g, send_side(s));
	remote_report_post(g, s);
	if (engine_was_rendezvous(s))
		engine_depart_message(g, s, r->from, r->to);
}

/* A receive whose message is not known, and never will be. */
static void report_unmatched(struct engine *g, const struct tape_request *r)
{
	struct tape_unmatched_line l = {
	    .where = r->begun, .peer = r->peer, .tag = r->tag, .count = 1};

	if (tape_unmatched_add(g->r->unmatched, &l))
		tape_die_no_memory();
}

/* No message is known of it; one that was never posted is reported now. */
static void publish_gone(struct engine *g, const struct tape_op *op)
{
	if (!request_state(op->r)->slot1)
		report_unmatched(g, op->r);
	else
		release_side(g, g->match, match_slot(op->r), 2);
}

/* Of windows; either side says when it began. */
static void publish_window(struct engine *g, const struct flow *f,
			   const struct tape_op *op)
{
	int tells = op->kind == TAPE_OP_TELL;
	uint32_t slot =
	    check_slot(tells ? tape_match_send(g->windows, &op->key)
			     : tape_match_post(g->windows, &op->key));
	struct tape_slot *s = tape_match_slot(g->windows, slot);

	request_state(op->r)->slot1 = slot + 1;
	if (!tells)
		return;
	set_side_time(f, s->send, send_side(s));
	engine_wake_side(g, receive_side(s));
	release_side(g, g->windows, slot, 1);
}

static void publish_entry(struct engine *g, const struct flow *f,
			  const struct tape_op *op)
{
	struct tape_round *q = engine_get_round(g, op);
	int rank = op->r->rank;
	uint64_t bytes;

	if (engine_add_entry(q, rank, f->e->start_ns, f->start_ta,
			     &f->reported_delay))
		member_state(q, rank)->blame = blame_keep(f->blame);
	collective_state(q)->weak |= op->r->weak != 0;
	if (engine_entry_bytes(f, q->size, &bytes))
		engine_add_table_entry(q, rank, f->e->end_ns, bytes);
	if (g->peers)
		remote_send_entry(g, f, op, q);
	if (collective_state(q)->for_all || collective_state(q)->for_some)
		engine_wake_round(g, q);
}

void engine_publish_op(struct engine *g, struct flow *f, struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_SEND:
		publish_send(g, f, op);
		break;
	case TAPE_OP_OPEN:
		request_state(op->r)->start_ns = f->e->start_ns;
		request_state(op->r)->p = f->reported_delay;
		open_receive(g, f->rank, op->r);
		break;
	case TAPE_OP_POST:
		close_receive(g, f->rank, op->r);
		publish_post(g, f, op);
		break;
	case TAPE_OP_ENTER:
		publish_entry(g, f, op);
		break;
	case TAPE_OP_CANCEL:
		remote_give_up(g);
		close_receive(g, f->rank, op->r);
		if (request_state(op->r)->slot1)
			tape_match_cancel(g->match, match_slot(op->r),
					  2 - op->r->is_send, &op->r->begun);
		break;
	case TAPE_OP_GONE:
		close_receive(g, f->rank, op->r);
		publish_gone(g, op);
		break;
	case TAPE_OP_TELL:
	case TAPE_OP_HEAR:
		remote_give_up(g);
		publish_window(g, f, op);
		break;
	case TAPE_OP_RECV_END:
		tape_match_slot(g->match, match_slot(op->r))->recv->bytes =
		    op->bytes;
		break;
	case TAPE_OP_SEND_END:
	case TAPE_OP_PROBE:
	case TAPE_OP_LEAVE:
	case TAPE_OP_LEFT_OUT:
		break;
	}
}

/* ---- requests in the hands of several threads ---- */

/*
 * What another thread did with a request came first: the start of this event,
 * corrected, is not before the end of that one, corrected.
 */
struct tape_delay engine_handed_delay(struct engine *g, struct flow *f)
{
	const struct tape_event *e = f->e;
	int32_t me = (int32_t)(f - g->flows) + 1;
	struct tape_delay p = f->p_start;

	for (uint32_t i = 0; i < e->n_done; i++) {
		const struct tape_request *r =
		    tape_ops_find_request(f->ops, e->done[i].request);
		const struct request_state *k = r ? request_state(r) : NULL;
		struct tape_delay most;

		if (!k || !k->handed_by || k->handed_by == me ||
		    k->handed_ns > e->start_ns)
			continue;
		g->r->handed++;
		most = tape_delay_plus(k->handed_p,
				       (double)(e->start_ns - k->handed_ns));
		g->r->handed_late += p.p > most.p;
		p.p = tape_min(p.p, most.p);
		p.lo = tape_min(p.lo, most.lo);
		p.hi = tape_min(p.hi, most.hi);
	}
	return p;
}

static void hand_over_request(struct tape_request *r, const struct flow *f,
			      int32_t thread, const struct tape_delay *p_end)
{
	if (!r)
		return;
	request_state(r)->handed_ns = f->e->end_ns;
	request_state(r)->handed_p = *p_end;
	request_state(r)->handed_by = thread;
}

void engine_hand_over_requests(struct engine *g, struct flow *f,
			       const struct tape_delay *p_end)
{
	const struct tape_event *e = f->e;
	int32_t me = (int32_t)(f - g->flows) + 1;

	hand_over_request(tape_ops_find_request(f->ops, e->request), f, me,
			  p_end);
	for (uint32_t i = 0; i < e->n_done; i++)
		hand_over_request(
		    tape_ops_find_request(f->ops, e->done[i].request), f, me,
		    p_end);
}

/* ---- what is over ---- */

void engine_leave_round(struct engine *g, struct tape_round *q)
{
	for (int i = 0; q->left + 1 >= q->known && i < q->size; i++)
		blame_drop(g->blames, member_state(q, i)->blame);
	tape_round_leave(g->rounds, q);
}

void engine_release_op(struct engine *g, const struct tape_op *op)
{
	if (op->kind == TAPE_OP_RECV_END)
		release_side(g, g->match, match_slot(op->r), 2);
	else if (op->kind == TAPE_OP_SEND_END &&
		 request_state(op->r)->rendezvous)
		release_side(g, g->match, match_slot(op->r), 1);
	else if (op->kind == TAPE_OP_LEAVE)
		engine_leave_round(g, engine_get_round(g, op));
	else if (op->kind == TAPE_OP_HEAR)
		release_side(g, g->windows, match_slot(op->r), 2);
}
