/* Goes through the messages of a trace; see check.h. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "message.h"
#include "ops.h"

static void transit(struct check *c, const struct tape_slot *s)
{
	int64_t ns = s->recv.end_ns - s->send.start_ns;

	if (!c->transits++ || ns < c->least_ns)
		c->least_ns = ns;
	if (ns < 0) {
		c->violations++;
		if (-ns > c->worst_ns)
			c->worst_ns = -ns;
	}
}

/* flow: 1 says that the receive has ended (its date is in end_ns). */
static void apply(struct tape_match *m, struct check *c,
		  const struct tape_op *op, const struct tape_event *e)
{
	struct tape_slot *s;

	switch (op->kind) {
	case TAPE_OP_SEND:
		op->r->slot = tape_match_send(m, &op->key);
		if (op->r->slot == TAPE_NO_SLOT)
			tape_die(TAPE_FAILED, "out of memory");
		s = tape_match_slot(m, op->r->slot);
		s->send.start_ns = e->start_ns;
		if (s->recv.flow == 1)
			transit(c, s);
		tape_match_done(m, op->r->slot, 1);
		break;
	case TAPE_OP_POST:
		op->r->slot = tape_match_post(m, &op->key);
		if (op->r->slot == TAPE_NO_SLOT)
			tape_die(TAPE_FAILED, "out of memory");
		break;
	case TAPE_OP_RECV_END:
		s = tape_match_slot(m, op->r->slot);
		s->recv.end_ns = e->end_ns;
		s->recv.flow = 1;
		if (s->send.there)
			transit(c, s);
		tape_match_done(m, op->r->slot, 2);
		break;
	case TAPE_OP_CANCEL:
		tape_match_cancel(m, &op->key, op->r->slot);
		break;
	case TAPE_OP_SEND_END:
	case TAPE_OP_PROBE:
	case TAPE_OP_ENTER:
	case TAPE_OP_LEAVE:
		break;
	}
}

void check_messages(struct tape_trace *t, struct check *c,
		    struct tape_missing *missing)
{
	size_t n = tape_trace_ranks(t);
	struct tape_ops **ops = calloc(n, sizeof *ops);
	struct tape_match *m = tape_match_new();
	const struct tape_event *e;
	struct tape_merge *merge;
	unsigned long long events = 0;
	int rc;

	memset(c, 0, sizeof *c);
	if (!ops || !m)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t r = 0; r < n; r++)
		if (!(ops[r] = tape_ops_new(t, (int)r, NULL)))
			tape_die(TAPE_FAILED, "out of memory");
	if (tape_merge_open(t, &merge))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_merge_next(merge, &e)) == 1) {
		struct tape_op *list;
		int k = tape_ops_of(ops[e->rank], e, &list);

		if (k < 0)
			tape_die(TAPE_FAILED, "out of memory");
		if (missing && tape_missing_matters(e))
			tape_missing_event(missing, e);
		for (int i = 0; i < k; i++)
			apply(m, c, &list[i], e);
		if (!(++events & 0xfffff))
			tape_progress(events, 0);
	}
	tape_progress(events, 1);
	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_merge_error(merge));
	tape_merge_close(merge);
	tape_match_left(m, &c->unreceived, &c->unsent);
	tape_match_free(m);
	for (size_t r = 0; r < n; r++) {
		c->left_out += tape_ops_left_out(ops[r]);
		tape_ops_free(ops[r]);
	}
	free(ops);
}
