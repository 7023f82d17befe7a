/*
 * The inside of the engine: its state of each flow, and the functions that its
 * files share.
 *
 *	open_flows.c       opens the flows, and finds which flow starts which
 *	event_prefetch.c   decodes their events ahead and encodes them behind
 *	clock_errors.c     how exactly timestamps of two ranks compare
 *	engine.c           which flow advances, and how far
 *	advance.c          one flow: in which order its events begin and end
 *	publish.c          what an event publishes to other flows
 *	dependencies.c     whether an event has all that it depends on
 *	waiting_flows.c    which flow is blocked on what
 *	deadlock.c         which flow advances where all are blocked
 *	verdicts.c         whether timestamps contradict a dependency
 *	event_end.c        the end of an event; of a collective
 *	                   collective_end.c, with algorithm.c
 *	learn_messages.c   what messages teach a learner of models; of
 *	                   collectives learn_rounds.c
 *	causality_check.c  whether the written timestamps are possible
 *	result.c           sums of the pass
 *	remote_ranks.c     when records are exchanged with other processes;
 *	                   remote_records.c: which records
 */
#ifndef CORRECT_ENGINE_STATE_H
#define CORRECT_ENGINE_STATE_H

#include "isolated_messages.h"
#include "blame.h"
#include "causality.h"
#include "distances.h"
#include "engine.h"
#include "event_prefetch.h"
#include "item_state.h"
#include "links.h"
#include "tape_peers.h"

/* Regions that are told apart, one inside of another. */
#define REGIONS 64

struct flow {
	struct feed *feed;
	struct tape_ops *ops;
	int has_writer;		    /* the feed has a writer */
	int has_event_ops;	    /* the feed has the operations of events */
	const struct tape_event *e; /* under way, or NULL */
	struct tape_op *list;
	int n_ops, is_forced, is_finished, rank;
	int is_guessed;	     /* its sends end without their receives */
	int n_blocking_ops;  /* operations of e that may block */
	int n_ready_ops;     /* the first operations, all of them ready */
	int n_outside_trace; /* operations whose partner is in no trace */
	int has_events;	     /* the flow has an event */
	uint64_t n_events;   /* events fetched so far */
	uint64_t max_events; /* a learner's limit; 0: all events */
	int has_begun;	     /* the start of e is published */
	/* its first event may not be before that flow's last one, if it is the
	 * same process again, else before the pvm_spawn that started it; NULL:
	 * it may */
	struct flow *after;
	int is_restarted;
	int has_unknown_start; /* nobody knows how late it starts */
	int out_of_turn;            /* e need not wait for the other threads */
	int is_blocked;		    /* until it is woken */
	int blocked_on_op;	    /* index into ops of e */
	uint32_t next_waiter;       /* for the same collective, plus 1 */
	struct flow *threads;       /* the first flow of the rank */
	int n_threads;
	int inexact;                /* the trace says how wrong alphas may be */
	struct tape_alpha_error error; /* so wrong those of e */
	struct tape_delay p;        /* perturbation before e */
	struct tape_delay p_start;  /* at its start */
	/* the same as written, and as others are told: alphas may exceed the
	 * time that there was since the event before */
	struct tape_delay reported_delay;
	/* where the flow last waited for another, or began, and the bounds of
	 * its perturbation there */
	int64_t base_ns;
	double base_lo, base_hi;
	int64_t start_ta;           /* the date that this makes */
	int64_t floor_ta;           /* what its end is not before */
	/* a run of failed tests that the next event may turn into a wait */
	int run;
	struct run {
		const struct tape_event *at; /* what it is in the feed */
		unsigned class_, also_class;
		uint64_t polls, also_polls;
		int64_t start_ns, end_ns;
		uint64_t end_tick;
		double after;       /* alpha behind it */
	} run_event;
	struct tape_delay run_p;    /* at its start, and at its end if it */
	struct tape_delay run_end;  /* turns into none */
	int64_t run_start_ta, run_end_ta;
	/* of what p and run_p consist; the regions that e is in */
	struct blame *blame, *run_blame;
	uint32_t *region, regions;
	uint32_t place;             /* of e */
	double last_after;          /* alpha behind the last event, */
	int64_t last_end;           /* and when that was over, */
	uint64_t last_tick;         /* by its own clock, */
	struct tape_delay last_p;   /* and as it was written */
	int64_t reached_ta;	    /* corrected end of the last event */
};

