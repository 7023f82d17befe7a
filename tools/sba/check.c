/* Goes through the messages of a trace; see check.h. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "tool.h"
#include "replay.h"

static void transit(struct check *c, int64_t ns)
{
	if (!c->transits++ || ns < c->least_ns)
		c->least_ns = ns;
	if (ns < 0) {
		c->violations++;
		if (-ns > c->worst_ns)
			c->worst_ns = -ns;
	}
}

/* A message between two clocks says something of both. */
static void bound(const struct tape_trace *t, const struct clocks *k,
		  struct bounds *b, const struct tape_message *msg)
{
	uint32_t from = tape_trace_rank(t, msg->from)->domain;
	uint32_t to = tape_trace_rank(t, msg->to)->domain;

	if (from != to)
		bounds_add(b, from, clock_reading(&k->c[from], msg->sent_ns),
			   to, clock_reading(&k->c[to], msg->ended_ns) +
				       k->c[to].grain_ns);
}

/* The first and last reading of its clock. */
static void span(const struct tape_trace *t, struct clocks *k,
		 const struct tape_event *e)
{
	struct clock *c = &k->c[tape_trace_rank(t, e->rank)->domain];

	c->first_ns = fmin(c->first_ns, clock_reading(c, e->start_ns));
	c->last_ns = fmax(c->last_ns, clock_reading(c, e->end_ns));
}

static void see_message(const struct tape_trace *t, struct check *c,
			const struct tape_message *msg, const struct clocks *k,
			struct bounds *b)
{
	if (msg->state == TAPE_MATCHED && msg->ended.event) {
		transit(c, msg->ended_ns - msg->sent_ns);
		if (b)
			bound(t, k, b, msg);
	}
	if (tape_unmatched_message(c->unmatched, msg))
		tape_die(TAPE_FAILED, "out of memory");
}

void check_messages(struct tape_trace *t, struct check *c,
		    struct tape_not_recorded *missing, struct clocks *k,
		    struct bounds *b)
{
	const struct tape_messages *m;
	const struct tape_item *i;
	struct tape_replay *r;
	unsigned long long events = 0;
	int rc;

	memset(c, 0, sizeof *c);
	c->unmatched = tape_unmatched_new();
	if (!c->unmatched)
		tape_die(TAPE_FAILED, "out of memory");
	if (tape_replay_open(t, TAPE_REPLAY_BEGINS | TAPE_REPLAY_MESSAGES, &r))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_replay_next(r, &i)) == 1) {
		if (i->kind == TAPE_ITEM_MESSAGE)
			see_message(t, c, i->message, k, b);
		if (i->kind != TAPE_ITEM_BEGIN)
			continue;
		if (missing && tape_not_recorded_matters(i->event))
			tape_not_recorded_event(missing, i->event);
		if (b)
			span(t, k, i->event);
		if (!(++events & 0xfffff))
			tape_progress(events, 0);
	}
	tape_progress(events, 1);
	if (rc)
		tape_die(TAPE_FAILED, "out of memory");
	m = tape_replay_messages(r);
	c->unknown = tape_messages_unknown(m);
	c->left_out = tape_messages_left_out(m);
	tape_replay_close(r);
}
