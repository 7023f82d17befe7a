/* One pass over a trace; see sums.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_parts.h"
#include "counter_sums.h"
#include "errors.h"
#include "growing_array.h"
#include "never_freed.h"
#include "outside_time.h"
#include "own_marks.h"
#include "phase_log.h"
#include "phases.h"
#include "parallel_sums.h"
#include "processor_waits.h"
#include "region_sums.h"
#include "tool.h"

/* Regions open in a flow. */
struct open_region {
	uint32_t place;
	int64_t since_ns;
	double within_ns; /* in regions inside */
	double calls_ns;  /* in calls, but not of regions inside */
};

struct stack {
	struct open_region *open;
	size_t n, room;
	uint32_t *path; /* the places of open */
	size_t path_room;
	double begun_ns; /* what the beginning of a call in two events took */
};

enum { RECENT = 8 };

struct gather {
	struct stats *s;
	struct stack *stacks;
	struct stats_regions *regions;
	struct stats_outside_flows *outside;
	struct stats_counting *counting; /* of each flow, where any counts */
	struct stats_part (*recent)[RECENT]; /* of each flow */
	int is_quiet; /* another thread shows how far it is */
	struct sizes {
		struct tape_field field[2];
		unsigned n;
	} sizes[TAPE_CLASS_COUNT];
};

/* ---- places ---- */

static struct stats_place *get_place(struct stats *s, uint32_t number)
{
	return number < s->n_places ? &s->place[number]
				    : stats_get_place(s, number);
}

/* When calls began, of two parts of one place; those of b came later. */
static void add_beginnings(struct stats_part *a, const struct stats_part *b)
{
	double later = (double)(b->first_ns - a->first_ns);

	if (!b->calls)
		return;
	if (!a->calls) {
		a->first_ns = b->first_ns;
		later = 0;
	}
	a->squares += b->squares + 2 * later * b->sum_ns +
		      later * later * (double)b->calls;
	a->sum_ns += b->sum_ns + later * (double)b->calls;
	a->calls += b->calls;
	a->last_ns = b->last_ns;
}

static void add_beginning(struct stats_part *p, int64_t ns)
{
	double later;

	if (!p->calls++)
		p->first_ns = ns;
	later = (double)(ns - p->first_ns);
	p->last_ns = ns;
	p->sum_ns += later;
	p->squares += later * later;
}

/*
 * Time of a flow at a place. What comes again and again is summed up outside
 * the table, and goes there when another place needs its room.
 */
static void store_part(struct stats *s, struct stats_part *one)
{
	struct stats_part *p;

	if (one->total_ns > 0 || one->waiting_ns > 0 || one->calls ||
	    one->hits) {
		p = stats_get_record(&s->parts, one->place, one->flow);
		p->total_ns += one->total_ns;
		p->waiting_ns += one->waiting_ns;
		p->hits += one->hits;
		p->bytes += one->bytes;
		add_beginnings(p, one);
	}
	memset(one, 0, sizeof *one);
}

static struct stats_part *get_part(struct gather *g, uint32_t at, size_t flow)
{
	struct stats_part *one = &g->recent[flow][at % RECENT];

	if (one->place != at) {
		store_part(g->s, one);
		one->place = at;
	}
	one->flow = (uint32_t)flow;
	return one;
}

/* Waits come in any order: what is summed up outside the table stays there. */
static void part_waited(struct gather *g, const struct tape_waited *w)
{
	struct stats_part *p = &g->recent[w->flow][w->call % RECENT];

	if (p->place != w->call)
		p = stats_get_record(&g->s->parts, w->call,
				     (uint32_t)w->flow);
	p->waiting_ns += (double)w->ns;
}

/* Bytes that an event moves, where it says so itself. */
static double event_bytes(const struct gather *g, const struct tape_event *e)
{
	const struct sizes *z = &g->sizes[e->class_];
	double sum = 0;

	for (unsigned i = 0; i < z->n; i++)
		sum += (double)tape_field_get(&e->u, &z->field[i]);
	for (uint32_t i = 0; i < e->n_done; i++)
		if (e->done[i].kind == TAPE_DONE_RECV)
			sum += (double)e->done[i].bytes;
	return sum;
}

/* Which fields of each class are numbers of bytes. */
static void find_sizes(struct gather *g)
{
	struct tape_field f;

	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		for (unsigned i = 0; tape_class_field(c, i, &f); i++)
			if ((!strcmp(f.name, "bytes") ||
			     !strcmp(f.name, "rbytes")) &&
			    g->sizes[c].n < 2)
				g->sizes[c].field[g->sizes[c].n++] = f;
}

