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

/* Maximum number of counters in one measure. */
enum { TAPE_MEASURE_COUNTERS = 2 };

/* A trace as a source. */
struct tape_action_trace {
	struct tape_actions s; /* first */
	struct tape_trace *t;
	struct tape_action_comms comms;
	/* collectives of PVM groups, or NULL */
	struct tape_pvm_groups *meetings;
	double rate_ns; /* operations per nanosecond */
	int no_packing;
	char measure[64];
	struct tape_action_rank *ranks;
};

/* The measure of a rank's computations. */
struct tape_action_measure {
	int n;	   /* counters; 0: time */
	int in_ns; /* the counter's unit is nanoseconds */
	uint32_t counter[TAPE_MEASURE_COUNTERS];
};

/* A request, or a message that a matched probe reserved. */
struct tape_action_pending {
	union tape_fields u; /* fields of the creating call */
	uint64_t first; /* its actions have n requests from this number on */
	uint64_t held;	/* number of the held slot (slot.held), or 0 */
	/*
	 * slot of its receive, whose message is not known yet, or of its send,
	 * which can be cancelled
	 */
	uint64_t slot;
	uint32_t n, ready;
	int32_t tag; /* tag of a partitioned message */
	uint16_t call, class_;
	uint8_t persistent, active, over;
};

/* Outcome of a held receive or send, from a later event. */
struct tape_action_outcome {
	enum {
		TAPE_OUTCOME_NONE, /* not known yet */
		TAPE_OUTCOME_IS,   /* complete, as posted */
		TAPE_OUTCOME_GOT,  /* complete, with this peer, tag and size */
		TAPE_OUTCOME_GONE, /* cancelled */
		TAPE_OUTCOME_LOST  /* not in the trace */
	} is;
	int wild;
	int32_t peer, tag;
	uint64_t bytes;
};

struct tape_action_rank {
	struct tape_action_trace *of;
	int rank;
	const struct tape_rank_info *info;
	size_t flow;	     /* of the thread that communicates */
	struct tape_flow *f; /* NULL: not opened yet, or closed */
	struct tape_action_measure measure;
	struct tape_action_queue q;
	struct tape_table pending; /* by request */
	/* number of partitioned messages so far, by partner */
	struct tape_table parts;
	uint64_t event;	   /* number of the current event */
	uint64_t requests; /* number of requests of actions so far */
	uint64_t *waits;   /* requests of the wait that is being built */
	size_t n_waits, waits_room;
	int64_t end_ns;	    /* of the last event */
	double alpha_ns;    /* tracer's time after the last event */
	double constant_ns; /* the part of it that the counter also counts */
	int cancels;	    /* the rank calls MPI_Cancel */
	/*
	 * Outcomes of held slots, in order, found by a look-ahead, or being
	 * found by one (learns). n_held: slots held so far.
	 */
	struct tape_action_outcome *outcomes;
	size_t outcomes_room;
	uint64_t n_outcomes, n_held;
	int learns, looked;
	int begun, finalized, over, failed;
	uint64_t *rounds; /* number of collectives, by index of a PVM group */
	unsigned char *declared; /* bit set of communicators, by index */
};

/* ---- measure.c ---- */

/*
 * Chooses the counters that measure computations, for all ranks. name: as
 * tape_actions_how.measure. Returns 0 or TAPE_ERANGE.
 */
int tape_action_choose_measure(struct tape_action_trace *s, const char *name);

/* Operations between the last event and e, within e, and for packing in e. */
double tape_action_measure_gap(const struct tape_action_rank *r,
			       const struct tape_event *e);
double tape_action_measure_inside(const struct tape_action_rank *r,
				  const struct tape_event *e);
double tape_action_measure_packing(const struct tape_action_rank *r,
				   const struct tape_event *e, double *between);

/* ---- action_trace.c ---- */

/* Frees what r owns. */
void tape_action_rank_free(struct tape_action_rank *r);

/* ---- convert_event.c ---- */

int tape_action_convert_event(struct tape_action_rank *r,
			      const struct tape_event *e);

/* Ends the actions of a rank at the end of its flow. */
int tape_action_end_flow(struct tape_action_rank *r);

