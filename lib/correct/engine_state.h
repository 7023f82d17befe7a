/*
 * The state of a pass of the correction: of each flow, and of all together.
 * engine_parts.h has the functions that work on them.
 */
#ifndef CORRECT_ENGINE_STATE_H
#define CORRECT_ENGINE_STATE_H

#include "isolated_messages.h"
#include "blame.h"
#include "causality.h"
#include "distances.h"
#include "correction.h"
#include "event_prefetch.h"
#include "item_state.h"
#include "known_receives.h"
#include "links.h"
#include "receive_order.h"
#include "tape_peers.h"

/* Nested regions that are distinguished. */
#define REGIONS 64

/*
 * One flow. The comment above a group names the file that writes its fields;
 * all others only read them.
 */
struct flow {
	/* open_flows.c, once */
	struct feed *feed;
	struct tape_ops *ops;
	struct flow *threads; /* the first flow of the rank */
	int has_writer;	      /* the feed has a writer */
	int has_event_ops;    /* the feed has the operations of events */
	int rank, n_threads;
	int inexact;	      /* the trace says how wrong alphas may be */
	int is_restarted;     /* after is of the same process */
	uint64_t max_events;  /* a learner's limit; 0: all events */

	/* open_flows.c, until the flow begins */
	/* The flow that must finish (is_restarted), or reach the spawn of this
	 * process, before this flow begins; NULL: none. */
	struct flow *after;
	int has_unknown_start; /* the delay of its start is unknown */

	/* advance.c: the event in progress */
	const struct tape_event *e; /* or NULL */
	struct tape_op *list;
	int n_ops;
	int n_blocking_ops;  /* operations of e that may block */
	int n_ready_ops;     /* the first operations, all of them ready; also
			      * dependencies.c */
	int n_outside_trace; /* operations whose partner is in no trace */
	int has_begun;	     /* the start of e is published */
	int is_finished, has_events;
	uint64_t n_events;   /* events fetched so far */
	uint32_t place;      /* of e */
	struct tape_alpha_error error; /* of the alphas of e */
	uint32_t *region, regions;     /* that e is in */

	/* deadlock.c; advance.c clears them with each event */
	int is_forced;	 /* e ends without what it depends on */
	int is_guessed;	 /* its sends end without their receives */
	int out_of_turn; /* e ignores the order of threads */

	/* waiting_flows.c */
	int is_blocked;	      /* until it is woken */
	int blocked_on_op;    /* index into ops of e */
	uint32_t next_waiter; /* for the same collective, plus 1 */

	/* advance.c: perturbations. open_flows.c sets the first ones. */
	struct tape_delay p;	   /* before e */
	struct tape_delay p_start; /* at its start */
	/* The perturbation at its start as written and as published: alphas
	 * may exceed the time since the previous event. */
	struct tape_delay reported_delay;
	/* When the flow last waited for another flow, or began, and the
	 * bounds of its perturbation then. */
	int64_t base_ns;
	double base_lo, base_hi;
	int64_t start_ta;    /* corrected timestamp of its start */
	int64_t floor_ta;    /* lower bound of its corrected end */
	struct blame *blame; /* of what p consists */

	/* thread_steps.c: threads of the rank, of its first flow; or NULL */
	struct thread_lives *lives;
	int runs;		/* the thread began, and waits in no join */
	int is_held;		/* others ran since its last event */
	int has_unknown_thread; /* nobody is known to have created it */
	int has_just_begun;	/* the last event was its beginning */
	int is_creating, is_joining; /* the last event began such a call */
	int64_t call_ns; /* when it, or the end of the thread, began, */
	struct tape_delay call_p; /* and the perturbation then */
	uint64_t thread_id; /* of the thread, or 0; when it began */
	int64_t thread_ns;

	/* order_check.c, and open_flows.c when it starts; or NULL */
	struct known_receives *known; /* before e */

	/* advance.c: a run of failed tests that the next event may turn into a
	 * wait */
	int run;
	struct run {
		const struct tape_event *at; /* what it is in the feed */
		unsigned class_, also_class;
		uint64_t polls, also_polls;
		int64_t start_ns, end_ns;
		uint64_t end_tick;
		double after;	    /* alpha after it */
		struct message_question asked;
	} run_event;
	struct tape_delay run_p;    /* at its start, and at its end if it */
	struct tape_delay run_end;  /* turns into none */
	int64_t run_start_ta, run_end_ta;
	struct blame *run_blame;    /* of what run_p consists */

