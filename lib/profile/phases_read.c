/* Times of phases, by a second pass, or from a log; see phases.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "growing_array.h"
#include "lower_bound.h"
#include "outside_time.h"
#include "parallel_sums.h"
#include "phase_log.h"
#include "phases_state.h"
#include "tool.h"
#include "useful_time.h"

/* Lines at most; and cells of lines and flows, roughly. */
enum { LINES = 1000, LEAST_LINES = 10, CELLS = 1 << 21 };

/* ---- the pass ---- */

/* The line of a phase: 0 before the first, lines + 1 after the last. */
static size_t phase_line(const struct stats_phases *p, uint64_t phase)
{
	if (!phase)
		return 0;
	return phase > p->phases ? p->lines + 1
				 : 1 + (size_t)((phase - 1) / p->per_line);
}

size_t phases_real_flow(const struct stats_phases *p, size_t flow)
{
	return p->real ? p->real[flow] : flow;
}

static struct phase_times *get_cell(struct stats_phases *p, size_t flow,
				    uint64_t phase)
{
	return &p->cell[phase_line(p, phase) * p->width + flow];
}

void phases_add_times(struct phase_times *to, const struct phase_times *from)
{
	to->length += from->length;
	to->calls += from->calls;
	to->tracing += from->tracing;
	to->waiting += from->waiting;
	to->parts += from->parts;
	to->ideal.ns += from->ideal.ns;
	to->ideal.least_ns += from->ideal.least_ns;
	to->ideal.most_ns += from->ideal.most_ns;
	phase_errors_add(&to->errors, &from->errors);
}

/* The phase of the flow ends now with what it spent; the next is next. */
static void end_phase(struct stats_phases *p, size_t flow,
		      const struct phase_moment *now, uint64_t next)
{
	struct phase_flow *f = &p->flow[flow];
	const struct phase_moment *since = &f->since;

	f->now.parts = 1;
	f->now.length = (double)(now->ns - since->ns);
	f->now.ideal = phase_ideal_between(since, now);
	f->now.errors = phase_errors_between(p->s->errors, since, now);
	phases_add_times(get_cell(p, flow, f->phase), &f->now);
	f->now = (struct phase_times){0};
	f->since = *now;
	f->phase = next;
}

/* The region that begins first is the name, in the first flow of several. */
static void name_line(struct stats_phases *p, size_t line, uint32_t name,
		      int64_t ns, uint32_t flow)
{
	uint32_t was = p->name[line];

	if (!name)
		return;
	p->several[line] |= was && was != name;
	if (was && (ns > p->name_ns[line] ||
		    (ns == p->name_ns[line] && flow >= p->name_flow[line])))
		return;
	p->name[line] = name;
	p->name_ns[line] = ns;
	p->name_flow[line] = flow;
}

static struct phase_moment set_moment(struct phase_moment m, int64_t ns,
				      double ideal_ns)
{
	m.ns = ns;
	m.ideal.ns = ideal_ns;
	return m;
}

/* When the event starts, and when it ends. */
static struct phase_moment get_start(const struct phase_flow *f,
				     const struct phase_step *e)
{
	return set_moment(f->clock.start, e->start_ns, e->ideal_begun_ns);
}

static struct phase_moment get_end(const struct phase_flow *f,
				   const struct phase_step *e)
{
	return set_moment(f->clock.end, e->end_ns, e->ideal_ns);
}

/* A phase begins where the event starts, or where it ends. */
static void begin_phase(struct stats_phases *p, const struct phase_step *e,
			int at_start, uint32_t name)
{
	struct phase_flow *f = &p->flow[e->flow];
	struct phase_moment now = at_start ? get_start(f, e) : get_end(f, e);
	int64_t ns = now.ns;
	size_t line;

	end_phase(p, e->flow, &now, f->phase + 1);
	f->starts = tape_must(
	    tape_grow_array(f->starts, &f->room, f->n + 1, sizeof *f->starts));
	f->starts[f->n++] = ns;
	f->marked = 1;
	f->has_left = 0;
	line = phase_line(p, f->phase);
	if (p->from_ns[line] > ns)
		p->from_ns[line] = ns;
	name_line(p, line, name, ns, e->flow);
}

static void enter_step(struct stats_phases *p, const struct phase_step *e)
{
	struct phase_flow *f = &p->flow[e->flow];

	if (p->marker.kind == MARKER_CONTROL	 ? e->kind == STEP_CONTROL
	    : p->marker.kind == MARKER_OUTERMOST ? !f->depth
						 : e->place == p->marker.place)
		begin_phase(p, e, 0,
			    p->marker.kind == MARKER_PLACE ? 0 : e->place);
	f->depth++;
}

