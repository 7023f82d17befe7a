/* What the engine knows before the first event; see engine_parts.h. */
#include <stdlib.h>
#include <string.h>

#include "lower_bound.h"
#include "engine_parts.h"
#include "tool.h"
#include "writer.h"

/* How many events of the flow a learner looks at; 0: all. */
static uint64_t learner_share(const struct engine *g, size_t i)
{
	double bytes = (double)tape_trace_flow_bytes(g->t, i);

	if (!g->learner || !g->sample->most)
		return 0;
	return g->sample->each + (uint64_t)((double)g->sample->most * bytes /
					    (g->flow_bytes + 1));
}

/* Is it the only flow of its rank? Flows of a rank follow each other. */
static int is_only_flow(const struct engine *g, size_t i)
{
	int rank = tape_trace_flow(g->t, i)->rank;

	return (!i || tape_trace_flow(g->t, i - 1)->rank != rank) &&
	       (i + 1 == g->n_flows ||
		tape_trace_flow(g->t, i + 1)->rank != rank);
}

static void open_flow(struct engine *g, size_t i)
{
	const struct tape_flow_info *info = tape_trace_flow(g->t, i);
	struct flow *f = &g->flows[i];
	struct tape_ops *other = NULL;
	struct tape_flow *reader;

	f->rank = info->rank;
	f->inexact = tape_trace_rank(g->t, f->rank)->alpha_bounded;
	f->max_events = learner_share(g, i);
	f->reached_ta = INT64_MIN;
	f->threads = f;
	/* flows of a rank follow each other */
	if (i && g->flows[i - 1].rank == f->rank) {
		f->threads = g->flows[i - 1].threads;
		other = f->threads->ops;
		g->is_threaded = 1;
		g->r->threads += !remote_owns_rank(g, f->rank);
	}
	f->threads->n_threads++;
	if (remote_owns_rank(g, f->rank)) {
		f->is_finished = 1;
		engine_set_ready(g, i, 0);
		return;
	}
	f->ops = tape_must(
	    tape_ops_new(g->t, f->rank, other, sizeof(struct request_state)));
	tape_ops_set_pvm_groups(f->ops, g->pvm_groups);
	if (tape_flow_open(g->t, i, &reader))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(g->t));
	f->feed = feed_open(g->feeds, reader);
	f->has_event_ops = is_only_flow(g, i);
	if (f->has_event_ops)
		feed_set_ops(f->feed, f->ops);
}

void engine_open_writer(struct engine *g, struct flow *f)
{
	int thread = tape_trace_flow(g->t, (size_t)(f - g->flows))->thread;

	/* the first event's date is the first of the flow */
	feed_set_writer(
	    f->feed,
	    tape_flow_writer_open(g->out, f->rank, thread, f->start_ta),
	    f->start_ta, how_certifies(g->how), f->inexact);
	f->has_writer = 1;
}

/* ---- processes that others started, and tasks that follow others ---- */

struct flow *engine_find_flow(const struct engine *g, int rank)
{
	size_t i;

	TAPE_LOWER_BOUND(i, g->n_flows, g->flows[i].rank < rank);
	return rank >= 0 && i < g->n_flows && g->flows[i].rank == rank
		   ? &g->flows[i]
		   : NULL;
}

/* Has the process a call in its trace that starts others? */
static int has_spawns(const struct tape_rank_info *r)
{
	int any = 0;

	for (size_t i = 0; !any && i < r->n_sites; i++)
		any = tape_call_class(r->sites[i].call) == TAPE_CLASS_SPAWN ||
		      tape_call_traits(r->sites[i].call) & TAPE_TRAIT_SPAWNS;
	return any;
}

/* Does the task seem to have a pvm_spawn in its trace that started tid? */
static int has_spawned(const struct tape_rank_info *r, int tid)
{
	for (size_t i = 0; has_spawns(r) && i < r->n_groups; i++)
		for (size_t k = 0; k < r->groups[i].n; k++)
			if (r->groups[i].ranks[k] == tid)
				return 1;
	return 0;
}

/*
 * The flow that f follows; NULL: none. The first flow of a rank stands for the
 * process.
 */
