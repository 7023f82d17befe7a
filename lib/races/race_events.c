/* What events do to the state of a search; see race_events.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "place.h"
#include "race_events.h"
#include "replay.h"
#include "tool.h"

/* ---- of an event ---- */

static uint64_t comm_identity(const struct race_state *s, int rank,
			      uint32_t comm)
{
	const struct tape_rank_info *r = tape_trace_rank(s->t, rank);

	return comm < r->n_comms ? r->comms[comm].id : 0;
}

/* The messages that a receive or probe of the rank, so called, takes. */
static struct race_pattern call_pattern(const struct race_state *s, int rank,
					uint32_t comm, int32_t peer,
					int32_t tag)
{
	return (struct race_pattern){
	    .comm = comm_identity(s, rank, comm),
	    .source = peer == TAPE_ANY_SOURCE
			  ? TAPE_ANY_SOURCE
			  : tape_peer_rank(s->t, rank, comm, peer),
	    .tag = tag,
	    .but = -1,
	};
}

/* The messages that the event looks for, if it is a probe; else source is -2.
 */
static struct race_pattern probe_pattern(const struct race_state *s,
					 const struct tape_event *e)
{
	if (e->class_ == TAPE_CLASS_PROBE)
		return call_pattern(s, e->rank, e->u.probe.comm,
				    e->u.probe.peer, e->u.probe.tag);
	if (e->class_ == TAPE_CLASS_IPROBE)
		return call_pattern(s, e->rank, e->u.iprobe.comm,
				    e->u.iprobe.peer, e->u.iprobe.tag);
	return (struct race_pattern){.source = TAPE_PROC_NULL, .but = -1};
}

/* Sets what a failed test looked for. Returns 0 if e is none. */
static int set_asked(const struct race_state *s, const struct tape_event *e,
		     struct race_pattern *p)
{
	if (!tape_event_failed(e->class_, &e->u))
		return 0;
	*p = (struct race_pattern){.but = -1, .is_choice = 1};
	if (e->class_ == TAPE_CLASS_IPROBE)
		*p = probe_pattern(s, e);
	else if (e->class_ == TAPE_CLASS_IMPROBE)
		*p = call_pattern(s, e->rank, e->u.improbe.comm,
				  e->u.improbe.peer, e->u.improbe.tag);
	else if (e->class_ == TAPE_CLASS_NRECV)
		*p = call_pattern(s, e->rank, e->u.nrecv.comm, e->u.nrecv.peer,
				  e->u.nrecv.tag);
	else if (e->class_ != TAPE_CLASS_TEST && e->class_ != TAPE_CLASS_QUERY)
		return 0;
	/* a source that is not in the trace sends nothing here */
	return p->is_choice || p->source >= TAPE_ANY_SOURCE;
}

/* Did the call complete some of several requests? */
static int is_choice(const struct tape_event *e)
{
	return (e->class_ == TAPE_CLASS_WAIT && e->u.wait.n > e->n_done) ||
	       (e->class_ == TAPE_CLASS_TEST && e->u.test.flag &&
		e->u.test.n > e->n_done);
}

/* ---- receives ---- */

void race_post_receive(struct race_state *s, const struct tape_event *e,
		       const struct tape_op *op)
{
	struct race_rank *r = &s->rank[e->rank];
	const struct tape_request *q = op->r;

	if (q->peer == TAPE_ANY_SOURCE)
		race_add_column(s, e->rank);
	if (!q->number) /* a blocking one ends with the event */
		return;
	r->open = tape_must(tape_grow_array(r->open, &r->open_room,
					    r->n_open + 1, sizeof *r->open));
	r->open[r->n_open++] = (struct race_open){
	    .event = q->begun.event,
	    .request = q->number,
	    .pattern = call_pattern(s, e->rank, q->comm, q->peer, q->tag),
	    .posted = vector_time_keep(r->now),
	};
}

void race_begin_receive(struct race_state *s, const struct tape_event *e)
{
	struct race_rank *r = &s->rank[e->rank];

	if (e->class_ == TAPE_CLASS_RECV)
		r->waits_for =
		    call_pattern(s, e->rank, e->u.recv.comm,
				 e->u.recv.actual_peer, e->u.recv.actual_tag);
	else if (e->class_ == TAPE_CLASS_SENDRECV)
		r->waits_for = call_pattern(s, e->rank, e->u.sendrecv.comm,
					    e->u.sendrecv.actual_peer,
					    e->u.sendrecv.actual_tag);
	else
		return;
	if ((e->class_ == TAPE_CLASS_RECV ? e->u.recv.peer
					  : e->u.sendrecv.rpeer) ==
	    TAPE_ANY_SOURCE)
		race_add_column(s, e->rank);
	r->is_waiting = 1;
	r->waiting_event = race_event_number(e->flow, s->events[e->flow]);
}

