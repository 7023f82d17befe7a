/*
 * Inside of own.h: own_run.c lets ranks run and takes what comes next in time,
 * own_messages.c has messages and requests, own_collectives.c collectives
 * (own_play.c where links are shared), own_windows.c one-sided communication,
 * own_deadlock.c says who waits for what.
 */
#ifndef SIM_OWN_STATE_H
#define SIM_OWN_STATE_H

#include "links.h"
#include "own.h"
#include "queues.h"
#include "requests.h"

enum own_going { OWN_GOES, OWN_WAITS, OWN_ENDED };

struct own_rank {
	double now_ns, begin_ns;      /* its date; when its action began */
	double ns_each;               /* an operation takes */
	const struct tape_action *a;  /* what it is at */
	uint64_t actions;
	size_t pending;               /* requests that it waits for */
	size_t at;                    /* how far it is with many partners */
	enum own_going going;
	struct sim_requests requests;
};

/* Each host has a way out and one in; what its processes share; processors. */
enum { OWN_OUT, OWN_IN, OWN_INSIDE, OWN_CORES, OWN_LINKS };

/* The channel of computations: they are on their way as messages are. */
#define OWN_COMPUTES 0x7fffffffu

/* Things that have to be done in the order of time. */
enum own_what {
	OWN_RUN,     /* a rank goes on */
	OWN_DEPART,  /* a message leaves */
	OWN_LOCK     /* a rank asks for the lock of a window */
};

struct own_event {
	double at_ns;
	uint64_t order;               /* of equals, the first first */
	enum own_what what;
	uint32_t number;              /* of the rank or message */
};

struct own_comm;
struct own_window;

struct own {
	struct tape_actions *s;
	const struct sim_machine *m;
	const struct sim_dates *dates;
	struct sim_outcome *out;
	int rc;                       /* of what went wrong first */

	struct own_rank *ranks;
	int n;
	int running;                  /* the rank whose turn it is, -1 */
	int *ready;                   /* a ring of those that can go on */
	int first_ready, n_ready;
	int ended;

	struct sim_queues queues;
	int probers;                  /* ranks that wait in a probe */
	struct own_event *events;     /* a heap, the earliest first */
	size_t n_events, events_room;
	uint64_t order;

	struct tape_links *links;     /* NULL: nothing is shared; of each
				       * host, then what all have in common */
	int by_net, by_cores;         /* messages share, computations do */
	int hosts;
	uint32_t *flying;             /* messages over them */
	size_t n_flying, flying_room;

	struct own_comm **comms;      /* by number */
	size_t n_comms;
	struct own_window **windows;  /* by number */
	size_t n_windows;
};

/* ---- own_run.c ---- */

/* What a rank is at is over then: it goes on. */
void own_end_action(struct own *o, int rank, double end_ns);

void own_add_event(struct own *o, double at_ns, enum own_what what,
		   uint32_t number);

/* Sets the sentence and the code, if there is none yet. */
__attribute__((format(printf, 3, 4))) void own_fail(struct own *o, int rc,
						    const char *format, ...);

/* Of two ranks. */
enum tape_distance own_distance(const struct own *o, int from, int to);

/* Is that a rank? If not, fails. */
int own_check_rank(struct own *o, int rank, int32_t peer);

/* ---- own_messages.c ---- */

void own_send(struct own *o, int rank);
void own_recv(struct own *o, int rank);
void own_probe(struct own *o, int rank);
void own_wait(struct own *o, int rank);

/* A request is done then; its rank, when it waits for it, is busy a while. */
void own_complete_request(struct own *o, int rank, uint64_t number,
			  double there_ns, double take_ns);

/* An empty message that leaves now, and one that is waited for. */
void own_send_token(struct own *o, int from, int to, uint32_t channel,
		    double go_ns);
/* 1, with the date in *there_ns; 0: the rank waits for it (own_end_action). */
int own_receive_token(struct own *o, int from, int to, uint32_t channel,
		      double *there_ns);

/*
 * A message of a collective that is played (own_play.h), on a channel with the
 * bit OWN_PLAYED: sent at a date, its sender is free at the one returned; and
 * received. own_part_arrived is told by own_collectives.c when it is there.
 */
#define OWN_PLAYED 0x80000000u
double own_part_send(struct own *o, int from, int to, uint32_t channel,
		     int32_t tag, uint64_t bytes, double at_ns,
		     uint64_t number, int blocking);
void own_part_recv(struct own *o, int from, int to, uint32_t channel,
		   int32_t tag, double at_ns, uint64_t number);
/* Will its sender wait for it? */
int own_part_is_blocking(struct own *o, int from, int to, uint64_t bytes);

/* Computes for so long, if nobody else does. */
void own_compute(struct own *o, int rank, double ns);

/* It is time that this message leaves; over shared links. */
void own_start_transit(struct own *o, uint32_t number);
/* Which have arrived? */
void own_collect_arrivals(struct own *o);

/* ---- own_collectives.c ---- */

/*
 * The rank enters a collective of a communicator at a date; with a request
 * (0: it waits until it may leave).
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
/* A message of a collective is there, for its sender or its receiver. */
void own_part_arrived(struct own *o, const struct sim_message *m, int sender);
/* World ranks by rank; *size 0: not known. */
const int *own_comm_members(struct own *o, uint32_t comm, int *size);
/* The rank's number in a communicator, -1: it is none of it. */
int own_comm_rank(struct own *o, uint32_t comm, int rank);
/* How many have entered what the rank waits in, of *all. */
int own_count_entered(const struct own *o, int rank, int *all);
void own_comms_free(struct own *o);

/* ---- own_windows.c ---- */

void own_window_action(struct own *o, int rank);
/* It is its turn to ask for a lock. */
void own_request_lock(struct own *o, int rank);
/* A token that own_receive_token had not is there. */
void own_token_arrived(struct own *o, int rank, double there_ns);
void own_windows_free(struct own *o);

/* ---- own_deadlock.c ---- */

/* Who waits for what, as the sentence of the outcome. */
void own_report_deadlock(struct own *o);

/* "rank 3, action 17 (event 9)", static storage. */
const char *own_describe_action(const struct own *o, int rank);

#endif
