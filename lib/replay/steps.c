/*
 * Goes through all flows by turns; see replay.h. flow_cursor.c is one flow,
 * turns.c says whose turn it is, messages.c and members.c know what comes of
 * events; replay_queries.c says how far it is.
 */
#include <stdlib.h>

#include "own_marks.h"
#include "pending_sends.h"
#include "replay_state.h"
#include "tape_follow.h"

static struct tape_turn next_turn(const struct tape_replay *r, size_t flow)
{
	const struct tape_flow_cursor *l = &r->lanes[flow];
	int64_t ns = !l->begun	 ? l->e->start_ns
		     : l->played ? l->e->end_ns
				 : tape_ops_turn(l->e, l->order);

	return (struct tape_turn){ns, !l->begun, (uint32_t)flow};
}

/* Takes the flow's next event: 1, 0 at its end or where it is damaged. */
static int fetch_flow_event(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int rc = tape_cursor_fetch(l);

	if (rc < 0)
		r->error = rc;
	return rc == 1;
}

/* ---- what events do ---- */

/* The requests that the event is about, before it changes them. */
static int record_requests(struct tape_replay *r, struct tape_flow_cursor *l)
{
	return r->wanted & TAPE_REPLAY_REQUESTS
		   ? tape_cursor_record_requests(l, r->messages)
		   : 0;
}

/* Tells others what the event begins. */
static int apply_event_begin(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int n, rc = record_requests(r, l);

	l->played = 1;
	if (rc || !r->messages)
		return rc;
	if (r->ideal)
		tape_ideal_set_turn(r->ideal, l->e->flow);
	n = tape_messages_begin(r->messages, l->e, tape_cursor_region(l),
				&l->ops);
	if (n < 0)
		return n;
	l->n_ops = n;
	for (int i = 0; !rc && r->members && i < n; i++)
		if (l->ops[i].kind == TAPE_OP_ENTER)
			rc = tape_members_enter(r->members, &l->ops[i], l->e,
						tape_cursor_region(l),
						l->events);
	return rc;
}

static int has_later_turn(const struct tape_flow_cursor *l)
{
	return tape_ops_turn(l->e, l->order) != l->e->start_ns;
}

static int begin_flow_event(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int rc = 0;

	l->begun = 1;
	if (l->e->class_ == TAPE_CLASS_THREAD)
		l->n_regions = 0;
	if (l->e->class_ == TAPE_CLASS_ENTER)
		rc = tape_cursor_enter_region(l, l->e->region);
	if (r->ideal)
		tape_ideal_begin(r->ideal, l->e);
	return rc || r->at_once || has_later_turn(l) ? rc
						     : apply_event_begin(r, l);
}

/* Is it the end of a receive of this event's, or of one before? */
static int is_own_receive_end(const struct tape_flow_cursor *l,
			      const struct tape_op *op)
{
	return op->kind != TAPE_OP_RECV_END ||
	       (op->r->ended.event == (l->events & 0xffffffffffff) &&
		op->r->ended.thread == l->e->thread);
}

/* Does the end of the event have to be put off? It stands where it waits. */
static int has_to_wait(struct tape_replay *r, struct tape_flow_cursor *l)
{
	size_t me = (size_t)(l - r->lanes);

	if (!(r->wanted & TAPE_REPLAY_CAUSES) || l->forced)
		return 0;
	for (int i = 0; i < l->n_ops; i++)
		if (is_own_receive_end(l, &l->ops[i]) &&
		    (tape_messages_wait(r->messages, &l->ops[i], me) ||
		     tape_members_wait(r->members, &l->ops[i], me)))
			return 1;
	return 0;
}

/* Did the event enter what it leaves? */
static int has_entered_before(const struct tape_flow_cursor *l, int leave)
{
	for (int i = leave; i-- > 0;)
		if (l->ops[i].kind == TAPE_OP_ENTER &&
		    l->ops[i].r == l->ops[leave].r)
			return l->ops[i].blocking;
	return 0;
}

static int apply_event_end(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int rc = 0;

	if (r->ideal) {
		tape_ideal_set_turn(r->ideal, l->e->flow);
		tape_messages_end_sends(r->messages, l->e, l->ops, l->n_ops);
	}
	if (r->messages)
		rc = tape_messages_finish(r->messages, l->ops, l->n_ops);
	for (int i = 0; !rc && r->members && i < l->n_ops; i++)
		if (l->ops[i].kind == TAPE_OP_LEAVE)
			rc = tape_members_leave(
			    r->members, &l->ops[i], l->e, tape_cursor_region(l),
			    l->events, has_entered_before(l, i));
	if (r->ideal)
		tape_ideal_end(r->ideal, l->e);
	r->at_request = 0;
	r->n_requests = l->n_asked;
	return rc;
}

