/*
 * Goes through a trace with replay.h and finds waits; see analysis.h. Each call
 * that may wait, or be waited for, gets a record of history.h when it begins.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "analysis_state.h"
#include "clocks_now.h"
#include "growing_array.h"
#include "own_marks.h"
#include "processor_window.h"
#include "tape_follow.h"
#include "tape_class_uses.h"

/* ---- errors ---- */

int tape_analysis_no_memory(struct tape_analysis *a)
{
	snprintf(a->sentence, sizeof a->sentence, "%s",
		 tape_error_text(TAPE_ENOMEM));
	return a->error = TAPE_ENOMEM;
}

int tape_analysis_no_file(struct tape_analysis *a)
{
	if (errno == ENOMEM)
		return tape_analysis_no_memory(a);
	snprintf(a->sentence, sizeof a->sentence,
		 "the temporary file of the analysis: %s (TMPDIR selects its "
		 "folder)",
		 strerror(errno));
	return a->error = TAPE_EIO;
}

const char *tape_analysis_error(const struct tape_analysis *a)
{
	return a ? a->sentence : tape_error_text(TAPE_ENOMEM);
}

/* ---- places ---- */

size_t tape_analysis_flow_index(const struct tape_analysis *a, int rank,
				int thread)
{
	size_t f = a->first_flow[rank];

	while (f + 1 < a->n && tape_trace_flow(a->t, f)->thread != thread &&
	       tape_trace_flow(a->t, f + 1)->rank == rank)
		f++;
	return f;
}

static uint32_t call_place(const struct tape_analysis *a,
			   const struct tape_event *e)
{
	return tape_place_from_site(a->places, e->rank, e->site, e->call);
}

/* The region that the flow computes in when e begins. */
static uint32_t computing_region(const struct tape_analysis *a,
				 const struct tape_event *e)
{
	size_t n;
	const uint32_t *list = tape_replay_regions(a->replay, e->flow, &n);

	n -= n && e->class_ == TAPE_CLASS_ENTER;
	return n ? tape_place_from_region(a->places, e->rank, list[n - 1]) : 0;
}

/* The identity of the window that a call of class epoch is about. */
static uint64_t window_identity(const struct tape_analysis *a,
				const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(a->t, e->rank);

	return e->u.epoch.comm < r->n_comms ? r->comms[e->u.epoch.comm].id : 0;
}

int tape_analysis_is_init(const struct tape_event *e)
{
	return e->call == TAPE_CALL_MPI_Init ||
	       e->call == TAPE_CALL_MPI_Init_thread;
}

double tape_analysis_tracing_ns(const struct tape_event *e)
{
	if (tape_analysis_is_init(e))
		return e->alpha_after_ns;
	return e->call == TAPE_CALL_MPI_Finalize
		   ? e->alpha_before_ns
		   : e->alpha_before_ns + e->alpha_after_ns;
}

