/*
 * Runs a program of mixed_program.h. Its operations are in an order in which
 * nothing waits for what comes later, so one way through them is enough.
 */
#include <string.h>

#include "mixed_program.h"
#include "record.h"

struct run {
	struct mixed_program *p;
	int is_traced;
	int64_t now[MIXED_FLOWS];
	int is_open[MIXED_FLOWS]; /* the thread had an event */
	uint64_t which[MIXED_FLOWS];
	int64_t there[MIXED_OPS]; /* messages */
	int64_t last[MIXED_FLOWS][MIXED_FLOWS];
	int64_t first, end;
};

static int64_t find_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void add_event(struct run *x, int flow, struct mixed_event e)
{
	struct mixed_program *p = x->p;

	if (x->is_traced && p->events[flow] < MIXED_EVENTS)
		p->event[flow][p->events[flow]++] = e;
	if (e.start < x->first)
		x->first = e.start;
	x->end = find_later(x->end, e.end);
}

/* A step in the life of a thread, which is recorded and takes time. */
static void add_step(struct run *x, int flow, const struct mixed_op *o,
		     int step, int64_t before)
{
	int64_t after = x->p->costs[flow / MIXED_SLOTS].after;
	struct mixed_event e = {.kind = MIXED_STEP + step, .op = o,
				.before = before, .after = after};

	e.which = step == TAPE_THREAD_BEGINS	? x->which[flow]
		  : step == TAPE_THREAD_CREATES ? 0
						: o->which;

	if (x->p->has_no_steps)
		return;
	if (x->is_traced)
		x->now[flow] += before;
	e.start = e.end = x->now[flow];
	add_event(x, flow, e);
	if (x->is_traced)
		x->now[flow] += after;
}

/* The first event of a thread opens its flow. */
static void open_thread(struct run *x, int flow, const struct mixed_op *o)
{
	int64_t open = x->p->costs[flow / MIXED_SLOTS].open;
	struct mixed_event e = {.kind = MIXED_THREAD, .op = o};

	if (x->is_open[flow] || !(flow % MIXED_SLOTS))
		return;
	x->is_open[flow] = 1;
	if (x->p->has_no_steps)
		e.before = open;
	if (x->is_traced)
		x->now[flow] += e.before;
	add_step(x, flow, o, TAPE_THREAD_BEGINS, open);
	e.start = e.end = x->now[flow];
	add_event(x, flow, e);
}

/* The flow computes, and an event of op begins: its start. */
static int64_t begin_event(struct run *x, int flow, const struct mixed_op *o,
			   int64_t ns)
{
	x->now[flow] += ns;
	open_thread(x, flow, o);
	if (x->is_traced)
		x->now[flow] += x->p->costs[flow / MIXED_SLOTS].before +
				o->off_before;
	return x->now[flow];
}

static void end_event(struct run *x, int flow, const struct mixed_op *o,
		      int kind, int64_t start, int64_t end, int arrived)
{
	struct mixed_event e = {.kind = kind, .op = o, .start = start,
				.end = end, .arrived = arrived};

	add_event(x, flow, e);
	x->now[flow] = end;
	if (x->is_traced)
		x->now[flow] += x->p->costs[flow / MIXED_SLOTS].after +
				o->off_after;
}

static void run_send(struct run *x, const struct mixed_op *o)
{
	int64_t start = begin_event(x, o->flow, o, o->ns);
	int64_t *last = &x->last[o->flow][o->other];
	int64_t there = start + x->p->beta + x->p->tau * o->bytes;

	*last = x->there[o->message] = find_later(there, *last + 1);
	end_event(x, o->flow, o, MIXED_SEND, start, start + 20, 0);
}

static void run_receive(struct run *x, const struct mixed_op *o)
{
	int64_t start = begin_event(x, o->flow, o, o->ns);
	int64_t there = x->there[o->message];

	end_event(x, o->flow, o, MIXED_RECV, start,
		  find_later(start, there) + x->p->dc, there <= start);
}

static void run_rendezvous(struct run *x, const struct mixed_op *o)
{
	int64_t s = begin_event(x, o->flow, o, o->ns);
	int64_t r = begin_event(x, o->other, o, o->other_ns);
	int64_t end =
	    find_later(s, r) + x->p->beta + x->p->tau * o->bytes;

	end_event(x, o->flow, o, MIXED_RENDEZVOUS, s, end, 0);
	end_event(x, o->other, o, MIXED_RECEIVES, r, end + x->p->dc,
		  s + x->p->beta <= r);
}

/* The last of the starts of these ranks, or own. */
static int64_t find_last(const int64_t *start, unsigned ranks, int64_t own)
{
	for (int r = 0; r < MIXED_RANKS; r++)
		if (ranks >> r & 1)
			own = find_later(own, start[r]);
	return own;
}

