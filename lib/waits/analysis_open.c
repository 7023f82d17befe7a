/* An analysis from its opening to its end; see analysis.h. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis_state.h"
#include "clocks_now.h"
#include "tape_follow.h"

/* Bytes of calls that are kept where only waits are found. */
enum { WAITS_HISTORY = 1 << 20 };

/* The ideal clock, where times can be compared. */
static unsigned choose_ideal(const struct tape_analysis *a)
{
	if (!a->comparable)
		return 0;
	return a->has_no_causes ? TAPE_REPLAY_IDEAL | TAPE_REPLAY_IDEAL_BOUNDS
				: TAPE_REPLAY_IDEAL;
}

static int open_parts(struct tape_analysis *a)
{
	struct tape_trace *t = a->t;
	size_t ranks = tape_trace_ranks(t);
	int rc;

	a->n = tape_trace_flows(t);
	a->sends.table.bytes = sizeof(struct tape_held_send);
	tape_eager_limits_read(&a->eager, t);
	a->early.bytes = sizeof(struct received);
	a->asked.bytes = sizeof(struct asked);
	a->followed = tape_trace_followed(t);
	rc = a->followed ? tape_clocks_now_open(t, &a->clocks) : 0;
	if (!rc && a->peers)
		rc = tape_clocks_now_share(a->clocks);
	if (rc == TAPE_ENOMEM)
		return tape_analysis_no_memory(a);
	a->domains = tape_trace_domains(t);
	a->comparable =
	    tape_trace_base(t) != TAPE_BASE_LOCAL || tape_trace_domains(t) <= 1;
	a->lanes = calloc(a->n + 1, sizeof *a->lanes);
	a->first_flow = calloc(ranks + 1, sizeof *a->first_flow);
	a->received = calloc(ranks + 1, sizeof *a->received);
	a->places = tape_places_new(t);
	if (!a->lanes || !a->first_flow || !a->received || !a->places ||
	    (a->peers && tape_parallel_open(a)))
		return tape_analysis_no_memory(a);
	for (size_t i = a->n; i-- > 0;)
		a->first_flow[tape_trace_flow(t, i)->rank] = (uint32_t)i;
	for (size_t i = 0; i < a->n; i++)
		a->lanes[i].latest_sent_ns = INT64_MIN;
	a->history = tape_history_new(a->n);
	if (!a->history)
		return tape_analysis_no_file(a);
	/* of others, calls are exchanged; flows that come later are not in the
	 * order of time */
	if (a->comparable && !a->peers && !a->followed)
		tape_history_merge_calls(a->history);
	if (tape_replay_open_part(t,
				  TAPE_REPLAY_EVENTS | TAPE_REPLAY_MESSAGES |
				      TAPE_REPLAY_ROUNDS |
				      TAPE_REPLAY_REQUESTS | TAPE_REPLAY_MARKS |
				      choose_ideal(a),
				  a->peers, &a->replay)) {
		snprintf(a->sentence, sizeof a->sentence, "%s",
			 tape_trace_error(t));
		return TAPE_ENOMEM;
	}
	return 0;
}

int tape_analysis_open(struct tape_trace *t, struct tape_analysis **a)
{
	return tape_analysis_open_part(t, NULL, a);
}

int tape_analysis_open_part(struct tape_trace *t, struct tape_peers *peers,
			    struct tape_analysis **a)
{
	*a = calloc(1, sizeof **a);
	if (!*a)
		return TAPE_ENOMEM;
	(*a)->t = t;
	(*a)->peers = peers;
	return open_parts(*a);
}

int tape_analysis_open_waits(struct tape_trace *t, struct tape_analysis **a)
{
	int rc;

	*a = calloc(1, sizeof **a);
	if (!*a)
		return TAPE_ENOMEM;
	(*a)->t = t;
	(*a)->has_no_causes = 1;
	rc = open_parts(*a);
	if (!rc)
		tape_history_limit((*a)->history, WAITS_HISTORY);
	return rc;
}

void tape_analysis_close(struct tape_analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->lanes && i < a->n; i++) {
		free(a->lanes[i].sends);
		free(a->lanes[i].late);
	}
	tape_replay_close(a->replay);
	tape_clocks_now_close(a->clocks);
	tape_history_free(a->history);
	tape_places_free(a->places);
	tape_table_free(&a->sends.table);
	tape_table_free(&a->locks.table);
	tape_table_free(&a->early);
	tape_table_free(&a->asked);
	tape_parallel_close(a);
	free(a->received);
	free(a->lanes);
	free(a->first_flow);
	free(a->waits);
	free(a->member);
	free(a->wait_ns);
	free(a->late);
	free(a->order);
	free(a);
}

void tape_analysis_omit_beginnings(struct tape_analysis *a)
{
	a->omits_beginnings = 1;
	tape_replay_omit_requests(a->replay);
}

int tape_analysis_is_comparable(const struct tape_analysis *a)
{
	return a->comparable;
}

int tape_analysis_has_ideal(const struct tape_analysis *a)
{
	const struct tape_ideal_clock *c = tape_replay_ideal(a->replay);

	return c && tape_ideal_is_known(c) &&
	       !tape_messages_left_out(tape_replay_messages(a->replay));
}

void tape_analysis_limit_history(struct tape_analysis *a, size_t bytes)
{
	tape_history_limit(a->history, bytes);
}

int tape_analysis_is_complete(const struct tape_analysis *a)
{
	return !tape_history_has_dropped(a->history);
}

const char tape_analysis_disk_is_full[] =
    "cannot write the temporary file of the analysis (TMPDIR selects its "
    "folder): no causes of waiting and no critical path";

int tape_analysis_disk_was_full(const struct tape_analysis *a)
{
	return a->disk_was_full;
}

void tape_analysis_clear_history(struct tape_analysis *a)
{
	tape_history_clear(a->history);
}

int tape_analysis_sort_places(struct tape_analysis *a, uint32_t **now)
{
	int rc;

	*now = tape_places_sort(a->places, &rc);
	if (rc)
		return tape_analysis_no_memory(a);
	if (!*now)
		return 0;
	for (size_t i = 0; i < a->n; i++) {
		struct lane *l = &a->lanes[i];

		l->region = (*now)[l->region];
		l->after = (*now)[l->after];
		l->computes = (*now)[l->computes];
		l->other_computes = 0;
	}
	if (tape_analysis_is_complete(a))
		tape_history_renumber(a->history, *now);
	return 0;
}

struct tape_places *tape_analysis_places(struct tape_analysis *a)
{
	return a->places;
}

uint32_t tape_analysis_activity(const struct tape_analysis *a, size_t flow)
{
	return a->lanes[flow].computes;
}

struct tape_span tape_analysis_span(const struct tape_analysis *a, size_t flow)
{
	return a->lanes[flow].span;
}

void tape_analysis_set_span(struct tape_analysis *a, size_t flow,
			    struct tape_span span)
{
	a->lanes[flow].span = span;
}

void tape_analysis_link_waits(struct tape_analysis *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct tape_history_at at = {0};
		struct tape_sync *s;

		while ((s = tape_history_next_call(a->history, i, &at))) {
			tape_history_count_read(a->history, s);
			if (s->wait_ns && !s->late)
				s->late = tape_history_find_call(
				    a->history, s->late_flow, s->late_event);
		}
	}
}

struct tape_replay *tape_analysis_replay(struct tape_analysis *a)
{
	return a->replay;
}

struct tape_history *tape_analysis_history(struct tape_analysis *a)
{
	return a->history;
}
