/* Follows the events, and what they know of each other; see race_search.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "place.h"
#include "race_events.h"
#include "replay.h"
#include "tool.h"

enum {
	COLUMNS_MOST = 1024,
	KEPT_OF_ALL = 1 << 18,
	KEPT_LEAST = 64,
	KEPT_MOST = 1 << 16
};

/* An entry of a round: what the member knows. */
struct entries {
	struct vector_time *all;
	struct vector_time *of[]; /* each member, by rank in it */
};

void race_add_column(struct race_state *s, int rank)
{
	if (s->rank[rank].column != NO_COLUMN)
		return;
	if (s->n_columns == COLUMNS_MOST) {
		s->rank[rank].is_refused = 1;
		return;
	}
	s->first[s->n_columns] =
	    s->is_second ? s->first[s->n_columns] : UINT32_MAX;
	s->rank[rank].column = (int)s->n_columns++;
}

/* ---- collectives ---- */

static struct tape_round *get_round(struct race_state *s,
				    const struct tape_op *op)
{
	return tape_must(tape_rounds_get(s->rounds, op->key.comm, op->r->k,
					 op->r->size, op->r->known));
}

static void enter_round(struct race_state *s, int rank,
			const struct tape_op *op, int64_t ns)
{
	struct tape_round *q = get_round(s, op);
	struct entries *e = q->own;

	if (op->r->rank < 0 || op->r->rank >= q->size ||
	    !tape_round_enter(q, op->r->rank, ns))
		return;
	e->of[op->r->rank] = vector_time_keep(s->rank[rank].now);
	vector_time_merge(&e->all, s->rank[rank].now);
}

static void leave_round(struct race_state *s, int rank,
			const struct tape_op *op)
{
	struct tape_round *q = get_round(s, op);
	const struct tape_request *r = op->r;
	struct entries *e = q->own;
	struct vector_time **now = &s->rank[rank].now;

	if (!r->weak && !r->n_sources && r->first <= 0 && r->last >= q->size)
		vector_time_merge(now, e->all);
	else if (!r->weak && !r->n_sources)
		for (int32_t i = r->first < 0 ? 0 : r->first;
		     i < r->last && i < q->size; i++)
			vector_time_merge(now, e->of[i]);
	for (size_t i = 0; !r->weak && i < r->n_sources; i++)
		if (r->sources[i] >= 0 && r->sources[i] < q->size)
			vector_time_merge(now, e->of[r->sources[i]]);
	if (q->left + 1 >= q->known) {
		vector_time_drop(e->all);
		for (int32_t i = 0; i < q->size; i++)
			vector_time_drop(e->of[i]);
	}
	tape_round_leave(s->rounds, q);
}

/* ---- the beginnings of events ---- */

/* Events of tasks happen after the spawn call e, which started them. */
static void begin_tasks(struct race_state *s, const struct tape_event *e)
{
	const struct tape_rank_info *info = tape_trace_rank(s->t, e->rank);
	const struct tape_group_info *g;

	if (e->u.spawn.group >= info->n_groups)
		return;
	g = &info->groups[e->u.spawn.group];
	for (size_t i = 0; g->spawned && i < g->n; i++) {
		int rank = tape_trace_task(s->t, g->ranks[i]);

		if (rank >= 0 && rank != e->rank)
			vector_time_merge(&s->rank[rank].now,
					  s->rank[e->rank].now);
	}
}

static void begin_event(struct race_state *s, const struct tape_item *i)
{
	const struct tape_event *e = i->event;

	s->events[i->flow]++;
	if (!e->call)
		return;
	race_settle_test(s, e->rank, e);
	if (e->class_ == TAPE_CLASS_SPAWN)
		begin_tasks(s, e);
	race_begin_receive(s, e);
	for (int k = 0; k < i->n_ops; k++) {
		const struct tape_op *op = &i->ops[k];

		if (op->kind == TAPE_OP_SEND)
			race_begin_send(s, e, op);
		else if (op->kind == TAPE_OP_ENTER)
			enter_round(s, e->rank, op, e->start_ns);
		else if (op->kind == TAPE_OP_OPEN ||
			 (op->kind == TAPE_OP_POST && !op->r->opened))
			race_post_receive(s, e, op);
	}
}

/* ---- the ends of events ---- */

static void end_event(struct race_state *s, const struct tape_item *i)
{
	const struct tape_event *e = i->event;

	if (!e->call)
		return;
	race_begin_end(s, i);
	for (int k = 0; k < i->n_ops; k++) {
		const struct tape_op *op = &i->ops[k];

		if (op->kind == TAPE_OP_SEND_END)
			race_end_send(s, e->rank, op);
		else if (op->kind == TAPE_OP_LEAVE)
			leave_round(s, e->rank, op);
		else if (op->kind == TAPE_OP_PROBE)
			race_end_probe(s, e, op);
		else if (op->kind == TAPE_OP_RECV_END ||
			 op->kind == TAPE_OP_CANCEL ||
			 op->kind == TAPE_OP_GONE ||
			 op->kind == TAPE_OP_LEFT_OUT)
			race_end_receive(s, op);
	}
}

/* ---- the whole ---- */

