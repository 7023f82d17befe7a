/*
 * The state of Tape's own engine (own.h). own_run.c runs the ranks and the
 * events in the order of time. own_messages.c has messages and requests,
 * own_collectives.c collectives, own_play.c collectives over shared links,
 * own_windows.c one-sided communication. own_deadlock.c reports deadlocks.
 */
#ifndef SIM_OWN_STATE_H
#define SIM_OWN_STATE_H

#include "links.h"
#include "own.h"
#include "queues.h"
#include "requests.h"

enum own_rank_state { OWN_RUNS, OWN_BLOCKED, OWN_ENDED };

struct own_rank {
	/* simulated time; start of the current action */
	double now_ns, begin_ns;
	double ns_each;		     /* time of one operation */
	const struct tape_action *a; /* current action */
	uint64_t actions;
	size_t pending; /* requests on which the rank is blocked */
	size_t at; /* index of the next partner in an operation with several */
	enum own_rank_state state;
	struct sim_requests requests;
};

/* Links of each host: out, in, inside, and its processors. */
enum { OWN_OUT, OWN_IN, OWN_INSIDE, OWN_CORES, OWN_LINKS };

/*
 * The channel of computations, which share processors as messages share links.
 */
#define OWN_COMPUTES 0x7fffffffu

/* Events that are processed in the order of time. */
enum own_event_kind {
	OWN_RUN,    /* a rank continues */
	OWN_DEPART, /* the transfer of a message starts */
	OWN_LOCK    /* a rank requests the lock of a window */
};

struct own_event {
	double at_ns;
	uint64_t order; /* order of creation, for equal times */
	enum own_event_kind kind;
	uint32_t number; /* number of the rank or message */
};

struct own_comm;
struct own_window;

struct own {
	struct tape_actions *s;
	const struct sim_machine *m;
	const struct sim_times *times;
	struct sim_outcome *out;
	int rc; /* of the first error */

	struct own_rank *ranks;
	int n;
	int running; /* the rank that is running, or -1 */
	int *ready;  /* ring of ranks that can continue */
	int first_ready, n_ready;
	int ended;

	struct sim_queues queues;
	int probers;		  /* ranks that are blocked in a probe */
	struct own_event *events; /* heap, the earliest event first */
	size_t n_events, events_room;
	uint64_t order;

	/* links of each host, then the backbone; NULL: nothing is shared */
	struct tape_links *links;
	/* messages share links, computations share processors */
	int by_net, by_cores;
	int hosts;
	uint32_t *flying; /* messages in flight over links */
	size_t n_flying, flying_room;

	struct own_comm **comms;      /* by number */
	size_t n_comms;
	struct own_window **windows;  /* by number */
	size_t n_windows;
};

/* ---- own_run.c ---- */

/* Ends the current action of a rank at end_ns. The rank can continue. */
void own_end_action(struct own *o, int rank, double end_ns);

void own_add_event(struct own *o, double at_ns, enum own_event_kind kind,
		   uint32_t number);

/* Sets the error message and the code, unless there is an error already. */
__attribute__((format(printf, 3, 4))) void own_fail(struct own *o, int rc,
						    const char *format, ...);

/* Distance between two ranks. */
enum tape_distance own_distance(const struct own *o, int from, int to);

/* Returns 1 if peer is a rank. Otherwise fails and returns 0. */
int own_check_rank(struct own *o, int rank, int32_t peer);

/* ---- own_messages.c ---- */

void own_send(struct own *o, int rank);
void own_recv(struct own *o, int rank);
void own_probe(struct own *o, int rank);
void own_wait(struct own *o, int rank);

/*
 * Completes a request at arrival_ns. The rank's wait then has an overhead of
 * recv_ns.
 */
void own_complete_request(struct own *o, int rank, uint64_t number,
			  double arrival_ns, double recv_ns);

/* Sends an empty message at start_ns. */
void own_send_token(struct own *o, int from, int to, uint32_t channel,
		    double start_ns);
/*
 * Receives an empty message. Returns 1 with its arrival in *arrival_ns, or 0:
 * the rank is blocked until own_token_arrived.
 */
int own_receive_token(struct own *o, int from, int to, uint32_t channel,
		      double *arrival_ns);

/*
 * Sends and receives a message of a played collective (own_play.h), on a
 * channel with the bit OWN_PLAYED. own_part_send returns the time at which the
 * sender continues. own_part_arrived is called when the message has arrived.
 */
#define OWN_PLAYED 0x80000000u
double own_part_send(struct own *o, int from, int to, uint32_t channel,
		     int32_t tag, uint64_t bytes, double at_ns,
		     uint64_t number, int blocking);
void own_part_recv(struct own *o, int from, int to, uint32_t channel,
		   int32_t tag, double at_ns, uint64_t number);
/* Returns 1 if the sender of such a message blocks until its arrival. */
int own_part_is_blocking(struct own *o, int from, int to, uint64_t bytes);

/*
 * Starts a computation of the given length. It takes longer if other ranks
 * share the processors.
 */
void own_compute(struct own *o, int rank, double ns);

/* Starts the transfer of a message over shared links. */
void own_start_transit(struct own *o, uint32_t number);
/* Completes the transfers that have ended. */
void own_collect_arrivals(struct own *o);

/* ---- own_collectives.c ---- */

/*
 * Entry of a rank into a collective of a communicator. request 0: the rank
 * blocks until it can leave.
 */
struct own_entry {
	enum tape_action_op op;
	uint32_t comm;
	int root;
	uint64_t bytes, rbytes;
	uint64_t request;
	double at_ns;
};
void own_enter_collective(struct own *o, int rank, const struct own_entry *e);
void own_collective(struct own *o, int rank);
void own_create_comm(struct own *o, int rank);
/*
 * A message of a played collective is complete for its sender or its receiver.
 */
void own_part_arrived(struct own *o, const struct sim_message *m, int sender);
/*
 * World ranks of a communicator's members, NULL: the world. *size 0: not known.
 */
const int *own_comm_members(struct own *o, uint32_t comm, int *size);
/* The rank's number in a communicator; -1: not a member. */
int own_comm_rank(struct own *o, uint32_t comm, int rank);
/*
 * Number of members that have entered the collective in which the rank is
 * blocked; *all: number of members.
 */
int own_count_entered(const struct own *o, int rank, int *all);
void own_comms_free(struct own *o);

/* ---- own_windows.c ---- */

void own_window_action(struct own *o, int rank);
/* Requests the lock of the rank's action. Called in the order of time. */
void own_request_lock(struct own *o, int rank);
/* A token has arrived on which the rank was blocked. */
void own_token_arrived(struct own *o, int rank, double arrival_ns);
void own_windows_free(struct own *o);

/* ---- own_deadlock.c ---- */

/* Sets the error message: which rank is blocked on what. */
void own_report_deadlock(struct own *o);

/* "rank 3, action 17 (event 9)", static storage. */
const char *own_describe_action(const struct own *o, int rank);

#endif
