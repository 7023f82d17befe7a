/*
 * The functions that the files of the engine share:
 *
 *	open_flows.c       opens the flows, and finds which flow starts which
 *	event_prefetch.c   decodes their events ahead and encodes them later
 *	clock_errors.c     how exactly timestamps of two ranks compare
 *	engine.c           which flow advances, and how far
 *	advance.c          one flow: in which order its events begin and end
 *	publish.c          what an event publishes to other flows
 *	dependencies.c     whether an event has all that it depends on
 *	waiting_flows.c    which flow is blocked on what
 *	thread_steps.c     what creation and end of threads say of them
 *	deadlock.c         which flow advances where all are blocked
 *	verdicts.c         whether timestamps contradict a dependency
 *	event_end.c        the end of an event; of a collective
 *	                   collective_end.c, with algorithm.c
 *	learn_messages.c   what messages teach a learner of models; of
 *	                   collectives learn_rounds.c
 *	causality_check.c  whether the written timestamps are possible
 *	order_check.c      whether calls would find other messages
 *	result.c           sums of the pass
 *	remote_ranks.c     when records are exchanged with other processes;
 *	                   remote_records.c: which records
 */
#ifndef CORRECT_ENGINE_PARTS_H
#define CORRECT_ENGINE_PARTS_H

#include "engine_state.h"

/* ---- remote_ranks.c, remote_records.c: only with g->peers ---- */

void remote_open(struct engine *g);
void remote_close(struct engine *g);

/* Returns 1 if another process corrects this rank of the trace. */
static inline int remote_owns_rank(const struct engine *g, int rank)
{
	return g->peers && rank >= 0 && !tape_peers_owns_rank(g->peers, rank);
}

/* This trace cannot be corrected in parallel: process 0 corrects it alone. */
void remote_give_up(struct engine *g);

/*
 * Sends the message of the event of f to the owner of its receiver. Returns the
 * slot for the receive of a rendezvous; TAPE_NO_SLOT: eager, or no memory.
 */
uint32_t remote_send_message(struct engine *g, const struct flow *f,
			     const struct tape_op *op, int rendezvous);

/* Reports the receive of s to the process that has the send, if both exist. */
void remote_report_post(struct engine *g, struct tape_slot *s);

/* Sends the entry of f into q to the owners of the other members. */
void remote_send_entry(struct engine *g, const struct flow *f,
		       const struct tape_op *op, const struct tape_round *q);

/*
 * Called after each pass over the local flows: exchanges records with peers.
 * moved is 1 if a local flow advanced; reached_ns is the timestamp of the
 * slowest local flow. Waits for records if no flow advanced or if a peer is far
 * behind. Returns 0 if a synchronisation of all processes is needed.
 */
int remote_exchange(struct engine *g, int moved, int64_t reached_ns);

/*
 * Synchronises all processes. unfinished: a local flow is not finished. Returns
 * 1 to continue; 0 if all are finished, or if g->lacking says why they stop.
 */
int remote_synchronise(struct engine *g, int unfinished);

/* ---- clock_errors.c ---- */

/* Reads the error bounds of all clocks. */
void engine_read_clocks(struct engine *g);

/* Returns the error of the difference of timestamps of two ranks, in ns. */
double engine_clock_slack(const struct engine *g, int a, int b);

/* The same for two timestamps of one rank: its clock error may change. */
double engine_own_clock_slack(const struct engine *g, int rank);

/*
 * Returns p, the perturbation at a tick of f, with bounds widened by the error
 * of the timestamp. The corrected time is between timestamp - hi and
 * timestamp - lo.
 */
struct tape_delay engine_add_clock_error(const struct engine *g,
					 const struct flow *f, uint64_t tick,
					 const struct tape_delay *p);

/* ---- open_flows.c ---- */

/* Opens hosts, clocks, and all flows with their readers. */
void engine_open_flows(struct engine *g);

/* Opens the writer of f, whose first event begins. */
void engine_open_writer(struct engine *g, struct flow *f);

/* Lets the tasks that the event of f spawns begin, delayed as the event. */
void engine_start_children(struct engine *g, struct flow *f);

/*
 * Ends the flow f. If its process continues as another task, that task inherits
 * the delay. Processes whose spawn by f is not in the trace begin.
 */
void engine_end_flow(struct engine *g, const struct flow *f);

/* Returns the first flow of a rank; NULL: it has none. */
struct flow *engine_find_flow(const struct engine *g, int rank);

/*
 * Bounds the delay of f, whose spawn was not found: from 0 to the time since
 * its parent began (since the first event of all if the parent has none).
 */
void engine_bound_start(struct engine *g, struct flow *f);

