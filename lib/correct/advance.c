/*
 * One flow after the other, as far as it can go: takes its events, begins and
 * ends them, and says what is written of them; see engine_parts.h.
 *
 * Threads of a rank share its messages and requests: their events begin in the
 * order of their dates, which is that of one clock.
 */
#include <math.h>
#include <stdlib.h>

#include "engine_parts.h"
#include "tool.h"

/* ---- writing ---- */

/* That date, moved by so much more than rounding does. */
static void count_moved(struct engine *g, int64_t by)
{
	struct moves *m = &g->r->moves;

	if (by <= 1)
		return;
	m->n++;
	m->sum_ns += (double)by;
	if (by > m->worst_ns)
		m->worst_ns = by;
}

/*
 * Clamps the corrected time ta to least. Recomputes the perturbation from the
 * clamped time and widens its bounds so that they contain the clamped value.
 */
static int64_t clamp_timestamp(struct engine *g, const struct flow *f,
			       int64_t least, int64_t ns, int64_t ta,
			       struct tape_delay *p)
{
	if (ta >= least)
		return ta;
	/* a block may have the date of the event before it, whose alpha lies
	 * after both */
	if (f->e->class_ != TAPE_CLASS_BLOCK)
		count_moved(g, least - ta);
	p->p = (double)(ns - least);
	p->lo = tape_min(p->lo, p->p);
	return least;
}

/*
 * The bounds of p, at ns: since its base the flow was delayed by nothing but
 * its own alphas. Together they are no less than nothing, nor more than the
 * time that went by, whatever the intervals of so many constants add up to.
 * waited: it waited since, and may be delayed by less than it was there.
 */
static void clip_bounds(const struct engine *g, const struct flow *f,
			int64_t ns, struct tape_delay *p, int waited)
{
	double most = f->base_hi + (double)(ns - f->base_ns) +
		      engine_own_clock_slack(g, f->rank);

	p->hi = tape_max(tape_min(p->hi, most), p->p);
	if (!waited)
		p->lo = tape_min(tape_max(p->lo, f->base_lo), p->p);
}

/* The flow is where others delayed it to p, at ns. */
static void set_base(struct flow *f, int64_t ns, const struct tape_delay *p)
{
	f->base_ns = ns;
	f->base_lo = p->lo;
	f->base_hi = p->hi;
}

/*
 * When the event in progress starts: others are told what is written. The test
 * that ends a wait tells nobody, and starts where that ends.
 */
static void timestamp_start(struct engine *g, struct flow *f)
{
	int64_t ns = f->e->start_ns,
		ta = tape_timestamp_minus(ns, f->p_start.p);

	f->reported_delay = f->p_start;
	f->start_ta = f->run ? ta
			     : clamp_timestamp(g, f, f->reached_ta, ns, ta,
					       &f->reported_delay);
	clip_bounds(g, f, ns, &f->reported_delay, 0);
}

static void discard_run(struct engine *g, struct flow *f)
{
	f->run = 0;
	blame_drop(g->blames, f->run_blame);
	f->run_blame = NULL;
}

static void flush_run(struct engine *g, struct flow *f)
{
	if (!f->run)
		return;
	discard_run(g, f);
	if (f->has_writer) {
		struct tape_delay p = engine_add_clock_error(
		    g, f, f->run_event.end_tick, &f->run_end);

		feed_write_event(f->feed, f->run_event.at, f->run_start_ta,
				 f->run_end_ta, &p);
	}
}

/* ---- flows ---- */

/*
 * A run of failed tests is waiting if the flow did little else meanwhile; it
 * then belongs to the event that ends it.
 */
static int is_waiting(const struct tape_event *e)
{
	return 2 * e->inside_ns >= e->end_ns - e->start_ns - 1000;
}

/*
 * Does the event in progress end the run? It must be the same question, asked
 * again at once: within two periods of the run, or a microsecond.
 */
static int ends_run(const struct flow *f)
{
	const struct run *run = &f->run_event;
	double gap = (double)(f->e->start_ns - run->end_ns) -
		     tape_event_alpha_before(f->e) - run->after;
	double polls = fmax((double)run->polls, 1);
	double period = (double)(run->end_ns - run->start_ns) / polls;

	if (f->e->class_ != run->class_ &&
	    !(run->also_polls && f->e->class_ == run->also_class))
		return 0;
	if (gap > fmax(2 * period, 1000))
		return 0;
	for (int i = 0; i < f->n_ops; i++)
		if (engine_may_block(&f->list[i]))
			return 1;
	return 0;
}

/* Has a flow been written to its end, as far as there is one? */
static int is_complete(const struct flow *f, enum tape_end why)
{
	/* threads may end when they like */
	return why == TAPE_END_FINALIZE ||
	       (f != f->threads && why == TAPE_END_EXIT);
}