static void leave_step(struct stats_phases *p, const struct phase_step *e)
{
	struct phase_flow *f = &p->flow[e->flow];

	if (!f->depth || --f->depth || p->marker.kind != MARKER_OUTERMOST)
		return;
	f->left = f->now;
	f->left_at = get_start(f, e);
	f->has_left = 1;
}

static void add_event_step(struct stats_phases *p, const struct phase_step *e)
{
	struct phase_flow *f = &p->flow[e->flow];

	if (!f->begun) {
		f->begun = 1;
		f->since = get_start(f, e);
	}
	if (e->kind == STEP_INIT) {
		f->since = get_end(f, e);
		f->now = (struct phase_times){.tracing = e->tracing_ns};
		return;
	}
	if (e->kind == STEP_ENTER || e->kind == STEP_CONTROL) {
		enter_step(p, e);
	} else if (e->kind == STEP_LEAVE) {
		leave_step(p, e);
	} else if (e->kind == STEP_ON) {
		if (p->marker.kind == MARKER_CONTROL)
			begin_phase(p, e, 0, 0);
	} else if (e->kind == STEP_CALL && p->marker.kind == MARKER_PLACE &&
		   e->place == p->marker.place) {
		begin_phase(p, e, 1, 0);
	}
	f->now.tracing += e->tracing_ns;
	f->now.calls += e->inside_ns;
}

/* The phase of the flow at ns; 0: before the first. */
static uint64_t phase_at(const struct phase_flow *f, int64_t ns)
{
	size_t i;

	if (!f->n || f->starts[f->n - 1] <= ns)
		return f->n;
	TAPE_LOWER_BOUND(i, f->n, f->starts[i] <= ns);
	return i;
}

/* Of a call of the phase in progress, or of one before it. */
static void add_wait_step(struct stats_phases *p, const struct phase_step *w)
{
	struct phase_flow *f = &p->flow[w->flow];
	uint64_t phase = phase_at(f, w->start_ns);

	if (phase < f->phase) {
		get_cell(p, w->flow, phase)->waiting += w->inside_ns;
		return;
	}
	f->now.waiting += w->inside_ns;
	if (f->has_left && w->start_ns < f->left_at.ns)
		f->left.waiting += w->inside_ns;
}

/* The last phase ends with its region, or with the flow. */
static void end_flow_phase(struct stats_phases *p, size_t flow)
{
	struct phase_flow *f = &p->flow[flow];
	struct tape_span span =
	    tape_analysis_span(p->a, phases_real_flow(p, flow));
	struct phase_times all = f->now;
	struct phase_moment end = f->clock.latest;

	if (!span.seen)
		return;
	end.ns = span.to_ns;
	end.ideal = span.ideal_to;
	if (f->has_left) {
		f->now = f->left;
		end_phase(p, flow, &f->left_at, p->phases + 1);
		f->now.calls = all.calls - f->left.calls;
		f->now.tracing = all.tracing - f->left.tracing;
		f->now.waiting = all.waiting - f->left.waiting;
	}
	end_phase(p, flow, &end, p->phases + 1);
}

static void add_step(struct stats_phases *p, const struct phase_step *e)
{
	if (e->kind == STEP_WAIT)
		add_wait_step(p, e);
	else
		add_event_step(p, e);
}

static void end_all_phases(struct stats_phases *p)
{
	for (size_t i = 0; i < p->width; i++)
		end_flow_phase(p, i);
}

/* The line that the flow is in; behind the last region it is the last one. */
static uint32_t current_line(const struct stats_phases *p, size_t flow)
{
	const struct phase_flow *f = &p->flow[flow];

	return (uint32_t)(f->has_left && f->phase == p->phases
			      ? p->lines + 1
			      : phase_line(p, f->phase));
}

/* The same; 0: between outermost regions, which may be after the last one. */
static uint32_t get_part(const struct stats_phases *p, size_t flow)
{
	const struct phase_flow *f = &p->flow[flow];

	return f->has_left ? 0 : (uint32_t)phase_line(p, f->phase) + 1;
}

/* by_flow NULL: useful times are not wanted. */
static void add_found(struct stats_phases *p, const struct tape_found *f,
		      struct stats_outside_flows *outside,
		      struct stats_outside_flows *by_flow)
{
	const struct tape_event *e = NULL;
	struct phase_step step;

	if (!f->wait && f->item->kind == TAPE_ITEM_END)
		e = f->item->event;
	if (e) {
		uint32_t part = current_line(p, e->flow) + 1;

		stats_outside_event(outside, e, &part, 1);
		phase_clock_add_event(&p->flow[e->flow].clock, p->s, f);
	}
	if (e && by_flow)
		stats_outside_begin_part(by_flow, e, get_part(p, e->flow));
	if (phase_step_from(p->places, f, &step))
		add_step(p, &step);
	if (e && by_flow)
		stats_outside_end_part(by_flow, e, get_part(p, e->flow));
}

