/* What the engine knows before the first event; see engine_state.h. */
#include <stdlib.h>
#include <string.h>

#include "engine_state.h"
#include "tool.h"
#include "writer.h"

/* How many events of the flow a learner looks at; 0: all. */
static uint64_t share_of(const struct engine *g, size_t i)
{
	double bytes = (double)tape_trace_flow_bytes(g->t, i);

	if (!g->learner || !g->sample->most)
		return 0;
	return g->sample->each +
	       (uint64_t)((double)g->sample->most * bytes /
			  (g->flow_bytes + 1));
}

/* Is it the only flow of its rank? Flows of a rank follow each other. */
static int is_alone(const struct engine *g, size_t i)
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
	f->most = share_of(g, i);
	f->reached = INT64_MIN;
	f->threads = f;
	/* flows of a rank follow each other */
	if (i && g->flows[i - 1].rank == f->rank) {
		f->threads = g->flows[i - 1].threads;
		other = f->threads->ops;
		g->is_threaded = 1;
		g->r->threads += !away_is(g, f->rank);
	}
	f->threads->n_threads++;
	if (away_is(g, f->rank)) {
		f->finished = 1;
		engine_set_ready(g, i, 0);
		return;
	}
	f->ops = tape_ops_new(g->t, f->rank, other, sizeof(struct kept));
	if (!f->ops)
		tape_die(TAPE_FAILED, "out of memory");
	tape_ops_meet(f->ops, g->pvm_groups);
	if (tape_flow_open(g->t, i, &reader))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(g->t));
	f->feed = feed_open(g->feeds, reader);
	f->ahead = is_alone(g, i);
	if (f->ahead)
		feed_through(f->feed, f->ops);
}

void engine_write(struct engine *g, struct flow *f)
{
	int thread = tape_trace_flow(g->t, (size_t)(f - g->flows))->thread;

	/* the first event's date is the first of the flow */
	feed_to(f->feed, tape_flow_writer_open(g->out, f->rank, thread,
					       f->start_ta),
		f->start_ta, how_certifies(g->how), f->inexact);
	f->writes = 1;
}

/* ---- processes that others started, and tasks that follow others ---- */

/* The first flow of a rank, NULL: it has none. They are in order. */
static struct flow *flow_of(const struct engine *g, int rank)
{
	size_t i = 0, j = g->n_flows;

	while (i < j) {
		size_t mid = i + (j - i) / 2;

		if (g->flows[mid].rank < rank)
			i = mid + 1;
		else
			j = mid;
	}
	return rank >= 0 && i < g->n_flows && g->flows[i].rank == rank
		       ? &g->flows[i]
		       : NULL;
}

/* Does the task seem to have a pvm_spawn in its trace that started tid? */
static int spawned(const struct tape_rank_info *r, int tid)
{
	int any = 0;

	for (size_t i = 0; !any && i < r->n_sites; i++)
		any = tape_call_class(r->sites[i].call) ==
		      TAPE_CLASS_SPAWN;
	for (size_t i = 0; any && i < r->n_groups; i++)
		for (size_t k = 0; k < r->groups[i].n; k++)
			if (r->groups[i].ranks[k] == tid)
				return 1;
	return 0;
}

/* Whom each flow follows. */
static void find_order(struct engine *g)
{
	for (size_t i = 0; i < g->n_flows && !g->learner; i++) {
		struct flow *f = &g->flows[i];
		const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);
		int parent = r->parent ? tape_trace_task(g->t, r->parent) : -1;

		if (f->threads == f && r->spawned_by >= 0)
			f->after = flow_of(g, r->spawned_by);
		g->awaiting += f->after != NULL;
		if (f->threads != f || !r->tid)
			continue;
		f->again = r->former >= 0;
		if (f->again)
			f->after = flow_of(g, r->former);
		else if (parent >= 0 &&
			 spawned(tape_trace_rank(g->t, parent), r->tid))
			f->after = flow_of(g, parent);
		g->awaiting += f->after != NULL;
	}
}

/* f may begin, delayed by p. */
static void follow(struct engine *g, struct flow *f,
		   const struct tape_delay *p, struct blame *by)
{
	f->after = NULL;
	g->awaiting--;
	f->p = *p;
	if (f->e)
		f->p_start = engine_start(f);
	f->blame = blame_keep(by);
}