/* ---- waiting ---- */

static void wake_waiting_flows(struct tape_replay *r)
{
	size_t who;

	if (!(r->wanted & TAPE_REPLAY_CAUSES) || !r->waiting)
		return;
	while (tape_messages_woken(r->messages, &who) ||
	       tape_members_woken(r->members, &who)) {
		r->lanes[who].waits = 0;
		r->waiting--;
		tape_turns_push(&r->turns, next_turn(r, who));
	}
}

/* Nothing can go on: what ended first goes without what it waits for. */
static void force_first_waiting(struct tape_replay *r)
{
	struct tape_flow_cursor *first = NULL;

	for (size_t i = 0; i < r->n_lanes; i++)
		if (r->lanes[i].waits &&
		    (!first || r->lanes[i].e->end_ns < first->e->end_ns))
			first = &r->lanes[i];
	first->waits = 0;
	first->forced = 1;
	r->waiting--;
	for (int i = 0; i < first->n_ops; i++)
		tape_members_unwait(r->members, &first->ops[i],
				    (size_t)(first - r->lanes));
	tape_turns_push(&r->turns, next_turn(r, (size_t)(first - r->lanes)));
}

/* ---- one step ---- */

/* The event that was given out to its end is not needed any more. */
static void advance_used_flow(struct tape_replay *r)
{
	struct tape_flow_cursor *l;
	size_t flow = r->used - 1;

	if (!r->used)
		return;
	r->used = 0;
	l = &r->lanes[flow];
	if (l->e->class_ == TAPE_CLASS_LEAVE)
		tape_cursor_leave_region(l, l->e->region);
	if (fetch_flow_event(r, l))
		tape_turns_replace(&r->turns, next_turn(r, flow));
	else
		tape_turns_pop(&r->turns);
}

/* The consequences of the end of the event. */
static void count_ended_ops(struct tape_replay *r,
			    const struct tape_flow_cursor *l)
{
	r->item.receives =
	    r->messages ? tape_messages_behind(r->messages, l->e->flow) : 0;
	r->item.leaves = 0;
	for (int i = 0; i < l->n_ops; i++) {
		r->item.receives += l->ops[i].kind == TAPE_OP_RECV_END &&
				    is_own_receive_end(l, &l->ops[i]);
		r->item.leaves += l->ops[i].kind == TAPE_OP_LEAVE;
	}
}

static void set_item(struct tape_replay *r, enum tape_item_kind kind,
		     const struct tape_flow_cursor *l)
{
	r->item.kind = kind;
	r->item.ns = kind == TAPE_ITEM_BEGIN ? l->e->start_ns : l->e->end_ns;
	r->item.flow = l->e->flow;
	r->item.event = l->e;
	r->item.once = 0;
	r->item.forced = l->forced;
	r->item.ops = l->ops;
	r->item.n_ops = l->mark ? 0 : l->n_ops;
}

/* All that the event does; its end will not be looked at. */
static int play_at_once(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int rc = record_requests(r, l);

	if (!rc && r->messages)
		rc = tape_messages_event(r->messages, l->e,
					 tape_cursor_region(l));
	r->at_request = 0;
	r->n_requests = l->n_asked;
	r->used = l->e->flow + 1u;
	return rc;
}

/*
 * An entry or exit of a region, counts, or a step of a thread: it takes no
 * time, does nothing.
 */
static int is_mark(const struct tape_event *e)
{
	return (e->class_ == TAPE_CLASS_ENTER ||
		e->class_ == TAPE_CLASS_LEAVE || tape_event_is_own_mark(e)) &&
	       e->start_ns == e->end_ns && !e->n_done;
}

/* Nobody has a turn before it ends: no other end of that time is left. */
static int begin_mark(struct tape_replay *r, struct tape_flow_cursor *l)
{
	l->begun = l->played = l->mark = 1;
	if (r->messages)
		tape_messages_pass(r->messages, l->e->flow);
	if (r->ideal) {
		tape_ideal_begin(r->ideal, l->e);
		tape_ideal_end(r->ideal, l->e);
	}
	set_item(r, TAPE_ITEM_BEGIN, l);
	r->turns.heap[0].begins = 0;
	r->more = 0;
	return l->e->class_ == TAPE_CLASS_ENTER
		   ? tape_cursor_enter_region(l, l->e->region)
		   : 0;
}