/*
 * Receives by a wildcard that began, and of which no more is known yet: a chain
 * of each rank, in their order, through one table from 1.
 */
struct open_receive {
	struct tape_match_key key;
	int32_t peer, tag;
	int64_t start_ns;
	struct tape_delay p;
	uint32_t before, after;
};
struct open_receives {
	struct open_receive *table;
	uint32_t n, room, free;
	struct open_chain {
		uint32_t first, last;
	} *of; /* each rank */
};

struct engine {
	struct tape_trace *t;
	const struct eager *eager;
	struct tape_comm_learner *learner;
	const struct tape_comm_model *model;
	const struct how *how;
	struct sample *sample;
	/* as sample->sent, in this pass; too many that the sample lacks */
	uint64_t sent[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	int lacking;
	struct result *r;
	struct blames *blames; /* NULL in a learner */
	struct feeds *feeds;
	struct flow *flows;
	size_t n_flows;
	double flow_bytes; /* of all together */
	struct tape_output *out; /* or NULL */
	size_t awaiting;         /* flows that may not begin */
	int has_earliest;        /* the first start of all is known */
	int64_t earliest_ns;
	uint64_t skips;          /* so often nothing could go on */
	const struct flow *blamed; /* that ended last, so far */
	/* those that do not stand, a bit each; and the words of these that are
	 * not 0 */
	uint64_t *ready, *ready_words;
	struct tape_match *match, *windows; /* messages; TELL and HEAR */
	struct open_receives opens;
	struct tape_rounds *rounds;
	struct tape_pvm_groups *pvm_groups;
	struct tape_distances far; /* ranks from each other */
	/* bounds of the true date, less the date, in the domain of a rank */
	struct clock_error {
		double lo, hi;
		uint32_t domain;
	} *clock;
	double slack; /* the largest of all pairs */
	int64_t least_ns[TAPE_DISTANCES]; /* no message takes less */
	int clocks;   /* events have dates of more than one */
	int is_threaded; /* some rank has several flows */
	struct {
		struct tape_links *links; /* NULL: nobody asks */
		int64_t origin_ns;
		int backbone;
		const struct tape_comm_model *model;
	} traffic;
	enum tape_thread_order order; /* of calls of ranks with several flows */
	int library;  /* whose collectives: enum tape_coll_library, -1 none */
	struct tape_isolated
	    *isolated; /* of a learner: messages that overlap no other */
	struct learned_rounds *learned_rounds; /* transits of collectives */
	int is_partial; /* a learner has not read the rest of some flow */
	/* who goes through the flows of other ranks; NULL: nobody */
	struct tape_peers *peers;
	struct remote *remote;
};

/*
 * p, and part of the alphas of the event of f: of whole, which may be less, or
 * more, by that.
 */
static inline struct tape_delay engine_add_alpha(struct tape_delay p,
						 double part, double whole,
						 double less, double more)
{
	double share = part < whole ? part / whole : 1;

	return (struct tape_delay){ p.p + part, p.lo + part - less * share,
				    p.hi + part + more * share };
}

/* p at the start of the event of f, from that before it. */
static inline struct tape_delay engine_start_delay(const struct flow *f)
{
	double alpha = tape_event_alpha_before(f->e);

	if (!f->inexact)
		return tape_delay_plus(f->p, alpha);
	return engine_add_alpha(f->p, alpha, f->e->alpha_before_ns,
				f->error.before_less, f->error.before_more);
}

/* p within the event of f, between its calls; and behind it. */
static inline struct tape_delay
engine_delay_within(const struct flow *f, struct tape_delay p, double alpha)
{
	return engine_add_alpha(p, alpha,
				f->e->alpha_before_ns + f->e->alpha_after_ns,
				f->error.before_less + f->error.after_less,
				f->error.before_more + f->error.after_more);
}

static inline struct tape_delay
engine_delay_after(const struct flow *f, struct tape_delay p, double alpha)
{
	if (!f->inexact)
		return tape_delay_plus(p, alpha);
	return engine_add_alpha(p, alpha, f->e->alpha_after_ns,
				f->error.after_less, f->error.after_more);
}

/* ---- remote_ranks.c, remote_records.c: only with g->peers ---- */

void remote_open(struct engine *g);
void remote_close(struct engine *g);

/* Is that rank, one of the trace, another process's? */
static inline int remote_owns_rank(const struct engine *g, int rank)
{
	return g->peers && rank >= 0 && !tape_peers_owns_rank(g->peers, rank);
}

/* Processes cannot do this together: one of them is to do it alone. */
void remote_give_up(struct engine *g);

/*
 * The event of f sends a message to such a rank. Returns the slot in which a
 * rendezvous hears of its receive, else, or out of memory, TAPE_NO_SLOT.
 */
uint32_t remote_send_message(struct engine *g, const struct flow *f,
			     const struct tape_op *op, int rendezvous);

/* Both sides of s are there: does another process wait to hear of it? */
void remote_report_post(struct engine *g, struct tape_slot *s);

/* The event of f enters q. */
void remote_send_entry(struct engine *g, const struct flow *f,
		       const struct tape_op *op, const struct tape_round *q);

/*
 * After each way through the flows: others hear what concerns theirs, and this
 * process what concerns its own. moved: one of its flows did, the slowest has
 * reached that date; where none did, or others are far behind, it waits for
 * what they say. 0: all have to meet.
 */
int remote_exchange(struct engine *g, int moved, int64_t reached_ns);

/*
 * Meets them. unfinished: it has flows that are not over. 1: go on; 0: all are
 * over, or g->lacking says why not.
 */
int remote_synchronise(struct engine *g, int unfinished);

/* ---- clock_errors.c ---- */

/* Fills in what the engine knows of clocks. */
void engine_read_clocks(struct engine *g);

/* How far the difference of dates of two ranks may be from the truth, ns. */
double engine_clock_slack(const struct engine *g, int a, int b);

/* The same of two dates of one rank: clocks may go wrong in between. */
double engine_own_clock_slack(const struct engine *g, int rank);

/*
 * The bounds of p, that at a tick of f, widened by the error of the date of
 * that tick: the corrected date is between date - hi and date - lo.
 */
struct tape_delay engine_add_clock_error(const struct engine *g,
					 const struct flow *f, uint64_t tick,
					 const struct tape_delay *p);

/* ---- open_flows.c ---- */

/* Hosts, clocks, and all flows with their readers. */
void engine_open_flows(struct engine *g);

/* The first event of f begins, and all is written: opens its writer. */
void engine_open_writer(struct engine *g, struct flow *f);

/* The event of f begins: tasks that it spawns may, as late as it is. */
void engine_start_children(struct engine *g, struct flow *f);

/*
 * f is over: if its process came back as another task, that was as late. The
 * processes that it was to start, and whose spawns are not in the trace, begin.
 */
void engine_end_flow(struct engine *g, const struct flow *f);

/* The first flow of a rank; NULL: it has none. */
struct flow *engine_find_flow(const struct engine *g, int rank);

/*
 * f is about to begin, and the call that started it was not found: it was late
 * by nothing, or by up to all of the time since its parent began (since the
 * first event of all where the parent has none).
 */
void engine_bound_start(struct engine *g, struct flow *f);

/*
 * Nothing can go on: of the flows that wait for the call that starts them, the
 * one whose first event is the oldest begins. only_lost: of those whose parents
 * are beyond that event, so that the call is not to come. Returns 0 if there is
 * none.
 */
int engine_skip_spawn(struct engine *g, int only_lost);

/* ---- advance.c ---- */

/* Takes the next event of the flow: 1, or 0 at its end. */
int engine_fetch_event(struct engine *g, struct flow *f);

/*
 * Runs a flow, and the threads that go before it, until it waits or is beyond
 * the horizon, INT64_MIN for one event; 1 if one moved.
 */
int engine_advance_flow(struct engine *g, struct flow *f, int64_t horizon);

/*
 * The thread of f's rank that has to go on before the event of f may start;
 * NULL: it may, or has.
 */
struct flow *engine_earlier_thread(struct engine *g, struct flow *f);

/* ---- traffic.c ---- */

/* Of the flows' first events; messages are followed if the model asks. */
void engine_traffic_open(struct engine *g);
void engine_traffic_close(struct engine *g);

/* The message in s leaves, if all that it needs is there; between ranks. */
void engine_depart_message(struct engine *g, struct tape_slot *s, int from,
			   int to);

/* Is it on its way now? */
int engine_is_in_flight(const struct engine *g, const struct tape_slot *s);

/*
 * How long it took from a date that p corrects; otherwise where it was not
 * followed.
 */
double engine_link_transit(const struct engine *g, const struct tape_slot *s,
			   int64_t from_ns, double p, double otherwise);

/* Nobody asks for it any more. */
void engine_drop_flight(struct engine *g, struct tape_slot *s);

/* In the order of approximated dates: one more step; 0: nothing can go on. */
int engine_step_in_order(struct engine *g);

/* ---- deadlock.c ---- */

/*
 * Where the process stands whose first flow is f: all that it does from there
 * on is to come. INT64_MAX: it is over, or f is NULL.
 */
int64_t engine_process_time(const struct flow *f);

/* Nothing can go on: some event goes on all the same; 0: there is none. */
int engine_break_deadlock(struct engine *g);

/* ---- waiting_flows.c ---- */

/*
 * f cannot end its event: it stands on the list of what it waits for, and
 * nobody looks at it until that comes. Of what has no list it is looked at
 * again and again.
 */
void engine_block_flow(struct engine *g, struct flow *f);

/* Flow number flow, less 1, goes on; 0: none. */
void engine_wake_flow(struct engine *g, uint32_t flow);

/* The next flow from there on that does not stand; or how many there are. */
size_t engine_next_ready(const struct engine *g, size_t i);

/* Somebody has entered q, whom others may have waited for. */
void engine_wake_round(struct engine *g, const struct tape_round *q);

/* All go on: they see for themselves. 0: none stood. */
int engine_wake_all(struct engine *g);

static inline int engine_is_ready(const struct engine *g, size_t flow)
{
	return g->ready[flow / 64] >> flow % 64 & 1;
}

/* The flow of that number stands, or is over; or does not. */
void engine_set_ready(struct engine *g, size_t flow, int ready);

/* ---- result.c ---- */

/* Empty, for a trace. Dies when out of memory. */
void result_new(struct result *r, const struct tape_trace *t);

/* Counts an event and its alphas. */
void result_add_event(struct result *r, const struct tape_event *e);

/* The dates of a flow's first and last event, as corrected. */
void result_add_first(struct result *r, const struct tape_event *e,
		      const struct tape_delay *p);
void result_add_last(struct result *r, int rank, int64_t end_ns,
		     const struct tape_delay *p);

/* How certain the end of an event is. */
void result_add_width(struct result *r, const struct tape_delay *p_end);

/* ---- publish.c ---- */

/*
 * The perturbation at the start of the event of f, as far as other threads of
 * its rank had to do with its requests before.
 */
struct tape_delay engine_handed_delay(struct engine *g, struct flow *f);

/* The event of f is over at p_end: other threads may use its requests. */
void engine_hand_over_requests(struct engine *g, struct flow *f,
			       const struct tape_delay *p_end);

/* How far apart two ranks are; of one that is in no trace nothing is known. */
static inline enum tape_distance engine_distance(const struct engine *g, int a,
						 int b)
{
	return a < 0 || b < 0 ? TAPE_NET : tape_distance_between(&g->far, a, b);
}

/* Did the message in s? */
int engine_was_rendezvous(const struct tape_slot *s);

/* The message of an operation that engine_is_op_ready says is there. */
const struct tape_slot *engine_find_slot(struct engine *g,
					 const struct tape_op *op);

/* Nothing is missing but entries of which a collective's table would know. */
int engine_awaits_table(struct engine *g, const struct tape_op *op);

/* The round of a collective. Dies when out of memory. */
struct tape_round *engine_get_round(struct engine *g, const struct tape_op *op);

/* Who stands there waiting for the other side of a message goes on. */
void engine_wake_side(struct engine *g, struct side *side);

/* A side (1 the send, 2 the receive) lets go of a message. */
void engine_release_side(struct engine *g, uint32_t slot, int side);

/* A member leaves q. */
void engine_leave_round(struct engine *g, struct tape_round *q);

/* Tells others what the event under way of f begins. */
void engine_publish_op(struct engine *g, struct flow *f, struct tape_op *op);

/* Does the operation end something that may have had to be waited for? */
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

/* Would the send wait for its receive, were that near enough? */
int engine_may_rendezvous(const struct engine *g, const struct tape_request *r);

/*
 * Does it end something that may have waited for what is in no trace? Nothing
 * is known of that end.
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

/*
 * A send waits for a receive by a wildcard, whose message its rank says only
 * later: any that is open may be it. The receive of s becomes what they say
 * together: the date of the one that began first, within bounds that hold for
 * all of them. Returns their number.
 */
int engine_guess_receive(const struct engine *g, const struct flow *f,
			 const struct tape_op *op, struct tape_slot *s);

/* Is everything there that the operation's end depends on? */
int engine_is_op_ready(struct engine *g, const struct tape_op *op);

/* The first operation of the event of f that lacks something; n_ops: none. */
int engine_first_blocking_op(struct engine *g, struct flow *f);

/* Is everything there that the event of f needs, or need it not wait? */
int engine_can_end(struct engine *g, struct flow *f);

/* Looks at the dates of the event of f, which is over: are they possible? */
void engine_check_causality(struct engine *g, struct flow *f);

/* The event is over, with its partner or without: frees what op held. */
void engine_release_op(struct engine *g, const struct tape_op *op);

/* The message of op, as models know it. */
static inline struct tape_parcel engine_parcel(const struct engine *g,
					       const struct tape_op *op,
					       uint64_t bytes, int rendezvous)
{
	return (struct tape_parcel){
		.bytes = bytes, .rendezvous = rendezvous,
		.distance = engine_distance(g, op->r->from, op->r->to) };
}

/* Where the wait of an event began: with the run of failed tests before it. */
int64_t engine_wait_start(const struct flow *f, struct tape_delay *p);

/* ---- event_end.c ---- */

/* What one ended action says of the end of its event. */
struct candidate {
	double ready;  /* relative to the end: when it was over, as measured */
	struct tape_delay p; /* at the end, if this one decided */
	double least;  /* p at the end at most, if another did */
	int64_t floor_ta; /* the corrected end is not before, whoever did */
	double most;   /* certainly, whoever did */
	struct blame *by; /* of what p consists, or more than that */
};

/* The perturbation at end, which follows the later of two starts. */
struct tape_delay
engine_join_delays(struct engine *g, int64_t end, int64_t own_ns,
		   const struct tape_delay *own, int64_t other_ns,
		   const struct tape_delay *other, double slack);

/* Of what the perturbation consists where the wait of f began. */
struct blame *engine_own_blame(const struct flow *f);

/* Widens c: the event of f may have waited for anything, or for nothing. */
void engine_allow_anything(const struct engine *g, const struct flow *f,
			   struct candidate *c);

/* The event of f, waiting since sr, follows what began at other_ns. */
struct candidate engine_end_after(struct engine *g, const struct flow *f,
				  int64_t sr, const struct tape_delay *p,
				  int64_t other_ns,
				  const struct tape_delay *other,
				  struct blame *by);

/*
 * The perturbation at the end of the event of f. *by, that of the flow before,
 * becomes what it consists of, but for what of it was absorbed.
 */
struct tape_delay engine_end_delay(struct engine *g, struct flow *f,
				   struct blame **by);

/* ---- learn_messages.c ---- */

/* Gives the messages that the event of f ends to the learner. */
void engine_learn_messages(struct engine *g, struct flow *f);

/* ---- algorithm.c ---- */

/* Whose collectives they are, by the library in meta; -1: no table. */
int engine_coll_library(const struct tape_trace *t);

/*
 * Does a round of that size have to know more of the event of f, of a member
 * that enters it, than when that was? Then until when it lasts, and *bytes.
 */
int engine_entry_bytes(const struct flow *f, int size, uint64_t *bytes);
void engine_add_table_entry(struct tape_round *q, int rank, int64_t end_ns,
			    uint64_t bytes);

/* Is there a table for the collective, and may it come to be used? */
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

/* Of what size the messages of q are, if it has told all of them; else 0. */
int engine_round_size(struct engine *g, const struct flow *f,
		      const struct tape_op *op, const struct tape_round *q,
		      uint64_t *bytes);

/* ---- learn_rounds.c ---- */

/* Of a learner: what the round tells, when the last member leaves it. */
void engine_learn_round(struct engine *g, const struct flow *f,
			const struct tape_op *op);

/* Gives what they have told to the learner. */
void engine_submit_rounds(struct engine *g);

/* ---- collective_end.c ---- */

/*
 * The rank in the trace of a member of the collective r that f enters; -1: not
 * known.
 */
int engine_member_rank(const struct engine *g, const struct flow *f,
		       const struct tape_request *r, int member);

/* What a collective says of the end of the event of f that leaves it. */
struct candidate engine_collective_end(struct engine *g, struct flow *f,
				       const struct tape_op *op);

#endif
