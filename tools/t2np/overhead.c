/*
 * * The tracer's own time, as pairs of records around those of an event; see
 * translate_state.h. The overhead before an event is known only when the event
 * begins. Therefore records are held back for HELD_NS; of a longer overhead
 * only the last part is shown. The overhead after an event ends at the flow's
 * next event at the latest.
 */
#include <math.h>

#include "translate_state.h"

/* Longer than almost every overhead before an event. */
#define HELD_NS 1000000

/* Limit of an overhead: no alpha takes a quarter of an hour. */
#define MOST_NS 1000000000000

int64_t overhead_horizon(const struct translate *t, const struct tape_event *e)
{
	return (uint64_t)e->start_ns - (uint64_t)t->horizon > HELD_NS
		       ? e->start_ns - HELD_NS
		       : t->horizon;
}

/* Returns 1 if the tracer took time around the event. */
static int is_traced(const struct tape_event *e)
{
	return e->class_ != TAPE_CLASS_BLOCK &&
	       e->class_ != TAPE_CLASS_COUNTED &&
	       e->class_ != TAPE_CLASS_THREAD;
}

static int64_t whole_ns(double ns)
{
	return ns > 0 ? llround(fmin(ns, MOST_NS)) : 0;
}

static void add_overhead(struct translate *t, const struct tape_event *e,
			 int64_t from, int64_t to)
{
	struct pair p = { .evttype = PICL_OVERHEAD, .from = from, .to = to };

	if (from < to)
		add_pair(t, e, &p);
}

/* The first event of a flow, and events while tracing is off, have no overhead
 * before them. */
void overhead_before(struct translate *t, const struct tape_event *e)
{
	struct stack *s = &t->stacks[e->flow];
	int64_t ns, low;

	if (s->seen)
		order_cut(t->order, e->flow, e->start_ns);
	if (s->seen && !t->nodes[e->rank].off && is_traced(e)) {
		low = s->until > t->horizon ? s->until : t->horizon;
		ns = whole_ns(tape_event_alpha_before(e));
		if (low < e->start_ns)
			add_overhead(t, e,
				     (uint64_t)e->start_ns - (uint64_t)low >
						     (uint64_t)ns
					     ? e->start_ns - ns
					     : low,
				     e->start_ns);
	}
	s->seen = 1;
}

void overhead_after(struct translate *t, const struct tape_event *e)
{
	struct stack *s = &t->stacks[e->flow];

	s->until = e->end_ns;
	if (!is_traced(e) || t->nodes[e->rank].off ||
	    e->end_ns > INT64_MAX - MOST_NS)
		return;
	s->until += whole_ns(tape_event_alpha_after(e));
	add_overhead(t, e, e->end_ns, s->until);
	if (s->until > t->latest)
		t->latest = s->until;
}
