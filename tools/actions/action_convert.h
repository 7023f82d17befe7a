/*
 * Converts the events of one flow of a rank to its actions. convert_event.c
 * has the computations and the dispatch by event class; convert_message.c,
 * convert_request.c, convert_collective.c and convert_window.c have the rest.
 * measure.c measures computations. wildcard_lookahead.c finds the outcome of
 * receives of any source.
 */
#ifndef TAPE_ACTION_CONVERT_H
#define TAPE_ACTION_CONVERT_H

#include "action_comms.h"
#include "action_queue.h"
#include "action_source.h"
#include "pvm_groups.h"
#include "table.h"
#include "tape_reader.h"

/* Counters that may make up one measure. */
enum { TAPE_MEASURE_COUNTERS = 2 };

/* A trace as a source. */
struct tape_action_trace {
	struct tape_actions s; /* first */
	struct tape_trace *t;
	struct tape_action_comms comms;
	struct tape_pvm_groups *meetings; /* of PVM's groups, or NULL */
	double rate_ns;			  /* operations per nanosecond */
	int no_packing;
	char measure[64];
	struct tape_action_rank *ranks;
};

/* What computations of a rank are measured by. */
struct tape_action_measure {
	int n;	   /* counters; 0: time */
	int in_ns; /* they count nanoseconds */
	uint32_t counter[TAPE_MEASURE_COUNTERS];
};

/* A request, or a message that a matched probe has taken. */
struct tape_action_pending {
	union tape_fields u; /* of the call that made it */
	uint64_t first;	     /* its actions' requests are n from here on */
	uint64_t held;	     /* that it was held up, or 0 */
	uint64_t slot;	     /* its receive, of which the message is not
			      * known; or its send, which may be cancelled */
	uint32_t n, ready;
	int32_t tag; /* of a message in parts */
	uint16_t call, class_;
	uint8_t persistent, active, over;
};

/* What a later event says of a receive, or a send, that is held up. */
struct tape_action_outcome {
	enum {
		TAPE_OUTCOME_NONE, /* nothing so far */
		TAPE_OUTCOME_IS,   /* it is as it was posted, or */
		TAPE_OUTCOME_GOT,  /* peer, tag and bytes are these */
		TAPE_OUTCOME_GONE, /* it was cancelled */
		TAPE_OUTCOME_LOST  /* nothing tells */
	} is;
	int wild;
	int32_t peer, tag;
	uint64_t bytes;
};

struct tape_action_rank {
	struct tape_action_trace *of;
	int rank;
	const struct tape_rank_info *info;
	size_t flow;	     /* the one that communicates */
	struct tape_flow *f; /* NULL: not begun, or over */
	struct tape_action_measure measure;
	struct tape_action_queue q;
	struct tape_table pending; /* by request */
	struct tape_table parts;   /* messages in parts so far, by partner */
	uint64_t event;		   /* of the flow, the one under way */
	uint64_t requests;	   /* of actions */
	uint64_t *waits;	   /* being gathered */
	size_t n_waits, waits_room;
	int64_t end_ns;	    /* of the last event */
	double alpha_ns;    /* and the tracer's time after that; of it */
	double constant_ns; /* what counters have, too */
	int cancels;	    /* it calls MPI_Cancel */
	/* of what is held up, in order: what a look ahead has found, or (it
	 * learns) is finding; so many were held up so far */
	struct tape_action_outcome *outcomes;
	uint64_t n_outcomes, outcomes_room, n_held;
	int learns, looked;
	int begun, finalized, over, failed;
	uint64_t *rounds;	 /* collectives of PVM's groups, by index */
	unsigned char *declared; /* communicators, by index */
};

/* ---- measure.c ---- */

/* Finds the counters, of all ranks; name as tape_actions_how has it. */
int tape_action_choose_measure(struct tape_action_trace *s, const char *name);

/* Operations between the last event and e, within e, to pack in e. */
double tape_action_measure_gap(const struct tape_action_rank *r,
			       const struct tape_event *e);
double tape_action_measure_inside(const struct tape_action_rank *r,
				  const struct tape_event *e);
double tape_action_measure_packing(const struct tape_action_rank *r,
				   const struct tape_event *e, double *between);

/* ---- action_trace.c ---- */

/* What belongs to r. */
void tape_action_rank_free(struct tape_action_rank *r);

/* ---- convert_event.c ---- */

int tape_action_convert_event(struct tape_action_rank *r,
			      const struct tape_event *e);

/* The flow is over. */
int tape_action_end_flow(struct tape_action_rank *r);

/* A new action of the event under way, inside it; NULL: out of memory. */
struct tape_action *tape_action_append(struct tape_action_rank *r,
				       enum tape_action_kind kind);

/* The sentence: that call cannot be an action. Returns TAPE_ERANGE. */
__attribute__((format(printf, 3, 4))) int
tape_action_reject(struct tape_action_rank *r, const struct tape_event *e,
		   const char *format, ...);

/* Of the world; -1: not in the trace; TAPE_PROC_NULL. */
int32_t tape_action_world_rank(const struct tape_action_rank *r, uint32_t comm,
			       int32_t peer);

/* Calls of the message-passing library on files. */
int tape_action_add_sleep(struct tape_action_rank *r,
			  const struct tape_event *e);

/* ---- convert_message.c ---- */

