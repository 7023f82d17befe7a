/* A trace as a sequence of steps; see export.h. */
#include <stdlib.h>
#include <string.h>

#include "file_output.h"
#include "export_state.h"
#include "growing_array.h"
#include "ordered.h"
#include "predicted.h"
#include "resolve.h"
#include "tool.h"

void *tape_export_alloc(size_t n, size_t size)
{
	return tape_must(calloc(n + 1, size));
}

/* ---- the whole ---- */

static void find_comm_fields(struct tape_export *x)
{
	struct tape_field f;

	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		for (unsigned i = 0; tape_class_field(c, i, &f); i++)
			if (!strcmp(f.name, "comm")) {
				x->comm[c] = f;
				x->has_comm[c] = 1;
			}
}

static void init_clock_origins(struct tape_export *x)
{
	size_t n = tape_trace_domains(x->t);

	x->by_domain = tape_trace_base(x->t) == TAPE_BASE_LOCAL && n > 1;
	x->origin_ns = tape_export_alloc(n, sizeof *x->origin_ns);
	for (size_t i = 0; i <= n; i++)
		x->origin_ns[i] = INT64_MAX;
	if (x->by_domain)
		tape_warn("%s is in the local time of %zu clocks: each starts "
			  "at its own first event. Run sba for one common time",
			  tape_trace_path(x->t), n);
}

static void init_export_flows(struct tape_export *x)
{
	size_t ranks = tape_trace_ranks(x->t);

	x->flows = x->end = tape_trace_flows(x->t);
	x->flow = tape_export_alloc(x->flows, sizeof *x->flow);
	x->flow_of_rank = tape_export_alloc(ranks, sizeof *x->flow_of_rank);
	for (size_t r = 0; r < ranks; r++)
		x->flow_of_rank[r] = x->flows;
	for (size_t i = x->flows; i-- > 0;)
		x->flow_of_rank[tape_trace_flow(x->t, i)->rank] = i;
}

struct tape_export *tape_export_open(int argc, char **argv,
				     const struct tape_export_kind *kind)
{
	unsigned what = TAPE_REPLAY_BEGINS | TAPE_REPLAY_MESSAGES;
	struct tape_export *x = tape_export_alloc(1, sizeof *x);
	const char *path;

	tape_tool(kind->tool);
	x->kind = kind;
	path = tape_export_options(x, argc, argv);
	if (tape_trace_open(path, &x->t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(x->t));
	tape_resolve(x->t);
	init_clock_origins(x);
	init_export_flows(x);
	find_comm_fields(x);
	x->unmatched = tape_must(tape_unmatched_new());
	x->missing = tape_not_recorded_new(x->t);
	if (tape_replay_open(x->t, what, &x->replay))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(x->t));
	return x;
}

void tape_export_close(struct tape_export *x)
{
	for (size_t i = 0; i < x->flows; i++)
		free(x->flow[i].open);
	tape_replay_close(x->replay);
	tape_merge_close(x->merge);
	tape_not_recorded_free(x->missing);
	tape_unmatched_free(x->unmatched);
	tape_trace_close(x->t);
	free(x->origin_ns);
	free(x->flow_of_rank);
	free(x->flow);
	free(x);
}

/* ---- queries ---- */

struct tape_trace *tape_export_trace(const struct tape_export *x)
{
	return x->t;
}

const char *tape_export_name(const struct tape_export *x)
{
	return x->name;
}

FILE *tape_export_begin_file(const struct tape_export *x)
{
	FILE *f = tape_file_begin(x->name);

	if (setvbuf(f, NULL, _IOFBF, TAPE_ORDERED_BLOCK))
		tape_die_no_memory();
	return f;
}

const char *tape_export_base_text(const struct tape_export *x)
{
	switch (tape_trace_base(x->t)) {
	case TAPE_BASE_LOCAL:
		return x->by_domain ? "local, each clock from its own first "
				      "event"
				    : "local";
	case TAPE_BASE_GLOBAL:
		return "global";
	case TAPE_BASE_COMPENSATED:
		break;
	}
	return tape_predicted(x->t) ? "predicted" : "corrected";
}