/* ---- events ---- */

static void enter_region(struct gather *g, const struct tape_event *e)
{
	struct stack *k = &g->stacks[e->flow];
	struct stats_flow *f = &g->s->flow[e->flow];
	uint32_t at = tape_place_from_region(g->s->places, e->rank, e->region);

	struct stats_part *own = get_part(g, at, e->flow);

	add_beginning(own, e->end_ns);
	own->hits++;
	if (stats_is_control(g->s->places, at)) {
		f->controls++;
	} else if (!k->n) {
		f->outermost++;
		get_place(g->s, at)->outermost++;
	}
	k->open = tape_must(
	    tape_grow_array(k->open, &k->room, k->n + 1, sizeof *k->open));
	k->path = tape_must(
	    tape_grow_array(k->path, &k->path_room, k->n + 1, sizeof *k->path));
	k->path[k->n] = at;
	k->open[k->n++] = (struct open_region){at, e->end_ns, 0, 0};
}

static void leave_innermost(struct gather *g, size_t flow, int64_t ns)
{
	struct stack *k = &g->stacks[flow];
	struct open_region *r = &k->open[--k->n];
	struct stats_place *p = get_place(g->s, r->place);
	double all = (double)(ns - r->since_ns);

	p->calls++;
	p->total_ns += all;
	p->own_ns += all - r->within_ns;
	p->inside_ns += r->calls_ns;
	stats_add_durations(p, all, 1);
	get_part(g, r->place, flow)->total_ns += all - r->within_ns;
	if (k->n)
		k->open[k->n - 1].within_ns += all;
}

/* The innermost of that name, and what is open within; none: nothing. */
static void leave_named_region(struct gather *g, const struct tape_event *e)
{
	struct stack *k = &g->stacks[e->flow];
	uint32_t region =
	    tape_place_from_region(g->s->places, e->rank, e->region);
	size_t i = k->n;

	while (i && k->open[i - 1].place != region)
		i--;
	while (i && k->n >= i)
		leave_innermost(g, e->flow, e->start_ns);
}

/* Calls at a site and entries of a region that are known by number only. */
static void add_counted_calls(struct gather *g, const struct tape_event *e,
			      uint32_t site, uint32_t region, uint64_t calls,
			      double ns)
{
	const struct tape_rank_info *r = tape_trace_rank(g->s->t, e->rank);
	uint32_t at;

	if (site && site < r->n_sites) {
		at = tape_place_from_site(g->s->places, e->rank, site,
					  r->sites[site].call);
		get_place(g->s, at)->counted += calls;
		get_place(g->s, at)->counted_ns += ns;
		get_part(g, at, e->flow)->hits += calls;
	}
	if (region) {
		at = tape_place_from_region(g->s->places, e->rank, region);
		get_place(g->s, at)->counted += calls;
		get_part(g, at, e->flow)->hits += calls;
	}
}

/* Counts how long each of the event's calls took: one in two events once. */
static void count_durations(struct stack *k, const struct tape_event *e,
			    struct stats_place *p)
{
	double inside = (double)e->inside_ns;

	switch (tape_part_of_call(e)) {
	case TAPE_PART_WHOLE:
		stats_add_durations(p, inside / (double)e->polls, e->polls);
		return;
	case TAPE_PART_BEGINNING:
		k->begun_ns = inside;
		return;
	case TAPE_PART_END:
		stats_add_durations(p, k->begun_ns + inside, 1);
		k->begun_ns = 0;
	}
}

static void add_call(struct gather *g, const struct tape_event *e)
{
	struct stats *s = g->s;
	struct stats_flow *f = &s->flow[e->flow];
	struct stack *k = &g->stacks[e->flow];
	double inside = (double)e->inside_ns;
	struct stats_place *p;
	struct stats_part *own;
	uint64_t calls;
	double bytes;
	uint32_t at;

	if (tape_analysis_is_init(e) || e->call == TAPE_CALL_MPI_Finalize) {
		stats_error_event(s, e, NULL);
		if (tape_analysis_is_init(e)) {
			f->start_ns += inside;
			stats_error_start(s, e);
		} else {
			f->end_ns += inside;
			f->finalized = 1;
		}
		return;
	}
	at = tape_place_from_site(s->places, e->rank, e->site, e->call);
	p = get_place(s, at);
	calls = tape_calls_ended(e);
	p->calls += calls;
	p->total_ns += inside;
	p->bytes += bytes = event_bytes(g, e);
	count_durations(k, e, p);
	call_growth_add(&p->growth, e->start_ns, calls, e->inside_ns);
	stats_error_event(s, e, p);
	stats_note_object(s, e, at);
	own = get_part(g, at, e->flow);
	own->total_ns += inside;
	own->hits += calls;
	own->bytes += bytes;
	if (tape_part_of_call(e) != TAPE_PART_END)
		add_beginning(own, e->start_ns);
	f->mpi_ns += inside;
	if (k->n)
		k->open[k->n - 1].calls_ns += inside;
	if (e->also_polls) {
		at = tape_place_from_site(s->places, e->rank, e->also_site,
					  e->also_call);
		get_place(s, at)->calls += e->also_polls;
		get_part(g, at, e->flow)->hits += e->also_polls;
	}
}