static void run_collective(struct run *x, const struct mixed_op *o)
{
	const struct mixed_program *p = x->p;
	int64_t start[MIXED_RANKS] = {0}, all = INT64_MIN, root;

	for (int r = 0; r < p->ranks; r++) {
		if (!(p->members[o->comm] >> r & 1))
			continue;
		start[r] = begin_event(x, r * MIXED_SLOTS, o,
				       o->ns * (r + 1) % 3000);
		all = find_later(all, start[r]);
	}
	root = start[o->other / MIXED_SLOTS];
	for (int r = 0; r < p->ranks; r++) {
		int64_t own = start[r], ready = own;

		if (!(p->members[o->comm] >> r & 1))
			continue;
		if (o->kind == MIXED_ALL ||
		    (o->kind == MIXED_ALL_TO_ONE &&
		     r == o->other / MIXED_SLOTS))
			ready = all;
		else if (o->kind == MIXED_ONE_TO_ALL)
			ready = find_later(own, root);
		else if (o->kind == MIXED_SOME)
			ready = find_last(start, o->awaited[r], own);
		end_event(x, r * MIXED_SLOTS, o, o->kind, own, ready + 150, 0);
	}
}

static void run_create(struct run *x, const struct mixed_op *o)
{
	x->now[o->flow] += o->ns;
	open_thread(x, o->flow, o);
	add_step(x, o->flow, o, TAPE_THREAD_CREATES, 0);
	x->now[o->other] = x->now[o->flow] + 400;
	x->is_open[o->other] = 0;
	x->which[o->other] = o->which;
	x->now[o->flow] += 700;
	add_step(x, o->flow, o, TAPE_THREAD_CREATED, 0);
}

static void run_join(struct run *x, const struct mixed_op *o)
{
	x->now[o->other] += o->other_ns;
	if (x->is_open[o->other])
		add_step(x, o->other, o, TAPE_THREAD_ENDS, 0);
	x->is_open[o->other] = 0;
	x->now[o->flow] += o->ns;
	open_thread(x, o->flow, o);
	add_step(x, o->flow, o, TAPE_THREAD_JOINS, 0);
	x->now[o->flow] =
	    find_later(x->now[o->flow], x->now[o->other]) + 60;
	add_step(x, o->flow, o, TAPE_THREAD_JOINED, 0);
}

static void run_hidden(struct run *x, const struct mixed_op *o)
{
	x->now[o->flow] += o->ns;
	open_thread(x, o->flow, o);
	if (o->kind == MIXED_OFF)
		add_event(x, o->flow,
			  (struct mixed_event){.kind = MIXED_OFF, .op = o,
					       .start = x->now[o->flow],
					       .end = x->now[o->flow]});
	if (x->is_traced)
		x->now[o->flow] += o->hidden_ns;
	if (o->kind == MIXED_OFF)
		add_event(x, o->flow,
			  (struct mixed_event){.kind = MIXED_OFF + 1, .op = o,
					       .start = x->now[o->flow],
					       .end = x->now[o->flow]});
}

static void run_operation(struct run *x, const struct mixed_op *o)
{
	int64_t start;

	switch (o->kind) {
	case MIXED_LOCAL:
		start = begin_event(x, o->flow, o, o->ns);
		end_event(x, o->flow, o, MIXED_LOCAL, start, start + 10, 0);
		break;
	case MIXED_SEND:
		run_send(x, o);
		break;
	case MIXED_RECV:
		run_receive(x, o);
		break;
	case MIXED_RENDEZVOUS:
		run_rendezvous(x, o);
		break;
	case MIXED_ALL:
	case MIXED_ONE_TO_ALL:
	case MIXED_ALL_TO_ONE:
	case MIXED_SOME:
		run_collective(x, o);
		break;
	case MIXED_CREATE:
		run_create(x, o);
		break;
	case MIXED_JOIN:
		run_join(x, o);
		break;
	case MIXED_RELEASE:
		x->now[o->flow] += o->ns;
		x->now[o->other] = find_later(x->now[o->other] + o->other_ns,
					      x->now[o->flow] + 30);
		break;
	case MIXED_COUNTED:
	case MIXED_OFF:
		run_hidden(x, o);
		break;
	}
}

void mixed_program_run(struct mixed_program *p, int is_traced)
{
	struct run x = {.p = p, .is_traced = is_traced,
			.first = INT64_MAX, .end = INT64_MIN};

	for (int r = 0; r < p->ranks; r++)
		x.now[r * MIXED_SLOTS] = 1000000 + 1000 * r;
	if (is_traced)
		memset(p->events, 0, sizeof p->events);
	for (int i = 0; i < p->ops; i++)
		run_operation(&x, &p->op[i]);
	p->total[is_traced != 0] = x.end - x.first;
}