int64_t tape_export_ns(struct tape_export *x, int rank, int64_t ns)
{
	int64_t *origin = x->origin_ns;

	if (x->by_domain)
		origin += tape_trace_rank(x->t, rank)->domain;
	if (*origin == INT64_MAX)
		*origin = ns;
	return ns - *origin;
}

int64_t tape_export_flow(const struct tape_export *x,
			 const struct tape_where *p)
{
	size_t i = x->flow_of_rank[p->rank];

	for (; i < x->flows; i++) {
		const struct tape_flow_info *f = tape_trace_flow(x->t, i);

		if (f->rank != p->rank)
			break;
		if (f->thread == p->thread)
			return (int64_t)i;
	}
	return -1;
}

int64_t tape_export_end_ns(const struct tape_export *x)
{
	return x->last_ns;
}

int64_t tape_export_flow_end_ns(const struct tape_export *x, size_t flow)
{
	return x->flow[flow].last_ns;
}

const char *tape_export_region_name(const struct tape_export *x,
				    const struct tape_step *s)
{
	const struct tape_rank_info *r = tape_trace_rank(x->t, s->rank);

	if (!s->region)
		return "tracing off";
	return s->region < r->n_regions && r->regions[s->region]
		   ? r->regions[s->region]
		   : "unknown region";
}

int tape_export_in_window(const struct tape_export *x,
			  const struct tape_step *s)
{
	return s->to_ns >= x->from_ns && s->from_ns <= x->to_ns;
}

uint64_t tape_export_count_backward(const struct tape_export *x)
{
	return x->backward;
}

const struct tape_comm_info *tape_export_comm(const struct tape_export *x,
					      const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(x->t, e->rank);
	uint64_t c = 0;

	if (x->has_comm[e->class_])
		c = (uint64_t)tape_field_get(&e->u, &x->comm[e->class_]);
	return c && c < r->n_comms && r->comms[c].index && r->comms[c].members
		   ? &r->comms[c]
		   : NULL;
}

/* ---- regions ---- */

static void push_open_region(struct export_flow *f, uint32_t region, int64_t ns)
{
	f->open = tape_must(
	    tape_grow_array(f->open, &f->room, f->n + 1, sizeof *f->open));
	f->open[f->n++] = (struct open_region){region, ns};
}

/* Returns the number of regions that close with that one; 0: it is not open. */
static size_t count_regions_to_close(const struct export_flow *f,
				     uint32_t region)
{
	size_t n = f->n;

	while (n && f->open[n - 1].region != region)
		n--;
	return n ? f->n - n + 1 : 0;
}

static void fill_step(const struct tape_export *x, struct tape_step *s,
		      enum tape_step_kind kind, int64_t from, int64_t to)
{
	const struct tape_flow_info *f = tape_trace_flow(x->t, x->of_flow);

	*s = (struct tape_step){.kind = kind,
				.flow = x->of_flow,
				.rank = f->rank,
				.thread = f->thread,
				.from_ns = from,
				.to_ns = to,
				.event = x->event};
}

/* Returns the next OPEN step of an open region in the window, if any. */
static int next_open_step(struct tape_export *x, struct tape_step *s,
			  int64_t now)
{
	struct export_flow *f = &x->flow[x->of_flow];
	const struct open_region *r;

	if (f->shown == f->n || now < x->from_ns)
		return 0;
	r = &f->open[f->shown];
	if (r->start_ns > x->to_ns)
		return 0;
	fill_step(x, s, TAPE_STEP_OPEN, r->start_ns, r->start_ns);
	s->region = r->region;
	f->shown++;
	return 1;
}

static int next_close_step(struct tape_export *x, struct tape_step *s)
{
	struct export_flow *f = &x->flow[x->of_flow];

	x->closing--;
	f->n--;
	fill_step(x, s, TAPE_STEP_CLOSE, x->closing_ns, x->closing_ns);
	s->region = f->open[f->n].region;
	if (!x->closing)
		x->event = NULL;
	if (f->shown <= f->n)
		return 0;
	f->shown--;
	return 1;
}