/* The event is over; of a part, it is one of those that may be played now. */
static void set_event_played(struct tape_replay *r,
			     const struct tape_flow_cursor *l)
{
	if (r->peers) {
		r->peers->events++;
		r->events -= r->events > 0;
	}
	r->used = l->e->flow + 1u;
}

/* The same, and its end: one item. */
static int whole_mark(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int rc = begin_mark(r, l);

	r->item.kind = TAPE_ITEM_END;
	r->item.once = 1;
	r->item.receives = r->item.leaves = 0;
	set_event_played(r, l);
	return rc;
}

static int step_begin(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int rc;

	if (!r->at_once && is_mark(l->e))
		return r->wanted & TAPE_REPLAY_MARKS ? whole_mark(r, l)
						     : begin_mark(r, l);
	rc = begin_flow_event(r, l);
	set_item(r, TAPE_ITEM_BEGIN, l);
	if (!rc && r->at_once && !has_later_turn(l))
		return play_at_once(r, l);
	tape_turns_replace(&r->turns, next_turn(r, l->e->flow));
	wake_waiting_flows(r);
	return rc;
}

/* 1: the event is over; 0: not yet. */
static int step_end(struct tape_replay *r, struct tape_flow_cursor *l)
{
	int rc;

	if (r->at_once) {
		set_item(r, TAPE_ITEM_END, l);
		rc = play_at_once(r, l);
		return rc ? rc : 1;
	}
	if (!l->played) {
		rc = apply_event_begin(r, l);
		tape_turns_replace(&r->turns, next_turn(r, l->e->flow));
		wake_waiting_flows(r);
		return rc; /* who was woken comes first */
	}
	if (has_to_wait(r, l)) {
		l->waits = 1;
		r->waiting++;
		tape_turns_pop(&r->turns);
		return 0;
	}
	rc = l->mark ? 0 : apply_event_end(r, l);
	r->more = !l->mark;
	set_item(r, TAPE_ITEM_END, l);
	count_ended_ops(r, l);
	set_event_played(r, l);
	return rc ? rc : 1;
}

/* Has its rank another flow, by now? The flows of a rank follow each other. */
static void note_several(struct tape_replay *r, size_t flow)
{
	int rank = tape_trace_flow(r->t, flow)->rank;
	size_t first = flow, n = 0;

	while (first && tape_trace_flow(r->t, first - 1)->rank == rank &&
	       !r->lanes[first].order)
		first--;
	for (size_t i = first; i <= flow; i++)
		n += r->lanes[i].from != NULL;
	for (size_t i = first; n > 1 && i <= flow; i++)
		r->lanes[i].order = tape_ops_thread_order(r->t);
}

static int open_lane(struct tape_replay *r, size_t i)
{
	struct tape_flow_cursor *l = &r->lanes[i];
	int rc = tape_flow_open(r->t, i, &l->from);

	if (!rc)
		note_several(r, i);
	if (!rc && fetch_flow_event(r, l))
		tape_turns_push(&r->turns, next_turn(r, i));
	return rc ? rc : r->error;
}

/*
 * Flows that have begun since. What they did until now comes late: the times
 * are true, the order of the items is not.
 */
static int look_for_more(struct tape_replay *r)
{
	enum { MISSES = 4 };
	int rc = 0, last = -1, misses = 0, ranks = 0;

	r->steps = 0;
	for (size_t i = 0; !rc && r->absent && i < r->n_lanes; i++) {
		int rank = tape_trace_flow(r->t, i)->rank;

		/* threads, and tasks, are numbered as they come */
		if (rank != last)
			misses = 0;
		if (rank != last && r->lanes[i].from)
			ranks = 0;
		last = rank;
		if (!tape_peers_owns_rank(r->peers, rank))
			continue;
		if (r->lanes[i].from || misses > MISSES || ranks > MISSES)
			continue;
		if (tape_trace_begun(r->t, i)) {
			r->absent--;
			rc = open_lane(r, i);
		} else {
			misses++;
			ranks += tape_trace_flow(r->t, i)->thread == 0;
		}
	}
	return rc;
}

enum { STEPS = 4096 };