/*
 * f starts a task. What Tape cost that before its first call is not known: up
 * to all of the time until then.
 */
static void spawn(struct engine *g, const struct flow *f, struct flow *child)
{
	struct tape_delay p = f->told;
	double took;

	if (!child->e && !child->finished)
		engine_fetch(g, child);
	if (child->e) {
		took = (double)(child->e->start_ns - f->e->start_ns) +
		       engine_slack(g, f->rank, child->rank);
		p.hi += tape_max(took - child->e->alpha_before_ns, 0);
	}
	follow(g, child, &p, f->blame);
}

/* The same for MPI: the root has begun the call that started others. */
static void spawn_job(struct engine *g, const struct flow *f)
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
			spawn(g, f, child);
	}
}

void engine_spawns(struct engine *g, struct flow *f)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);
	uint32_t group = f->e->u.spawn.group;

	if (tape_call_traits(f->e->call) & TAPE_TRAIT_SPAWNS)
		spawn_job(g, f);
	if (f->e->class_ != TAPE_CLASS_SPAWN || group >= r->n_groups)
		return;
	for (size_t i = 0; i < r->groups[group].n; i++) {
		int tid = r->groups[group].ranks[i];
		struct flow *child = flow_of(g, tape_trace_task(g->t, tid));

		if (child && child->after == f->threads && !child->again)
			spawn(g, f, child);
	}
}

/*
 * The delay with which f starts, when the call that started it was not found in
 * time. A process of MPI_Comm_spawn did not start before its parent did: it may
 * be late by all the time since then. A task of PVM starts with none.
 */
static struct tape_delay unknown_start(struct engine *g, struct flow *f)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);
	struct tape_delay p = { 0 };
	int64_t since = r->spawned_by < 0
				? INT64_MAX
				: g->r->ranks[r->spawned_by].first_ns;

	if (!f->e && !f->finished)
		engine_fetch(g, f);
	if (f->e && since < f->e->start_ns)
		p.hi = (double)(f->e->start_ns - since) +
		       engine_slack(g, f->rank, r->spawned_by);
	return p;
}

void engine_over(struct engine *g, const struct flow *f)
{
	for (size_t i = 0; g->awaiting && i < g->n_flows; i++) {
		struct flow *next = &g->flows[i];
		struct tape_delay p = f->p;

		if (next->after != f)
			continue;
		if (!next->again)
			p = unknown_start(g, next);
		follow(g, next, &p, next->again ? f->blame : NULL);
	}
}

int engine_skip_spawn(struct engine *g)
{
	for (size_t i = 0; g->awaiting && i < g->n_flows; i++)
		if (g->flows[i].after && !g->flows[i].again) {
			struct tape_delay p = unknown_start(g, &g->flows[i]);

			follow(g, &g->flows[i], &p, NULL);
			return 1;
		}
	return 0;
}

void engine_open(struct engine *g)
{
	tape_distances_trace(&g->far, g->t);
	engine_clocks(g);
	if (tape_pvm_groups_read(g->t, g->slack, &g->pvm_groups))
		tape_die(TAPE_FAILED, "out of memory");
	g->library = engine_library(g->t);
	g->order = tape_ops_thread_order(g->t);
	g->n_flows = tape_trace_flows(g->t);
	g->feeds = feeds_new(g->how->workers, g->n_flows);
	g->flows = calloc(g->n_flows + 1, sizeof *g->flows);
	g->opens.of = calloc(tape_trace_ranks(g->t), sizeof *g->opens.of);
	g->ready = calloc(g->n_flows / 64 + 1, sizeof *g->ready);
	g->ready_words = calloc(g->n_flows / 4096 + 1, sizeof *g->ready_words);
	if (!g->flows || !g->opens.of || !g->ready || !g->ready_words)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t i = 0; i < g->n_flows; i++)
		engine_set_ready(g, i, 1);
	for (size_t i = 0; i < g->n_flows; i++)
		g->flow_bytes += (double)tape_trace_flow_bytes(g->t, i);
	for (size_t i = 0; i < g->n_flows; i++)
		open_flow(g, i);
	find_order(g);
}
