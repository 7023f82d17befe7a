/* Reads a run in several time bases; see view.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "details.h"
#include "growing_array.h"
#include "pass.h"
#include "predicted.h"
#include "sums.h"
#include "tool.h"
#include "view_waits.h"

/* Bins of a flow and group. */
enum { FINE = 4096 };

/* Estimated bytes of the times of a call or a region in each base. */
enum { TIME_BYTES = 5 };

/* ---- times ---- */

/* The first event of a base, or of a clock, sets its origin. */
int64_t pass_time_ns(const struct view_base *b, const struct tape_event *e,
		     int64_t ns)
{
	int64_t *origin = b->origin_ns;

	if (b->by_domain)
		origin += tape_trace_rank(b->t, e->rank)->domain;
	if (*origin == INT64_MAX)
		*origin = e->start_ns;
	return ns - *origin;
}

static void open_base(struct view_base *b, struct tape_trace *t)
{
	size_t n = tape_trace_domains(t);

	b->t = t;
	b->by_domain = tape_trace_base(t) == TAPE_BASE_LOCAL && n > 1;
	if (!b->by_domain)
		n = 1;
	b->origin_ns = view_alloc(n, sizeof *b->origin_ns);
	while (n--)
		b->origin_ns[n] = INT64_MAX;
	b->flow = view_alloc(tape_trace_flows(t), sizeof *b->flow);
	view_bins_open(&b->bins, tape_trace_flows(t), VIEW_WAITING, FINE);
}

/* ---- single events ---- */

static int overlaps_window(const struct view_pass *g, size_t flow,
			   int64_t start, int64_t end)
{
	const struct view_window *w = g->w;
	int rank = g->v->flow[flow].info->rank;

	return start <= w->to_ns && end >= w->from_ns && !g->v->is_full &&
	       (!w->ranks || w->ranks[rank]);
}

static void count_detail_bytes(struct view_pass *g, size_t bytes, int64_t now)
{
	g->v->detail_bytes += bytes;
	if (g->v->detail_bytes > g->w->max_bytes && !g->v->is_full) {
		g->v->is_full = 1;
		g->v->full_ns = now;
	}
}

static void set_event_index(struct view_flow *f, uint64_t number)
{
	size_t at = (size_t)(number - f->first);

	/* marker events in between have no index */
	for (size_t i = (size_t)(f->last ? f->last - f->first + 1 : 0); i <= at;
	     i++) {
		f->index = tape_must(tape_grow_array(f->index, &f->index_room,
						     i + 1, sizeof *f->index));
		f->index[i] = i == at ? (uint32_t)f->kept : UINT32_MAX;
	}
}

static size_t detail_bytes(const struct view_flow *f)
{
	return f->place.n + f->comm.n + f->bytes.n + f->rbytes.n + f->peer.n +
	       f->tag.n + f->calls.n;
}

/* Adds a call, or a block of skipped calls, to the single events, if it is in
 * the window and there is space. */
static void add_single_event(struct view_pass *g, const struct tape_event *e,
			     size_t flow, int64_t start, int64_t end)
{
	struct view_flow *f = &g->v->flow[flow];
	size_t before;

	/* single events of a flow are contiguous */
	if (f->after || !overlaps_window(g, flow, start, end)) {
		if (f->kept)
			f->after++;
		else
			f->before++;
		return;
	}
	if (!f->kept)
		f->first = g->seen[flow];
	set_event_index(f, g->seen[flow]);
	f->last = g->seen[flow];
	f->kept++;
	before = detail_bytes(f);
	view_add_details(g->v, g->b->t, f, e);
	count_detail_bytes(
	    g, detail_bytes(f) - before + TIME_BYTES * (size_t)g->v->bases,
	    start);
}

static int is_single_event(const struct view_pass *g, size_t flow)
{
	const struct view_flow *f = &g->v->flow[flow];

	return f->kept && g->seen[flow] >= f->first && g->seen[flow] <= f->last;
}

static void put_event_times(struct view_times *x, int64_t start, int64_t end)
{
	view_put_signed(&x->gap, start - x->end_ns);
	view_put_signed(&x->length, end - start);
	x->end_ns = end;
}