void race_free_ends(struct race_event *e)
{
	for (size_t i = 0; i < e->n_ends; i++)
		vector_time_drop(e->end[i].posted);
	e->n_ends = e->found = 0;
	vector_time_drop(e->before);
	e->before = NULL;
}

/* Does the event end receives, perhaps such as are reported later? */
static int ends_receives(const struct tape_event *e)
{
	for (uint32_t i = 0; i < e->n_done; i++)
		if (e->done[i].kind == TAPE_DONE_RECV)
			return 1;
	return e->class_ == TAPE_CLASS_RECV || e->class_ == TAPE_CLASS_SENDRECV;
}

/* The event ends receives whose messages an earlier pass has found. */
static void merge_resolved(struct race_state *s, size_t flow)
{
	struct race_event *v = &s->event;
	const struct race_resolved *l =
	    tape_table_find(&s->resolved, race_event_number(flow, v->event));

	for (size_t i = 0; l && i < l->n; i++) {
		struct race_send *m = tape_table_find(&s->sends, l->send[i]);

		if (!m)
			continue;
		vector_time_merge(&s->rank[v->rank].now, m->sent);
		if (!m->waits || m->is_received || !s->rank[v->rank].is_waiting)
			continue;
		m->is_received = 1;
		m->received = vector_time_keep(v->before);
		if (s->rank[v->rank].column >= 0)
			vector_time_raise(&m->received,
					  (size_t)s->rank[v->rank].column,
					  v->number);
	}
}

/* The message was reported after its event: the next pass knows it in time. */
static void resolve_message(struct race_state *s, const struct tape_message *m,
			    uint64_t send)
{
	struct race_resolved *l;

	if (s->is_resolved || s->resolved.used >= RESOLVED_MOST)
		return;
	l = tape_must(
	    tape_table_get(&s->resolved, race_where_number(s, &m->ended)));
	if (l->n < sizeof l->send / sizeof *l->send)
		l->send[l->n++] = send;
}

/*
 * Receives that the event ends are reported later if others that were posted
 * before are in the way: learns what their messages know at least.
 */
static void learn_late(struct race_state *s, const struct tape_event *e)
{
	struct race_rank *r = &s->rank[e->rank];
	const struct race_pattern *p = &r->waits_for;

	if (r->is_waiting) {
		struct tape_match_key key =
		    race_probe_key(p->comm, p->source, e->rank, p->tag);

		race_merge_probed(s, e->rank, &key);
	}
	merge_resolved(s, e->flow);
	r->late = tape_must(tape_grow_array(r->late, &r->late_room,
					    r->n_late + 1, sizeof *r->late));
	r->late[r->n_late++] = (struct race_late){
	    s->event.event, s->event.number, vector_time_keep(s->event.before)};
}

void race_free_late(struct race_rank *r)
{
	while (r->n_late)
		vector_time_drop(r->late[--r->n_late].before);
}

/* The event of that number that ended receives: the last one, or before. */
static struct race_late find_late(const struct race_state *s, uint64_t event)
{
	const struct race_rank *r = &s->rank[s->event.rank];

	for (size_t i = r->n_late; i-- > 0;)
		if (r->late[i].event == event)
			return r->late[i];
	return (struct race_late){s->event.event, s->event.number,
				  s->event.before};
}

/* Does the event, which ends, depend on messages? */
static int needs_number(const struct race_event *e, const struct tape_item *i)
{
	if (ends_receives(i->event))
		return 1;
	for (int k = 0; k < i->n_ops; k++)
		if (i->ops[k].kind == TAPE_OP_RECV_END ||
		    i->ops[k].kind == TAPE_OP_PROBE)
			return 1;
	return e->is_choice || e->is_test ||
	       i->event->class_ == TAPE_CLASS_MPROBE ||
	       i->event->class_ == TAPE_CLASS_IMPROBE;
}

void race_begin_end(struct race_state *s, const struct tape_item *i)
{
	const struct tape_event *e = i->event;
	struct race_rank *r = &s->rank[e->rank];
	struct race_event *v = &s->event;

	v->is_open = 1;
	v->rank = e->rank;
	v->event = s->events[i->flow];
	v->site = e->site;
	v->also_site = e->also_polls ? e->also_site : e->site;
	v->start_ns = e->start_ns;
	v->end_ns = e->end_ns;
	v->is_test = set_asked(s, e, &v->asked);
	v->is_choice = is_choice(e);
	v->before = vector_time_keep(r->now);
	if (v->is_test || v->is_choice)
		race_add_column(s, e->rank);
	if (probe_pattern(s, e).source == TAPE_ANY_SOURCE)
		race_add_column(s, e->rank);
	v->number = needs_number(v, i) ? ++r->calls : 0;
	if (!r->n_open)
		race_free_late(r);
	else if (ends_receives(e))
		learn_late(s, e);
	/* what a matched probe took is known from now on */
	if (e->class_ == TAPE_CLASS_MPROBE || e->class_ == TAPE_CLASS_IMPROBE)
		for (size_t k = r->n_open; k-- > 0 && v->number;)
			if (r->open[k].posted == r->now && !r->open[k].known) {
				r->open[k].known = v->number;
				break;
			}
}