/* Where the event is: an end of a region is outside of it. */
static void locate_event(struct engine *g, struct flow *f)
{
	const struct tape_event *e = f->e;
	int block = e->class_ == TAPE_CLASS_BLOCK;
	uint32_t region = block ? e->u.block.region : e->region;
	uint32_t mine =
	    region ? blames_find_region(g->blames, e->rank, region) : 0;

	if (e->class_ == TAPE_CLASS_LEAVE)
		while (f->regions && f->region[--f->regions] != mine)
			;
	f->place = blames_find_place(g->blames, e->rank,
				     block ? e->u.block.site : e->site,
				     region	  ? mine
				     : f->regions ? f->region[f->regions - 1]
						  : 0);
	if (e->class_ == TAPE_CLASS_ENTER && f->regions < REGIONS) {
		if (!f->region)
			f->region = tape_must(malloc(REGIONS *
						     sizeof *f->region));
		f->region[f->regions++] = mine;
	}
	blames_count_event(g->blames, f->place,
			   e->alpha_before_ns + e->alpha_after_ns);
	f->blame = blame_add(g->blames, f->blame, f->place,
			     tape_event_alpha_before(e));
}

/* The flow is over. Shares of the last event of all reached the total time. */
static void record_flow_end(struct engine *g, struct flow *f)
{
	struct tape_delay p;

	if (!g->learner && g->how->reference)
		reference_end_flow(g->how->reference, (size_t)(f - g->flows));
	if (g->learner || !f->has_events)
		return;
	p = engine_add_clock_error(g, f, f->last_tick, &f->last_p);
	result_add_last(g->r, f->rank, f->last_end, &p);
	/* of those that end at once the last one, in whatever order they do */
	if (f->last_end < g->r->blamed_ns ||
	    (f->last_end == g->r->blamed_ns && f < g->blamed))
		return;
	g->blamed = f;
	g->r->blamed_ns = f->last_end;
	g->r->blamed = (size_t)(f - g->flows);
	f->blame = blame_add(g->blames, f->blame, f->place, -f->last_after);
	blames_set_reached(g->blames, f->blame);
}

/* Nothing more is asked of the flow. */
static void mark_finished(struct engine *g, struct flow *f)
{
	f->is_finished = 1;
	engine_set_ready(g, (size_t)(f - g->flows), 0);
}

static void note_missing(struct result *r, const struct tape_event *e,
			 const struct tape_peers *p)
{
	tape_not_recorded_event(r->missing, e);
	if (p && p->me)
		tape_notices_add(&r->notes, e);
}

int engine_fetch_event(struct engine *g, struct flow *f)
{
	if (f->max_events && f->n_events == f->max_events) {
		g->is_partial = 1;
		mark_finished(g, f);
		return 0;
	}
	f->n_events++;
	f->e = feed_next_event(f->feed);
	if (!f->e) {
		flush_run(g, f);
		mark_finished(g, f);
		engine_end_flow(g, f);
		record_flow_end(g, f);
		g->r->incomplete +=
		    !is_complete(f, feed_finish(f->feed, &g->r->causality));
		return 0;
	}
	/* another thread goes on with the flow: nothing delayed it yet */
	if (f->e->class_ == TAPE_CLASS_THREAD && !f->has_just_begun) {
		flush_run(g, f);
		f->p = (struct tape_delay){ 0 };
		blame_drop(g->blames, f->blame);
		f->blame = NULL;
	}
	if (tape_not_recorded_matters(f->e))
		note_missing(g->r, f->e, g->peers);
	if (f->e->class_ == TAPE_CLASS_COUNTED)
		result_add_counted(g->r, g->t, f->e);
	f->has_begun = f->out_of_turn = f->is_forced = f->is_guessed = 0;
	f->p_start = f->p;
	if (g->learner)
		return 1;
	if (f->inexact)
		tape_event_alpha_error(g->t, f->e, &f->error);
	f->p_start = engine_start_delay(f);
	return 1;
}

/* Other threads of the rank had to do with the requests of the event before. */
static void apply_handed_delay(struct engine *g, struct flow *f)
{
	struct tape_delay p = engine_handed_delay(g, f);

	if (p.p != f->p_start.p || p.lo != f->p_start.lo ||
	    p.hi != f->p_start.hi)
		set_base(f, f->e->start_ns, &p);
	f->p_start = p;
	f->blame = blame_fit(g->blames, f->blame, p.p);
}

