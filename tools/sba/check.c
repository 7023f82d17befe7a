/* Goes through the messages of a trace; see check.h. */
#include <string.h>

#include "check.h"
#include "message.h"
#include "messages.h"

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

static void take(struct check *c, struct tape_messages *m)
{
	struct tape_message msg;

	while (tape_messages_next(m, &msg)) {
		if (msg.state == TAPE_MATCHED && msg.ended.event)
			transit(c, msg.ended_ns - msg.sent_ns);
		if (tape_unmatched_message(c->unmatched, &msg))
			tape_die(TAPE_FAILED, "out of memory");
	}
}

void check_messages(struct tape_trace *t, struct check *c)
{
	struct tape_messages *m = tape_messages_new(t);
	const struct tape_event *e;
	struct tape_merge *merge;
	unsigned long long events = 0;
	int rc;

	memset(c, 0, sizeof *c);
	c->unmatched = tape_unmatched_new();
	if (!c->unmatched || !m)
		tape_die(TAPE_FAILED, "out of memory");
	if (tape_merge_open(t, &merge))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_merge_next(merge, &e)) == 1) {
		if (tape_messages_event(m, e))
			tape_die(TAPE_FAILED, "out of memory");
		take(c, m);
		if (!(++events & 0xfffff))
			tape_progress(events, 0);
	}
	tape_progress(events, 1);
	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_merge_error(merge));
	tape_merge_close(merge);
	if (tape_messages_end(m))
		tape_die(TAPE_FAILED, "out of memory");
	take(c, m);
	c->unknown = tape_messages_unknown(m);
	tape_messages_free(m);
}
