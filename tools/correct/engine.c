/*
 * The traversal; see engine.h. Each flow has one event under way. What the
 * event tells others (a message sent, a receive posted, a collective entered)
 * is published at once, with the perturbation at its start; then the event
 * waits until what it depends on is there. Starts never wait, so the order is
 * free of cycles in a whole trace, but where a wildcard hides
 * a rendezvous, the first send to end takes any receive that is open for its
 * own; in a broken one the oldest event that waits is let go. Both are counted.
 *
 * Threads of a rank share its messages and requests: their events begin in the
 * order of their dates, which is that of one clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
 * When the event under way starts: others are told what is written. The test
 * that ends a wait tells nobody, and starts where that ends.
 */
static void date_start(struct engine *g, struct flow *f)
{
	int64_t ns = f->e->start_ns, ta = tape_date_less(ns, f->p_start.p);

	f->told = f->p_start;
	f->start_ta = f->run ? ta : not_before(g, f, f->reached, ns, ta, &f->told);
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
		tape_notes_event(&r->notes, e);
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
		engine_over(g, f);
		settle(g, f);
		finished(g, f);
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

/* The event starts: tells others what it begins. */
static void begin(struct engine *g, struct flow *f)
{
	f->begun = 1;
	if (g->learner)
		g->r->events++;
	else
		result_event(g->r, f->e);
	if (!g->learner)
		locate(g, f);
	if (f->threads->n_threads > 1 && !g->learner) {
		f->p_start = engine_taken_over(g, f);
		f->blame = blame_fit(g->blames, f->blame, f->p_start.p);
	}
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
}

static int64_t turn_of(const struct flow *f)
{
	return tape_ops_turn(f->e, f->threads->n_threads > 1);
}

struct flow *engine_earlier(struct engine *g, struct flow *f)
{
	struct flow *first = NULL;
	int64_t turn, start;

	if (f->threads->n_threads < 2 || f->begun || f->out_of_turn)
		return NULL;
	turn = start = turn_of(f);
	for (int i = 0; i < f->threads->n_threads; i++) {
		struct flow *h = &f->threads[i];

		if (h == f || h->finished || (!h->e && !engine_fetch(g, h)))
			continue;
		if (h->begun && h->e->end_ns < turn)
			return h;
		if (!h->begun && (turn_of(h) < start ||
				  (turn_of(h) == start && !first && h < f))) {
			first = h;
			start = turn_of(h);
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
	f->run_end_ta = not_before(g, f, f->run_start_ta, ns,
				   tape_date_less(ns, p_end->p), &f->run_end);
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
	int64_t ns = f->e->end_ns, ta = tape_date_less(ns, p_end->p);
	struct tape_delay written;

	ta = not_before(g, f, f->floor_ta, ns, ta, p_end);
	if (f->run)
		end_wait(g, f, p_end);
	written = *p_end;
	f->reached = not_before(g, f, f->start_ta, ns, ta, &written);
	return written;
}

/* A run of failed tests may turn out to belong to the wait that follows. */
static void keep_run(struct flow *f, const struct tape_delay *written,
		     struct blame *by)
{
	f->run = 1;
	f->run_event = (struct run){
		.at = f->e, .class_ = f->e->class_,
		.also_class = f->e->also_class, .polls = f->e->polls,
		.also_polls = f->e->also_polls, .start_ns = f->e->start_ns,
		.end_ns = f->e->end_ns, .end_tick = f->e->end_tick,
		.after = tape_event_alpha_after(f->e) };
	f->run_p = f->p_start;
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
		keep_run(f, &written, by);
	} else if (f->writes) {
		feed_put(f->feed, e, f->start_ta, f->reached, &p);
	}
	if (!g->learner) {
		double after = tape_event_alpha_after(e);

		f->p = engine_behind(f, p_end, after);
		f->blame = blame_add(g->blames, f->blame, f->place, after);
		f->last_after = after;
		f->last_end = e->end_ns;
		f->last_p = written;
		f->last_tick = e->end_tick;
		if (f->threads->n_threads > 1)
			engine_hand_over(g, f, &written);
	}
	f->e = NULL;
	return 1;
}

/*
 * Runs a flow, and the threads that go before it, until it waits or reaches
 * the horizon; 1 if one moved.
 */
static int advance(struct engine *g, struct flow *f, int64_t horizon)
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

int engine_advance(struct engine *g, struct flow *f)
{
	return advance(g, f, INT64_MIN);
}

/* More would save few rounds, and cost memory. */
#define AHEAD_NS 5000000

/*
 * How far ahead flows may run: a little beyond the slowest of those that can
 * go on, so that messages in flight stay few.
 */
static int64_t horizon_of(const struct engine *g)
{
	int64_t least = INT64_MAX;

	for (size_t i = engine_next_ready(g, 0); i < g->n_flows;
	     i = engine_next_ready(g, i + 1)) {
		const struct flow *f = &g->flows[i];
		int64_t at = f->reached, start;

		if (f->e) {
			start = tape_date_less(f->e->start_ns, f->p_start.p);
			at = start > at ? start : at;
		}
		if (!f->finished && !f->after && at < least)
			least = at;
	}
	return least > INT64_MAX - AHEAD_NS ? INT64_MAX : least + AHEAD_NS;
}

/* What was begun and has no partner, or no end, when all flows are over. */
static void end_ranks(struct engine *g)
{
	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];
		int n;

		if (!f->ops || (i && f->rank == g->flows[i - 1].rank))
			continue;
		n = tape_ops_end(f->ops, &f->list);
		if (n < 0)
			tape_die(TAPE_FAILED, "out of memory");
		for (int k = 0; k < n; k++)
			engine_publish(g, f, &f->list[k]);
	}
	if (tape_unmatched_slots(g->r->unmatched, g->match))
		tape_die(TAPE_FAILED, "out of memory");
}