/* Which calls of a class can wait, or be waited for (catalogue/classes.tab). */
enum class_waits { WAITS_NO, WAITS_YES, WAITS_FLAG, WAITS_START_END };
static const unsigned char class_waits[TAPE_CLASS_COUNT] = {
#define WAITS(class_, waits, channel, group, doing)                            \
	[TAPE_CLASS_##class_] = WAITS_##waits,
    TAPE_CLASS_USES(WAITS)
#undef WAITS
};

static int is_flag_set(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_TEST ? e->u.test.flag != 0
					    : e->u.nrecv.flag != 0;
}

/* Can it wait, or be waited for? */
static int is_sync(const struct tape_event *e)
{
	if (tape_call_shape(e->call) != TAPE_SHAPE_NONE ||
	    tape_analysis_is_polling(e))
		return 1;
	switch ((enum class_waits)class_waits[e->class_]) {
	case WAITS_YES:
		return 1;
	case WAITS_FLAG:
		return is_flag_set(e);
	case WAITS_START_END:
		return tape_analysis_is_init(e) ||
		       e->call == TAPE_CALL_MPI_Finalize;
	case WAITS_NO:
		break;
	}
	return 0;
}

/* ---- giving out ---- */

int tape_analysis_add_wait(struct tape_analysis *a, const struct tape_waited *w)
{
	struct tape_waited *waits =
	    tape_grow_array(a->waits, &a->room, a->n_waits + 1, sizeof *waits);

	if (!waits)
		return tape_analysis_no_memory(a);
	a->waits = waits;
	a->waits[a->n_waits++] = *w;
	return 0;
}

struct tape_sync *tape_analysis_find_call(const struct tape_analysis *a,
					  size_t flow, uint64_t event)
{
	struct tape_sync *s = tape_history_find_call(a->history, flow, event);

	return s && s->event == event ? s : NULL;
}

/* Is the wait r of s to count, not the one that it has? */
static int is_better_wait(const struct tape_sync *s, const struct result *r)
{
	int was = s->kind != TAPE_WAIT_LATE_RECEIVER;
	int is = r->kind != TAPE_WAIT_LATE_RECEIVER;

	if (!s->wait_ns || was != is)
		return !s->wait_ns || is;
	if (s->wait_ns != r->ns)
		return s->wait_ns < r->ns;
	if (s->late_flow != r->late_flow)
		return s->late_flow > r->late_flow;
	return s->late_event > r->late_event;
}

void tape_analysis_set_wait(struct tape_sync *s, const struct result *r)
{
	if (!s->due || r->ns <= 0 || !is_better_wait(s, r))
		return;
	s->wait_ns = r->ns;
	s->from_ns = r->from_ns;
	s->cause_ns = r->cause_ns;
	s->kind = r->kind & 0x1f;
	s->late_flow = r->late_flow;
	s->late_event = r->late_event;
	s->late_call = r->late_call;
}

int tape_analysis_settle_call(struct tape_analysis *a, struct tape_sync *s)
{
	struct tape_waited w = {.kind = (enum tape_wait_kind)s->kind,
				.flow = s->flow,
				.call = s->call,
				.from_ns = s->from_ns,
				.ns = s->wait_ns,
				.late_flow = s->late_flow,
				.late_call = s->late_call};

	if (!s->due || --s->due)
		return 0;
	a->unknown--;
	s->cover = s->uncover = 0;
	if (!s->wait_ns)
		return 0;
	s->late =
	    tape_history_find_call(a->history, s->late_flow, s->late_event);
	if (tape_history_is_merging(a->history)) {
		s->late_event = s->late ? s->late->event : 0;
		if (s->late)
			s->late->is_awaited = 1;
	}
	return tape_analysis_add_wait(a, &w);
}

int tape_analysis_add_result(struct tape_analysis *a, const struct result *r)
{
	struct tape_sync *s = tape_analysis_find_call(a, r->flow, r->event);

	if (!s)
		return 0;
	/* of several that it left one tells, the same for all their members */
	if (r->round > s->round)
		s->round = r->round;
	tape_analysis_set_wait(s, r);
	return tape_analysis_settle_call(a, s);
}

/* ---- what a flow does ---- */

static int add_flow_time(struct tape_analysis *a, size_t flow,
			 uint32_t activity, double ns)
{
	struct lane *l = &a->lanes[flow];

	/* less than nothing where alpha is more than there was; as much as
	 * that only a damaged trace says */
	if (!l->inside || !(ns > 0 && ns < 1e18) ||
	    !tape_history_add_time(a->history, flow, activity,
				   (int64_t)(ns + 0.5)))
		return 0;
	return tape_analysis_no_file(a);
}

/* It has computed, in that region, until e begins. */
static int add_computing(struct tape_analysis *a, struct lane *l,
			 const struct tape_event *e)
{
	uint32_t region = computing_region(a, e);

	if (region != l->region || !l->computes) {
		uint32_t was = l->computes;

		/* regions that are entered and left again and again */
		l->computes = region == l->other ? l->other_computes : 0;
		l->other = l->region;
		l->other_computes = was;
		l->region = region;
	}
	if (!l->computes) {
		l->computes = tape_place_computing(a->places, region, l->after);
		if (l->computes == UINT32_MAX)
			return tape_analysis_no_memory(a);
	}
	return add_flow_time(a, e->flow, l->computes,
			     (double)(e->start_ns - l->last_ns) -
				 l->alpha_after_ns -
				 tape_event_alpha_before(e));
}

/* By the ideal clock: when the event of the flow began, and its time now. */
static struct tape_ideal_time ideal_begun(const struct tape_analysis *a,
					  size_t flow)
{
	const struct tape_ideal_clock *c = tape_replay_ideal(a->replay);

	return c ? tape_ideal_begun(c, flow) : tape_ideal_no_time;
}

static struct tape_ideal_time ideal_now(const struct tape_analysis *a,
					size_t flow)
{
	const struct tape_ideal_clock *c = tape_replay_ideal(a->replay);

	return c ? tape_ideal_now(c, flow) : tape_ideal_no_time;
}

/* The span so far ends when e has ended. */
static void extend_span(const struct tape_analysis *a, struct lane *l,
			const struct tape_event *e)
{
	l->span.to_ns = e->end_ns;
	l->span.ideal_to = ideal_now(a, e->flow);
}

/* The span of a flow begins with what it does first, or with the program's. */
static void enter_span(const struct tape_analysis *a, struct lane *l,
		       const struct tape_event *e)
{
	if (!l->span.seen) {
		struct tape_ideal_time t = ideal_begun(a, e->flow);

		l->span = (struct tape_span){e->start_ns, e->start_ns, 1, t, t};
		l->last_ns = e->start_ns;
		l->inside = 1;
	}
}

/* Older calls go, but for those that something still refers to. */
static int drop_old_calls(struct tape_analysis *a)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->lanes[i].open)
			tape_history_pin_call(a->history, a->lanes[i].open);
		if (a->lanes[i].end)
			tape_history_pin_call(a->history, a->lanes[i].end);
	}
	return tape_history_drop_oldest(a->history) ? tape_analysis_no_memory(a)
						    : 0;
}

