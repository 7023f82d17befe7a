/*
 * The traversal; see engine.h. Each flow has one event under way. What the
 * event tells others (a message sent, a receive posted, a collective entered)
 * is published at once, with the perturbation at its start; then the event
 * waits until what it depends on is there. Starts never wait, so the order is
 * free of cycles in a whole trace; in a broken one, or where a wildcard hides
 * a rendezvous, the oldest event that waits is let go and counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "message.h"
#include "writer.h"

/* ---- writing ---- */

static void put(struct engine *g, struct flow *f, const struct tape_event *e,
		double p_start, double p_end)
{
	int64_t start = e->start_ns - llrint(p_start);
	int64_t end = e->end_ns - llrint(p_end);

	if (!f->writer)
		return;
	if (start < f->last_ta)
		start = f->last_ta;
	if (end < start) {
		end = start;
		g->r->moved++;
	}
	tape_flow_writer_dated(f->writer, e, start, end);
	f->last_ta = end;
}

static void flush_run(struct engine *g, struct flow *f, double p_end)
{
	if (!f->run)
		return;
	f->run = 0;
	put(g, f, &f->run_event, f->run_p, p_end);
}

/* ---- flows ---- */

static int is_failed(const struct tape_event *e)
{
	return (e->class_ == TAPE_CLASS_TEST && !e->u.test.flag) ||
	       (e->class_ == TAPE_CLASS_IPROBE && !e->u.iprobe.flag) ||
	       (e->class_ == TAPE_CLASS_IMPROBE && !e->u.improbe.flag) ||
	       (e->class_ == TAPE_CLASS_WINTEST && !e->u.wintest.flag);
}

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
	const struct tape_event *run = &f->run_event;
	double gap = (double)(f->e->start_ns - run->end_ns) -
		     f->e->alpha_before_ns - run->alpha_after_ns;
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

static void account(struct engine *g, const struct tape_event *e)
{
	struct rank_result *r = &g->r->ranks[e->rank];
	double alpha = e->alpha_before_ns + e->alpha_after_ns;

	if (!r->seen || e->start_ns < r->first_ns)
		r->first_ns = e->start_ns;
	if (!r->seen || e->end_ns > r->last_ns)
		r->last_ns = e->end_ns;
	r->seen = 1;
	r->events++;
	r->alpha_ns += alpha;
	if (r->sites && e->site < tape_trace_rank(g->t, e->rank)->n_sites) {
		r->sites[e->site].alpha_ns += alpha;
		r->sites[e->site].events++;
	}
	g->r->events++;
}

/* Takes the next event of the flow: 1, or 0 at its end. */
static int fetch(struct engine *g, struct flow *f)
{
	int rc = tape_flow_next(f->reader, &f->e);

	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_flow_error(f->reader));
	if (!rc) {
		uint64_t lost;
		enum tape_end why = tape_flow_end(f->reader, &lost);

		flush_run(g, f, f->run_p);
		f->e = NULL;
		f->finished = 1;
		g->r->incomplete += why != TAPE_END_FINALIZE;
		if (f->writer)
			tape_flow_writer_close(f->writer, why, lost);
		f->writer = NULL;
		return 0;
	}
	account(g, f->e);
	f->p_start = g->learner ? 0 : f->p + f->e->alpha_before_ns;
	f->forced = f->begun = 0;
	return 1;
}

/*
 * What the threads of a rank do follows one order, that of their starts: who
 * sends or posts first, and that a request is made before it is completed. An
 * event begins when no other thread can come with an earlier one.
 */
static int may_begin(const struct engine *g, const struct flow *f)
{
	int64_t start = f->e->start_ns;

	for (const struct flow *o = f->first; o < g->flows + g->n_flows &&
					      o->rank == f->rank; o++) {
		if (o == f || o->finished)
			continue;
		if (o->e && !o->begun) {
			if (o->e->start_ns < start ||
			    (o->e->start_ns == start && o < f))
				return 0;
		} else if ((o->e ? o->e->end_ns : o->last_ns) < start) {
			return 0;
		}
	}
	return 1;
}

