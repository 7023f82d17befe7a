/*
 * Which flow goes on, and how far; see engine.h. Each flow has one event under
 * way (advance.c). What the event tells others (a message sent, a receive
 * posted, a collective entered) is published at once, with the perturbation at
 * its start; then the event waits until what it depends on is there. Starts
 * never wait, so the order is free of cycles in a whole trace, but where a
 * wildcard hides a rendezvous, the first send to end takes any receive that is
 * open for its own; in a broken one the oldest event that waits is forced past
 * its wait. Both are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "engine_parts.h"
#include "tool.h"

/* More would save few rounds, and cost memory. */
#define AHEAD_NS 5000000

/*
 * How far ahead flows may run: a little beyond the slowest of those that can
 * go on, so that messages in flight stay few.
 */
static int64_t find_horizon(const struct engine *g)
{
	int64_t least = INT64_MAX;

	for (size_t i = engine_next_ready(g, 0); i < g->n_flows;
	     i = engine_next_ready(g, i + 1)) {
		const struct flow *f = &g->flows[i];
		int64_t at = f->reached_ta, start;

		if (f->e) {
			start =
			    tape_timestamp_minus(f->e->start_ns, f->p_start.p);
			at = start > at ? start : at;
		}
		if (!f->is_finished && !f->after && at < least)
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
			tape_die_no_memory();
		for (int k = 0; k < n; k++)
			engine_publish_op(g, f, &f->list[k]);
	}
	if (tape_unmatched_slots(g->r->unmatched, g->match))
		tape_die_no_memory();
}

/* Every flow as far as it can, up to a horizon; 0: none moved. */
static int advance_to_horizon(struct engine *g)
{
	int64_t horizon = find_horizon(g);
	int moved = 0;

	for (size_t i = g->n_flows; g->how->backwards && i-- > 0;)
		if (engine_is_ready(g, i) && !g->lacking)
			moved |= engine_advance_flow(g, &g->flows[i], horizon);
	if (g->how->backwards)
		return moved;
	for (size_t i = engine_next_ready(g, 0); i < g->n_flows && !g->lacking;
	     i = engine_next_ready(g, i + 1))
		moved |= engine_advance_flow(g, &g->flows[i], horizon);
	return moved;
}

static int all_finished(const struct engine *g)
{
	size_t i = 0;

	while (i < g->n_flows && g->flows[i].is_finished)
		i++;
	return i == g->n_flows;
}

/* Parallel correction: advances the local flows and exchanges records with
 * peers until every flow of every process is finished. */
static void traverse_parallel(struct engine *g)
{
	int moved;

	do {
		uint64_t events;

		do {
			events = g->r->events;
			moved = advance_to_horizon(g) && !g->lacking;
			g->peers->events += g->r->events - events;
		} while (remote_exchange(g, moved, find_horizon(g)));
	} while (remote_synchronise(g, !all_finished(g)));
	tape_progress(g->r->events, 1);
	if (!g->lacking)
		end_ranks(g);
}

/* Goes through the trace, or as far as there is need. */
static void traverse_trace(struct engine *g)
{
	int looked = 0; /* did all see that they cannot go on? */

	while (!g->lacking) {
		int moved = g->traffic.links ? engine_step_in_order(g)
					     : advance_to_horizon(g);

		if (moved)
			looked = 0;
		else if (!looked && engine_wake_all(g))
			looked = 1;
		else if (all_finished(g) || g->is_partial ||
			 !engine_break_deadlock(g))
			break; /* what the rest of a flow may tell is no loss */
		else
			looked = 0;
	}
	tape_progress(g->r->events, 1);
	if (!g->lacking && !g->is_partial)
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
		engine_free_threads(g, f);
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
static void set_least_transits(struct engine *g)
{
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		struct tape_parcel empty = {
			.distance = (enum tape_distance)d };
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

static void list_open_rounds(struct engine *g)
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
	g.rounds = tape_rounds_new(sizeof(struct collective_state),
				   sizeof(struct member_state));
	if (!learner && how->reference)
		reference_rewind(how->reference); /* its order is this one */
	else if (!learner && how_certifies(how))
		g.receive_order =
		    tape_must(receive_order_new(tape_trace_ranks(t)));
	g.known_pool = g.receive_order ? known_pool_new() : NULL;
	g.isolated = learner ? tape_isolated_new(tape_trace_flows(t)) : NULL;
	if (!g.match || !g.windows || !g.rounds || (learner && !g.isolated))
		tape_die_no_memory();
	remote_open(&g);
	engine_open_flows(&g);
	engine_traffic_open(&g);
	set_least_transits(&g);
	if (g.traffic.links)
		remote_give_up(&g);
	if (g.peers)
		traverse_parallel(&g);
	else
		traverse_trace(&g);
	engine_submit_rounds(&g);
	list_open_rounds(&g);
	close_flows(&g);
	engine_traffic_close(&g);
	if (learner)
		memcpy(sample->sent, g.sent, sizeof sample->sent);
	result_compute_total(r, tape_trace_ranks(t));
	receive_order_free(g.receive_order);
	known_pool_free(g.known_pool);
	tape_isolated_free(g.isolated);
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
	remote_close(&g);
	return g.lacking;
}