/* The number of a communicator: 1, or 0: there is none, the call failed. */
int tape_action_comm_number(struct tape_action_rank *r, uint32_t comm,
			    uint32_t *n);
/* 0 or TAPE_ENOMEM; comm is such a number. */
int tape_action_set_tag(struct tape_action_rank *r, struct tape_action *a,
			uint32_t comm, int32_t tag);

struct tape_action_message {
	uint32_t comm;
	int32_t peer, tag;
	uint64_t bytes;
	unsigned call;
};

/*
 * Puts a send or a receive, nothing of MPI_PROC_NULL. request 0: it is blocking
 * or nobody waits for it. put: NULL, or the slot that was added; 0: none.
 */
int tape_action_add_send(struct tape_action_rank *r,
			 const struct tape_action_message *m, uint64_t request,
			 uint64_t *put);
int tape_action_add_receive(struct tape_action_rank *r,
			    const struct tape_action_message *m,
			    uint64_t request, uint64_t *put);
int tape_action_add_sendrecv(struct tape_action_rank *r,
			     const struct tape_sendrecv *u, unsigned call);

/* ---- convert_request.c ---- */

/* e makes a request: it begins, unless it is persistent. */
int tape_action_create_request(struct tape_action_rank *r,
			       const struct tape_event *e);
int tape_action_start_requests(struct tape_action_rank *r,
			       const struct tape_event *e);
int tape_action_ready_parts(struct tape_action_rank *r,
			    const struct tape_event *e);
int tape_action_receive_probed(struct tape_action_rank *r,
			       const struct tape_event *e);
int tape_action_complete_requests(struct tape_action_rank *r,
				  const struct tape_event *e);
int tape_action_query_request(struct tape_action_rank *r,
			      const struct tape_event *e);
int tape_action_free_request(struct tape_action_rank *r,
			     const struct tape_event *e);

/* Adds to the requests that are waited for; and waits for these. */
int tape_action_collect_wait(struct tape_action_rank *r, uint64_t request);
int tape_action_add_wait(struct tape_action_rank *r);

/* ---- wildcard_lookahead.c ---- */

/*
 * The newest slot is held up until its outcome is known; wild: of any source or
 * tag. 0 or TAPE_ENOMEM.
 */
int tape_action_hold_slot(struct tape_action_rank *r,
			  struct tape_action_slot *s, int wild);

/* Its outcome is in s: where r learns. */
void tape_action_set_outcome(struct tape_action_rank *r, uint64_t held,
			     const struct tape_action_slot *s);

/*
 * Reads the flow to its end for the outcomes: so much is held up that it would
 * take more memory. What cannot be read there stays held up. 0 or TAPE_ENOMEM.
 */
int tape_action_look_ahead(struct tape_action_rank *r);

/* Is it time to? So many actions are held up (fuzzing has fewer). */
#ifndef TAPE_HELD_UP
#define TAPE_HELD_UP 4096
#endif
static inline int tape_action_needs_look_ahead(const struct tape_action_rank *r)
{
	return r->q.last - r->q.first > TAPE_HELD_UP && !r->looked;
}

/* Nothing more will be known of receives. */
void tape_action_drop_unknown(struct tape_action_rank *r);

/* ---- convert_collective.c ---- */

/* e is there for the sentence; p: of a nonblocking one, or NULL. */
int tape_action_add_collective(struct tape_action_rank *r,
			       const struct tape_event *e,
			       const struct tape_coll *u, unsigned call,
			       struct tape_action_pending *p);
int tape_action_create_comm(struct tape_action_rank *r,
			    const struct tape_event *e,
			    const struct tape_comm_new *u);
int tape_action_free_comm(struct tape_action_rank *r,
			  const struct tape_event *e);
/* The number of a communicator that there is, which exists from here on. */
int tape_action_declare_comm(struct tape_action_rank *r,
			     const struct tape_event *e, uint32_t comm,
			     uint32_t *number);

/* Does it exist by now? And it does. */
static inline int tape_action_is_declared(const struct tape_action_rank *r,
					  uint32_t comm)
{
	return comm < r->info->n_comms &&
	       (r->declared[comm / 8] >> comm % 8 & 1) != 0;
}

static inline void tape_action_set_declared(struct tape_action_rank *r,
					    uint32_t comm, int is)
{
	unsigned char bit = (unsigned char)(1 << comm % 8);

	if (is)
		r->declared[comm / 8] |= bit;
	else
		r->declared[comm / 8] &= (unsigned char)~bit;
}

/* ---- convert_window.c ---- */

int tape_action_create_window(struct tape_action_rank *r,
			      const struct tape_event *e);
int tape_action_free_window(struct tape_action_rank *r,
			    const struct tape_event *e);
int tape_action_add_fence(struct tape_action_rank *r,
			  const struct tape_event *e, uint32_t comm);
int tape_action_add_rma(struct tape_action_rank *r, const struct tape_event *e,
			const struct tape_rma *u);
int tape_action_add_flush(struct tape_action_rank *r, uint32_t comm,
			  int32_t peer);
int tape_action_add_epoch(struct tape_action_rank *r,
			  const struct tape_event *e);
int tape_action_add_pscw(struct tape_action_rank *r, const struct tape_event *e,
			 uint32_t comm, uint32_t group);

#endif