void race_end_probe(struct race_state *s, const struct tape_event *e,
		    const struct tape_op *op)
{
	int from = op->r->from;
	struct tape_match_key key =
	    race_probe_key(op->key.comm, from, e->rank, op->key.tag);
	struct race_candidate c = {
	    .call = {.rank = e->rank,
		     .site = e->site,
		     .start_ns = e->start_ns,
		     .took = {.from = from, .tag = op->key.tag}},
	    .number = s->event.number,
	    .known = s->event.number,
	};

	if (from >= 0)
		race_merge_probed(s, e->rank, &key);
	c.pattern = probe_pattern(s, e);
	if (c.pattern.source != TAPE_ANY_SOURCE)
		return;
	c.call.took.sent_ns = INT64_MIN;
	c.pattern.but = from;
	c.before = vector_time_keep(s->event.before);
	race_add_candidate(s, e->rank, &c);
}

/*
 * Removes the receive of request q from the posted ones and copies it to *o.
 * Returns 1, or 0 if no such receive is posted.
 */
static int take_open(struct race_rank *r, const struct tape_request *q,
		     struct race_open *o)
{
	size_t i = 0;

	while (i < r->n_open && (r->open[i].event != q->begun.event ||
				 r->open[i].request != q->number))
		i++;
	if (i == r->n_open)
		return 0;
	*o = r->open[i];
	r->n_open--;
	memmove(&r->open[i], &r->open[i + 1],
		(r->n_open - i) * sizeof *r->open);
	return 1;
}

void race_end_receive(struct race_state *s, const struct tape_op *op)
{
	const struct tape_request *q = op->r;
	struct race_event *v = &s->event;
	struct race_open o = {0};
	struct race_late late;
	int was_open;

	if (!q->is_recv)
		return;
	was_open = take_open(&s->rank[v->rank], q, &o);
	if (op->kind != TAPE_OP_RECV_END) {
		vector_time_drop(o.posted);
		return;
	}
	late = find_late(s, q->ended.event);
	v->end = tape_must(tape_grow_array(v->end, &v->ends_room, v->n_ends + 1,
					   sizeof *v->end));
	v->end[v->n_ends++] = (struct race_end){
	    .event = q->begun.event,
	    .number = late.number,
	    .pattern = call_pattern(s, v->rank, q->comm, q->peer, q->tag),
	    .from = q->from,
	    .tag = op->key.tag,
	    .site = q->begun.site,
	    .posted_ns = q->begun_ns,
	    .is_blocking = !was_open,
	    .known = o.known,
	    .posted = was_open ? o.posted : vector_time_keep(late.before),
	};
}

/* ---- messages ---- */

/* The receive that ended the message, of those of the event; or NULL. */
static struct race_end *find_end(struct race_state *s,
				 const struct tape_message *m)
{
	struct race_event *v = &s->event;

	/* messages come in the order of the ends, most often */
	for (size_t i = 0; i < v->n_ends; i++) {
		struct race_end *e = &v->end[(v->found + i) % v->n_ends];

		if (e->event == m->posted.event && e->from == m->from &&
		    e->tag == m->tag && v->rank == m->to) {
			v->found = (v->found + i + 1) % v->n_ends;
			return e;
		}
	}
	return NULL;
}

static void add_receive(struct race_state *s, const struct race_received *m,
			const struct race_end *e, const struct race_send *of,
			int to)
{
	struct race_candidate c = {
	    .call = {.rank = to,
		     .site = e->site,
		     .start_ns = e->posted_ns,
		     .took = m->m},
	    .pattern = e->pattern,
	    .number = e->number,
	    .known = e->known ? e->known : e->number,
	    .sender_known = of ? of->sender_known : 0,
	    .receive = m->receive,
	    .before = vector_time_keep(e->posted),
	};
	struct race_event *v = &s->event;

	c.pattern.but = m->m.from;
	if (c.sender_known)
		c.sender_column = (size_t)s->rank[m->m.from].column;
	v->ended = tape_must(tape_grow_array(v->ended, &v->ended_room,
					     v->n_ended + 1, sizeof *v->ended));
	v->ended[v->n_ended++] = c;
}