static void read_steps(struct stats_phases *p)
{
	struct stats_outside_flows *outside =
	    stats_outside_new_parts(p->s, p->outside);
	struct stats_outside_flows *by_flow = NULL;
	const struct tape_found *f;
	unsigned long long events = 0;
	int rc;

	p->has_use = !p->s->peers && stats_is_shared(p->s);
	p->use.bytes = sizeof(struct stats_outside);
	if (p->has_use)
		by_flow = stats_outside_new_table(p->s, &p->use);
	while ((rc = tape_analysis_next(p->a, &f)) == 1) {
		add_found(p, f, outside, by_flow);
		if (!f->wait && f->item->kind == TAPE_ITEM_END &&
		    !(++events & 0x3ffff))
			tape_progress(events, 0);
	}
	tape_progress(events, 1);
	stats_outside_close(outside);
	if (by_flow)
		stats_outside_close(by_flow);
	if (rc)
		tape_die(TAPE_FAILED, "%s", tape_analysis_error(p->a));
	end_all_phases(p);
}

/* ---- the table ---- */

static void allocate_lines(struct stats_phases *p, size_t lines)
{
	size_t flows = p->width, n;

	p->phases = p->marker.times - (p->marker.kind == MARKER_PLACE);
	if (!lines || lines > LINES)
		lines = LINES;
	if (lines > LEAST_LINES && lines * flows > CELLS)
		lines =
		    CELLS / flows > LEAST_LINES ? CELLS / flows : LEAST_LINES;
	p->per_line = (p->phases + lines - 1) / lines;
	p->lines = (size_t)((p->phases + p->per_line - 1) / p->per_line);
	n = p->lines + 2;
	p->flow = tape_must(calloc(flows + 1, sizeof *p->flow));
	p->cell = tape_must(calloc(n * flows + 1, sizeof *p->cell));
	p->name = tape_must(calloc(n, sizeof *p->name));
	p->name_ns = tape_must(calloc(n, sizeof *p->name_ns));
	p->name_flow = tape_must(calloc(n, sizeof *p->name_flow));
	p->several = tape_must(calloc(n, sizeof *p->several));
	p->from_ns = tape_must(calloc(n, sizeof *p->from_ns));
	for (size_t i = 1; i < n; i++)
		p->from_ns[i] = INT64_MAX;
	p->from_ns[0] = p->s->from_ns;
}

/* ---- with others ---- */

/* The times of a flow in a line. */
struct cell_record {
	uint64_t line, flow;
	struct phase_times spent;
};

struct line_record {
	uint64_t line;
	int64_t from_ns, name_ns;
	uint32_t name, name_flow, several, pad;
	struct stats_outside outside;
};

static void send_cells(struct stats_phases *p)
{
	struct tape_peers *with = p->s->peers;

	for (uint32_t i = 0; i < p->width; i++) {
		if (!p->flow[i].marked)
			continue;
		tape_peers_gather_add(with, STATS_MARKED, &i, sizeof i);
		for (size_t k = 0; k < p->lines + 2; k++) {
			struct cell_record c = {k, i,
						p->cell[k * p->width + i]};

			if (c.spent.length != 0 || c.spent.calls > 0 ||
			    c.spent.tracing > 0 || c.spent.waiting > 0)
				tape_peers_gather_add(with, STATS_CELL, &c,
						      sizeof c);
		}
	}
	for (size_t k = 0; k < p->lines + 2; k++) {
		struct line_record l = {
		    k,		p->from_ns[k],	 p->name_ns[k],
		    p->name[k], p->name_flow[k], p->several[k] != 0,
		    0,		p->outside[k + 1]};

		tape_peers_gather_add(with, STATS_LINE, &l, sizeof l);
	}
	tape_peers_gather(with, NULL, NULL);
}

static void receive_cells(void *own, int from, unsigned kind, const void *data,
			  size_t bytes)
{
	struct stats_phases *p = own;
	struct cell_record c;
	struct line_record l;
	uint32_t flow;

	(void)from;
	(void)bytes;
	if (kind == STATS_MARKED) {
		memcpy(&flow, data, sizeof flow);
		p->flow[flow].marked = 1;
	} else if (kind == STATS_CELL) {
		memcpy(&c, data, sizeof c);
		p->cell[c.line * p->width + c.flow] = c.spent;
	} else if (kind == STATS_LINE) {
		memcpy(&l, data, sizeof l);
		if (l.from_ns < p->from_ns[l.line])
			p->from_ns[l.line] = l.from_ns;
		p->several[l.line] |= l.several != 0;
		name_line(p, l.line, l.name, l.name_ns, l.name_flow);
		stats_outside_add(&p->outside[l.line + 1], l.outside.ns,
				  &l.outside.use);
	}
}