static struct flow *find_predecessor(const struct engine *g, struct flow *f)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);
	int parent = r->spawned_by, in_trace;

	f->is_restarted = r->tid && r->former >= 0;
	if (f->is_restarted)
		return engine_find_flow(g, r->former);
	if (r->tid)
		parent = r->parent ? tape_trace_task(g->t, r->parent) : -1;
	if (parent < 0 || parent == f->rank)
		return NULL;
	in_trace = r->tid ? has_spawned(tape_trace_rank(g->t, parent), r->tid)
			  : has_spawns(tape_trace_rank(g->t, parent));
	return in_trace ? engine_find_flow(g, parent) : NULL;
}

/* Was the process started by MPI_Comm_spawn? */
static int is_mpi_spawned(const struct engine *g, const struct flow *f)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);

	return !r->tid && r->spawned_by >= 0;
}

/* Finds the flow that each flow follows. */
static void find_order(struct engine *g)
{
	int any = 0;

	for (size_t i = 0; i < g->n_flows && !g->learner; i++) {
		struct flow *f = &g->flows[i];

		if (f->threads != f)
			continue;
		f->after = find_predecessor(g, f);
		g->awaiting += f->after != NULL;
		f->has_unknown_start = is_mpi_spawned(g, f) && !f->after;
		any |= f->after || f->has_unknown_start;
	}
	if (any)
		remote_give_up(g);
}

/* The first event of f, ahead of its turn; NULL: it has none. */
static const struct tape_event *first_event(struct engine *g, struct flow *f)
{
	if (!f->e && !f->is_finished && !f->has_events)
		engine_fetch_event(g, f);
	return f->e;
}

/* When the first event of that rank starts; INT64_MAX: it has none. */
static int64_t first_start(struct engine *g, int rank)
{
	struct flow *f = engine_find_flow(g, rank);
	int64_t first = g->r->ranks[rank].first_ns;

	for (int i = 0; f && i < f->n_threads; i++) {
		const struct tape_event *e =
		    f[i].has_events ? NULL : first_event(g, &f[i]);

		if (e && e->start_ns < first)
			first = e->start_ns;
	}
	return first;
}

/* When the first event of all ranks starts. */
static int64_t earliest_start(struct engine *g)
{
	size_t ranks = g->has_earliest ? 0 : tape_trace_ranks(g->t);

	if (ranks)
		g->earliest_ns = INT64_MAX;
	for (size_t r = 0; r < ranks; r++) {
		int64_t ns = first_start(g, (int)r);

		g->earliest_ns = ns < g->earliest_ns ? ns : g->earliest_ns;
	}
	g->has_earliest = 1;
	return g->earliest_ns;
}

void engine_bound_start(struct engine *g, struct flow *f)
{
	int parent = tape_trace_rank(g->t, f->rank)->spawned_by;
	int64_t since = first_start(g, parent);

	if (since == INT64_MAX)
		since = earliest_start(g);
	f->has_unknown_start = 0;
	f->p.hi += tape_max((double)(f->e->start_ns - since), 0) +
		   engine_clock_slack(g, f->rank, parent);
	f->p_start = engine_start_delay(f);
}

/* f may begin, delayed by p. */
static void start_flow(struct engine *g, struct flow *f,
		       const struct tape_delay *p, struct blame *by,
		       struct known_receives *known)
{
	f->after = NULL;
	g->awaiting--;
	f->p = *p;
	if (f->e)
		f->p_start = engine_start_delay(f);
	f->blame = blame_keep(by);
	f->known = known_receives_keep(known);
}

/*
 * f starts a task. What Tape cost that before its first call is not known: up
 * to all of the time until then.
 */
static void start_task(struct engine *g, const struct flow *f,
		       struct flow *child)
{
	struct tape_delay p = f->reported_delay;
	double took;

	if (first_event(g, child)) {
		took = (double)(child->e->start_ns - f->e->start_ns) +
		       engine_clock_slack(g, f->rank, child->rank);
		p.hi += tape_max(took - child->e->alpha_before_ns, 0);
	}
	start_flow(g, child, &p, f->blame, f->known);
}