static void open_state(struct race_state *s)
{
	struct tape_trace *t = s->t;
	size_t n = tape_trace_ranks(t);

	s->is_over = 0;
	memset(&s->event, 0, sizeof s->event);
	s->rank = tape_must(calloc(n + 1, sizeof *s->rank));
	s->events =
	    tape_must(calloc(tape_trace_flows(t) + 1, sizeof *s->events));
	s->n_ranks = n;
	for (size_t i = 0; i < n; i++)
		s->rank[i].column = NO_COLUMN;
	s->n_columns = 0;
	s->sends = (struct tape_table){.bytes = sizeof(struct race_send)};
	s->probes = tape_must(tape_match_new(sizeof(struct race_probed)));
	s->rounds = tape_must(tape_rounds_new(sizeof(struct entries),
					      sizeof(struct vector_time *)));
	s->kept_most = KEPT_OF_ALL / (n + 1);
	if (s->kept_most < KEPT_LEAST)
		s->kept_most = KEPT_LEAST;
	if (s->kept_most > KEPT_MOST)
		s->kept_most = KEPT_MOST;
}

static void close_state(struct race_state *s)
{
	struct tape_round *q;
	struct race_send *m;
	uint64_t at = 0, key;
	size_t slot = 0;
	uint32_t probed = 0, k;

	while ((q = tape_rounds_each(s->rounds, &at))) {
		struct entries *e = q->own;

		vector_time_drop(e->all);
		for (int32_t i = 0; i < q->size; i++)
			vector_time_drop(e->of[i]);
	}
	while ((m = tape_table_each(&s->sends, &slot, &key))) {
		vector_time_drop(m->sent);
		vector_time_drop(m->received);
	}
	while ((k = tape_match_each(s->probes, &probed)) != TAPE_NO_SLOT)
		race_free_probed(tape_match_slot(s->probes, k));
	tape_rounds_free(s->rounds);
	tape_table_free(&s->sends);
	tape_match_free(s->probes);
	race_free_ends(&s->event);
	free(s->event.end);
	free(s->event.ended);
	for (size_t i = 0; i < s->n_ranks; i++) {
		struct race_rank *r = &s->rank[i];

		vector_time_drop(r->now);
		vector_time_drop(r->test.before);
		for (size_t o = 0; o < r->n_open; o++)
			vector_time_drop(r->open[o].posted);
		free(r->open);
		race_free_late(r);
		free(r->late);
		race_free_candidates(r);
	}
	free(s->events);
	free(s->rank);
}

/* All events have ended: what is in progress are messages. */
static void end_events(struct race_state *s)
{
	race_finish_event(s);
	for (size_t i = 0; i < s->n_ranks; i++)
		race_settle_test(s, (int)i, NULL);
	s->is_over = 1;
}

/* One pass over the trace. */
static void run_pass(struct race_state *s)
{
	const struct tape_item *i;
	struct tape_replay *r;
	uint64_t events = 0;
	int rc;

	open_state(s);
	if (tape_replay_open(s->t,
			     TAPE_REPLAY_EVENTS | TAPE_REPLAY_MESSAGES |
				 TAPE_REPLAY_CAUSES,
			     &r))
		tape_die_no_memory();
	while ((rc = tape_replay_next(r, &i)) == 1) {
		if (!i->event && !s->is_over)
			end_events(s);
		if (i->kind == TAPE_ITEM_MESSAGE) {
			race_end_message(s, i->message);
			continue;
		}
		race_finish_event(s);
		if (i->kind == TAPE_ITEM_BEGIN)
			begin_event(s, i);
		else if (i->kind == TAPE_ITEM_END)
			end_event(s, i);
		if (!(++events % 65536))
			tape_progress(events / 2, 0);
	}
	tape_progress(events / 2, 1);
	if (rc < 0)
		tape_die_no_memory();
	if (!s->is_over)
		end_events(s);
	tape_replay_close(r);
}

/* Have calls rivals, by the last pass? */
static int has_races(const struct race_state *s)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (s->first[i] != UINT32_MAX)
			return 1;
	return 0;
}

/*
 * Passes over the trace once. If messages of receives were reported later than
 * they were needed, a second pass begins with these messages known.
 */
static void search_all(struct race_state *s)
{
	run_pass(s);
	if (s->resolved.used) {
		close_state(s);
		s->is_resolved = 1;
		s->limits.forgotten = 0;
		tape_table_free(&s->racing);
		s->racing = (struct tape_table){.bytes = sizeof(uint64_t)};
		s->v->restart(s->v->own);
		run_pass(s);
	}
	for (size_t i = 0; i < s->n_ranks; i++)
		s->limits.ranks += (uint64_t)s->rank[i].is_refused;
	close_state(s);
}

struct race_limits race_search(struct tape_trace *t,
			       const struct race_visitor *v)
{
	struct race_state s = {.t = t, .v = v};

	s.first = tape_must(calloc(COLUMNS_MOST, sizeof *s.first));
	s.resolved = (struct tape_table){.bytes = sizeof(struct race_resolved)};
	s.racing = (struct tape_table){.bytes = sizeof(uint64_t)};
	tape_eager_limits_read(&s.eager, t);
	search_all(&s);
	if (has_races(&s)) {
		s.is_second = 1;
		run_pass(&s);
		close_state(&s);
	}
	tape_table_free(&s.resolved);
	tape_table_free(&s.racing);
	free(s.first);
	return s.limits;
}