/* ---- the whole ---- */

/* Of a trace that was followed there is room for flows that did not come. */
static void find_seen_flows(struct stats_phases *p)
{
	const struct stats *s = p->s;

	p->real = tape_must(calloc(s->flows + 1, sizeof *p->real));
	p->column = tape_must(calloc(s->flows + 1, sizeof *p->column));
	p->width = 0;
	for (size_t i = 0; i < s->flows; i++)
		if (stats_has_flow(s, i)) {
			p->column[i] = (uint32_t)p->width;
			p->real[p->width++] = (uint32_t)i;
		}
}

/* The same from what was kept when the trace was read. */
static void read_log(struct stats_phases *p, size_t lines)
{
	struct phase_step e;

	p->a = p->s->analysis;
	p->places = p->s->places;
	find_seen_flows(p);
	allocate_lines(p, lines);
	phase_log_rewind(p->s->log);
	while (phase_log_next_step(p->s->log, &e)) {
		e.flow = p->column[e.flow];
		add_step(p, &e);
	}
	end_all_phases(p);
}

/* Nobody asks for causes: so much of what flows did is kept, bytes. */
enum { HISTORY = 1 << 22 };

/* Reads the trace again: own flows. */
static void read_again(struct stats_phases *p, size_t lines)
{
	/* of waits only: bounds of the ideal clock */
	if (p->s->errors == STATS_OF_ALPHAS && !p->s->peers
		? tape_analysis_open_waits(p->s->t, &p->a)
		: tape_analysis_open_part(p->s->t, p->s->peers, &p->a))
		tape_die(TAPE_FAILED, "%s", tape_analysis_error(p->a));
	tape_analysis_limit_history(p->a, HISTORY);
	p->places = tape_analysis_places(p->a);
	allocate_lines(p, lines);
	p->outside = tape_must(calloc(p->lines + 3, sizeof *p->outside));
	read_steps(p);
}

static void free_all(struct stats_phases *p)
{
	if (p->a != p->s->analysis)
		tape_analysis_close(p->a);
	for (size_t i = 0; p->flow && i < p->width; i++)
		free(p->flow[i].starts);
	free(p->flow);
	tape_table_free(&p->use);
	free(p->cell);
	free(p->outside);
	free(p->name);
	free(p->name_ns);
	free(p->name_flow);
	free(p->several);
	free(p->from_ns);
	free(p->real);
	free(p->column);
}

void stats_serve_phases(struct stats *s, const struct stats_request *q)
{
	struct stats_phases p = {
	    .s = s, .width = s->flows, .marker = q->marker};

	s->from_ns = q->from_ns;
	read_again(&p, q->lines);
	send_cells(&p);
	free_all(&p);
}

void stats_keep_phases(struct stats *s, size_t most)
{
	s->log = phase_log_new(most);
}

int stats_has_phases(const struct stats *s)
{
	return s->log && phase_log_is_complete(s->log);
}

struct stats_phases *stats_read_phases(struct stats *s, const char *wanted,
				       size_t lines)
{
	if (!s->phases)
		s->phases = stats_phases_new(s, wanted, lines);
	return s->phases;
}

static struct stats_phases *
read_marked(struct stats *s, const struct marker *marker, size_t lines)
{
	struct stats_phases *p = tape_must(calloc(1, sizeof *p));

	p->s = s;
	p->width = s->flows;
	p->marker = *marker;
	if (p->marker.kind == MARKER_NONE || p->marker.times < 2)
		p->marker.kind = MARKER_NONE;
	if (p->marker.kind == MARKER_NONE)
		return p;
	if (s->peers && !s->log)
		stats_ask(s, STATS_PHASES, &p->marker, lines);
	if (s->log)
		read_log(p, lines);
	else
		read_again(p, lines);
	if (s->peers && !s->log)
		tape_peers_gather(s->peers, receive_cells, p);
	return p;
}

struct stats_phases *stats_phases_new(struct stats *s, const char *wanted,
				      size_t lines)
{
	struct marker marker = stat_find_marker(s, wanted);

	return read_marked(s, &marker, lines);
}

int stats_read_measured_phases(struct stats_phases *p)
{
	struct marker marker = p->marker;

	if (p->measured)
		return 1;
	if (!stats_is_certain(p->s) || p->s->log || marker.kind == MARKER_NONE)
		return 0;
	if (marker.kind == MARKER_PLACE)
		marker.place = p->s->as_measured[marker.place];
	if (marker.kind == MARKER_PLACE && marker.place == STATS_NONE)
		return 0;
	p->measured = read_marked(p->s->measured, &marker, p->lines);
	return 1;
}

void stats_free_phases(struct stats_phases *p)
{
	if (!p)
		return;
	stats_free_phases(p->measured);
	free_all(p);
	free(p);
}
