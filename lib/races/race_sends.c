/* Sends, from their beginning until all know what they need of them. */
#include <stdlib.h>

#include "race_events.h"
#include "tool.h"

/* The number of the event among all of the trace. */
uint64_t race_event_number(size_t flow, uint64_t event)
{
	return (uint64_t)(flow + 1) << 40 | (event & 0xffffffffff);
}

uint64_t race_where_number(const struct race_state *s,
			   const struct tape_where *w)
{
	size_t lo = 0, hi = tape_trace_flows(s->t);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct tape_flow_info *f = tape_trace_flow(s->t, mid);

		if (f->rank < w->rank ||
		    (f->rank == w->rank && f->thread < w->thread))
			lo = mid + 1;
		else
			hi = mid;
	}
	return race_event_number(lo, w->event);
}

static struct race_probed *get_probed(struct tape_slot *slot)
{
	return (struct race_probed *)(slot->send + 1);
}

void race_free_probed(struct tape_slot *slot)
{
	if (!tape_is_sent(slot))
		return;
	vector_time_drop(get_probed(slot)->sent);
	get_probed(slot)->sent = NULL;
}

struct tape_match_key race_probe_key(uint64_t comm, int from, int to,
				     int32_t tag)
{
	return (struct tape_match_key){
	    .comm = comm, .src = from, .dst = to, .tag = tag};
}

/* A probe of the receiver finds the message until it is received. */
static void add_probed(struct race_state *s, int from, const struct tape_op *op)
{
	struct tape_match_key key =
	    race_probe_key(op->key.comm, from, op->r->to, op->key.tag);
	uint32_t n = tape_match_send(s->probes, &key);
	struct tape_slot *slot;

	if (n == TAPE_NO_SLOT)
		tape_die_no_memory();
	slot = tape_match_slot(s->probes, n);
	if (!tape_is_posted(slot)) {
		get_probed(slot)->sent = vector_time_keep(s->rank[from].now);
		get_probed(slot)->send = race_where_number(s, &op->r->begun);
	}
	tape_match_done(s->probes, n, 1);
}

/* Merges what the next message of the key on its way knows. */
void race_merge_probed(struct race_state *s, int rank,
		       const struct tape_match_key *key)
{
	uint32_t n = tape_match_peek(s->probes, key);

	if (n != TAPE_NO_SLOT)
		vector_time_merge(
		    &s->rank[rank].now,
		    get_probed(tape_match_slot(s->probes, n))->sent);
}

void race_remove_probed(struct race_state *s, const struct tape_message *m)
{
	struct tape_match_key key =
	    race_probe_key(m->comm, m->from, m->to, m->tag);
	uint32_t n = tape_match_post(s->probes, &key);

	if (n == TAPE_NO_SLOT)
		tape_die_no_memory();
	race_free_probed(tape_match_slot(s->probes, n));
	tape_match_done(s->probes, n, 2);
}

void race_begin_send(struct race_state *s, const struct tape_event *e,
		     const struct tape_op *op)
{
	struct race_send *m;

	if (op->r->to < 0)
		return;
	m = tape_must(
	    tape_table_get(&s->sends, race_where_number(s, &op->r->begun)));
	if (!m->uses)
		m->sent = vector_time_keep(s->rank[e->rank].now);
	/* of several sends of one event it is not known which one has ended */
	if (!m->uses && e->class_ != TAPE_CLASS_START &&
	    e->class_ != TAPE_CLASS_MCAST &&
	    tape_eager_limits_exceed(&s->eager, s->t, op->r->call, e->rank,
				     op->r->to, op->bytes))
		m->waits = m->uses = 1;
	m->uses++;
	add_probed(s, e->rank, op);
}

/* One message less on its way, or one end less to come. */
void race_use_send(struct race_state *s, uint64_t number, struct race_send *m)
{
	if (--m->uses)
		return;
	vector_time_drop(m->sent);
	vector_time_drop(m->received);
	tape_table_drop(&s->sends, number);
}

/* The end of a send is a call of its rank that others may know of. */
static uint32_t count_end(struct race_state *s, int rank)
{
	struct race_rank *r = &s->rank[rank];

	race_add_column(s, rank);
	if (r->column < 0)
		return 0;
	r->calls++;
	vector_time_raise(&r->now, (size_t)r->column, r->calls);
	return r->calls;
}

/* Does the receive in progress take that send, by an earlier pass, if that has
 * found what it takes? */
static int takes_send(const struct race_state *s, const struct race_rank *r,
		      uint64_t send)
{
	const struct race_resolved *l =
	    tape_table_find(&s->resolved, r->waiting_event);

	for (size_t i = 0; l && i < l->n; i++)
		if (l->send[i] == send)
			return 1;
	return !l;
}

/*
 * The send has ended, of that rank, and its receive has not: learns what the
 * receiver knew at least when it posted that.
 */
static void learn_posting(struct race_state *s, int rank,
			  const struct tape_op *op, struct race_send *m)
{
	struct race_rank *q = &s->rank[op->r->to], *r = &s->rank[rank];
	struct race_pattern *p = &q->waits_for;
	size_t i = 0;

	if (q->is_waiting && p->comm == op->key.comm && p->source == rank &&
	    p->tag == op->key.tag &&
	    takes_send(s, q, race_where_number(s, &op->r->begun))) {
		vector_time_merge(&r->now, q->now);
		if (q->column >= 0)
			vector_time_raise(&r->now, (size_t)q->column,
					  q->calls + 1);
		return;
	}
	for (; i < q->n_open; i++) {
		p = &q->open[i].pattern;
		if (p->comm == op->key.comm &&
		    (p->source == TAPE_ANY_SOURCE || p->source == rank) &&
		    (p->tag == TAPE_ANY_TAG || p->tag == op->key.tag))
			break;
	}
	if (i == q->n_open)
		return;
	vector_time_merge(&r->now, q->open[i].posted);
	m->sender_known = count_end(s, rank);
}

/*
 * The messages of the key that were sent before that one, and are on their way,
 * have been taken, too.
 */
static void end_earlier(struct race_state *s, int rank,
			const struct tape_op *op, uint64_t number)
{
	struct tape_match_key key =
	    race_probe_key(op->key.comm, rank, op->r->to, op->key.tag);
	uint32_t n = tape_match_peek(s->probes, &key), known = 0;

	while (n != TAPE_NO_SLOT) {
		struct tape_slot *slot = tape_match_slot(s->probes, n);
		struct race_send *m;

		if (get_probed(slot)->send == number)
			return;
		m = tape_table_find(&s->sends, get_probed(slot)->send);
		if (m && !m->sender_known) {
			known = known ? known : count_end(s, rank);
			m->sender_known = known;
		}
		n = slot->next;
	}
}

void race_end_send(struct race_state *s, int rank, const struct tape_op *op)
{
	uint64_t number = race_where_number(s, &op->r->begun);
	struct race_send *m = tape_table_find(&s->sends, number);

	if (!m || !m->waits || op->r->to < 0)
		return;
	if (m->is_received)
		vector_time_merge(&s->rank[rank].now, m->received);
	else
		learn_posting(s, rank, op, m);
	end_earlier(s, rank, op, number);
	m->waits = 0;
	race_use_send(s, number, m);
}