/* Starts the event: publishes what it begins to other flows. */
static void begin_event(struct engine *g, struct flow *f)
{
	int is_delayed;

	f->has_begun = 1;
	if (f->has_unknown_start)
		engine_bound_start(g, f);
	is_delayed = !g->learner && engine_follow_threads(g, f);
	if (g->learner)
		g->r->events++;
	else
		result_add_event(g->r, f);
	if (!g->learner)
		locate_event(g, f);
	if (!f->has_events || is_delayed) {
		set_base(f, f->e->start_ns, &f->p_start);
		f->base_lo = tape_min(f->p.lo, f->p_start.lo);
	}
	if (f->threads->n_threads > 1 && !g->learner)
		apply_handed_delay(g, f);
	if (f->has_event_ops)
		f->list = feed_event_ops(f->feed, &f->n_ops);
	else
		f->n_ops = tape_ops_of(f->ops, f->e, &f->list);
	if (f->n_ops < 0)
		tape_die_no_memory();
	if (f->run && !ends_run(f)) {
		if (g->receive_order)
			engine_ask(g, f, &f->run_event.asked);
		flush_run(g, f);
	}
	timestamp_start(g, f);
	if (!f->has_events && !g->learner) {
		struct tape_delay p = engine_add_clock_error(
		    g, f, f->e->start_tick, &f->reported_delay);

		result_add_first(g->r, f->e, &p);
	}
	f->has_events = 1;
	if (!f->has_writer && g->out)
		engine_open_writer(g, f);
	if (g->awaiting)
		engine_start_children(g, f);
	f->n_blocking_ops = f->n_outside_trace = f->n_ready_ops = 0;
	for (int i = 0; i < f->n_ops; i++) {
		engine_publish_op(g, f, &f->list[i]);
		f->n_blocking_ops += engine_may_block(&f->list[i]);
		f->n_outside_trace += engine_is_outside_trace(g, &f->list[i]);
	}
	/* freeing a request waits for nothing */
	if (f->e->class_ == TAPE_CLASS_REQ)
		f->n_blocking_ops = 0;
	if (f->n_blocking_ops || f->n_outside_trace)
		clip_bounds(g, f, f->e->start_ns, &f->p_start, 0);
}

static int64_t event_turn(const struct engine *g, const struct flow *f)
{
	return tape_ops_turn(f->e, f->threads->n_threads > 1
					   ? g->order
					   : TAPE_ORDER_STARTS);
}

struct flow *engine_earlier_thread(struct engine *g, struct flow *f)
{
	struct flow *first = NULL;
	int64_t turn, start, turn_h;

	if (f->threads->n_threads < 2 || f->has_begun || f->out_of_turn)
		return NULL;
	turn = start = event_turn(g, f);
	for (int i = 0; i < f->threads->n_threads; i++) {
		struct flow *h = &f->threads[i];

		if (h == f || h->is_finished ||
		    (!h->e && !engine_fetch_event(g, h)))
			continue;
		if (h->has_begun && h->e->end_ns < turn)
			return h;
		turn_h = event_turn(g, h);
		if (!h->has_begun &&
		    (turn_h < start || (turn_h == start && !first && h < f))) {
			first = h;
			start = turn_h;
		}
	}
	return first;
}

/* The perturbation at the end of the event, and of what it consists. */
static struct tape_delay compute_end_delay(struct engine *g, struct flow *f)
{
	double within = tape_event_alpha_within(f->e);
	struct blame *by = f->blame;
	struct tape_delay p = f->p_start;

	if (f->n_blocking_ops || f->n_outside_trace || g->how->no_packing ||
	    g->how->rule == TAPE_RULE_TARGET)
		p = engine_end_delay(g, f, &by);
	if (by != f->blame) {
		blame_keep(by);
		blame_drop(g->blames, f->blame);
		f->blame = by;
	}
	f->blame = blame_fit(g->blames, f->blame, p.p);
	if (within > 0) {
		p = engine_delay_within(f, p, within);
		f->blame = blame_add(g->blames, f->blame, f->place, within);
	}
	return p;
}

/*
 * The test in progress ends a wait that began with the run: it comes after all
 * of that, and the run ends where it begins.
 */
static void end_polled_wait(struct engine *g, struct flow *f,
			    const struct tape_delay *p_end)
{
	int64_t ns = f->e->start_ns;

	f->run_event.end_tick = f->e->start_tick;
	f->p_start = f->run_end = *p_end;
	f->run_end_ta =
	    clamp_timestamp(g, f, f->run_start_ta, ns,
			    tape_timestamp_minus(ns, p_end->p), &f->run_end);
	f->start_ta = f->run_end_ta;
	f->reported_delay = f->run_end;
	flush_run(g, f);
}

/*
 * Ends the event in progress with perturbation p_end. Clamps the written time
 * to the end of what the event waited for and to the event's own start. Returns
 * the perturbation after clamping.
 */