/* Every flow as far as it can, up to a horizon; 0: none moved. */
static int by_horizon(struct engine *g)
{
	int64_t horizon = horizon_of(g);
	int moved = 0;

	for (size_t i = g->n_flows; g->how->backwards && i-- > 0;)
		if (engine_is_ready(g, i) && !g->lacking)
			moved |= advance(g, &g->flows[i], horizon);
	if (g->how->backwards)
		return moved;
	for (size_t i = engine_next_ready(g, 0); i < g->n_flows && !g->lacking;
	     i = engine_next_ready(g, i + 1))
		moved |= advance(g, &g->flows[i], horizon);
	return moved;
}

static int all_finished(const struct engine *g)
{
	size_t i = 0;

	while (i < g->n_flows && g->flows[i].finished)
		i++;
	return i == g->n_flows;
}

/* With others, who go through other flows, until all are over. */
static void traverse_together(struct engine *g)
{
	int moved;

	do {
		uint64_t events;

		do {
			events = g->r->events;
			moved = by_horizon(g) && !g->lacking;
			g->peers->events += g->r->events - events;
		} while (away_go_on(g, moved, horizon_of(g)));
	} while (away_meet(g, !all_finished(g)));
	tape_progress(g->r->events, 1);
	if (!g->lacking)
		end_ranks(g);
}

/* Goes through the trace, or as far as there is need. */
static void traverse(struct engine *g)
{
	int looked = 0; /* did all see that they cannot go on? */

	while (!g->lacking) {
		int moved = g->traffic.links ? engine_in_order(g)
					     : by_horizon(g);

		if (moved)
			looked = 0;
		else if (!looked && engine_wake_all(g))
			looked = 1;
		else if (all_finished(g) || g->cut || !engine_skip(g))
			break; /* what the rest of a flow may tell is no loss */
		else
			looked = 0;
	}
	tape_progress(g->r->events, 1);
	if (!g->lacking && !g->cut)
		end_ranks(g);
}