/* The same for MPI: the root has begun the call that started others. */
static void start_job(struct engine *g, const struct flow *f)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);
	uint32_t comm = f->e->u.comm_new.newcomm;

	if (comm >= r->n_comms || !r->comms[comm].index)
		return;
	for (size_t i = 0; g->awaiting && i < g->n_flows; i++) {
		struct flow *child = &g->flows[i];
		const struct tape_rank_info *c =
		    tape_trace_rank(g->t, child->rank);

		if (child->after == f->threads && c->spawned_by == f->rank &&
		    c->spawned_in == r->comms[comm].id)
			start_task(g, f, child);
	}
}

void engine_start_children(struct engine *g, struct flow *f)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);
	uint32_t group = f->e->u.spawn.group;

	if (tape_call_traits(f->e->call) & TAPE_TRAIT_SPAWNS)
		start_job(g, f);
	if (f->e->class_ != TAPE_CLASS_SPAWN || group >= r->n_groups)
		return;
	for (size_t i = 0; i < r->groups[group].n; i++) {
		int tid = r->groups[group].ranks[i];
		struct flow *child =
		    engine_find_flow(g, tape_trace_task(g->t, tid));

		if (child && child->after == f->threads && !child->is_restarted)
			start_task(g, f, child);
	}
}

/* The call that started f was not found: it begins with an unknown delay. */
static void start_unknown(struct engine *g, struct flow *f)
{
	f->has_unknown_start = is_mpi_spawned(g, f);
	start_flow(g, f, &(struct tape_delay){0}, NULL, NULL);
}

/* Are all flows of that process over? */
static int is_process_over(const struct flow *f)
{
	int i = 0;

	while (i < f->threads->n_threads && f->threads[i].is_finished)
		i++;
	return i == f->threads->n_threads;
}

void engine_end_flow(struct engine *g, const struct flow *f)
{
	int all = is_process_over(f);

	for (size_t i = 0; g->awaiting && i < g->n_flows; i++) {
		struct flow *next = &g->flows[i];

		if (next->after != f->threads)
			continue;
		if (next->is_restarted && f == f->threads)
			start_flow(g, next, &f->p, f->blame, f->known);
		else if (!next->is_restarted && all)
			start_unknown(g, next);
	}
}

/* Is the process that is to start f past f's first event at ns? */
static int is_past_start(const struct engine *g, const struct flow *f,
			 int64_t ns)
{
	double at = (double)engine_process_time(f->after);

	return at - (double)ns > engine_clock_slack(g, f->rank, f->after->rank);
}

int engine_skip_spawn(struct engine *g, int only_lost)
{
	struct flow *first = NULL;
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; g->awaiting && i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];
		int64_t ns = INT64_MIN;

		if (!f->after || f->is_restarted)
			continue;
		if (first_event(g, f))
			ns = f->e->start_ns;
		if ((!first || ns < first_ns) &&
		    (!only_lost || is_past_start(g, f, ns))) {
			first = f;
			first_ns = ns;
		}
	}
	if (first)
		start_unknown(g, first);
	return first != NULL;
}

void engine_open_flows(struct engine *g)
{
	tape_distances_trace(&g->far, g->t);
	engine_read_clocks(g);
	if (tape_pvm_groups_read(g->t, g->slack, &g->pvm_groups))
		tape_die_no_memory();
	g->library = engine_coll_library(g->t);
	g->order = tape_ops_thread_order(g->t);
	g->n_flows = tape_trace_flows(g->t);
	g->feeds = feeds_new(g->how->workers, g->n_flows);
	g->flows = calloc(g->n_flows + 1, sizeof *g->flows);
	g->opens.of = calloc(tape_trace_ranks(g->t), sizeof *g->opens.of);
	g->ready = calloc(g->n_flows / 64 + 1, sizeof *g->ready);
	g->ready_words = calloc(g->n_flows / 4096 + 1, sizeof *g->ready_words);
	if (!g->flows || !g->opens.of || !g->ready || !g->ready_words)
		tape_die_no_memory();
	for (size_t i = 0; i < g->n_flows; i++)
		engine_set_ready(g, i, 1);
	for (size_t i = 0; i < g->n_flows; i++)
		g->flow_bytes += (double)tape_trace_flow_bytes(g->t, i);
	for (size_t i = 0; i < g->n_flows; i++)
		open_flow(g, i);
	find_order(g);
}