/* Called when the n-th region of the flow ends. */
void pass_add_region(struct view_pass *g, size_t flow,
		     const struct open_region *r, uint32_t depth, int64_t end,
		     uint64_t n)
{
	struct view_times *x = &g->b->flow[flow];
	struct view_flow *f = &g->v->flow[flow];
	size_t at = g->span[flow];

	if (g->first) {
		if (!overlaps_window(g, flow, r->start_ns, end))
			return;
		f->spans = tape_must(tape_grow_array(f->spans, &f->spans_room,
						     f->n_spans + 1,
						     sizeof *f->spans));
		f->spans[f->n_spans++] = n;
		view_put(&f->region, r->name);
		view_put(&f->depth, depth);
		count_detail_bytes(g, 2 + TIME_BYTES * (size_t)g->v->bases,
				   end);
	} else if (at >= f->n_spans || f->spans[at] != n) {
		return;
	}
	g->span[flow]++;
	view_put_signed(&x->region_gap, end - x->region_end_ns);
	view_put_signed(&x->region_length, end - r->start_ns);
	x->region_end_ns = end;
}

/* ---- items ---- */

static int is_call(const struct tape_event *e)
{
	return e->call || (view_is_skipped(e) && e->u.block.site);
}

static void add_event_item(struct view_pass *g, const struct tape_event *e,
			   size_t flow)
{
	struct view_times *x = &g->b->flow[flow];
	int64_t start = pass_time_ns(g->b, e, e->start_ns);
	int64_t end = pass_time_ns(g->b, e, e->end_ns);
	enum view_group group;

	g->seen[flow]++;
	g->now_ns = start;
	/* skipped events took place before their block, one after the other */
	if (view_is_skipped(e) && start - x->last_ns >= e->inside_ns) {
		start = x->last_ns;
		end = start + e->inside_ns;
	}
	if (end < start)
		end = start;
	if (!x->any)
		x->first_ns = start;
	x->any = 1;
	if (end > x->last_ns)
		x->last_ns = end;
	if (end > g->b->length_ns)
		g->b->length_ns = end;
	if (g->first)
		pass_add_event(g, e, flow);
	if (g->first && e->n_counts)
		view_curves_add(&g->v->curves, e, flow, start, end);
	if (!is_call(e)) {
		pass_add_mark(g, e, flow, start, end);
		return;
	}
	group =
	    view_group_of(e->call ? e->call : view_call_of_block(g->b->t, e));
	view_bins_add_time(&g->b->bins, flow, group, start, end);
	if (g->first) {
		g->v->flow[flow].group_ns[group] += end - start;
		add_single_event(g, e, flow, start, end);
	}
	if (is_single_event(g, flow))
		put_event_times(x, start, end);
}

size_t pass_flow_of(const struct view_pass *g, const struct tape_where *p)
{
	size_t i = g->flow_of_rank[p->rank];

	while (i < g->v->flows && g->v->flow[i].info->rank == p->rank &&
	       g->v->flow[i].info->thread != p->thread)
		i++;
	return i;
}

/* Sets *index to the index of a single event. Returns 0 if it is not one. */
static int find_single_event(const struct view_flow *f, uint64_t number,
			     uint32_t *index)
{
	if (!f->kept || number < f->first || number > f->last)
		return 0;
	*index = f->index[number - f->first];
	return *index != UINT32_MAX;
}

static size_t message_bytes(const struct view *v)
{
	return v->to_flow.n + v->to_event.n + v->from_flow.n + v->from_event.n +
	       v->message_bytes.n + v->message_tag.n;
}

static void add_message_line(struct view_pass *g, const struct tape_message *m)
{
	size_t from = pass_flow_of(g, &m->sent),
	       to = pass_flow_of(g, &m->ended);
	struct view *v = g->v;
	size_t before;
	uint32_t s, r;

	if (from >= v->flows || to >= v->flows ||
	    !find_single_event(&v->flow[from], m->sent.event, &s) ||
	    !find_single_event(&v->flow[to], m->ended.event, &r))
		return;
	before = message_bytes(v);
	v->single++;
	view_put(&v->to_flow, to);
	view_put_signed(&v->to_event, (int64_t)r - (int64_t)g->to[to]);
	view_put(&v->from_flow, from);
	view_put_signed(&v->from_event, (int64_t)s - (int64_t)g->from[from]);
	view_put(&v->message_bytes, m->bytes);
	view_put_signed(&v->message_tag, m->tag);
	g->to[to] = r;
	g->from[from] = s;
	count_detail_bytes(g, message_bytes(v) - before, g->now_ns);
}