static void add_counters(struct gather *g, const struct tape_event *e)
{
	const struct stack *k = &g->stacks[e->flow];
	uint32_t region = k->n ? k->path[k->n - 1] : 0; /* so far */

	if (!g->counting)
		g->counting =
		    tape_must(calloc(g->s->flows + 1, sizeof *g->counting));
	stats_count_event(g->s, &g->counting[e->flow], e, region);
}

static void add_event(struct gather *g, const struct tape_event *e)
{
	struct stats_flow *f = &g->s->flow[e->flow];
	const struct stack *k = &g->stacks[e->flow];

	if (e->n_counts)
		add_counters(g, e);
	stats_outside_event(g->outside, e, k->path, k->n);
	f->events += !tape_event_is_own_mark(e);
	g->s->events += !tape_event_is_own_mark(e);
	f->tracing_ns += tape_analysis_tracing_ns(e);
	if (e->class_ == TAPE_CLASS_ENTER)
		enter_region(g, e);
	else if (e->class_ == TAPE_CLASS_LEAVE)
		leave_named_region(g, e);
	else if (e->class_ == TAPE_CLASS_BLOCK)
		add_counted_calls(g, e, e->u.block.site, e->u.block.region,
				  e->u.block.calls, 0);
	else if (e->class_ == TAPE_CLASS_COUNTED)
		add_counted_calls(g, e, e->u.counted.site, e->u.counted.region,
				  e->u.counted.calls, (double)e->inside_ns);
	else if (e->class_ == TAPE_CLASS_ON)
		f->controls++;
	else if (e->call)
		add_call(g, e);
	if (!e->call)
		stats_error_event(g->s, e, NULL);
	if (tape_not_recorded_matters(e)) {
		tape_not_recorded_event(g->s->missing, e);
		if (g->s->peers)
			tape_notices_add(&g->s->notes, e);
	}
}

/* ---- messages, collectives, waits ---- */

static void add_message_sums(struct stats *s, const struct tape_message *m)
{
	struct stats_pair *p;
	unsigned digits = 0;

	if (m->state != TAPE_MATCHED) {
		s->unmatched++;
		s->unsent += m->state == TAPE_UNSENT && m->nth;
		if (tape_unmatched_message(s->unpaired, m))
			tape_die_no_memory();
		return;
	}
	s->messages++;
	p = tape_must(tape_table_get(
	    &s->pairs,
	    ((uint64_t)(uint32_t)m->from << 32 | (uint32_t)m->to) + 1));
	p->from = m->from;
	p->to = m->to;
	p->messages++;
	p->bytes += (double)m->bytes;
	for (uint64_t b = m->bytes; b; b >>= 1)
		digits++;
	s->size[digits].messages++;
	s->size[digits].bytes += (double)m->bytes;
}

static void add_round(struct stats *s, const struct tape_collective_round *q)
{
	struct stats_coll *c = &s->coll[q->call];

	s->rounds++;
	c->rounds++;
	/* of PVM's groups nobody knows how many would have been */
	if (tape_trace_rank(s->t, 0)->tid) {
		c->members += (uint64_t)q->entered;
		stats_note_pvm_round(s, q);
	} else {
		c->members += (uint64_t)q->size;
	}
	for (int32_t i = 0; i < q->size; i++) {
		c->bytes += (double)q->member[i].sent;
		if (q->member[i].ended.event && q->member[i].begun.event)
			c->total_ns += (double)(q->member[i].ended_ns -
						q->member[i].awaited_ns);
	}
}