static int is_disk_full(void)
{
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
}

/*
 * The next call of the flow of e. Where the disk is full older ones go: there
 * will be no causes. With others that is an error, as they may need them.
 */
static struct tape_sync *next_call(struct tape_analysis *a,
				   const struct tape_event *e)
{
	uint64_t event = a->lanes[e->flow].events;
	struct tape_sync *s = tape_history_add_call(a->history, e->flow, event,
						    e->start_ns);

	if (s || a->peers || !is_disk_full()) {
		if (!s)
			tape_analysis_no_file(a);
		return s;
	}
	a->disk_was_full = 1;
	tape_history_limit_here(a->history);
	if (drop_old_calls(a))
		return NULL;
	s = tape_history_add_call(a->history, e->flow, event, e->start_ns);
	if (!s)
		tape_analysis_no_file(a);
	return s;
}

/* The window of the mark before ends, in the history, at the mark e. */
static void end_window(struct tape_analysis *a, const struct lane *l,
		       const struct tape_event *e)
{
	struct tape_processor_window w;
	struct tape_sync *s;

	if (!l->mark_event ||
	    !tape_processor_between(&w, &l->mark, &e->u.processor))
		return;
	s = tape_analysis_find_call(a, e->flow, l->mark_event);
	if (s && s->kind == TAPE_SYNC_MARK)
		s->window = tape_processor_ready_window(&w);
}

/* A mark of the processor, so that causes have what was waiting for one. */
static int add_mark(struct tape_analysis *a, struct lane *l,
		    const struct tape_event *e)
{
	if (!l->inside || a->has_no_causes)
		return 0;
	if (!tape_history_add_mark(a->history, e->flow, l->events, e->end_ns))
		return tape_analysis_no_file(a);
	end_window(a, l, e);
	l->mark_event = l->events;
	l->mark = e->u.processor;
	return 0;
}

/* It lets go of a lock. */
static int record_unlock(struct tape_analysis *a, const struct lane *l,
			 const struct tape_event *e)
{
	uint64_t key = tape_locks_key(e, window_identity(a, e));
	struct tape_let let = {.begun_ns = e->start_ns,
			       .event = l->events,
			       .flow = e->flow,
			       .call = l->open->call};

	if (a->peers)
		return tape_parallel_send_lock(a, e, key, l->events, let.call,
					       1);
	return tape_locks_add_release(&a->locks, key, &let)
		   ? tape_analysis_no_memory(a)
		   : 0;
}