static struct tape_delay timestamp_end(struct engine *g, struct flow *f,
				       struct tape_delay *p_end)
{
	int64_t ns = f->e->end_ns, ta = tape_timestamp_minus(ns, p_end->p);
	struct tape_delay written;

	ta = clamp_timestamp(g, f, f->floor_ta, ns, ta, p_end);
	if (f->run)
		end_polled_wait(g, f, p_end);
	if (f->n_blocking_ops || f->n_outside_trace || f->run) {
		clip_bounds(g, f, ns, p_end, 1);
		set_base(f, ns, p_end);
	}
	written = *p_end;
	f->reached_ta = clamp_timestamp(g, f, f->start_ta, ns, ta, &written);
	clip_bounds(g, f, ns, &written, 0);
	return written;
}

/* A run of failed tests may turn out to belong to the wait that follows. */
static void store_run(const struct engine *g, struct flow *f,
		      const struct tape_delay *written, struct blame *by)
{
	f->run = 1;
	f->run_event = (struct run){
		.at = f->e, .class_ = f->e->class_,
		.also_class = f->e->also_class, .polls = f->e->polls,
		.also_polls = f->e->also_polls, .start_ns = f->e->start_ns,
		.end_ns = f->e->end_ns, .end_tick = f->e->end_tick,
		.after = tape_event_alpha_after(f->e) };
	f->run_event.asked = engine_question(f, written);
	f->run_p = f->p_start;
	clip_bounds(g, f, f->e->start_ns, &f->run_p, 0);
	f->run_end = *written;
	f->run_start_ta = f->start_ta;
	f->run_end_ta = f->reached_ta;
	f->run_blame = by;
}

/* Ends the event in progress if it can; 1 when it did. */
static int end_event(struct engine *g, struct flow *f)
{
	const struct tape_event *e = f->e;
	struct tape_delay p_end = f->p_start, written, p;
	int run = tape_event_failed(e->class_, &e->u) && is_waiting(e);
	struct blame *by;

	if (!engine_can_end(g, f)) {
		engine_block_flow(g, f);
		return 0;
	}
	if (f->is_blocked)
		engine_wake_flow(g, (uint32_t)(f - g->flows) + 1);
	/* a run has shares of its own, of its start */
	by = run ? blame_keep(f->blame) : NULL;
	f->floor_ta = INT64_MIN;
	if (g->learner)
		engine_learn_messages(g, f);
	else if (e->class_ != TAPE_CLASS_REQ)
		p_end = compute_end_delay(g, f);
	if (!g->learner && g->how->reference) {
		reference_apply(g->how->reference, e, &p_end,
				&g->r->reference);
		f->blame = blame_fit(g->blames, f->blame, p_end.p);
	}
	written = timestamp_end(g, f, &p_end);
	if (!g->learner) {
		engine_check_causality(g, f);
		if (g->receive_order)
			engine_check_order(g, f, &p_end, run);
		p = engine_add_clock_error(g, f, e->end_tick, &written);
		result_add_width(g->r, &p);
	}
	for (int i = 0; i < f->n_ops; i++)
		engine_release_op(g, &f->list[i]);
	if (run) {
		store_run(g, f, &written, by);
	} else if (f->has_writer) {
		feed_write_event(f->feed, e, f->start_ta, f->reached_ta, &p);
	}
	if (!g->learner) {
		double after = tape_event_alpha_after(e);

		f->p = engine_delay_after(f, p_end, after);
		f->blame = blame_add(g->blames, f->blame, f->place, after);
		f->last_after = after;
		f->last_p = written;
		f->last_tick = e->end_tick;
		if (f->threads->n_threads > 1)
			engine_hand_over_requests(g, f, &written);
		if (f->threads->lives)
			engine_note_thread_delay(f, &p_end);
	}
	f->last_end = e->end_ns;
	f->e = NULL;
	return 1;
}

int engine_advance_flow(struct engine *g, struct flow *f, int64_t horizon)
{
	struct flow *before;
	int moved = 0;

	while (!f->is_finished && !f->after) {
		if (!f->e) {
			moved = 1;
			if (!engine_fetch_event(g, f))
				break;
		}
		if ((before = engine_earlier_thread(g, f)) != NULL) {
			f = before;
			if (f->has_begun && !end_event(g, f))
				break;
			moved |= !f->e;
			continue;
		}
		if (!f->has_begun) {
			/* publishing this event may unblock other flows */
			moved = 1;
			begin_event(g, f);
		}
		if (!end_event(g, f))
			break;
		moved = 1;
		if (!(g->r->events & 0xfffff))
			tape_progress(g->r->events, 0);
		if (f->reached_ta > horizon || g->r->events % 4096 == 0)
			break;
	}
	return moved;
}