/* ---- events ---- */

static int64_t later_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Advances the end of the flow to at least ns. Returns the new end. */
static int64_t advance_flow_time(struct tape_export *x, int64_t ns)
{
	struct export_flow *f = &x->flow[x->of_flow];

	f->last_ns = later_ns(f->last_ns, ns);
	x->last_ns = later_ns(x->last_ns, ns);
	return f->last_ns;
}

/* Returns 1 if a block stands for calls that have times of their own. */
static int block_has_timed_calls(const struct tape_event *e)
{
	return e->u.block.site && e->u.block.kind != TAPE_BLOCK_REPEATS &&
	       e->u.block.kind != TAPE_BLOCK_KEPT;
}

static int fill_call_step(struct tape_export *x, struct tape_step *s)
{
	const struct tape_event *e = x->event;
	const struct tape_rank_info *r = tape_trace_rank(x->t, e->rank);
	int64_t from =
	    advance_flow_time(x, tape_export_ns(x, e->rank, e->start_ns));
	int64_t to = tape_export_ns(x, e->rank, e->end_ns);
	unsigned call = e->call;

	if (e->class_ == TAPE_CLASS_BLOCK) {
		/* of skipped calls, the call site and the time are known */
		if (!block_has_timed_calls(e) || e->u.block.site >= r->n_sites)
			return 0;
		to = from + e->inside_ns;
		call = r->sites[e->u.block.site].call;
	}
	if (!call)
		return 0;
	to = advance_flow_time(x, to);
	if (to < x->from_ns || from > x->to_ns)
		return 0;
	fill_step(x, s, TAPE_STEP_CALL, from, to);
	s->call = (uint16_t)call;
	s->doing = tape_doing_of(call, e->class_);
	s->calls = e->class_ == TAPE_CLASS_BLOCK ? e->u.block.calls : e->polls;
	return 1;
}

/* Begins an event: records the region that it opens before its steps. */
static void begin_event(struct tape_export *x, const struct tape_event *e)
{
	struct export_flow *f = &x->flow[e->flow];
	int64_t now;

	x->event = e;
	x->of_flow = e->flow;
	if (!(++x->events & 0x3ffff))
		tape_progress(x->events, 0);
	x->counts = e->n_counts > 0;
	if (x->replay && tape_not_recorded_matters(e))
		tape_not_recorded_event(x->missing, e);
	now = tape_export_ns(x, e->rank, e->start_ns);
	if (e->class_ == TAPE_CLASS_ENTER)
		push_open_region(f, e->region, advance_flow_time(x, now));
	else if (e->class_ == TAPE_CLASS_OFF)
		push_open_region(f, 0, advance_flow_time(x, now));
}

/* Returns the COUNTS step of the event, if it is pending. */
static int next_counts_step(struct tape_export *x, struct tape_step *s)
{
	const struct tape_event *e = x->event;
	int any = x->counts;

	x->counts = 0;
	if (any)
		fill_step(x, s, TAPE_STEP_COUNTS,
			  tape_export_ns(x, e->rank, e->start_ns),
			  tape_export_ns(x, e->rank, e->end_ns));
	return any;
}

/* Ends the event. Returns 1 with its CALL step. Sets the regions that close. */
static int finish_event(struct tape_export *x, struct tape_step *s)
{
	const struct tape_event *e = x->event;
	const struct export_flow *f = &x->flow[x->of_flow];

	if (e->class_ == TAPE_CLASS_LEAVE)
		x->closing = count_regions_to_close(f, e->region);
	else if (e->class_ == TAPE_CLASS_ON)
		x->closing = count_regions_to_close(f, 0);
	else if (e->class_ == TAPE_CLASS_THREAD)
		x->closing = f->n; /* another thread continues the flow */
	else
		return fill_call_step(x, s);
	x->closing_ns =
	    advance_flow_time(x, tape_export_ns(x, e->rank, e->start_ns));
	return 0;
}