/* Is it time to hear of others? */
static int is_pause(const struct tape_replay *r)
{
	if (!r->turns.n)
		return !r->finish;
	return r->turns.heap[0].ns > r->until_ns || !r->events;
}

/*
 * 1 with the beginning or the end of an event, 0: there are no more, 2: not
 * now.
 */
static int step_replay(struct tape_replay *r)
{
	struct tape_flow_cursor *l;
	int rc;

	advance_used_flow(r);
	if (r->absent && ++r->steps > STEPS && (rc = look_for_more(r)))
		return rc;
	while (r->absent && !r->error && !r->turns.n) {
		if ((rc = look_for_more(r)))
			return rc;
		if (r->turns.n || !tape_trace_await_task(r->t))
			break;
	}
	if (r->peers && !r->error && is_pause(r))
		return 2;
	while (!r->error && (r->turns.n || r->waiting)) {
		if (!r->turns.n)
			force_first_waiting(r);
		l = &r->lanes[r->turns.heap[0].flow];
		if (!l->begun) {
			rc = step_begin(r, l);
			return rc ? rc : 1;
		}
		rc = step_end(r, l);
		if (rc)
			return rc;
	}
	return r->error;
}

/* ---- giving out ---- */

static int next_request(struct tape_replay *r)
{
	const struct tape_flow_cursor *l = &r->lanes[r->item.flow];

	while (r->at_request < r->n_requests) {
		const struct tape_asked *a = &l->asked[r->at_request++];

		if (!a->r || !a->active || a->r->active)
			continue;
		r->item.kind = TAPE_ITEM_REQUEST;
		r->item.request = a->r;
		return 1;
	}
	return 0;
}

/* What came with the last event, or in the end. */
static int next_pending_item(struct tape_replay *r)
{
	if (r->wanted & TAPE_REPLAY_MESSAGES &&
	    (r->item.message = tape_messages_next(r->messages))) {
		r->item.kind = TAPE_ITEM_MESSAGE;
		return 1;
	}
	if (r->wanted & TAPE_REPLAY_ROUNDS &&
	    (r->item.round = tape_members_next(r->members))) {
		r->item.kind = TAPE_ITEM_ROUND;
		return 1;
	}
	if (r->n_requests && !r->omits_requests && next_request(r))
		return 1;
	/* what nobody wants goes, too */
	while (!(r->wanted & TAPE_REPLAY_MESSAGES) && r->messages &&
	       tape_messages_next(r->messages))
		;
	while (!(r->wanted & TAPE_REPLAY_ROUNDS) && r->members &&
	       tape_members_next(r->members))
		;
	return r->more = 0;
}

/* Is the event wanted that was given out last? */
static int is_wanted_item(const struct tape_replay *r)
{
	return r->wanted & TAPE_REPLAY_EVENTS ||
	       (r->wanted & TAPE_REPLAY_BEGINS &&
		r->item.kind == TAPE_ITEM_BEGIN);
}

/* After the last event: what is in progress is all that will be known of it. */
static int end_replay(struct tape_replay *r)
{
	int rc = 0;

	r->over = 1;
	r->n_requests = 0;
	r->item.event = NULL;
	if (r->messages)
		rc = tape_messages_end(r->messages);
	if (!rc && r->members)
		rc = tape_members_end(r->members);
	return rc;
}

int tape_replay_next(struct tape_replay *r, const struct tape_item **i)
{
	int rc;

	*i = &r->item;
	for (;;) {
		if (r->error)
			return r->error;
		if (r->more && next_pending_item(r))
			return 1;
		if (r->over)
			return 0;
		r->n_requests = 0;
		r->more = 1;
		rc = step_replay(r);
		if (rc == 2) {
			r->item.event = NULL;
			return 2;
		}
		if (!rc)
			rc = end_replay(r);
		else if (rc == 1 && is_wanted_item(r))
			return 1;
		if (rc < 0)
			r->error = rc;
	}
}

/* ---- the whole ---- */

static int open_lanes(struct tape_replay *r)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->n_lanes; i++) {
		if (!tape_peers_owns_rank(r->peers,
					  tape_trace_flow(r->t, i)->rank))
			continue;
		if (tape_trace_begun(r->t, i))
			rc = open_lane(r, i);
		else
			r->absent++;
	}
	return rc;
}