/* The event starts: what it tells others is known from now on. */
static void begin(struct engine *g, struct flow *f)
{
	f->begun = 1;
	f->last_ns = f->e->end_ns;
	f->n_ops = tape_ops_of(f->ops, f->e, &f->list);
	if (f->n_ops < 0)
		tape_die(TAPE_FAILED, "out of memory");
	if (f->run && !ends_run(f))
		flush_run(g, f, f->run_p);
	for (int i = 0; i < f->n_ops; i++)
		engine_publish(g, f, &f->list[i]);
}

static void bounds(struct engine *g, const struct flow *f, int64_t start,
		   int64_t end)
{
	struct rank_result *r = &g->r->ranks[f->rank];

	if (start < r->first_ta || r->first_ta == INT64_MIN)
		r->first_ta = start;
	if (end > r->last_ta || r->last_ta == INT64_MIN)
		r->last_ta = end;
}

/* Ends the event under way if it can; 1 when it did. */
static int finish(struct engine *g, struct flow *f)
{
	const struct tape_event *e = f->e;
	/* freeing a request waits for nothing */
	int waits = e->class_ != TAPE_CLASS_REQ;
	double p_end = g->learner ? 0 : f->p_start;

	for (int i = 0; waits && !f->forced && i < f->n_ops; i++)
		if (engine_may_wait(&f->list[i]) &&
		    !engine_ready(g, &f->list[i]))
			return 0;
	if (g->learner)
		engine_learn(g, f);
	else if (waits)
		p_end = engine_end(g, f);
	for (int i = 0; i < f->n_ops; i++)
		engine_release(g, &f->list[i]);
	f->reached = e->end_ns - llrint(p_end);
	/* the test that ends a wait for a message comes after that */
	if (f->run)
		f->p_start = p_end;
	bounds(g, f, e->start_ns - llrint(f->p_start), f->reached);
	if (is_failed(e) && is_waiting(e)) {
		flush_run(g, f, f->run_p);
		f->run = 1;
		f->run_event = *e;
		f->run_p = f->p_start;
	} else {
		/* tests turned into a wait end where that begins */
		flush_run(g, f, p_end);
		put(g, f, e, f->p_start, p_end);
	}
	f->p = g->learner ? 0 : p_end + e->alpha_after_ns;
	f->e = NULL;
	return 1;
}

/* Runs a flow until it waits or reaches the horizon; 1 if it moved. */
static int advance(struct engine *g, struct flow *f, int64_t horizon)
{
	int moved = 0;

	while (!f->finished) {
		if (!f->e) {
			moved = 1;
			if (!fetch(g, f))
				break;
		}
		if (!f->begun) {
			if (!may_begin(g, f))
				break;
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

/* Nothing can go on: the oldest event that waits goes without its partner. */
static int let_go(struct engine *g)
{
	struct flow *oldest = NULL;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && (!oldest || f->e->start_ns < oldest->e->start_ns))
			oldest = f;
	}
	if (!oldest)
		return 0;
	if (!oldest->begun)
		begin(g, oldest);
	oldest->forced = 1;
	g->r->forced++;
	return 1;
}

/* More would save few rounds, and cost memory. */
#define AHEAD_NS 5000000

/*
 * How far ahead flows may run: a little beyond the slowest, so that messages
 * in flight stay few.
 */
static int64_t horizon_of(const struct engine *g)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < g->n_flows; i++) {
		const struct flow *f = &g->flows[i];
		int64_t at = f->reached;

		if (f->e && f->e->start_ns - llrint(f->p_start) > at)
			at = f->e->start_ns - llrint(f->p_start);
		if (!f->finished && at < least)
			least = at;
	}
	return least > INT64_MAX - AHEAD_NS ? INT64_MAX : least + AHEAD_NS;
}

static void number_hosts(struct engine *g)
{
	size_t n = tape_trace_ranks(g->t);

	g->host = malloc(n * sizeof *g->host);
	if (!g->host)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t r = 0; r < n; r++) {
		const char *mine = tape_trace_rank(g->t, (int)r)->host;

		g->host[r] = (int)r;
		for (size_t q = 0; mine && q < r; q++) {
			const char *its = tape_trace_rank(g->t, (int)q)->host;

			if (its && !strcmp(its, mine)) {
				g->host[r] = g->host[q];
				break;
			}
		}
	}
}