/* All flows are over, or those that are not do not matter. */
static void close_flows(struct engine *g)
{
	struct result *r = g->r;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (!f->ops)
			continue;
		if (!i || f->rank != g->flows[i - 1].rank) {
			r->unknown += tape_ops_unknown(f->ops);
			r->left_out += tape_ops_left_out(f->ops);
		}
		feed_close(f->feed);
		blame_drop(g->blames, f->blame);
		free(f->region);
	}
	for (size_t i = 0; i < g->n_flows; i++)
		if (g->flows[i].ops)
			tape_ops_free(g->flows[i].ops);
	feeds_free(g->feeds);
}

/* By the model, that of an empty message, or what the first pass saw, which is
 * looked for in that one: whatever is seen later may be less. */
static void least_transits(struct engine *g)
{
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		struct tape_parcel empty = { .distance = (enum tape_distance)d };
		double ns = g->model && !g->model->own_transit
				    ? tape_comm_transit(g->model, &empty)
				    : 0;
		int64_t least = ns > 0 && ns < 1e18 ? (int64_t)ns : 0;

		if (g->learner)
			least = INT64_MAX;
		else if (least > g->how->quickest_ns[d])
			least = g->how->quickest_ns[d];
		g->least_ns[d] = g->r->causality.least_ns[d] = least;
	}
}

static void open_rounds(struct engine *g)
{
	struct result *r = g->r;
	const struct tape_round *q;
	uint64_t at = 0;
	size_t n = 0;

	r->rounds_open = tape_rounds_left(g->rounds);
	if (!g->peers)
		return;
	r->open = tape_must(calloc(r->rounds_open + 1, sizeof *r->open));
	while ((q = tape_rounds_each(g->rounds, &at)))
		r->open[n++] = (struct round_open){q->comm, q->k};
}

int engine_run(struct tape_trace *t, const struct eager *eager,
	       struct tape_comm_learner *learner,
	       const struct tape_comm_model *model, const struct how *how,
	       struct sample *sample, struct tape_output *out,
	       struct result *r)
{
	struct engine g = {.t = t,
			   .eager = eager,
			   .learner = learner,
			   .model = model,
			   .how = how,
			   .sample = sample,
			   .r = r,
			   .out = out,
			   .peers = learner ? NULL : how->peers};

	result_new(r, t);
	if (!learner)
		g.blames = r->blames = blames_new(t);
	r->blamed_ns = INT64_MIN;
	g.match = tape_match_new(sizeof(struct side));
	g.windows = tape_match_new(sizeof(struct side));
	g.rounds = tape_rounds_new(sizeof(struct meeting),
				   sizeof(struct member));
	g.apart = learner ? tape_apart_new(tape_trace_flows(t)) : NULL;
	if (!g.match || !g.windows || !g.rounds || (learner && !g.apart))
		tape_die(TAPE_FAILED, "out of memory");
	away_open(&g);
	engine_open(&g);
	engine_traffic_open(&g);
	least_transits(&g);
	if (g.traffic.links)
		away_give_up(&g);
	if (g.peers)
		traverse_together(&g);
	else
		traverse(&g);
	engine_learn_rounds(&g);
	open_rounds(&g);
	close_flows(&g);
	engine_traffic_close(&g);
	if (learner)
		memcpy(sample->sent, g.sent, sizeof sample->sent);
	result_total(r, tape_trace_ranks(t));
	tape_apart_free(g.apart);
	tape_match_free(g.match);
	tape_match_free(g.windows);
	tape_rounds_free(g.rounds);
	tape_pvm_groups_free(g.pvm_groups);
	free(g.flows);
	free(g.ready);
	free(g.ready_words);
	free(g.opens.of);
	free(g.opens.table);
	tape_distances_free(&g.far);
	free(g.clock);
	away_close(&g);
	return g.lacking;
}