/* What others know comes too late for this clock. */
static int open_ideal_clock(struct tape_replay *r)
{
	if (!(r->wanted & TAPE_REPLAY_IDEAL) || r->peers || r->at_once ||
	    !r->members)
		return 0;
	r->ideal =
	    tape_ideal_new(r->t, (r->wanted & TAPE_REPLAY_IDEAL_BOUNDS) != 0);
	if (!r->ideal)
		return TAPE_ENOMEM;
	tape_messages_set_ideal(r->messages, r->ideal);
	tape_members_set_ideal(r->members, r->ideal);
	return 0;
}

/* The parts that are needed for what is wanted. */
static int open_parts(struct tape_replay *r)
{
	int rounds = r->wanted & (TAPE_REPLAY_ROUNDS | TAPE_REPLAY_CAUSES);
	int rc = 0;

	if (rounds ||
	    r->wanted & (TAPE_REPLAY_MESSAGES | TAPE_REPLAY_REQUESTS)) {
		r->messages = tape_messages_new(r->t, r->peers);
		rc = r->messages ? 0 : TAPE_ENOMEM;
	}
	if (!rc && rounds) {
		r->members = tape_members_new(r->t, r->peers);
		/* who meets in groups is found by going through all of it */
		if (!r->members)
			rc = TAPE_ENOMEM;
		else if (!tape_trace_followed(r->t))
			rc = tape_pvm_groups_read(r->t, 0, &r->pvm_groups);
		if (!rc)
			tape_messages_set_pvm_groups(r->messages,
						     r->pvm_groups);
	}
	return rc ? rc : open_ideal_clock(r);
}

int tape_replay_open(struct tape_trace *t, unsigned wanted,
		     struct tape_replay **out)
{
	return tape_replay_open_part(t, wanted, NULL, out);
}

int tape_replay_open_part(struct tape_trace *t, unsigned wanted,
			  struct tape_peers *peers, struct tape_replay **out)
{
	struct tape_replay *r = calloc(1, sizeof *r);
	int rc = TAPE_ENOMEM;

	*out = NULL;
	if (!r)
		return rc;
	r->t = t;
	r->wanted = wanted;
	r->peers = peers;
	r->until_ns = INT64_MIN;
	r->at_once = !(wanted & (TAPE_REPLAY_EVENTS | TAPE_REPLAY_ROUNDS |
				 TAPE_REPLAY_CAUSES));
	r->n_lanes = tape_trace_flows(t);
	r->lanes = calloc(r->n_lanes + 1, sizeof *r->lanes);
	r->turns.heap = calloc(r->n_lanes + 1, sizeof *r->turns.heap);
	if (!r->lanes || !r->turns.heap)
		r->n_lanes = 0;
	else
		rc = open_parts(r);
	if (!rc)
		rc = open_lanes(r);
	if (rc)
		tape_replay_close(r);
	else
		*out = r;
	return rc;
}

void tape_replay_close(struct tape_replay *r)
{
	if (!r)
		return;
	tape_members_free(r->members);
	tape_messages_free(r->messages);
	tape_ideal_free(r->ideal);
	tape_pvm_groups_free(r->pvm_groups);
	for (size_t i = 0; i < r->n_lanes; i++)
		tape_cursor_close(&r->lanes[i]);
	free(r->lanes);
	free(r->turns.heap);
	free(r);
}

void tape_replay_set_limit(struct tape_replay *r, int64_t ns, uint64_t events)
{
	r->until_ns = ns;
	r->events = events;
}

int tape_replay_arrive(struct tape_replay *r, unsigned kind, const void *record)
{
	r->more = 1;
	r->n_requests = 0;
	if (kind == TAPE_PEERS_SENT || kind == TAPE_PEERS_CANCELLED)
		return tape_messages_arrive(r->messages, kind, record);
	if (kind == TAPE_PEERS_MEMBER)
		return tape_members_arrive(r->members, record);
	return 1;
}

int64_t tape_replay_next_ns(const struct tape_replay *r)
{
	return r->turns.n ? r->turns.heap[0].ns : INT64_MAX;
}

void tape_replay_split_marks(struct tape_replay *r)
{
	r->wanted &= ~(unsigned)TAPE_REPLAY_MARKS;
}

void tape_replay_omit_requests(struct tape_replay *r)
{
	r->omits_requests = 1;
}

int tape_replay_flush(struct tape_replay *r)
{
	return r->messages ? tape_messages_flush(r->messages) : 0;
}

void tape_replay_finish(struct tape_replay *r)
{
	r->finish = 1;
}