/*
 * All flows are blocked: begins the flow with the oldest first event among
 * those that wait for their spawn. only_lost: only if the parent is past that
 * event, so that the spawn will not come. Returns 0 if there is none.
 */
int engine_skip_spawn(struct engine *g, int only_lost);

/* ---- advance.c ---- */

/* Fetches the next event of the flow: 1, or 0 at its end. */
int engine_fetch_event(struct engine *g, struct flow *f);

/*
 * Advances f, and the threads that precede it, until f is blocked or beyond the
 * horizon (INT64_MIN: one event). Returns 1 if a flow advanced.
 */
int engine_advance_flow(struct engine *g, struct flow *f, int64_t horizon);

/*
 * Returns the thread of the same rank that must advance before the event of f
 * starts; NULL: the event may start, or has started.
 */
struct flow *engine_earlier_thread(struct engine *g, struct flow *f);

/* ---- traffic.c ---- */

/* Simulates the links of messages if the model depends on traffic. */
void engine_traffic_open(struct engine *g);
void engine_traffic_close(struct engine *g);

/* Sends the message in s over the links, if the sides it needs have begun. */
void engine_depart_message(struct engine *g, struct tape_slot *s, int from,
			   int to);

/* Returns 1 if the message is in flight. */
int engine_is_in_flight(const struct engine *g, const struct tape_slot *s);

/*
 * Returns the transit of the message on the links, in ns, from from_ns as
 * corrected by p; otherwise, if links are not simulated.
 */
double engine_link_transit(const struct engine *g, const struct tape_slot *s,
			   int64_t from_ns, double p, double otherwise);

/* Frees the message's state on the links. */
void engine_drop_flight(struct engine *g, struct tape_slot *s);

/* One step in the order of corrected times; 0: all flows are blocked. */
int engine_step_in_order(struct engine *g);

/* ---- thread_steps.c ---- */

/*
 * The event of f begins: if its rank has threads, sets f->p and f->p_start to
 * what creations, joins, and threads that run at the same time make of them.
 * Returns 1 if others may have delayed f since its last event.
 */
int engine_follow_threads(struct engine *g, struct flow *f);

/* The event of f ended with p_end, and f->p is set. */
void engine_note_thread_delay(struct flow *f, const struct tape_delay *p_end);

/* Frees what is known of the threads of a rank, whose first flow is f. */
void engine_free_threads(struct engine *g, struct flow *f);

/* ---- deadlock.c ---- */

/*
 * Returns the time up to which the process with first flow f is processed.
 * INT64_MAX: it is finished, or f is NULL.
 */
int64_t engine_process_time(const struct flow *f);

/* All flows are blocked: forces one event to advance; 0: there is none. */
int engine_break_deadlock(struct engine *g);

/* ---- waiting_flows.c ---- */

/*
 * Blocks flow f: puts f on the waiter list of the item that it needs, so that f
 * is retried only when the item arrives. If the item has no waiter list, f is
 * polled.
 */
void engine_block_flow(struct engine *g, struct flow *f);

/* Unblocks flow number flow - 1; 0: none. */
void engine_wake_flow(struct engine *g, uint32_t flow);

/* Returns the next flow from i on that is not blocked; g->n_flows: none. */
size_t engine_next_ready(const struct engine *g, size_t i);

/* Unblocks the flows that waited for an entry into q. */
void engine_wake_round(struct engine *g, const struct tape_round *q);

/* Unblocks all flows, which check again. Returns 0 if none was blocked. */
int engine_wake_all(struct engine *g);

static inline int engine_is_ready(const struct engine *g, size_t flow)
{
	return g->ready[flow / 64] >> flow % 64 & 1;
}

/* Marks a flow as ready, or as blocked or finished. */
void engine_set_ready(struct engine *g, size_t flow, int ready);

/* ---- result.c ---- */

/* Empty, for a trace. Dies when out of memory. */
void result_new(struct result *r, const struct tape_trace *t);

/* Counts the event of f and its alphas. */
void result_add_event(struct result *r, const struct flow *f);

/* Adds what calls cost at most that were only counted; e says how many. */
void result_add_counted(struct result *r, const struct tape_trace *t,
			const struct tape_event *e);

/* Add a flow's first start and last end, as corrected. */
void result_add_first(struct result *r, const struct tape_event *e,
		      const struct tape_delay *p);
void result_add_last(struct result *r, int rank, int64_t end_ns,
		     const struct tape_delay *p);

/* Adds the width of the interval of an event's end. */
void result_add_width(struct result *r, const struct tape_delay *p_end);

/* ---- dependencies.c ---- */

/* Returns 1 if the message in s is sent by rendezvous. */
int engine_was_rendezvous(const struct tape_slot *s);