/* ---- messages ---- */

static int fill_message_step(struct tape_export *x,
			     const struct tape_message *m, struct tape_step *s)
{
	int64_t from, to;

	if (tape_unmatched_message(x->unmatched, m))
		tape_die_no_memory();
	if (m->state != TAPE_MATCHED || !m->ended.event || !m->sent.event)
		return 0;
	from = tape_export_flow(x, &m->sent);
	to = tape_export_flow(x, &m->ended);
	if (from < 0 || to < 0)
		return 0;
	x->event = NULL;
	x->of_flow = (size_t)from;
	fill_step(x, s, TAPE_STEP_MESSAGE,
		  tape_export_ns(x, m->from, m->sent_ns),
		  tape_export_ns(x, m->to, m->ended_ns));
	s->message = m;
	s->to_flow = (size_t)to;
	s->backward = s->to_ns < s->from_ns;
	x->messages++;
	x->backward += (uint64_t)s->backward;
	return s->from_ns >= x->from_ns && s->to_ns <= x->to_ns &&
	       s->from_ns <= x->to_ns && s->to_ns >= x->from_ns;
}

/* ---- the sequence ---- */

/* After the last event: closes the open regions at the end of their flows. */
static int close_left_regions(struct tape_export *x, struct tape_step *s)
{
	const struct export_flow *f;

	x->event = NULL;
	for (; x->of_flow < x->end; x->of_flow++) {
		f = &x->flow[x->of_flow];
		if (!f->n)
			continue;
		if (next_open_step(x, s, f->last_ns))
			return 1;
		x->closing = f->n;
		x->closing_ns = f->last_ns;
		return 0;
	}
	return 0;
}

static void end_of_pass(struct tape_export *x, int rc)
{
	tape_progress(x->events, 1);
	if (rc)
		tape_die_no_memory();
	x->over = 1;
	x->of_flow = x->first;
	if (!x->replay)
		return;
	tape_export_warn(x);
	if (!x->events)
		tape_die(TAPE_FAILED, "%s: the trace has no events",
			 tape_trace_path(x->t));
}

/* Reads the next item. Returns 1 if it is a message with a step. */
static int take_next_item(struct tape_export *x, struct tape_step *s)
{
	const struct tape_event *e;
	const struct tape_item *i;
	int rc = x->replay ? tape_replay_next(x->replay, &i)
			   : tape_merge_next(x->merge, &e);

	if (rc != 1)
		end_of_pass(x, rc);
	else if (!x->replay)
		begin_event(x, e);
	else if (i->kind == TAPE_ITEM_MESSAGE)
		return fill_message_step(x, i->message, s);
	else if (i->kind == TAPE_ITEM_BEGIN)
		begin_event(x, i->event);
	return 0;
}

void tape_export_restart_rank(struct tape_export *x, int rank)
{
	tape_replay_close(x->replay);
	x->replay = NULL;
	tape_merge_close(x->merge);
	x->first = x->end = x->flow_of_rank[rank];
	for (; x->end < x->flows; x->end++) {
		if (tape_trace_flow(x->t, x->end)->rank != rank)
			break;
		x->flow[x->end].last_ns = 0;
	}
	if (tape_merge_open_flows(x->t, x->first, x->end - x->first, &x->merge))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(x->t));
	x->over = 0;
}

int tape_export_next(struct tape_export *x, struct tape_step *s)
{
	int rc;

	for (;;) {
		if (x->closing) {
			if (next_close_step(x, s))
				return 1;
		} else if (x->over) {
			if (close_left_regions(x, s))
				return 1;
			if (!x->closing)
				return 0;
		} else if (x->event) {
			if (next_counts_step(x, s) ||
			    next_open_step(x, s,
					   tape_export_ns(x, x->event->rank,
							  x->event->end_ns)))
				return 1;
			rc = finish_event(x, s);
			if (!x->closing)
				x->event = NULL;
			if (rc)
				return 1;
		} else if (take_next_item(x, s)) {
			return 1;
		}
	}
}
