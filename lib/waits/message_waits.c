/* Who waited for messages, and to be received; see analysis_state.h. */
#include <stdlib.h>

#include "analysis_state.h"
#include "growing_array.h"

/* Most flows of a short run of many ranks wait a few times; -1: no memory. */
static int grow_remembered(struct lane *l)
{
	size_t n = l->n_late, room = n ? 2 * n : FEW;
	struct remembered *late;

	if (n >= REMEMBERED || n & (n - 1) || (n && n < FEW))
		return 0;
	room = room < REMEMBERED ? room : REMEMBERED;
	late = realloc(l->late, room * sizeof *late);
	if (!late)
		return -1;
	l->late = late;
	return 0;
}

static int remember_late_sender(struct tape_analysis *a, struct lane *l,
				const struct tape_waited *w, int64_t sent_ns)
{
	struct remembered *r;

	if (grow_remembered(l))
		return tape_analysis_no_memory(a);
	r = &l->late[l->n_late++ % REMEMBERED];
	*r = (struct remembered){sent_ns, w->ns, *w};
	if (sent_ns > l->latest_sent_ns)
		l->latest_sent_ns = sent_ns;
	return 0;
}

/* A message that was sent before others that were waited for. */
static int find_wrong_order(struct tape_analysis *a, struct lane *l,
			    int64_t sent_ns)
{
	size_t n = l->n_late < REMEMBERED ? l->n_late : REMEMBERED;
	int64_t latest = INT64_MIN;
	int rc = 0;

	if (sent_ns >= l->latest_sent_ns)
		return 0;
	for (size_t i = 0; !rc && i < n; i++) {
		struct remembered *r = &l->late[i];

		if (!r->ns)
			continue;
		if (r->sent_ns > sent_ns) {
			r->wait.ns = 0;
			r->wait.wrong_order_ns = r->ns;
			r->ns = 0;
			rc = tape_analysis_add_wait(a, &r->wait);
		} else if (r->sent_ns > latest) {
			latest = r->sent_ns;
		}
	}
	l->latest_sent_ns = latest;
	return rc;
}

static int waits_in_call(unsigned call)
{
	unsigned class_ = tape_call_class(call);

	return class_ != TAPE_CLASS_TEST && class_ != TAPE_CLASS_NRECV;
}

static int late_sender(struct tape_analysis *a, const struct received *x,
		       struct tape_sync *s)
{
	struct lane *l = &a->lanes[x->to];
	struct result r = {
	    .kind = TAPE_WAIT_LATE_SENDER,
	    .flow = x->to,
	    .from_ns = x->awaited_ns,
	    .ns = tape_wait_late_sender(x->awaited_ns, x->ended_ns, x->sent_ns),
	    .late_flow = x->from,
	    .late_event = x->late_event,
	    .late_call = x->late_call,
	    .cause_ns = x->sent_ns,
	};
	struct tape_waited w = {.kind = TAPE_WAIT_LATE_SENDER,
				.flow = x->to,
				.from_ns = r.from_ns,
				.ns = r.ns,
				.late_flow = x->from,
				.late_call = x->late_call};
	int rc = find_wrong_order(a, l, x->sent_ns);

	if (rc || !r.ns || !s || !waits_in_call(x->call))
		return rc;
	w.call = s->call;
	tape_analysis_set_wait(s, &r);
	return remember_late_sender(a, l, &w, x->sent_ns);
}

/* What asked for the message before: a probe, or tests that failed. */
static int settle_askers(struct tape_analysis *a, const struct received *x)
{
	struct result r = {.kind = TAPE_WAIT_LATE_SENDER,
			   .late_flow = x->from,
			   .late_event = x->counts ? x->late_event : 0,
			   .late_call = x->late_call,
			   .cause_ns = x->sent_ns};
	int rc = tape_analysis_settle_asked(a, x->to, x->event, &r);

	if (rc || (x->posted == x->event && x->by == x->to))
		return rc;
	return tape_analysis_settle_asked(a, x->by, x->posted, &r);
}

/* In its turn. */
static int process_next_receive(struct tape_analysis *a,
				const struct received *x)
{
	struct tape_sync *s = tape_analysis_find_call(a, x->to, x->event);
	int rc = x->counts ? late_sender(a, x, s) : 0;

	if (!rc && a->asked.used)
		rc = settle_askers(a, x);
	return rc || !s ? rc : tape_analysis_settle_call(a, s);
}

/* The nth receive that ended at its rank: those before it come first. */
static int process_receive(struct tape_analysis *a, int rank, uint64_t nth,
			   const struct received *one)
{
	struct received x = *one, *held;
	uint64_t key = (uint64_t)rank << 40;
	int rc;

	if (nth != a->received[rank] + 1) {
		held = tape_table_get(&a->early, key + nth);
		if (!held)
			return tape_analysis_no_memory(a);
		*held = x;
		return 0;
	}
	for (;;) {
		rc = process_next_receive(a, &x);
		nth = ++a->received[rank] + 1;
		held = rc || !a->early.used
			   ? NULL
			   : tape_table_find(&a->early, key + nth);
		if (!held)
			return rc;
		x = *held;
		tape_table_drop(&a->early, key + nth);
	}
}