/* The message of an operation that engine_is_op_ready says is there. */
const struct tape_slot *engine_find_slot(struct engine *g,
					 const struct tape_op *op);

/* Returns 1 if op only waits for entries that the collective's table needs. */
int engine_awaits_table(struct engine *g, const struct tape_op *op);

/* The round of a collective. Dies when out of memory. */
struct tape_round *engine_get_round(struct engine *g, const struct tape_op *op);

/* Returns 1 if all that the end of op depends on has arrived. */
int engine_is_op_ready(struct engine *g, const struct tape_op *op);

/* Returns the first operation of f that is not ready; n_ops: none. */
int engine_first_blocking_op(struct engine *g, struct flow *f);

/* Returns 1 if the event of f can end: all is ready, or it is forced. */
int engine_can_end(struct engine *g, struct flow *f);

/* ---- publish.c ---- */

/*
 * Returns the perturbation at the start of the event of f. The start is not
 * before the end of another thread's event that used the same requests.
 */
struct tape_delay engine_handed_delay(struct engine *g, struct flow *f);

/* Stores the end of the event of f with its requests, for other threads. */
void engine_hand_over_requests(struct engine *g, struct flow *f,
			       const struct tape_delay *p_end);

/* Wakes the flow that is blocked on the other side of this message. */
void engine_wake_side(struct engine *g, struct side *side);

/* Releases a message's side: 1 the send, 2 the receive. */
void engine_release_side(struct engine *g, uint32_t slot, int side);

/* A member leaves q. */
void engine_leave_round(struct engine *g, struct tape_round *q);

/* Publishes what op, of the event of f, begins. */
void engine_publish_op(struct engine *g, struct flow *f, struct tape_op *op);

/* Returns 1 if the send may be a rendezvous, at some distance. */
int engine_may_rendezvous(const struct engine *g, const struct tape_request *r);

/*
 * A send waits for a wildcard receive whose message is known only later: any
 * open receive may be the partner. Sets the receive of s to the timestamp of
 * the open receive that began first, with bounds that contain all open
 * receives. Returns their number.
 */
int engine_guess_receive(const struct engine *g, const struct flow *f,
			 const struct tape_op *op, struct tape_slot *s);

/* Frees the items of op, whose event has ended. */
void engine_release_op(struct engine *g, const struct tape_op *op);

/* ---- causality_check.c ---- */

/* Counts violations of causality by the ended event of f. */
void engine_check_causality(struct engine *g, struct flow *f);

/* ---- order_check.c ---- */

/*
 * Compares what the event of f received, or did not find, with other messages;
 * it ended with perturbation p_end. is_run: failed tests that may turn out to
 * wait. From now on f knows of what its messages knew of.
 */
void engine_check_order(struct engine *g, struct flow *f,
			const struct tape_delay *p_end, int is_run);

/* What the event of f, a test or a probe that failed, asked for. */
struct message_question engine_question(const struct flow *f,
					const struct tape_delay *p_end);

/* The rank of f asked that, and did not wait for the answer. */
void engine_ask(struct engine *g, const struct flow *f,
		const struct message_question *q);

/* ---- of an operation ---- */

/* Returns the distance of two ranks; -1 is a rank outside the trace. */
static inline enum tape_distance engine_distance(const struct engine *g, int a,
						 int b)
{
	return a < 0 || b < 0 ? TAPE_NET : tape_distance_between(&g->far, a, b);
}

/* Returns 1 if the end of op may depend on another flow. */
static inline int engine_may_block(const struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_RECV_END:
	case TAPE_OP_PROBE:
		return op->r->from >= 0;
	case TAPE_OP_LEAVE:
	case TAPE_OP_HEAR:
		return 1;
	case TAPE_OP_SEND_END:
		return request_state(op->r)->slot1 &&
		       request_state(op->r)->rendezvous;
	case TAPE_OP_SEND:
	case TAPE_OP_OPEN:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
	case TAPE_OP_GONE:
	case TAPE_OP_TELL:
	case TAPE_OP_LEFT_OUT:
		break;
	}
	return 0;
}

/*
 * Returns 1 if the end of op may depend on a partner outside the trace: its
 * delay is then unknown.
 */
static inline int engine_is_outside_trace(const struct engine *g,
					  const struct tape_op *op)
{
	const struct tape_request *r = op->r;

	switch (op->kind) {
	case TAPE_OP_RECV_END:
	case TAPE_OP_PROBE:
		return r->from < 0;
	case TAPE_OP_LEAVE:
		/* how many tasks met at a barrier of PVM's is not its size */
		return r->known < r->size && !(tape_call_traits(r->call) &
					       TAPE_TRAIT_BY_COUNT);
	case TAPE_OP_SEND_END:
		return r->to < 0 && engine_may_rendezvous(g, r);
	case TAPE_OP_LEFT_OUT:
		return !r->is_send || engine_may_rendezvous(g, r);
	case TAPE_OP_SEND:
	case TAPE_OP_OPEN:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
	case TAPE_OP_GONE:
	case TAPE_OP_TELL:
	case TAPE_OP_HEAR:
		break;
	}
	return 0;
}

