/*
 * Waits of calls that look for a message and do not take it: probes, and tests
 * that fail again and again. Which message they waited for is known when a
 * later event of the flow takes it; see analysis_state.h.
 */
#include "analysis_state.h"

/* Returns the key of the messages that an event of the flow takes. */
static uint64_t asked_key(size_t flow, uint64_t event)
{
	return ((uint64_t)flow << 40 | (event & 0xffffffffff)) + 1;
}

static int is_failed_test(const struct tape_event *e)
{
	switch (e->class_) {
	case TAPE_CLASS_TEST:
		return !e->u.test.flag;
	case TAPE_CLASS_NRECV:
		return !e->u.nrecv.flag;
	case TAPE_CLASS_IPROBE:
		return !e->u.iprobe.flag;
	case TAPE_CLASS_IMPROBE:
		return !e->u.improbe.flag;
	default:
		return 0;
	}
}

/* Returns 1 for a test of any kind. */
static int is_test(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_TEST || e->class_ == TAPE_CLASS_NRECV ||
	       e->class_ == TAPE_CLASS_IPROBE ||
	       e->class_ == TAPE_CLASS_IMPROBE;
}

int tape_analysis_is_polling(const struct tape_event *e)
{
	int64_t ns = e->end_ns - e->start_ns;

	return e->polls > 1 && is_failed_test(e) &&
	       e->inside_ns >= ns - e->inside_ns;
}

/* Settles the asker: the message that it asked for stays unknown. */
static int settle_asker(struct tape_analysis *a, struct asker *k)
{
	struct tape_sync *s = k->s;

	k->s = NULL;
	return s ? tape_analysis_settle_call(a, s) : 0;
}

int tape_analysis_begin_asking(struct tape_analysis *a,
			       const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];

	return l->failed.s && (!is_test(e) || is_failed_test(e))
		   ? settle_asker(a, &l->failed)
		   : 0;
}

/* The asker k asked for n messages that the latest event of the flow takes. */
static int expect_messages(struct tape_analysis *a, size_t flow,
			   struct asker *k, unsigned n)
{
	struct asked *q;

	if (!k->s || !n)
		return settle_asker(a, k);
	q = tape_table_get(&a->asked, asked_key(flow, a->lanes[flow].events));
	if (!q)
		return tape_analysis_no_memory(a);
	k->s->due += n - 1;
	*q = (struct asked){*k, n};
	k->s = NULL;
	return 0;
}

/* Returns 1 if the latest probe of the flow has found that message. */
static int is_probed(const struct lane *l, uint32_t comm, int32_t peer,
		     int32_t tag)
{
	return l->probe.by.s && l->probe.comm == comm &&
	       l->probe.peer == peer && l->probe.tag == tag;
}

/*
 * The asker k has found that message. Keeps k until a receive takes it: who
 * finds it again has not waited.
 */
static int hold_probe(struct tape_analysis *a, struct lane *l, struct asker *k,
		      uint32_t comm, int32_t peer, int32_t tag)
{
	int rc;

	if (is_probed(l, comm, peer, tag))
		return settle_asker(a, k);
	rc = settle_asker(a, &l->probe.by);
	l->probe = (struct probe){*k, comm, peer, tag};
	k->s = NULL;
	return rc;
}

/* The latest event of the flow receives that message: settles its probe. */
static int receive_probed(struct tape_analysis *a, size_t flow, uint32_t comm,
			  int32_t peer, int32_t tag)
{
	struct lane *l = &a->lanes[flow];

	if (!is_probed(l, comm, peer, tag))
		return 0;
	return expect_messages(a, flow, &l->probe.by, 1);
}

/* The call that has just ended stays unsettled until a later event. */
static struct asker hold_call(struct lane *l)
{
	if (l->open)
		l->open->due++;
	return (struct asker){l->open, 1};
}

int tape_analysis_end_asking(struct tape_analysis *a,
			     const struct tape_event *e, unsigned receives)
{
	const union tape_fields *u = &e->u;
	struct lane *l = &a->lanes[e->flow];
	struct asker k;

	if (tape_analysis_is_polling(e)) {
		l->failed = hold_call(l);
		l->failed.share =
		    (double)e->inside_ns / (double)(e->end_ns - e->start_ns);
		return 0;
	}
	switch (e->class_) {
	case TAPE_CLASS_TEST:
		return expect_messages(a, e->flow, &l->failed, receives);
	case TAPE_CLASS_NRECV:
		return l->failed.s
			   ? expect_messages(a, e->flow, &l->failed, receives)
			   : receive_probed(a, e->flow, u->nrecv.comm,
					    u->nrecv.actual_peer,
					    u->nrecv.actual_tag);
	case TAPE_CLASS_IPROBE:
		return l->failed.s
			   ? hold_probe(a, l, &l->failed, u->iprobe.comm,
					u->iprobe.actual_peer,
					u->iprobe.actual_tag)
			   : 0;
	case TAPE_CLASS_PROBE:
		k = hold_call(l);
		return hold_probe(a, l, &k, u->probe.comm, u->probe.actual_peer,
				  u->probe.actual_tag);
	case TAPE_CLASS_IMPROBE:
		return expect_messages(a, e->flow, &l->failed, 1);
	case TAPE_CLASS_MPROBE:
		k = hold_call(l);
		return expect_messages(a, e->flow, &k,
				       u->mprobe.peer != TAPE_PROC_NULL);
	case TAPE_CLASS_RECV:
		return receive_probed(a, e->flow, u->recv.comm,
				      u->recv.actual_peer, u->recv.actual_tag);
	case TAPE_CLASS_IRECV:
		return receive_probed(a, e->flow, u->irecv.comm, u->irecv.peer,
				      u->irecv.tag);
	default:
		return 0;
	}
}

int tape_analysis_settle_asked(struct tape_analysis *a, size_t flow,
			       uint64_t event, const struct result *late)
{
	uint64_t key = asked_key(flow, event);
	struct asked *q =
	    a->asked.used ? tape_table_find(&a->asked, key) : NULL;
	struct result r = *late;
	struct tape_sync *s;

	if (!q)
		return 0;
	s = q->by.s;
	r.from_ns = s->begun_ns;
	r.ns =
	    (int64_t)(q->by.share * (double)tape_wait_late_sender(
					s->begun_ns, s->ended_ns, r.cause_ns));
	if (r.late_event)
		tape_analysis_set_wait(s, &r);
	if (!--q->left)
		tape_table_drop(&a->asked, key);
	return tape_analysis_settle_call(a, s);
}
