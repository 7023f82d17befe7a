/*
 * One flow after the other, as far as it can go: takes its events, begins and
 * ends them, and says what is written of them; see engine_state.h.
 *
 * Threads of a rank share its messages and requests: their events begin in the
 * order of their dates, which is that of one clock.
 */
#include <math.h>
#include <stdlib.h>

#include "engine_state.h"
#include "tool.h"

/* ---- writing ---- */

/* That date, moved by so much more than rounding does. */
static void moved(struct engine *g, int64_t by)
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
 * No date may be before that one. Where it is, ta becomes it, and p the
 * perturbation that makes it so; the bounds contain it.
 */
static int64_t not_before(struct engine *g, const struct flow *f,
			  int64_t least, int64_t ns, int64_t ta,
			  struct tape_delay *p)
{
	if (ta >= least)
		return ta;
	/* a block may have the date of the event before it, whose alpha lies
	 * behind both */
	if (f->e->class_ != TAPE_CLASS_BLOCK)
		moved(g, least - ta);
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
static void clip(const struct engine *g, const struct flow *f, int64_t ns,
		 struct tape_delay *p, int waited)
{
	double most = f->base_hi + (double)(ns - f->base_ns) +
		      engine_own_slack(g, f->rank);

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
 * When the event under way starts: others are told what is written. The test
 * that ends a wait tells nobody, and starts where that ends.
 */
static void date_start(struct engine *g, struct flow *f)
{
	int64_t ns = f->e->start_ns,
		ta = tape_timestamp_minus(ns, f->p_start.p);

	f->told = f->p_start;
	f->start_ta =
		f->run ? ta : not_before(g, f, f->reached, ns, ta, &f->told);
	clip(g, f, ns, &f->told, 0);
}

static void forget_run(struct engine *g, struct flow *f)
{
	f->run = 0;
	blame_drop(g->blames, f->run_blame);
	f->run_blame = NULL;
}

static void flush_run(struct engine *g, struct flow *f)
{
	if (!f->run)
		return;
	forget_run(g, f);
	if (f->writes) {
		struct tape_delay p = engine_dated(
			g, f, f->run_event.end_tick, &f->run_end);

		feed_put(f->feed, f->run_event.at, f->run_start_ta,
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
 * Does the event under way end the run? It must be the same question, asked
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
		if (engine_may_wait(&f->list[i]))
			return 1;
	return 0;
}

/* Has a flow been written to its end, as far as there is one? */
static int is_whole(const struct flow *f, enum tape_end why)
{
	/* threads may end when they like */
	return why == TAPE_END_FINALIZE ||
	       (f != f->threads && why == TAPE_END_EXIT);
}

/* Where the event is: an end of a region is outside of it. */
static void locate(struct engine *g, struct flow *f)
{
	const struct tape_event *e = f->e;
	int block = e->class_ == TAPE_CLASS_BLOCK;
	uint32_t region = block ? e->u.block.region : e->region;
	uint32_t mine = region ? blames_region(g->blames, e->rank, region) : 0;

	if (e->class_ == TAPE_CLASS_LEAVE)
		while (f->regions && f->region[--f->regions] != mine)
			;
	f->place = blames_place(g->blames, e->rank,
				block ? e->u.block.site : e->site,
				region ? mine
				: f->regions ? f->region[f->regions - 1] : 0);
	if (e->class_ == TAPE_CLASS_ENTER && f->regions < REGIONS) {
		if (!f->region)
			f->region = tape_must(malloc(REGIONS *
						     sizeof *f->region));
		f->region[f->regions++] = mine;
	}
	blames_count(g->blames, f->place,
		     e->alpha_before_ns + e->alpha_after_ns);
	f->blame = blame_add(g->blames, f->blame, f->place,
			     tape_event_alpha_before(e));
}

/* The flow is over. Shares of the last event of all reached the total time. */
static void settle(struct engine *g, struct flow *f)
{
	struct tape_delay p;

	if (g->learner || !f->seen)
		return;
	p = engine_dated(g, f, f->last_tick, &f->last_p);
	result_last(g->r, f->rank, f->last_end, &p);
	/* of those that end at once the last one, in whatever order they do */
	if (f->last_end < g->r->blamed_ns ||
	    (f->last_end == g->r->blamed_ns && f < g->blamed))
		return;
	g->blamed = f;
	g->r->blamed_ns = f->last_end;
	g->r->blamed = (size_t)(f - g->flows);
	f->blame = blame_add(g->blames, f->blame, f->place, -f->last_after);
	blames_reached(g->blames, f->blame);
}

/* Nothing more is asked of the flow. */
static void finished(struct engine *g, struct flow *f)
{
	f->finished = 1;
	engine_set_ready(g, (size_t)(f - g->flows), 0);
}

static void note(struct result *r, const struct tape_event *e,
		 const struct tape_peers *p)
{
	tape_not_recorded_event(r->missing, e);
	if (p && p->me)
		tape_notices_add(&r->notes, e);
}

int engine_fetch(struct engine *g, struct flow *f)
{
	if (f->most && f->taken == f->most) {
		g->cut = 1;
		finished(g, f);
		return 0;
	}
	f->taken++;
	f->e = feed_next(f->feed);
	if (!f->e) {
		flush_run(g, f);
		finished(g, f);
		engine_over(g, f);
		settle(g, f);
		g->r->incomplete += !is_whole(f, feed_end(f->feed,
							  &g->r->causality));
		return 0;
	}
	/* another thread goes on with the flow: nothing delayed it yet */
	if (f->e->class_ == TAPE_CLASS_THREAD) {
		flush_run(g, f);
		f->p = (struct tape_delay){ 0 };
		blame_drop(g->blames, f->blame);
		f->blame = NULL;
	}
	if (tape_not_recorded_matters(f->e))
		note(g->r, f->e, g->peers);
	f->begun = f->out_of_turn = f->forced = f->guessed = 0;
	f->p_start = f->p;
	if (g->learner)
		return 1;
	if (f->inexact)
		tape_event_alpha_error(g->t, f->e, &f->error);
	f->p_start = engine_start(f);
	return 1;
}

/* Other threads of the rank had to do with the requests of the event before. */
static void take_over(struct engine *g, struct flow *f)
{
	struct tape_delay p = engine_taken_over(g, f);

	if (p.p != f->p_start.p || p.lo != f->p_start.lo ||
	    p.hi != f->p_start.hi)
		set_base(f, f->e->start_ns, &p);
	f->p_start = p;
	f->blame = blame_fit(g->blames, f->blame, p.p);
}

/* The event starts: tells others what it begins. */
static void begin(struct engine *g, struct flow *f)
{
	f->begun = 1;
	if (g->learner)
		g->r->events++;
	else
		result_event(g->r, f->e);
	if (f->has_unknown_start)
		engine_bound_start(g, f);
	if (!g->learner)
		locate(g, f);
	if (!f->seen || f->e->class_ == TAPE_CLASS_THREAD) {
		set_base(f, f->e->start_ns, &f->p_start);
		f->base_lo = tape_min(f->p.lo, f->p_start.lo);
	}
	if (f->threads->n_threads > 1 && !g->learner)
		take_over(g, f);
	if (f->ahead)
		f->list = feed_ops(f->feed, &f->n_ops);
	else
		f->n_ops = tape_ops_of(f->ops, f->e, &f->list);
	if (f->n_ops < 0)
		tape_die(TAPE_FAILED, "out of memory");
	if (f->run && !ends_run(f))
		flush_run(g, f);
	date_start(g, f);
	if (!f->seen && !g->learner) {
		struct tape_delay p = engine_dated(g, f, f->e->start_tick,
						   &f->told);

		result_first(g->r, f->e, &p);
	}
	f->seen = 1;
	if (!f->writes && g->out)
		engine_write(g, f);
	if (g->awaiting)
		engine_spawns(g, f);
	f->waits = f->alone = f->passed = 0;
	for (int i = 0; i < f->n_ops; i++) {
		engine_publish(g, f, &f->list[i]);
		f->waits += engine_may_wait(&f->list[i]);
		f->alone += engine_is_alone(g, &f->list[i]);
	}
	/* freeing a request waits for nothing */
	if (f->e->class_ == TAPE_CLASS_REQ)
		f->waits = 0;
	if (f->waits || f->alone)
		clip(g, f, f->e->start_ns, &f->p_start, 0);
}

static int64_t turn_of(const struct engine *g, const struct flow *f)
{
	return tape_ops_turn(f->e, f->threads->n_threads > 1
					   ? g->order
					   : TAPE_ORDER_STARTS);
}

struct flow *engine_earlier(struct engine *g, struct flow *f)
{
	struct flow *first = NULL;
	int64_t turn, start, turn_h;

	if (f->threads->n_threads < 2 || f->begun || f->out_of_turn)
		return NULL;
	turn = start = turn_of(g, f);
	for (int i = 0; i < f->threads->n_threads; i++) {
		struct flow *h = &f->threads[i];

		if (h == f || h->finished || (!h->e && !engine_fetch(g, h)))
			continue;
		if (h->begun && h->e->end_ns < turn)
			return h;
		turn_h = turn_of(g, h);
		if (!h->begun && (turn_h < start ||
				  (turn_h == start && !first && h < f))) {
			first = h;
			start = turn_h;
		}
	}
	return first;
}

/* The perturbation at the end of the event, and of what it consists. */
static struct tape_delay end_of(struct engine *g, struct flow *f)
{
	double within = tape_event_alpha_within(f->e);
	struct blame *by = f->blame;
	struct tape_delay p = f->p_start;

	if (f->waits || f->alone || g->how->no_packing ||
	    g->how->rule == TAPE_RULE_TARGET)
		p = engine_end(g, f, &by);
	if (by != f->blame) {
		blame_keep(by);
		blame_drop(g->blames, f->blame);
		f->blame = by;
	}
	f->blame = blame_fit(g->blames, f->blame, p.p);
	if (within > 0) {
		p = engine_within(f, p, within);
		f->blame = blame_add(g->blames, f->blame, f->place, within);
	}
	return p;
}

/*
 * The test under way ends a wait that began with the run: it comes after all
 * of that, and the run ends where it begins.
 */
static void end_wait(struct engine *g, struct flow *f,
		     const struct tape_delay *p_end)
{
	int64_t ns = f->e->start_ns;

	f->run_event.end_tick = f->e->start_tick;
	f->p_start = f->run_end = *p_end;
	f->run_end_ta =
	    not_before(g, f, f->run_start_ta, ns,
		       tape_timestamp_minus(ns, p_end->p), &f->run_end);
	f->start_ta = f->run_end_ta;
	f->told = f->run_end;
	flush_run(g, f);
}

/*
 * The event under way ends at p_end. What is written of it: not before what it
 * waited for, which all behind it follows, nor before its own start.
 */
static struct tape_delay date_end(struct engine *g, struct flow *f,
				  struct tape_delay *p_end)
{
	int64_t ns = f->e->end_ns, ta = tape_timestamp_minus(ns, p_end->p);
	struct tape_delay written;

	ta = not_before(g, f, f->floor_ta, ns, ta, p_end);
	if (f->run)
		end_wait(g, f, p_end);
	if (f->waits || f->alone || f->run) {
		clip(g, f, ns, p_end, 1);
		set_base(f, ns, p_end);
	}
	written = *p_end;
	f->reached = not_before(g, f, f->start_ta, ns, ta, &written);
	clip(g, f, ns, &written, 0);
	return written;
}

/* A run of failed tests may turn out to belong to the wait that follows. */
static void keep_run(const struct engine *g, struct flow *f,
		     const struct tape_delay *written, struct blame *by)
{
	f->run = 1;
	f->run_event = (struct run){
		.at = f->e, .class_ = f->e->class_,
		.also_class = f->e->also_class, .polls = f->e->polls,
		.also_polls = f->e->also_polls, .start_ns = f->e->start_ns,
		.end_ns = f->e->end_ns, .end_tick = f->e->end_tick,
		.after = tape_event_alpha_after(f->e) };
	f->run_p = f->p_start;
	clip(g, f, f->e->start_ns, &f->run_p, 0);
	f->run_end = *written;
	f->run_start_ta = f->start_ta;
	f->run_end_ta = f->reached;
	f->run_blame = by;
}

/* Ends the event under way if it can; 1 when it did. */
static int finish(struct engine *g, struct flow *f)
{
	const struct tape_event *e = f->e;
	struct tape_delay p_end = f->p_start, written, p;
	int run = tape_event_failed(e->class_, &e->u) && is_waiting(e);
	struct blame *by;

	if (!engine_can_end(g, f)) {
		engine_stand(g, f);
		return 0;
	}
	if (f->stands)
		engine_wake(g, (uint32_t)(f - g->flows) + 1);
	/* a run has shares of its own, of its start */
	by = run ? blame_keep(f->blame) : NULL;
	f->floor_ta = INT64_MIN;
	if (g->learner)
		engine_learn(g, f);
	else if (e->class_ != TAPE_CLASS_REQ)
		p_end = end_of(g, f);
	written = date_end(g, f, &p_end);
	if (!g->learner) {
		engine_check(g, f);
		p = engine_dated(g, f, e->end_tick, &written);
		result_end(g->r, &p);
	}
	for (int i = 0; i < f->n_ops; i++)
		engine_release(g, &f->list[i]);
	if (run) {
		keep_run(g, f, &written, by);
	} else if (f->writes) {
		feed_put(f->feed, e, f->start_ta, f->reached, &p);
	}
	if (!g->learner) {
		double after = tape_event_alpha_after(e);

		f->p = engine_behind(f, p_end, after);
		f->blame = blame_add(g->blames, f->blame, f->place, after);
		f->last_after = after;
		f->last_p = written;
		f->last_tick = e->end_tick;
		if (f->threads->n_threads > 1)
			engine_hand_over(g, f, &written);
	}
	f->last_end = e->end_ns;
	f->e = NULL;
	return 1;
}

int engine_advance(struct engine *g, struct flow *f, int64_t horizon)
{
	struct flow *before;
	int moved = 0;

	while (!f->finished && !f->after) {
		if (!f->e) {
			moved = 1;
			if (!engine_fetch(g, f))
				break;
		}
		if ((before = engine_earlier(g, f)) != NULL) {
			f = before;
			if (f->begun && !finish(g, f))
				break;
			moved |= !f->e;
			continue;
		}
		if (!f->begun) {
			/* what it tells others may set them going */
			moved = 1;
			begin(g, f);
		}
		if (!finish(g, f))
			break;
		moved = 1;
		if (!(g->r->events & 0xfffff))
			tape_progress(g->r->events, 0);
		if (f->reached > horizon || g->r->events % 4096 == 0)
			break;
	}
	return moved;
}