/* Adds an action inside the current event. Returns NULL if out of memory. */
struct tape_action *tape_action_append(struct tape_action_rank *r,
				       enum tape_action_kind kind);

/*
 * Sets the error message: the call of e cannot be an action. Returns
 * TAPE_ERANGE.
 */
__attribute__((format(printf, 3, 4))) int
tape_action_reject(struct tape_action_rank *r, const struct tape_event *e,
		   const char *format, ...);

/*
 * World rank of a peer. Returns -1 if the peer is not in the trace, or
 * TAPE_PROC_NULL.
 */
int32_t tape_action_world_rank(const struct tape_action_rank *r, uint32_t comm,
			       int32_t peer);

/* Adds a sleep as long as e, for calls without a model (files, spawn). */
int tape_action_add_sleep(struct tape_action_rank *r,
			  const struct tape_event *e);

/* ---- convert_message.c ---- */

/*
 * Sets *n to the number of a communicator and returns 1. Returns 0 if there is
 * none: the call failed.
 */
int tape_action_comm_number(struct tape_action_rank *r, uint32_t comm,
			    uint32_t *n);
/*
 * Sets the tag of a; comm is a communicator's number. Returns 0 or TAPE_ENOMEM.
 */
int tape_action_set_tag(struct tape_action_rank *r, struct tape_action *a,
			uint32_t comm, int32_t tag);

struct tape_action_message {
	uint32_t comm;
	int32_t peer, tag;
	uint64_t bytes;
	unsigned call;
};

/*
 * Adds a send or a receive, but nothing for MPI_PROC_NULL. request 0: a
 * blocking call, or no call waits for it. put: NULL, or receives the slot of
 * the action, 0 if there is none.
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

/*
 * Stores the request that e creates. Begins its operation unless the request is
 * persistent or partitioned.
 */
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

/*
 * tape_action_collect_wait adds a request to the next wait.
 * tape_action_add_wait adds the wait for the collected requests, if any.
 */
int tape_action_collect_wait(struct tape_action_rank *r, uint64_t request);
int tape_action_add_wait(struct tape_action_rank *r);

/* ---- wildcard_lookahead.c ---- */

/*
 * Holds s, the newest slot, until its outcome is known. wild: a receive of any
 * source or tag. Returns 0 or TAPE_ENOMEM.
 */
int tape_action_hold_slot(struct tape_action_rank *r,
			  struct tape_action_slot *s, int wild);

/* Stores the outcome s of a held slot, during a look-ahead. */
void tape_action_set_outcome(struct tape_action_rank *r, uint64_t held,
			     const struct tape_action_slot *s);

/*
 * Reads the flow to its end for the outcomes of held slots, once. To be called
 * when holding more actions would need too much memory. Slots whose outcome is
 * not found stay held. Returns 0 or TAPE_ENOMEM.
 */
int tape_action_look_ahead(struct tape_action_rank *r);

/*
 * Returns 1 if more than TAPE_HELD_UP actions are held and there was no
 * look-ahead yet (fuzzing has a lower limit).
 */
#ifndef TAPE_HELD_UP
#define TAPE_HELD_UP 4096
#endif
static inline int tape_action_needs_look_ahead(const struct tape_action_rank *r)
{
	return r->q.last - r->q.first > TAPE_HELD_UP && !r->looked;
}

/* Drops receives whose message is not known at the end of the flow. */
void tape_action_drop_unknown(struct tape_action_rank *r);

/* ---- convert_collective.c ---- */

/*
 * Adds a collective. e: for error messages. p: the request of a nonblocking
 * collective, or NULL.
 */
int tape_action_add_collective(struct tape_action_rank *r,
			       const struct tape_event *e,
			       const struct tape_coll *u, unsigned call,
			       struct tape_action_pending *p);
int tape_action_create_comm(struct tape_action_rank *r,
			    const struct tape_event *e,
			    const struct tape_comm_new *u);
int tape_action_free_comm(struct tape_action_rank *r,
			  const struct tape_event *e);
/*
 * Sets *number to that of an existing communicator. Adds an action that creates
 * it if the trace has no creating call.
 */
int tape_action_declare_comm(struct tape_action_rank *r,
			     const struct tape_event *e, uint32_t comm,
			     uint32_t *number);

/* Whether a communicator exists at this point of the rank's actions. */
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