static void add_message_item(struct view_pass *g, const struct tape_message *m)
{
	struct view_base *b = g->b;
	int64_t back;

	if (m->state != TAPE_MATCHED) {
		g->v->unreceived += g->first && m->state == TAPE_UNRECEIVED;
		g->v->unsent += g->first && m->state == TAPE_UNSENT;
		return;
	}
	b->messages++;
	if (m->ended.event) {
		back = m->sent_ns - m->ended_ns;
		if (b->by_domain) {
			back +=
			    b->origin_ns[tape_trace_rank(b->t, m->to)->domain];
			back -= b->origin_ns[tape_trace_rank(b->t, m->from)
						 ->domain];
		}
		b->backward += back > 0;
		if (back > b->worst_ns)
			b->worst_ns = back;
	}
	pass_add_message(g, m);
	if (g->first && m->ended.event)
		add_message_line(g, m);
}

static void replay_trace(struct view_pass *g)
{
	unsigned what = TAPE_REPLAY_BEGINS | TAPE_REPLAY_MESSAGES;
	const struct tape_item *i;
	struct tape_replay *r;
	int rc;

	if (tape_replay_open(g->b->t, what, &r))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(g->b->t));
	while ((rc = tape_replay_next(r, &i)) == 1) {
		if (i->kind == TAPE_ITEM_MESSAGE) {
			add_message_item(g, i->message);
			continue;
		}
		if (i->kind != TAPE_ITEM_BEGIN)
			continue;
		add_event_item(g, i->event, i->flow);
		if (!(++g->v->events & 0xfffff))
			tape_progress(g->v->events, 0);
	}
	if (rc)
		tape_die_no_memory();
	pass_end_regions(g);
	for (size_t f = 0; g->first && f < g->v->flows; f++)
		g->v->flow[f].end = tape_replay_end(r, f, &g->v->flow[f].lost);
	tape_replay_close(r);
}

/* ---- bases ---- */

/* Dies unless both traces have the same flows. */
static void check_same_run(const struct tape_trace *a,
			   const struct tape_trace *b)
{
	size_t n = tape_trace_flows(a);
	int differ = n != tape_trace_flows(b) ||
		     tape_trace_ranks(a) != tape_trace_ranks(b);

	for (size_t i = 0; !differ && i < n; i++) {
		const struct tape_flow_info *x = tape_trace_flow(a, i);
		const struct tape_flow_info *y = tape_trace_flow(b, i);

		differ = x->rank != y->rank || x->thread != y->thread;
	}
	if (differ)
		tape_die(TAPE_FAILED,
			 "%s and %s are traces of different runs: give the "
			 "traces of one run (raw, of sba, of tico)",
			 tape_trace_path(a), tape_trace_path(b));
}

static void run_view_pass(struct view *v, struct view_base *b, int first,
			  const struct view_window *w)
{
	struct view_pass *g = view_alloc(1, sizeof *g);
	size_t ranks = tape_trace_ranks(b->t);

	g->v = v;
	g->b = b;
	g->w = w;
	g->first = first;
	g->seen = view_alloc(v->flows, sizeof *g->seen);
	g->span = view_alloc(v->flows, sizeof *g->span);
	g->stack = view_alloc(v->flows, sizeof *g->stack);
	g->to = view_alloc(v->flows, sizeof *g->to);
	g->from = view_alloc(v->flows, sizeof *g->from);
	g->flow_of_rank = view_alloc(ranks, sizeof *g->flow_of_rank);
	for (size_t r = 0; r < ranks; r++)
		g->flow_of_rank[r] = v->flows;
	for (size_t i = v->flows; i-- > 0;)
		g->flow_of_rank[v->flow[i].info->rank] = i;
	replay_trace(g);
	for (size_t i = 0; i < v->flows; i++)
		free(g->stack[i].r);
	free(g->seen);
	free(g->span);
	free(g->stack);
	free(g->to);
	free(g->from);
	free(g->flow_of_rank);
	free(g);
}

/* Dies unless a base has as many messages as the last base. */
static void check_message_counts(const struct view *v, int base)
{
	const struct view_base *a = &v->base[v->bases - 1];
	const struct view_base *b = &v->base[base];

	if (a->messages != b->messages)
		tape_die(TAPE_FAILED,
			 "%s has %" PRIu64 " messages, %s %" PRIu64
			 ": they are traces of different runs",
			 tape_trace_path(b->t), b->messages,
			 tape_trace_path(a->t), a->messages);
}