/* Returns 1 if the call waited for another rank to release the lock. */
static int find_lock_wait(struct tape_analysis *a, const struct lane *l,
			  const struct tape_event *e)
{
	uint64_t key = tape_locks_key(e, window_identity(a, e));
	const struct tape_let *late;

	if (a->peers) {
		l->open->due++;
		return tape_parallel_send_lock(a, e, key, l->events, 0, 0);
	}
	late = tape_locks_find_release(&a->locks, key, e->flow, e->start_ns,
				       e->end_ns);
	if (late)
		tape_analysis_set_wait(
		    l->open,
		    &(struct result){.kind = TAPE_WAIT_LOCK,
				     .from_ns = e->start_ns,
				     .ns = late->begun_ns - e->start_ns,
				     .late_flow = late->flow,
				     .late_event = late->event,
				     .late_call = late->call,
				     .cause_ns = late->begun_ns});
	return 0;
}

/*
 * Is it an entry or exit of a region, counts, or a step of a thread? Nothing
 * waits for it.
 */
static int is_mark(const struct tape_event *e)
{
	return (e->class_ == TAPE_CLASS_ENTER ||
		e->class_ == TAPE_CLASS_LEAVE || tape_event_is_own_mark(e)) &&
	       !e->call && !e->n_done;
}

/* Of any event. */
static int begin_any(struct tape_analysis *a, struct lane *l,
		     const struct tape_event *e)
{
	if (tape_history_is_full(a->history) && drop_old_calls(a))
		return a->error;
	l->events++;
	l->open = NULL;
	enter_span(a, l, e);
	if (l->failed.s && tape_analysis_begin_asking(a, e))
		return a->error;
	return add_computing(a, l, e);
}

static int begin_mark(struct tape_analysis *a, const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];

	int rc;

	l->n_sends = 0;
	rc = begin_any(a, l, e);
	return rc || e->class_ != TAPE_CLASS_PROCESSOR ? rc
						       : add_mark(a, l, e);
}

static int end_mark(struct tape_analysis *a, const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];

	if (l->inside)
		extend_span(a, l, e);
	l->last_ns = e->end_ns;
	l->alpha_after_ns = tape_event_alpha_after(e);
	return 0;
}

static int begin_call(struct tape_analysis *a, const struct tape_event *e)
{
	struct lane *l = &a->lanes[e->flow];
	int rc;

	if (is_mark(e))
		return begin_mark(a, e);
	rc = begin_any(a, l, e);
	if (!rc && is_sync(e)) {
		l->open = next_call(a, e);
		if (!l->open)
			return a->error;
		l->open->ended_ns = INT64_MAX;
		l->open->call = call_place(a, e);
		l->open->due = a->comparable != 0; /* its end */
		a->unknown += l->open->due;
		/* all begin together */
		l->open->round = tape_analysis_is_init(e) ? 1 : 0;
	}
	if (!rc)
		rc = tape_analysis_note_sends(a, e);
	if (!rc && tape_locks_is_release(e))
		rc = record_unlock(a, l, e);
	if (e->call == TAPE_CALL_MPI_Finalize) {
		l->span.to_ns = e->start_ns;
		l->span.ideal_to = ideal_begun(a, e->flow);
		l->inside = 0;
		l->end = l->open;
		tape_history_end_flow(a->history, e->flow, l->events);
	}
	return rc;
}

/* Time within calls, and between those of a run, that nothing waits for. */
static int add_call_time(struct tape_analysis *a, struct lane *l,
			 const struct tape_event *e)
{
	int rc = 0;

	if (e->call && !l->open && l->inside) {
		rc = add_flow_time(a, e->flow, call_place(a, e),
				   (double)e->inside_ns);
		if (!rc)
			rc = add_flow_time(
			    a, e->flow, l->computes,
			    (double)(e->end_ns - e->start_ns - e->inside_ns) -
				tape_event_alpha_within(e));
	}
	return rc;
}

