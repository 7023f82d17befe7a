/* Converts events to records; see translate.h. t2np.1 has a table of them. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "tool.h"
#include "translate_state.h"
#include "translate.h"

/*
 * Labels of user tasks: merged failed tests, merged packing calls, and the time
 * in which one of several threads is not traced.
 */
static const char polling[] = "polling", packing[] = "packing",
		  unpacking[] = "unpacking", off[] = "tracing_off";

void *allocate_zeroed(size_t n, size_t size)
{
	return tape_must(calloc(n + 1, size));
}

static void count_flows(struct translate *t)
{
	int *flows = allocate_zeroed(t->n_nodes, sizeof *flows);

	for (size_t i = 0; i < t->n_flows; i++) {
		int rank = tape_trace_flow(t->trace, i)->rank;

		t->nodes[rank].several = flows[rank]++ > 0;
	}
	free(flows);
}

struct translate *translate_new(const struct tape_trace *trace,
				const struct tape_replay *replay, FILE *f,
				int overhead)
{
	struct translate *t = allocate_zeroed(1, sizeof *t);

	t->trace = trace;
	t->replay = replay;
	t->f = f;
	t->overhead = overhead;
	t->n_nodes = tape_trace_ranks(trace);
	t->n_flows = tape_trace_flows(trace);
	t->nodes = allocate_zeroed(t->n_nodes, sizeof *t->nodes);
	t->stacks = allocate_zeroed(t->n_flows, sizeof *t->stacks);
	t->order = order_new(t->n_flows);
	t->tasks = names_new();
	t->subsets = names_new();
	count_flows(t);
	return t;
}

static void translate_free(struct translate *t)
{
	for (size_t i = 0; i < t->n_flows; i++)
		free(t->stacks[i].task);
	order_free(t->order);
	picl_free(t->out);
	names_free(t->tasks);
	names_free(t->subsets);
	for (size_t i = 0; i < t->n_nodes; i++) {
		free(t->nodes[i].subsets);
		free(t->nodes[i].regions);
	}
	free(t->nodes);
	free(t->stacks);
	free(t);
}

/* ---- records ---- */

static void put_record(struct translate *t, const struct tape_event *e,
		       int16_t rectype, int32_t evttype, int64_t time_ns,
		       int16_t n, const int64_t *data)
{
	struct picl_record r = { .time_ns = time_ns, .node = e->rank,
				 .pid = e->thread, .rectype = rectype,
				 .evttype = evttype, .n = n };

	if (n)
		memcpy(r.data, data, (size_t)n * sizeof *data);
	order_add(t->order, e->flow, &r);
}

void add_pair(struct translate *t, const struct tape_event *e,
	      const struct pair *p)
{
	put_record(t, e, PICL_ENTRY, p->evttype, p->from, p->n_in, p->in);
	put_record(t, e, PICL_EXIT, p->evttype, p->to, p->n_out, p->out);
}

/*
 * Returns the number of a user task. A new label is written at once: all
 * records before the current event are already written.
 */
static int32_t task_number(struct translate *t, const char *label)
{
	int is_new;
	int32_t n = names_number(t->tasks, label, strlen(label), &is_new);

	if (is_new)
		picl_label(t->out, t->horizon, n, label);
	return n;
}

/* Returns the number of a user task, cached in *known, which is 0 at first. */
static int32_t cached_task_number(struct translate *t, int32_t *known,
				  const char *label)
{
	if (!*known)
		*known = task_number(t, label) + 1;
	return *known - 1;
}

static void add_task(struct translate *t, const struct tape_event *e,
		     int32_t number)
{
	struct pair p = { .evttype = number, .from = e->start_ns,
			  .to = e->end_ns };

	add_pair(t, e, &p);
}

static void add_call_task(struct translate *t, const struct tape_event *e)
{
	const char *name = tape_call_name(e->call);

	add_task(t, e,
		 e->call < TAPE_CALL_COUNT
		     ? cached_task_number(t, &t->calls[e->call], name)
		     : task_number(t, name));
}

/* ---- regions ---- */

static void open_task(struct translate *t, const struct tape_event *e,
		      int32_t number)
{
	struct stack *s = &t->stacks[e->flow];

	s->task = tape_must(tape_grow_array(s->task, &s->room, (size_t)s->n + 1,
					    sizeof *s->task));
	s->task[s->n] = number;
	put_record(t, e, PICL_ENTRY, s->task[s->n++], e->start_ns, 0, NULL);
}

/* Ends the innermost task of that number, and the tasks inside it. */
static void close_task(struct translate *t, const struct tape_event *e,
		       int32_t number)
{
	struct stack *s = &t->stacks[e->flow];
	uint32_t n = s->n;

	while (n && s->task[n - 1] != number)
		n--;
	while (n && s->n >= n)
		put_record(t, e, PICL_EXIT, s->task[--s->n], e->start_ns, 0,
			   NULL);
}