static void add_wait(struct gather *g, const struct tape_waited *w)
{
	struct stats *s = g->s;
	const struct tape_activity *a = tape_place_get(s->places, w->call);
	struct stats_waits one = {.call = w->call,
				  .kind = (uint32_t)w->kind,
				  .flow = (uint32_t)w->flow,
				  .late_flow = (uint32_t)w->late_flow};
	struct stats_waits *k = stats_get_waits(s, &one);
	struct stats_place *p;

	k->call = one.call;
	k->kind = one.kind;
	k->flow = one.flow;
	k->late_flow = one.late_flow;
	k->n += w->ns > 0;
	k->ns += (double)w->ns;
	k->max_ns = fmax(k->max_ns, (double)w->ns);
	k->wrong_order_ns += (double)w->wrong_order_ns;
	s->wrong_order_ns += (double)w->wrong_order_ns;
	s->waited_ns[w->kind] += (double)w->ns;
	s->flow[w->flow].waiting_ns += (double)w->ns;
	if (w->kind == TAPE_WAIT_END)
		return;
	p = get_place(s, w->call);
	p->waiting_ns += (double)w->ns;
	call_growth_add(&p->growth, w->from_ns, 0, -w->ns);
	part_waited(g, w);
	if (a->call && w->kind != TAPE_WAIT_LATE_SENDER &&
	    w->kind != TAPE_WAIT_LATE_RECEIVER && w->kind != TAPE_WAIT_LOCK)
		s->coll[a->call].waiting_ns += (double)w->ns;
	if (w->kind == TAPE_WAIT_LATE_SENDER) {
		int from = tape_trace_flow(s->t, w->late_flow)->rank;
		int to = tape_trace_flow(s->t, w->flow)->rank;
		struct stats_pair *q = tape_must(tape_table_get(
		    &s->pairs,
		    ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) + 1));

		q->from = from;
		q->to = to;
		q->late_ns += (double)w->ns;
	}
}

static void add_found(struct gather *g, const struct tape_found *f)
{
	if (f->wait) {
		add_wait(g, f->wait);
		return;
	}
	switch (f->item->kind) {
	case TAPE_ITEM_END:
		add_event(g, f->item->event);
		stats_regions_add_event(g->regions, f);
		if (!(g->s->events & 0x3ffff) && !g->is_quiet)
			tape_progress(g->s->events, 0);
		break;
	case TAPE_ITEM_MESSAGE:
		add_message_sums(g->s, f->item->message);
		break;
	case TAPE_ITEM_ROUND:
		add_round(g->s, f->item->round);
		break;
	case TAPE_ITEM_BEGIN:
	case TAPE_ITEM_REQUEST:
		break;
	}
}

/* ---- the end ---- */

/* What is open still ends with its flow. */
static void close_regions(struct gather *g)
{
	for (size_t i = 0; i < g->s->flows; i++) {
		while (g->stacks[i].n)
			leave_innermost(g, i, g->s->flow[i].span.to_ns);
		free(g->stacks[i].open);
		free(g->stacks[i].path);
	}
	free(g->stacks);
}

/* The table has all of it. */
static void store_recent(struct gather *g)
{
	for (size_t i = 0; i < g->s->flows; i++)
		for (size_t k = 0; k < RECENT; k++)
			store_part(g->s, &g->recent[i][k]);
}

/* Places that came while the trace was followed come in order, as in any. */
static void sort_places(struct stats *s)
{
	uint32_t *now;

	get_place(s, tape_places_count(s->places) - 1);
	if (tape_analysis_sort_places(s->analysis, &now))
		tape_die_no_memory();
	if (now)
		stats_renumber(s, now);
	free(now);
}

static void find_causes(struct stats *s)
{
	if (tape_analysis_disk_was_full(s->analysis))
		tape_warn("%s", tape_analysis_disk_is_full);
	if (s->comparable && stats_has_history(s) &&
	    (tape_delays_find(s->analysis, &s->delays) ||
	     tape_path_find(s->analysis, NULL, NULL, &s->path)))
		tape_die_no_memory();
	stats_sum_processor_waits(s);
}

/* What can be said of errors. */
static enum stats_errors choose_errors(const struct tape_trace *t)
{
	double total[4];
	const char *line = tape_trace_meta(t, "total", 0);

	if (tape_trace_base(t) != TAPE_BASE_COMPENSATED)
		return STATS_OF_ALPHAS;
	return line && sscanf(line, "%lf %lf %lf %lf", &total[0], &total[1],
			      &total[2], &total[3]) == 4
		   ? STATS_OF_INTERVALS
		   : STATS_NO_ERRORS;
}

static void begin_sums(struct gather *g, struct tape_trace *t, int errors,
		       struct tape_peers *peers)
{
	struct stats *s = tape_must(calloc(1, sizeof *s));

