/* Goes through the messages of a trace; see check.h. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "pacing.h"
#include "tool.h"

static void count_transit(struct check *c, int64_t ns)
{
	if (!c->transits++ || ns < c->least_ns)
		c->least_ns = ns;
	if (ns < 0) {
		c->violations++;
		if (-ns > c->worst_ns)
			c->worst_ns = -ns;
	}
}

/* Adds a message between two clocks as a bound. */
static void add_message_bound(const struct tape_trace *t,
			      const struct clocks *k, struct bounds *b,
			      const struct tape_message *msg)
{
	uint32_t from = tape_trace_rank(t, msg->from)->domain;
	uint32_t to = tape_trace_rank(t, msg->to)->domain;

	if (from != to)
		bounds_add(b, from, clock_reading(&k->c[from], msg->sent_ns),
			   to, clock_reading(&k->c[to], msg->ended_ns) +
				       k->c[to].grain_ns);
}

/* Widens the span of readings of the event's clock. */
static void widen_clock_span(const struct tape_trace *t, struct clocks *k,
			     const struct tape_event *e)
{
	struct clock *c = &k->c[tape_trace_rank(t, e->rank)->domain];

	c->first_ns = fmin(c->first_ns, clock_reading(c, e->start_ns));
	c->last_ns = fmax(c->last_ns, clock_reading(c, e->end_ns));
}

static void check_message(const struct tape_trace *t, struct check *c,
			  const struct tape_message *msg,
			  const struct clocks *k, struct bounds *b,
			  const struct tape_peers *p)
{
	/* messages of several threads may be matched wrongly */
	if (msg->state == TAPE_MATCHED && msg->ended.event && !msg->shared) {
		count_transit(c, msg->ended_ns - msg->sent_ns);
		if (b)
			add_message_bound(t, k, b, msg);
	}
	c->n_remote += msg->from >= 0 && !tape_peers_owns_rank(p, msg->from);
	if (tape_unmatched_message(c->unmatched, msg))
		tape_die_no_memory();
}

static void check_event(const struct tape_trace *t, struct check *c,
			const struct tape_event *e, struct tape_not_recorded *m,
			struct tape_notices *notes, struct clocks *k)
{
	if (tape_not_recorded_matters(e)) {
		if (m)
			tape_not_recorded_event(m, e);
		if (notes)
			tape_notices_add(notes, e);
	}
	if (k)
		widen_clock_span(t, k, e);
	if (!(++c->events & 0xfffff))
		tape_progress(c->events, 0);
}

void check_messages(struct tape_trace *t, struct check *c,
		    struct tape_not_recorded *missing, struct clocks *k,
		    struct bounds *b, struct tape_peers *p,
		    struct tape_notices *notes)
{
	const struct tape_messages *m;
	const struct tape_item *i;
	struct tape_pacing stride;
	struct tape_replay *r;
	int rc;

	memset(c, 0, sizeof *c);
	c->unmatched = tape_must(tape_unmatched_new());
	tape_pacing_init(&stride);
	if (p && tape_peers_partition(p, t))
		tape_die_no_memory();
	if (tape_replay_open_part(t, TAPE_REPLAY_BEGINS | TAPE_REPLAY_MESSAGES,
				  p, &r))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_replay_next(r, &i)) > 0) {
		if (rc == 2) {
			if (tape_pacing_synchronise(&stride, r, p))
				break;
			continue;
		}
		if (i->kind == TAPE_ITEM_MESSAGE)
			check_message(t, c, i->message, k, b, p);
		else if (i->kind == TAPE_ITEM_BEGIN)
			check_event(t, c, i->event, missing, notes,
				    b ? k : NULL);
	}
	tape_progress(c->events, 1);
	if (rc)
		tape_die_no_memory();
	m = tape_replay_messages(r);
	c->unknown = tape_messages_unknown(m);
	c->left_out = tape_messages_left_out(m);
	tape_replay_close(r);
}