static int late_receiver(struct tape_analysis *a,
			 const struct tape_held_send *h)
{
	struct tape_sync *s = h->by;
	struct result r = {
	    .kind = TAPE_WAIT_LATE_RECEIVER,
	    .from_ns = s->begun_ns,
	    .ns =
		tape_wait_late_receiver(s->begun_ns, s->ended_ns, h->posted_ns),
	    .late_flow = h->receiver,
	    .late_event = h->event,
	    .late_call = h->call,
	    .cause_ns = h->posted_ns,
	};

	(void)a;
	if (r.ns && !h->is_eager)
		tape_analysis_set_wait(s, &r);
	return 0;
}

/* Of a send made by that call of a rank: may it end only when received? */
static int can_be_held(const struct tape_analysis *a, int rank, unsigned call)
{
	unsigned traits = tape_call_traits(call);
	unsigned class_ = tape_call_class(call);

	/* PVM sends from buffers of its own */
	return !tape_trace_rank(a->t, rank)->tid &&
	       !(traits & (TAPE_TRAIT_BUFFERED | TAPE_TRAIT_READY)) &&
	       (class_ == TAPE_CLASS_SEND || class_ == TAPE_CLASS_ISEND ||
		class_ == TAPE_CLASS_START);
}

int tape_analysis_add_post(struct tape_analysis *a, uint64_t key,
			   const struct tape_held_send *h)
{
	struct tape_held_send both;
	int n = tape_sends_add_post(&a->sends, key, h, &both);

	if (n < 0)
		return tape_analysis_no_memory(a);
	if (!n)
		return 0;
	n = late_receiver(a, &both);
	return n ? n : tape_analysis_settle_call(a, both.by);
}

int tape_analysis_add_message(struct tape_analysis *a,
			      const struct tape_item *i)
{
	const struct tape_message *m = i->message;
	struct received x = {.awaited_ns = m->awaited_ns,
			     .ended_ns = m->ended_ns,
			     .sent_ns = m->sent_ns,
			     .event = m->ended.event,
			     .late_event = m->sent.event,
			     .posted = m->posted.event,
			     .call = m->ended.call};
	struct tape_held_send h = {.posted_ns = m->posted_ns,
				   .event = m->posted.event};
	/* of several threads' messages that may have been another one */
	int refuted = m->shared && m->sent_ns > m->ended_ns;
	int matched = m->state == TAPE_MATCHED && m->sent.event && !refuted;
	int owner, rc;
	uint64_t key;

	if (!m->nth)
		return 0;
	x.to = (uint32_t)tape_analysis_flow_index(a, m->ended.rank,
						  m->ended.thread);
	x.by = m->posted.event ? (uint32_t)tape_analysis_flow_index(
					 a, m->posted.rank, m->posted.thread)
			       : x.to;
	if (matched) {
		x.from = (uint32_t)tape_analysis_flow_index(a, m->sent.rank,
							    m->sent.thread);
		x.late_call = tape_analysis_place(a, &m->sent);
		x.counts = x.from != x.to;
	}
	rc = process_receive(a, m->to, m->nth, &x);
	if (rc || !x.counts || !m->posted.event ||
	    !can_be_held(a, m->sent.rank, m->sent.call))
		return rc;
	h.receiver = (uint32_t)tape_analysis_flow_index(a, m->posted.rank,
							m->posted.thread);
	h.call = tape_analysis_place(a, &m->posted);
	h.is_eager = (uint32_t)tape_eager_limits_hold(
	    &a->eager, a->t, m->sent.call, m->from, m->to, m->bytes);
	key = tape_send_key(x.from, m->sent.event, m->request);
	owner = a->peers ? a->peers->owner[m->sent.rank] : 0;
	return !a->peers || owner == a->peers->me
		   ? tape_analysis_add_post(a, key, &h)
		   : tape_parallel_send_post(a, owner, key, &h);
}

static int add_send(struct tape_analysis *a, struct lane *l, uint64_t key)
{
	uint64_t *list = tape_grow_array(l->sends, &l->sends_room,
					 l->n_sends + 1, sizeof *list);

	if (!list)
		return tape_analysis_no_memory(a);
	l->sends = list;
	l->sends[l->n_sends++] = key;
	return 0;
}

int tape_analysis_note_sends(struct tape_analysis *a,
			     const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];
	int rc = 0;

	l->n_sends = 0;
	if (e->class_ == TAPE_CLASS_SEND && e->u.send.peer != TAPE_PROC_NULL &&
	    can_be_held(a, e->rank, e->call))
		rc = add_send(a, l, tape_send_key(e->flow, l->events, 0));
	for (uint32_t k = 0; !rc && k < e->n_done; k++) {
		int active;
		const struct tape_request *r =
		    tape_replay_request(a->replay, e, k, &active);
		const struct tape_where *w = r ? &r->begun : NULL;

		if (r && active && r->is_send && w->event &&
		    can_be_held(a, w->rank, w->call))
			rc = add_send(a, l,
				      tape_send_key(tape_analysis_flow_index(
							a, w->rank, w->thread),
						    w->event, r->number));
	}
	return rc;
}

/* Does such a call hold its caller until a send is received? */
static int may_block_on_send(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_SEND || e->class_ == TAPE_CLASS_WAIT;
}

int tape_analysis_end_sends(struct tape_analysis *a, const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];
	struct tape_sync *by = may_block_on_send(e) ? l->open : NULL;
	struct tape_held_send both;
	int rc = 0;

	for (size_t k = 0; k < l->n_sends && !rc; k++) {
		int n = tape_sends_add_end(&a->sends, l->sends[k], by, &both);

		if (n < 0)
			return tape_analysis_no_memory(a);
		if (n)
			rc = late_receiver(a, &both);
		else if (by)
			by->due++;
	}
	l->n_sends = 0;
	return rc;
}
