/* Who waited for messages, and to be received; see analysis_state.h. */
#include <stdlib.h>

#include "analysis_state.h"

int tape_analysis_flush(struct tape_analysis *a)
{
	struct tape_sync *s = a->pending_call;

	if (!s)
		return 0;
	a->pending_call = NULL;
	return tape_analysis_put(a, a->pending, s, a->pending_late,
				 a->pending_cause);
}

static int remember(struct tape_analysis *a, struct lane *l,
		    const struct tape_waited *w, int64_t sent_ns)
{
	struct remembered *r;

	if (!l->late)
		l->late = calloc(REMEMBERED, sizeof *l->late);
	if (!l->late)
		return tape_analysis_no_memory(a);
	r = &l->late[l->n_late++ % REMEMBERED];
	*r = (struct remembered){ sent_ns, w->ns, *w };
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
			rc = tape_analysis_add(a, &r->wait);
		} else if (r->sent_ns > latest) {
			latest = r->sent_ns;
		}
	}
	l->latest_sent_ns = latest;
	return rc;
}

static int waits_in_call(const struct tape_event *e)
{
	return e && e->class_ != TAPE_CLASS_TEST &&
	       e->class_ != TAPE_CLASS_NRECV;
}

static int late_sender(struct tape_analysis *a, const struct tape_item *i,
		       size_t from, size_t to)
{
	const struct tape_message *m = i->message;
	struct lane *l = &a->lanes[to];
	struct tape_sync *s;
	struct tape_waited w = {
		.kind = TAPE_WAIT_LATE_SENDER,
		.flow = to,
		.from_ns = m->awaited_ns,
		.ns = tape_wait_late_sender(m->awaited_ns, m->ended_ns,
					    m->sent_ns),
		.late_flow = from,
	};
	int rc = find_wrong_order(a, l, m->sent_ns);

	if (rc || !w.ns || (i->event && i->event->flow == to &&
			    !waits_in_call(i->event)))
		return rc;
	s = l->open && l->open->ended_ns == m->ended_ns
		    ? l->open
		    : tape_history_at(a->history, to, m->awaited_ns);
	if (!s || s->ended_ns < m->ended_ns)
		return 0;
	w.call = s->call;
	if (a->pending_call && a->pending_call != s)
		rc = tape_analysis_flush(a);
	if (!rc && (!a->pending_call || w.ns > a->pending.ns)) {
		a->pending_call = s;
		a->pending = w;
		a->pending_late =
			tape_history_at(a->history, from, m->sent_ns);
		a->pending_cause = m->sent_ns;
	}
	return rc ? rc : remember(a, l, &w, m->sent_ns);
}

static int late_receiver(struct tape_analysis *a,
			 const struct tape_held_send *h)
{
	struct tape_sync *s = h->by;
	struct tape_waited w = {
		.kind = TAPE_WAIT_LATE_RECEIVER,
		.from_ns = s->begun_ns,
		.ns = tape_wait_late_receiver(s->begun_ns, s->ended_ns,
					      h->posted_ns),
		.late_flow = h->receiver,
	};

	/* a call that waited for a late sender, too, is that one's */
	if (!w.ns || s->wait_ns)
		return 0;
	return tape_analysis_put(a, w, s,
				 tape_history_at(a->history, h->receiver,
						 h->posted_ns),
				 h->posted_ns);
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

int tape_analysis_message(struct tape_analysis *a, const struct tape_item *i)
{
	const struct tape_message *m = i->message;
	struct tape_held_send both;
	size_t from, to;
	int rc;

	if (m->state != TAPE_MATCHED || !m->ended.event || !m->sent.event)
		return 0;
	from = tape_analysis_flow(a, m->sent.rank, m->sent.thread);
	to = tape_analysis_flow(a, m->ended.rank, m->ended.thread);
	if (from == to)
		return 0;
	rc = late_sender(a, i, from, to);
	if (rc || !m->posted.event ||
	    !can_be_held(a, m->sent.rank, m->sent.call))
		return rc;
	rc = tape_sends_posted(&a->sends, tape_send_key(from, m->sent.event),
			       (uint32_t)to, m->posted_ns, &both);
	if (rc < 0)
		return tape_analysis_no_memory(a);
	return rc ? late_receiver(a, &both) : 0;
}

static int add_send(struct tape_analysis *a, struct lane *l, uint64_t key)
{
	if (l->n_sends == l->sends_room) {
		size_t room = l->sends_room ? 2 * l->sends_room : 8;
		uint64_t *list = realloc(l->sends, room * sizeof *list);

		if (!list)
			return tape_analysis_no_memory(a);
		l->sends = list;
		l->sends_room = room;
	}
	l->sends[l->n_sends++] = key;
	return 0;
}

int tape_analysis_note_sends(struct tape_analysis *a,
			     const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];
	int rc = 0;

	l->n_sends = 0;
	if (e->class_ == TAPE_CLASS_SEND &&
	    e->u.send.peer != TAPE_PROC_NULL &&
	    can_be_held(a, e->rank, e->call))
		rc = add_send(a, l, tape_send_key(e->flow, l->events));
	for (uint32_t k = 0; !rc && k < e->n_done; k++) {
		int active;
		const struct tape_request *r =
			tape_replay_request(a->replay, e, k, &active);
		const struct tape_where *w = r ? &r->begun : NULL;

		if (r && active && r->is_send && w->event &&
		    can_be_held(a, w->rank, w->call))
			rc = add_send(a, l,
				      tape_send_key(tape_analysis_flow(
							    a, w->rank,
							    w->thread),
						    w->event));
	}
	return rc;
}

/* Does such a call hold its caller until a send is received? */
static int holds(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_SEND || e->class_ == TAPE_CLASS_WAIT;
}

int tape_analysis_sends_ended(struct tape_analysis *a,
			      const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];
	struct tape_sync *by = holds(e) ? l->open : NULL;
	struct tape_held_send both;
	int rc = 0;

	for (size_t k = 0; k < l->n_sends && !rc; k++) {
		int n = tape_sends_ended(&a->sends, l->sends[k], by, &both);

		if (n < 0)
			return tape_analysis_no_memory(a);
		if (n)
			rc = late_receiver(a, &both);
	}
	l->n_sends = 0;
	return rc;
}