static int end_call(struct tape_analysis *a, const struct tape_item *i)
{
	const struct tape_event *e = i->event;
	struct lane *l = &a->lanes[e->flow];
	int rc;

	if (i->once && (rc = begin_mark(a, e)))
		return rc;
	if (is_mark(e))
		return end_mark(a, e);
	if (e->class_ == TAPE_CLASS_THREAD)
		l->mark_event = 0; /* what it counts is another thread's */
	rc = add_call_time(a, l, e);
	if (l->open)
		l->open->ended_ns = e->end_ns;
	if (tape_analysis_is_init(e)) {
		l->span.from_ns = e->end_ns;
		l->span.ideal_from = ideal_now(a, e->flow);
		l->inside = 1;
	}
	if (l->inside)
		extend_span(a, l, e);
	if (e->call) {
		uint32_t place = l->open ? l->open->call : call_place(a, e);

		if (place != l->after)
			l->computes = l->other_computes = 0;
		l->after = place;
	}
	l->last_ns = e->end_ns;
	l->alpha_after_ns = tape_event_alpha_after(e);
	if (!a->comparable) {
		if (l->open)
			l->open->due = 0;
		return rc;
	}
	if (l->open)
		l->open->due += i->receives + i->leaves;
	if (!rc)
		rc = tape_analysis_end_sends(a, e);
	if (!rc)
		rc = tape_analysis_end_asking(a, e, (unsigned)i->receives);
	if (!rc && tape_locks_may_wait(e))
		rc = find_lock_wait(a, l, e);
	/* in MPI_Finalize they wait for the last one of all */
	if (!rc && l->open && l->open != l->end)
		rc = tape_analysis_settle_call(a, l->open);
	return rc;
}

/* ---- one after the other ---- */

static int process_item(struct tape_analysis *a, const struct tape_item *i)
{
	switch (i->kind) {
	case TAPE_ITEM_BEGIN:
		return begin_call(a, i->event);
	case TAPE_ITEM_END:
		return end_call(a, i);
	case TAPE_ITEM_MESSAGE:
		return a->comparable ? tape_analysis_add_message(a, i) : 0;
	case TAPE_ITEM_ROUND:
		return a->comparable ? tape_analysis_add_round(a, i->round) : 0;
	case TAPE_ITEM_REQUEST:
		break;
	}
	return 0;
}

/* All waits are known. Where the disk is full there will be no causes. */
static int merge_rest(struct tape_analysis *a)
{
	if (!tape_history_merge_rest(a->history))
		return 0;
	a->disk_was_full = is_disk_full();
	return a->disk_was_full ? 0 : tape_analysis_no_file(a);
}

/* The next item of the replay, to be given out before the waits it ends. */
static int process_next_item(struct tape_analysis *a)
{
	int rc = tape_replay_next(a->replay, &a->held);
	struct result last;

	if (rc < 0)
		return tape_analysis_no_memory(a);
	if (rc == 1)
		return process_item(a, a->held);
	a->held = NULL;
	if (rc)
		return tape_parallel_exchange(a);
	a->over = 1;
	last = tape_analysis_last_finalize(a);
	rc = a->peers ? tape_parallel_finish(a, &last) : 0;
	if (!rc && a->comparable)
		rc = tape_analysis_end_waits(a, &last);
	return rc ? rc : merge_rest(a);
}

/* Of a trace that is followed; and a task of PVM may have brought another. */
static int update_clocks(struct tape_analysis *a)
{
	if (tape_trace_domains(a->t) != a->domains &&
	    !tape_clocks_now_is_known(a->clocks))
		a->comparable = 0;
	return tape_clocks_now_add_item(a->clocks, a->held) == TAPE_ENOMEM
		   ? tape_analysis_no_memory(a)
		   : 0;
}

double tape_analysis_clock_error(const struct tape_analysis *a, double *so_far)
{
	return tape_clocks_now_error(a->clocks, so_far);
}

int tape_analysis_next(struct tape_analysis *a, const struct tape_found **f)
{
	int rc;

	*f = &a->found;
	a->found = (struct tape_found){0};
	for (;;) {
		if (a->error)
			return a->error;
		if (a->held) {
			size_t flow = a->held->flow;

			a->found.item = a->held;
			a->found.ideal_begun = ideal_begun(a, flow);
			a->found.ideal = ideal_now(a, flow);
			a->held = NULL;
			return 1;
		}
		a->found.item = NULL;
		if (a->at < a->n_waits) {
			a->found.wait = &a->waits[a->at++];
			return 1;
		}
		a->at = a->n_waits = 0;
		if (a->over)
			return 0;
		rc = process_next_item(a);
		if (!rc && a->held && a->followed)
			rc = update_clocks(a);
		if (a->omits_beginnings && a->held &&
		    a->held->kind == TAPE_ITEM_BEGIN)
			a->held = NULL;
		if (rc)
			return a->error = rc;
	}
}
