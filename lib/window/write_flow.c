/* The flows of a window; see cut.h. */
#include <stdlib.h>
#include <string.h>

#include "cut_state.h"
#include "growing_array.h"
#include "tool.h"

/* The tick of that date, between the flow's last event and e, which is next. */
static uint64_t tick_at(const struct cut_flow *f, const struct tape_event *e,
			int64_t ns)
{
	double of;

	if (ns >= e->start_ns || !f->events || f->last_ns >= e->start_ns)
		return e->start_tick;
	if (ns <= f->last_ns)
		return f->last_tick;
	of = (double)(ns - f->last_ns) / (double)(e->start_ns - f->last_ns);
	return f->last_tick +
	       (uint64_t)(of * (double)(e->start_tick - f->last_tick));
}

static void write_window_marker(struct cut_flow *f, const struct tape_event *of,
				unsigned class_, uint32_t region, uint64_t tick)
{
	struct tape_event e = {.rank = of->rank,
			       .thread = of->thread,
			       .class_ = (uint16_t)class_,
			       .region = region,
			       .polls = 1,
			       .start_tick = tick,
			       .end_tick = tick};

	tape_flow_writer_put(f->w, &e);
}

/* ---- requests have new numbers ---- */

static uint64_t map_request(const struct tape_cut *c,
			    const struct tape_event *e, uint64_t was)
{
	uint64_t thread = was >> TAPE_REQUEST_SHIFT;
	size_t flow = e->flow;
	const struct cut_flow *f;

	/* of another thread of the rank? */
	while (flow && tape_trace_flow(c->t, flow - 1)->rank == e->rank)
		flow--;
	while (flow < c->flows &&
	       tape_trace_flow(c->t, flow)->rank == e->rank &&
	       (uint64_t)tape_trace_flow(c->t, flow)->thread != thread)
		flow++;
	if (!was || flow == c->flows ||
	    tape_trace_flow(c->t, flow)->rank != e->rank)
		return 0;
	f = &c->flow[flow];
	for (size_t i = 0; i < f->n_requests; i++)
		if (f->requests[i].was == was)
			return f->requests[i].is;
	return f->first_later && was >= f->first_later ? was - f->off : 0;
}

/* One is made. Those of the window keep their distances. */
static void map_created_request(struct cut_flow *f, const struct tape_event *e,
				int before)
{
	uint64_t is;

	if (!tape_event_creates(e->class_, &e->u))
		return;
	is = TAPE_REQUEST(e->thread, ++f->created);
	if (before) {
		f->requests[f->n_requests++] =
		    (struct cut_request){e->request, is};
	} else if (!f->first_later) {
		f->first_later = e->request;
		f->off = e->request - is;
	}
}

static void write_mapped_event(struct tape_cut *c, struct cut_flow *f,
			       struct tape_event *e, int before)
{
	c->done = tape_must(tape_grow_array(c->done, &c->done_room, e->n_done,
					    sizeof *c->done));
	for (uint32_t i = 0; i < e->n_done; i++) {
		c->done[i] = e->done[i];
		c->done[i].request = map_request(c, e, e->done[i].request);
	}
	e->done = c->done;
	if (e->class_ == TAPE_CLASS_QUERY)
		e->u.query.asked = map_request(c, e, e->u.query.asked);
	map_created_request(f, e, before);
	tape_flow_writer_put(f->w, e);
	c->events++;
}

/* ---- the beginning ---- */

/* Its message has been received before: it sends none. */
static void clear_send_peer(struct tape_event *e)
{
	if (tape_call_traits(e->call) & TAPE_TRAIT_PERSISTENT)
		return; /* what starts it does */
	switch (e->class_) {
	case TAPE_CLASS_SEND:
		e->u.send.peer = TAPE_PROC_NULL;
		break;
	case TAPE_CLASS_ISEND:
		e->u.isend.peer = TAPE_PROC_NULL;
		break;
	case TAPE_CLASS_SENDRECV:
		e->u.sendrecv.peer = TAPE_PROC_NULL;
		break;
	default:
		break;
	}
}

/* What was in progress takes no time, and its receive is over. */
static void write_stored_event(struct tape_cut *c, struct cut_flow *f,
			       const struct cut_stored *k, uint64_t tick)
{
	struct tape_event e = k->e;
	struct tape_field d;

	e.start_tick = e.end_tick = tick;
	e.inside_ticks = e.extra_before_ticks = e.extra_after_ticks = 0;
	e.polls = 1;
	e.also_polls = 0;
	e.n_counts = 0;
	for (unsigned i = 0; tape_class_field(e.class_, i, &d); i++)
		if (!strcmp(d.name, "probe") || !strcmp(d.name, "sr"))
			tape_field_set(&e.u, &d, 0);
	if (!k->sends)
		clear_send_peer(&e);
	if (e.class_ == TAPE_CLASS_SENDRECV) {
		e.u.sendrecv.rpeer = TAPE_PROC_NULL;
		e.u.sendrecv.actual_peer = TAPE_PROC_NULL;
	}
	if (e.class_ != TAPE_CLASS_START && e.class_ != TAPE_CLASS_PREADY)
		e.n_done = 0;
	write_mapped_event(c, f, &e, 1);
}

static void begin_flow_output(struct tape_cut *c, struct cut_flow *f,
			      const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(c->t, e->rank);
	const struct tape_domain_info *d = tape_trace_domain(c->t, r->domain);
	uint64_t tick = tick_at(f, e, c->within ? c->from_ns : e->start_ns);

	f->begun = 1;
	f->w = tape_flow_writer_raw(c->out, e->rank, e->thread, tick, &d->first,
				    &d->last);
	if (!f->events) /* it began in the window */
		return;
	write_window_marker(f, e, TAPE_CLASS_ON, 0, tick);
	for (size_t i = 0; i < f->n_regions; i++)
		write_window_marker(f, e, TAPE_CLASS_ENTER, f->regions[i],
				    tick);
	f->requests = tape_must(calloc(f->n + 1, sizeof *f->requests));
	for (size_t i = 0; i < f->n; i++)
		write_stored_event(c, f, &f->kept[i], tick);
	cut_free_stored(c, f);
}

/* ---- the flow ---- */

/* A block that began before: it speaks of events that are not there. */
static int is_cut_off(const struct tape_cut *c, const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_BLOCK &&
	       e->start_ns - c->from_ns < e->inside_ns;
}

void cut_write(struct tape_cut *c, const struct tape_event *e)
{
	struct cut_flow *f = &c->flow[e->flow];
	struct tape_event copy = *e;

	if (!f->begun)
		begin_flow_output(c, f, e);
	if (f->silent)
		clear_send_peer(&copy);
	f->silent = 0;
	if (!is_cut_off(c, e))
		write_mapped_event(c, f, &copy, 0);
}

void cut_close(struct tape_cut *c, size_t flow, const struct tape_event *next,
	       enum tape_end end, uint64_t lost)
{
	struct cut_flow *f = &c->flow[flow];

	if (!f->begun && f->events && next)
		begin_flow_output(c, f, next);
	if (f->w && next)
		write_window_marker(f, next, TAPE_CLASS_OFF, 0,
				    tick_at(f, next, c->to_ns));
	if (f->w)
		tape_flow_writer_close(f->w, end, lost);
	f->w = NULL;
	f->over = 1;
}