/* Ends all tasks of the flow: another thread continues it. */
static void close_all_tasks(struct translate *t, const struct tape_event *e)
{
	struct stack *s = &t->stacks[e->flow];

	while (s->n)
		put_record(t, e, PICL_EXIT, s->task[--s->n], e->start_ns, 0,
			   NULL);
}

/* Returns the task of the event's region. */
static int32_t region_task(struct translate *t, const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t->trace, e->rank);
	int32_t **known = &t->nodes[e->rank].regions;

	if (!*known)
		*known = allocate_zeroed(r->n_regions, sizeof **known);
	return cached_task_number(t, &(*known)[e->region],
				  r->regions[e->region]);
}

/* ---- off and on ---- */

/*
 * Tracing is switched off, or on. If a node has several flows, each flow gets a
 * user task instead, because they are switched separately.
 */
static void switch_off(struct translate *t, const struct tape_event *e)
{
	struct node *n = &t->nodes[e->rank];

	if (n->several) {
		open_task(t, e, task_number(t, off));
		return;
	}
	if (!n->off)
		put_record(t, e, PICL_EXIT, PICL_TRACING, e->start_ns, 0, NULL);
	n->off = 1;
}

static void switch_on(struct translate *t, const struct tape_event *e)
{
	struct node *n = &t->nodes[e->rank];

	if (n->several)
		close_task(t, e, task_number(t, off));
	if (n->off)
		put_record(t, e, PICL_ENTRY, PICL_TRACING, e->start_ns, 0,
			   NULL);
	n->off = 0;
}

/* ---- events ---- */

/* Adds a task for failed tests, if failed. Returns failed. */
static int add_polling(struct translate *t, const struct tape_event *e,
		       int failed)
{
	if (failed)
		add_task(t, e, task_number(t, polling));
	return failed;
}

/* Adds a task for merged packing calls, which have different names. Returns 0
 * for a single call. */
static int add_packing(struct translate *t, const struct tape_event *e)
{
	if (e->polls == 1)
		return 0;
	add_task(t, e,
		 task_number(t, tape_call_shape(e->call) == TAPE_SHAPE_FROM
				    ? unpacking
				    : packing));
	return 1;
}

/* Returns 0 if the event has no records of its own: it becomes a user task. */
static int convert_event(struct translate *t, const struct tape_event *e)
{
	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_SEND:
		return convert_send(t, e);
	case TAPE_CLASS_RECV:
		return convert_recv(t, e);
	case TAPE_CLASS_SENDRECV:
		return convert_sendrecv(t, e);
	case TAPE_CLASS_MCAST:
		return convert_mcast(t, e);
	case TAPE_CLASS_NRECV:
		return convert_nrecv(t, e) ||
		       add_polling(t, e, !e->u.nrecv.flag);
	case TAPE_CLASS_ISEND:
		return convert_isend(t, e);
	case TAPE_CLASS_IRECV:
		return convert_irecv(t, e);
	case TAPE_CLASS_PREADY:
		return convert_pready(t, e);
	case TAPE_CLASS_ISENDRECV:
		return convert_isendrecv(t, e);
	case TAPE_CLASS_START:
		return convert_start(t, e);
	case TAPE_CLASS_PROBE:
		return convert_probe(t, e);
	case TAPE_CLASS_MPROBE:
		return convert_mprobe(t, e);
	case TAPE_CLASS_IPROBE:
		return convert_iprobe(t, e) ||
		       add_polling(t, e, !e->u.iprobe.flag);
	case TAPE_CLASS_IMPROBE:
		return convert_improbe(t, e) ||
		       add_polling(t, e, !e->u.improbe.flag);
	case TAPE_CLASS_IMRECV:
		return convert_imrecv(t, e);
	case TAPE_CLASS_MRECV:
		return convert_mrecv(t, e);
	case TAPE_CLASS_WAIT:
		return convert_completions(t, e, 1);
	case TAPE_CLASS_TEST:
		return add_polling(t, e, !e->u.test.flag && !e->n_done) ||
		       convert_completions(t, e, 0);
	case TAPE_CLASS_QUERY:
		return convert_query(t, e) ||
		       add_polling(t, e, !e->u.query.flag);
	case TAPE_CLASS_WINTEST:
		return add_polling(t, e, !e->u.wintest.flag);
	case TAPE_CLASS_COLL:
		return convert_collective(t, e);
	case TAPE_CLASS_PACK:
		return add_packing(t, e);
	case TAPE_CLASS_ENTER:
		open_task(t, e, region_task(t, e));
		return 1;
	case TAPE_CLASS_LEAVE:
		close_task(t, e, region_task(t, e));
		return 1;
	case TAPE_CLASS_OFF:
		switch_off(t, e);
		return 1;
	case TAPE_CLASS_ON:
		switch_on(t, e);
		return 1;
	case TAPE_CLASS_COUNTED:
	case TAPE_CLASS_BLOCK:
	case TAPE_CLASS_PROCESSOR:
	case TAPE_CLASS_PTHREAD:
		return 1; /* no records */
	case TAPE_CLASS_THREAD:
		close_all_tasks(t, e);
		return 1;
	case TAPE_CLASS_PSEND: /* the send begins later */
	case TAPE_CLASS_REQ:
	case TAPE_CLASS_GREQUEST:
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_SPAWN:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_ICOLL:
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_WIN_NEW:
	case TAPE_CLASS_FILE_NEW:
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_IRMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_PSCW:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
	case TAPE_CLASS_COUNT:
		break;
	}
	return 0;
}