static void open_flows(struct engine *g, struct tape_output *out)
{
	g->n_flows = tape_trace_flows(g->t);
	g->flows = calloc(g->n_flows + 1, sizeof *g->flows);
	if (!g->flows)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t i = 0; i < g->n_flows; i++) {
		const struct tape_flow_info *info = tape_trace_flow(g->t, i);
		struct flow *f = &g->flows[i];
		struct tape_ops *other = NULL;

		f->rank = info->rank;
		f->reached = f->last_ns = INT64_MIN;
		f->first = f;
		if (i && f[-1].rank == f->rank) {
			f->first = f[-1].first;
			other = f[-1].ops;
		}
		f->ops = tape_ops_new(g->t, f->rank, other);
		if (!f->ops)
			tape_die(TAPE_FAILED, "out of memory");
		if (tape_flow_open(g->t, i, &f->reader))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(g->t));
		if (!out)
			continue;
		/* the first event's date is the first of the flow */
		f->last_ta = INT64_MIN;
		if (fetch(g, f)) {
			f->last_ta = f->e->start_ns - llrint(f->p_start);
			f->writer = tape_flow_writer_open(out, f->rank,
							  info->thread,
							  f->last_ta);
		}
	}
}

/* What was begun and has no partner, or no end, when all flows are over. */
static void end_ranks(struct engine *g)
{
	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];
		int n;

		if (i && f->rank == g->flows[i - 1].rank)
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

void engine_run(struct tape_trace *t, const struct eager *eager,
		struct tape_comm_learner *learner,
		const struct tape_comm_model *model, struct tape_output *out,
		struct result *r)
{
	struct engine g = { .t = t, .eager = eager, .learner = learner,
			    .model = model, .r = r };
	size_t n = tape_trace_ranks(t), left = 1;

	memset(r, 0, sizeof *r);
	r->ranks = calloc(n, sizeof *r->ranks);
	r->unmatched = tape_unmatched_new();
	g.match = tape_match_new();
	g.windows = tape_match_new();
	g.rounds = tape_rounds_new();
	if (!r->ranks || !r->unmatched || !g.match || !g.windows ||
	    !g.rounds)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t i = 0; i < n; i++) {
		r->ranks[i].first_ta = r->ranks[i].last_ta = INT64_MIN;
		r->ranks[i].sites = calloc(
			tape_trace_rank(t, (int)i)->n_sites + 1,
			sizeof *r->ranks[i].sites);
	}
	number_hosts(&g);
	open_flows(&g, out);
	while (left) {
		int64_t horizon = horizon_of(&g);
		int moved = 0;

		left = 0;
		for (size_t i = 0; i < g.n_flows; i++) {
			moved |= advance(&g, &g.flows[i], horizon);
			left += !g.flows[i].finished;
		}
		if (left && !moved && !let_go(&g))
			break;
	}
	tape_progress(r->events, 1);
	end_ranks(&g);
	r->rounds_open = tape_rounds_left(g.rounds);
	for (size_t i = 0; i < g.n_flows; i++) {
		if (!i || g.flows[i].rank != g.flows[i - 1].rank)
			r->unknown += tape_ops_unknown(g.flows[i].ops);
		tape_flow_close(g.flows[i].reader);
	}
	for (size_t i = 0; i < g.n_flows; i++)
		tape_ops_free(g.flows[i].ops);
	r->first_ns = r->first_ta = INT64_MAX;
	r->last_ns = r->last_ta = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		const struct rank_result *q = &r->ranks[i];

		if (!q->seen)
			continue;
		r->first_ns = q->first_ns < r->first_ns ? q->first_ns
							: r->first_ns;
		r->last_ns = q->last_ns > r->last_ns ? q->last_ns : r->last_ns;
		r->first_ta = q->first_ta < r->first_ta ? q->first_ta
							: r->first_ta;
		r->last_ta = q->last_ta > r->last_ta ? q->last_ta : r->last_ta;
	}
	tape_match_free(g.match);
	tape_match_free(g.windows);
	tape_rounds_free(g.rounds);
	free(g.flows);
	free(g.host);
}

void result_free(struct result *r, size_t ranks)
{
	for (size_t i = 0; i < ranks && r->ranks; i++)
		free(r->ranks[i].sites);
	free(r->ranks);
	r->ranks = NULL;
	tape_unmatched_free(r->unmatched);
	r->unmatched = NULL;
}