/* The send learns, when it ends, what its receiver knew at the posting. */
static void tell_sender(struct race_state *s, const struct race_end *e,
			struct race_send *of, int to)
{
	if (of->is_received)
		return;
	of->is_received = 1;
	of->received = vector_time_keep(e->posted);
	if (e->is_blocking && s->rank[to].column >= 0)
		vector_time_raise(&of->received, (size_t)s->rank[to].column,
				  e->number);
}

void race_end_message(struct race_state *s, const struct tape_message *m)
{
	uint64_t number;
	struct race_send *of;
	struct race_end *e;
	struct race_received got = {
	    .m = {.from = m->from, .tag = m->tag, .sent_ns = m->sent_ns},
	    .comm = m->comm,
	    .posted_ns = m->state == TAPE_MATCHED ? m->posted_ns : INT64_MAX,
	    .ended_ns = m->ended.event ? m->ended_ns : INT64_MAX,
	    .number = s->event.number,
	    .receive = m->state == TAPE_MATCHED
			   ? race_where_number(s, &m->posted)
			   : UINT64_MAX,
	};

	if (m->from < 0 || m->to < 0 || m->state == TAPE_UNSENT)
		return;
	number = race_where_number(s, &m->sent);
	of = tape_table_find(&s->sends, number);
	got.sent = of ? of->sent : NULL;
	e = m->state == TAPE_MATCHED ? find_end(s, m) : NULL;
	if (e) {
		got.number = e->number;
		got.pattern = e->pattern;
	}
	if (e && m->ended.event != s->event.event)
		resolve_message(s, m, number);
	race_compare_message(s, m->to, &got);
	if (e &&
	    (s->rank[m->to].n_open || s->rank[m->to].n_late || !e->is_blocking))
		race_store_message(s, m->to, &got);
	if (e && e->pattern.source == TAPE_ANY_SOURCE)
		add_receive(s, &got, e, of, m->to);
	if (m->state == TAPE_MATCHED) {
		vector_time_merge(&s->rank[m->to].now, got.sent);
		race_remove_probed(s, m);
	}
	if (of && of->waits && e)
		tell_sender(s, e, of, m->to);
	if (of)
		race_use_send(s, number, of);
}

/* ---- the end ---- */

/* The call of the event that ended completed some of several requests. */
static void add_choice(struct race_state *s)
{
	struct race_event *v = &s->event;
	struct race_candidate c = {
	    .call = {.rank = v->rank,
		     .site = v->site,
		     .start_ns = v->start_ns,
		     .took = {.from = -1}},
	    .pattern = {.but = -1, .is_choice = 1},
	    .number = v->number,
	    .known = v->number,
	    .before = vector_time_keep(v->before),
	};

	if (v->n_ends)
		c.call.took = (struct race_message){.from = v->end[0].from,
						    .tag = v->end[0].tag,
						    .sent_ns = INT64_MIN};
	race_add_candidate(s, v->rank, &c);
}

/* The event that ended found nothing. */
static void store_test(struct race_state *s)
{
	struct race_event *v = &s->event;
	struct race_rank *r = &s->rank[v->rank];

	r->has_test = 1;
	r->test_site = v->site;
	r->test_also_site = v->also_site;
	r->test = (struct race_candidate){
	    .call = {.rank = v->rank,
		     .site = v->site,
		     .start_ns = v->start_ns,
		     .took = {.from = -1}},
	    .pattern = v->asked,
	    .number = v->number,
	    .known = v->number,
	    .before = vector_time_keep(v->before),
	};
}

void race_finish_event(struct race_state *s)
{
	struct race_event *v = &s->event;
	struct race_rank *r;

	if (!v->is_open)
		return;
	r = &s->rank[v->rank];
	if (v->number && r->column >= 0)
		vector_time_raise(&r->now, (size_t)r->column, v->number);
	for (size_t i = 0; i < v->n_ended; i++)
		race_add_candidate(s, v->rank, &v->ended[i]);
	v->n_ended = 0;
	if (v->is_choice)
		add_choice(s);
	if (v->is_test)
		store_test(s);
	r->is_waiting = 0;
	race_free_ends(v);
	v->is_open = 0;
}

void race_settle_test(struct race_state *s, int rank,
		      const struct tape_event *e)
{
	struct race_rank *r = &s->rank[rank];

	if (!r->has_test)
		return;
	r->has_test = 0;
	if (e && (e->site == r->test_site || e->site == r->test_also_site))
		vector_time_drop(r->test.before);
	else
		race_add_candidate(s, rank, &r->test);
	r->test.before = NULL;
}