/* The message of op, as models know it. */
static inline struct tape_parcel engine_parcel(const struct engine *g,
					       const struct tape_op *op,
					       uint64_t bytes, int rendezvous)
{
	return (struct tape_parcel){
		.bytes = bytes, .rendezvous = rendezvous,
		.distance = engine_distance(g, op->r->from, op->r->to) };
}

/* ---- event_end.c ---- */

/* Returns when the wait of f began: at the failed tests before it, if any. */
int64_t engine_wait_start(const struct flow *f, struct tape_delay *p);

/* The end of an event as one of its operations determines it. */
struct candidate {
	double ready;  /* relative to the end: when it was over, as measured */
	struct tape_delay p; /* at the end, if this one decided */
	double least;  /* p at the end at most, if another did */
	int64_t floor_ta; /* the corrected end is not before, whoever did */
	double most;   /* certainly, whoever did */
	struct blame *by; /* of what p consists, or more than that */
};

/* Returns the perturbation at end, which follows the later of two starts. */
struct tape_delay
engine_join_delays(struct engine *g, int64_t end, int64_t own_ns,
		   const struct tape_delay *own, int64_t other_ns,
		   const struct tape_delay *other, double slack);

/* Returns the shares of the perturbation when the wait of f began. */
struct blame *engine_own_blame(const struct flow *f);

/* Widens c: the event of f may have waited for anything, or for nothing. */
void engine_allow_anything(const struct engine *g, const struct flow *f,
			   struct candidate *c);

/* Returns the end of the event of f, blocked since sr on other_ns. */
struct candidate engine_end_after(struct engine *g, const struct flow *f,
				  int64_t sr, const struct tape_delay *p,
				  int64_t other_ns,
				  const struct tape_delay *other,
				  struct blame *by);

/*
 * Returns the perturbation at the end of the event of f. *by, the shares
 * before, becomes the shares at the end; a wait may absorb some.
 */
struct tape_delay engine_end_delay(struct engine *g, struct flow *f,
				   struct blame **by);

/* ---- learn_messages.c ---- */

/* Gives the messages that the event of f ends to the learner. */
void engine_learn_messages(struct engine *g, struct flow *f);

/* ---- algorithm.c ---- */

/* Returns the enum tape_coll_library that meta names; -1: no table. */
int engine_coll_library(const struct tape_trace *t);

/*
 * Does a round of that size have to know more of the event of f, of a member
 * that enters it, than when that was? Then until when it lasts, and *bytes.
 */
int engine_entry_bytes(const struct flow *f, int size, uint64_t *bytes);
void engine_add_table_entry(struct tape_round *q, int rank, int64_t end_ns,
			    uint64_t bytes);

/* Returns 1 if the collective has a table that may be used. */
int engine_has_table(const struct engine *g, const struct tape_op *op,
		     const struct tape_round *q);

/*
 * Is the round by a table? Then its exits are set, to the perturbations that
 * the table makes of those of the entries. f is leaving it by op.
 */
int engine_solve_round(struct engine *g, const struct flow *f,
		       const struct tape_op *op, struct tape_round *q);

/*
 * The longest transit of the messages of the collective that f leaves last by
 * op, with which nobody would have left later than he did: *parcel and *ns.
 * Returns 0 where it tells none.
 */
int engine_round_transit(struct engine *g, const struct flow *f,
			 const struct tape_op *op, const struct tape_round *q,
			 struct tape_parcel *parcel, double *ns);

/* Sets *bytes to the size of the messages of q; returns 0 if unknown. */
int engine_round_size(struct engine *g, const struct flow *f,
		      const struct tape_op *op, const struct tape_round *q,
		      uint64_t *bytes);

/* ---- learn_rounds.c ---- */

/* Learner: keeps the transit of the round when its last member leaves. */
void engine_learn_round(struct engine *g, const struct flow *f,
			const struct tape_op *op);

/* Gives the transits that were kept to the learner. */
void engine_submit_rounds(struct engine *g);

/* ---- collective_end.c ---- */

/*
 * Returns the rank of a member of the collective r that f enters; -1: unknown.
 */
int engine_member_rank(const struct engine *g, const struct flow *f,
		       const struct tape_request *r, int member);

/* Returns the end of the event of f that leaves a collective by op. */
struct candidate engine_collective_end(struct engine *g, struct flow *f,
				       const struct tape_op *op);

#endif