/* ---- the whole ---- */

/* Writes a record at once or, with overhead and an event e, in order. */
static void put_or_queue(struct translate *t, const struct tape_event *e,
			 const struct picl_record *r)
{
	if (e && t->overhead)
		order_add(t->order, e->flow, r);
	else
		picl_put(t->out, r);
}

static void begin_tracing(struct translate *t, const struct tape_event *e,
			  size_t node, int64_t time_ns)
{
	struct picl_record r = { .time_ns = time_ns, .node = (int32_t)node,
				 .rectype = PICL_ENTRY,
				 .evttype = PICL_TRACING };

	put_or_queue(t, e, &r);
}

/* Begins a node whose first event is e; NULL: it has no event. */
static void begin_node(struct translate *t, const struct tape_event *e,
		       size_t node, int64_t time_ns)
{
	struct picl_record r = { .time_ns = time_ns, .node = (int32_t)node };

	t->nodes[node].started = 1;
	begin_tracing(t, e, node, time_ns);
	r.rectype = PICL_MARK;
	r.evttype = PICL_LEVEL;
	r.n = 3;
	for (int i = 0; i < 3; i++)
		r.data[i] = 1;
	put_or_queue(t, e, &r);
}

static void end_node(struct translate *t, size_t node)
{
	struct picl_record r = { .time_ns = t->latest, .node = (int32_t)node,
				 .rectype = PICL_MARK, .evttype = PICL_CLOSE };

	picl_put(t->out, &r);
	r.rectype = PICL_EXIT;
	r.evttype = PICL_TRACING;
	picl_put(t->out, &r);
}

static void end_flow(struct translate *t, size_t flow)
{
	const struct tape_flow_info *f = tape_trace_flow(t->trace, flow);
	struct picl_record r = { .time_ns = t->latest, .node = f->rank,
				 .pid = f->thread, .rectype = PICL_EXIT };
	struct stack *s = &t->stacks[flow];

	while (s->n) {
		r.evttype = s->task[--s->n];
		picl_put(t->out, &r);
	}
}

static void begin_result(struct translate *t, const struct tape_event *e)
{
	t->out = picl_new(t->f, e->start_ns);
	t->latest = e->end_ns;
	t->horizon = e->start_ns;
}

void translate_event(struct translate *t, const struct tape_event *e)
{
	const struct node *n = &t->nodes[e->rank];

	if (!t->out)
		begin_result(t, e);
	t->horizon = t->overhead ? overhead_horizon(t, e) : e->start_ns;
	order_write(t->order, t->horizon, t->out);
	if (!n->started)
		begin_node(t, e, (size_t)e->rank, e->start_ns);
	if (t->overhead)
		overhead_before(t, e);
	if (n->off && e->class_ != TAPE_CLASS_OFF)
		switch_on(t, e); /* the event was recorded nevertheless */
	if (e->end_ns > t->latest)
		t->latest = e->end_ns;
	if (!convert_event(t, e))
		add_call_task(t, e);
	if (t->overhead)
		overhead_after(t, e);
}

void translate_end(struct translate *t)
{
	if (!t->out)
		t->out = picl_new(t->f, 0);
	order_finish(t->order, t->out);
	for (size_t i = 0; i < t->n_nodes; i++)
		if (t->nodes[i].off) /* so that open tasks can end */
			begin_tracing(t, NULL, i, t->latest);
	for (size_t i = 0; i < t->n_flows; i++)
		end_flow(t, i);
	for (size_t i = 0; i < t->n_nodes; i++) {
		if (!t->nodes[i].started)
			begin_node(t, NULL, i, t->latest);
		end_node(t, i);
	}
	translate_free(t);
}