	*g = (struct gather){.s = s};
	s->t = t;
	s->peers = peers;
	s->exchanged = peers ? tape_peers_all_bytes(peers) : 0;
	if (errors)
		s->errors = (int)choose_errors(t);
	s->flows = tape_trace_flows(t);
	s->ranks = tape_trace_ranks(t);
	s->parts.bytes = sizeof(struct stats_part);
	s->waits.bytes = sizeof(struct stats_waits);
	s->pairs.bytes = sizeof(struct stats_pair);
	s->counted.bytes = sizeof(struct stats_counted);
	s->outside.bytes = sizeof(struct stats_outside);
	s->within.bytes = sizeof(struct stats_outside);
	s->met.bytes = sizeof(uint64_t);
	s->regions.bytes = sizeof(struct stats_region);
	s->flow = tape_must(calloc(s->flows + 1, sizeof *s->flow));
	if (tape_system_of(&s->system, t))
		tape_die_no_memory();
	s->missing = tape_not_recorded_new(t);
	s->unpaired = tape_must(tape_unmatched_new());
	g->stacks = tape_must(calloc(s->flows + 1, sizeof *g->stacks));
	g->recent = tape_must(calloc(s->flows + 1, sizeof *g->recent));
	g->regions = stats_regions_new(s);
	g->outside = stats_outside_new(s);
	find_sizes(g);
}

/* All that is summed up outside the tables. */
static void end_sums(struct gather *g)
{
	if (!g->is_quiet)
		tape_progress(g->s->events, 1);
	close_regions(g);
	stats_regions_close(g->regions);
	stats_outside_close(g->outside);
	store_recent(g);
	stats_count_left(g->s);
	free(g->recent);
	free(g->counting);
}

struct stats_reading {
	struct gather g;
	void (*also)(void *self, const struct tape_found *f);
	void *self;
};

struct stats_reading *stats_open(struct tape_trace *t, int errors)
{
	return stats_open_part(t, errors, NULL);
}

static struct stats_reading *open_reading(struct tape_trace *t, int errors,
					  struct tape_peers *peers,
					  int has_causes)
{
	struct stats_reading *r = tape_must(calloc(1, sizeof *r));
	struct stats *s;
	int rc;

	begin_sums(&r->g, t, errors, peers);
	s = r->g.s;
	rc = has_causes ? tape_analysis_open_part(t, peers, &s->analysis)
			: tape_analysis_open_waits(t, &s->analysis);
	if (rc)
		tape_die(TAPE_FAILED, "%s", tape_analysis_error(s->analysis));
	s->forgot = !has_causes;
	s->places = tape_analysis_places(s->analysis);
	s->comparable = tape_analysis_is_comparable(s->analysis);
	s->n_static = tape_places_common(s->places);
	return r;
}

struct stats_reading *stats_open_part(struct tape_trace *t, int errors,
				      struct tape_peers *peers)
{
	return open_reading(t, errors, peers, 1);
}

int stats_step(struct stats_reading *r)
{
	struct stats *s = r->g.s;
	const struct tape_found *f;
	int rc = tape_analysis_next(s->analysis, &f);

	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_analysis_error(s->analysis));
	if (rc)
		add_found(&r->g, f);
	if (rc && s->log)
		phase_log_add_found(s->log, s, f);
	if (rc && r->also)
		r->also(r->self, f);
	return rc;
}

struct tape_analysis *
stats_watch(struct stats_reading *r,
	    void (*also)(void *self, const struct tape_found *f), void *self)
{
	r->also = also;
	r->self = self;
	return r->g.s->analysis;
}

/* How long flows ran, as far as they are read. */
static void set_spans(struct stats *s)
{
	for (size_t i = 0; i < s->flows; i++)
		s->flow[i].span = tape_analysis_span(s->analysis, i);
	stats_find_run(s);
}

struct stats *stats_current(struct stats_reading *r)
{
	struct gather *g = &r->g;

	store_recent(g);
	set_spans(g->s);
	get_place(g->s, tape_places_count(g->s->places) - 1);
	return g->s;
}

struct stats *stats_close(struct stats_reading *r)
{
	struct stats *s = r->g.s;

	set_spans(s);
	end_sums(&r->g);
	free(r);
	if (s->peers && !stats_merge_peers(s))
		return s;
	sort_places(s);
	set_spans(s);
	stats_note_ends(s);
	find_causes(s);
	return s;
}

static struct stats *read_all(struct stats_reading *r)
{
	tape_analysis_omit_beginnings(r->g.s->analysis);
	while (stats_step(r))
		;
	return stats_close(r);
}

struct stats *stats_read(struct tape_trace *t, int errors)
{
	return read_all(stats_open(t, errors));
}

struct stats *stats_read_sums(struct tape_trace *t, int errors, int is_quiet)
{
	struct stats_reading *r = open_reading(t, errors, NULL, 0);

	r->g.is_quiet = is_quiet;
	return read_all(r);
}