	/* advance.c: the last event */
	double last_after;	  /* alpha after it, */
	int64_t last_end;	  /* and when that was over, */
	uint64_t last_tick;	  /* by its own clock, */
	struct tape_delay last_p; /* and as it was written */
	int64_t reached_ta;	  /* its corrected end */
};

/*
 * Wildcard receives that have begun and are not matched yet: one chain for each
 * rank, in order, through one table. Indices begin at 1.
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
	size_t room;
	uint32_t n, free;
	struct open_chain {
		uint32_t first, last;
	} *of; /* each rank */
};

/*
 * One pass. The comment above a group names the file that writes its fields;
 * all others only read them.
 */
struct engine {
	/* engine.c, once: what the caller gave */
	struct tape_trace *t;
	const struct eager *eager;
	struct tape_comm_learner *learner;
	const struct tape_comm_model *model;
	const struct how *how;
	struct sample *sample;
	struct tape_output *out; /* or NULL */
	struct tape_peers *peers; /* that correct other ranks; NULL: none */

	/* engine.c, once: what it makes */
	struct blames *blames;		    /* NULL in a learner */
	struct tape_match *match, *windows; /* messages; TELL and HEAR */
	struct tape_rounds *rounds;
	struct tape_isolated
	    *isolated; /* of a learner: messages that overlap no other */
	int64_t least_ns[TAPE_DISTANCES]; /* minimum transit of a message */
	struct receive_order *receive_order; /* NULL: nothing is certified */
	struct known_pool *known_pool;	     /* the same */

	/* open_flows.c, once */
	struct feeds *feeds;
	struct flow *flows;
	size_t n_flows;
	double flow_bytes; /* of all together */
	struct tape_pvm_groups *pvm_groups;
	struct tape_distances far; /* ranks from each other */
	int is_threaded; /* some rank has several flows */
	enum tape_thread_order order; /* of calls of ranks with several flows */
	int library; /* whose collectives: enum tape_coll_library, -1 none */

	/* open_flows.c: flows that have not begun */
	size_t awaiting;  /* flows that wait for their spawn */
	int has_earliest; /* the first start of all is known */
	int64_t earliest_ns;

	/* clock_errors.c, once */
	/* bounds of true time minus timestamp, in the domain of a rank */
	struct clock_error {
		double lo, hi;
		uint32_t domain;
	} *clock;
	double slack; /* the largest of all pairs */
	int clocks;   /* events have timestamps of more than one */

	/* traffic.c */
	struct {
		struct tape_links *links; /* NULL: nobody asks */
		int64_t origin_ns;
		int backbone;
		const struct tape_comm_model *model;
	} traffic;

	/* waiting_flows.c: a bit for each flow that is not blocked; a bit for
	 * each word of these bits that is not 0 */
	uint64_t *ready, *ready_words;

	/* publish.c */
	struct open_receives opens;
	/* as sample->sent, of this pass, with remote_records.c; lacking: the
	 * sample has too few, with remote_ranks.c */
	uint64_t sent[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	int lacking;

	/* advance.c */
	const struct flow *blamed; /* the flow that ended last so far */
	int is_partial; /* a learner has not read the rest of some flow */

	uint64_t skips;			       /* deadlock.c: how often */
	struct learned_rounds *learned_rounds; /* learn_rounds.c */
	struct remote *remote;		       /* remote_ranks.c */
	struct result *r; /* each file counts what it finds; result.c */
};

/*
 * Returns p plus part of whole, the alphas of an event. The bounds widen by the
 * same share of less and more, the errors of whole.
 */
static inline struct tape_delay engine_add_alpha(struct tape_delay p,
						 double part, double whole,
						 double less, double more)
{
	double share = part < whole ? part / whole : 1;

	return (struct tape_delay){ p.p + part, p.lo + part - less * share,
				    p.hi + part + more * share };
}

/* Returns p at the start of the event of f. */
static inline struct tape_delay engine_start_delay(const struct flow *f)
{
	double alpha = tape_event_alpha_before(f->e);

	if (!f->inexact)
		return tape_delay_plus(f->p, alpha);
	return engine_add_alpha(f->p, alpha, f->e->alpha_before_ns,
				f->error.before_less, f->error.before_more);
}

/* Returns p between the calls of the event of f, or after the event. */
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

#endif