/* The run as measured, where it is there, says how certain the report is. */
static void add_measured(struct view *v)
{
	struct view_base *last = &v->base[v->bases - 1], *before = last - 1;

	if (v->bases < 2 || !before->stats || tape_predicted(last->t) ||
	    tape_trace_base(last->t) != TAPE_BASE_COMPENSATED ||
	    tape_trace_base(before->t) == TAPE_BASE_COMPENSATED)
		return;
	stats_set_measured(last->stats, before->stats);
	before->stats = NULL;
}

void view_read_traces(struct view *v, struct tape_trace **t, int n,
		      const struct view_window *w)
{
	struct tape_trace *last = t[n - 1];
	size_t ranks = tape_trace_ranks(last);

	*v = (struct view){
	    .bases = n, .flows = tape_trace_flows(last), .source = w->source};
	v->flow = view_alloc(v->flows, sizeof *v->flow);
	for (size_t i = 0; i < v->flows; i++)
		v->flow[i].info = tape_trace_flow(last, i);
	v->names = view_names_new(last);
	v->late_ns = view_alloc(v->names->n_places, sizeof *v->late_ns);
	v->missing = tape_not_recorded_new(last);
	view_curves_open(&v->curves, last);
	v->ranks_of_cell = (ranks + VIEW_CELLS - 1) / VIEW_CELLS;
	if (!v->ranks_of_cell)
		v->ranks_of_cell = 1;
	v->n_cells = (ranks + v->ranks_of_cell - 1) / v->ranks_of_cell;
	v->cells = view_alloc(v->n_cells * v->n_cells, sizeof *v->cells);
	for (int i = 0; i < n; i++)
		check_same_run(t[i], last);
	for (int i = 0; i < n; i++)
		open_base(&v->base[i], t[i]);
	for (int i = n - 1; i >= 0; i--) {
		run_view_pass(v, &v->base[i], i == n - 1, w);
		if (i == n - 1 || !v->base[i].by_domain)
			view_find_waits(v, &v->base[i], w);
	}
	view_sum_waits(v, v->base[n - 1].stats);
	add_measured(v);
	for (int i = 0; i < n; i++)
		check_message_counts(v, i);
	tape_progress(v->events, 1);
}

static void free_flow(struct view_flow *f)
{
	struct view_column *s[] = {&f->place,  &f->comm,   &f->bytes,
				   &f->rbytes, &f->peer,   &f->tag,
				   &f->calls,  &f->region, &f->depth};

	for (size_t i = 0; i < sizeof s / sizeof *s; i++)
		view_column_free(s[i]);
	free(f->index);
	free(f->spans);
}

static void free_waits(struct view_base *b)
{
	struct view_column *s[] = {&b->wait_flow, &b->wait_at,	 &b->wait_ns,
				   &b->wait_kind, &b->wait_late, &b->piece_flow,
				   &b->piece_to,  &b->piece_ns};

	for (size_t i = 0; i < sizeof s / sizeof *s; i++)
		view_column_free(s[i]);
}

void view_free(struct view *v)
{
	struct view_column *s[] = {&v->to_flow,	      &v->to_event,
				   &v->from_flow,     &v->from_event,
				   &v->message_bytes, &v->message_tag};

	for (size_t i = 0; i < sizeof s / sizeof *s; i++)
		view_column_free(s[i]);
	for (int i = 0; i < v->bases; i++) {
		struct view_base *b = &v->base[i];

		for (size_t f = 0; f < v->flows; f++) {
			view_column_free(&b->flow[f].gap);
			view_column_free(&b->flow[f].length);
			view_column_free(&b->flow[f].region_gap);
			view_column_free(&b->flow[f].region_length);
		}
		free_waits(b);
		stats_free(b->stats);
		free(b->flow);
		free(b->origin_ns);
		view_bins_free(&b->bins);
	}
	for (size_t f = 0; f < v->flows; f++)
		free_flow(&v->flow[f]);
	free(v->flow);
	view_names_free(v->names, v->base[v->bases - 1].t);
	tape_not_recorded_free(v->missing);
	view_curves_free(&v->curves);
	free(v->late_ns);
	free(v->cells);
}
